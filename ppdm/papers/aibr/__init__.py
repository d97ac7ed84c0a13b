"""[Guo] Distorted data sets: what the third chapter runs, and what decides its claims.

experiment   one point of a grid: distort, classify, measure, link
selection    the parameter that the paper's rule chooses, and how sure the choice is
evidence     frames in, evidence for claims out
pictures     what two attributes of a table look like
"""
