"""[Chapter 5] The four papers' schemes and today's on one scale.

experiment   one point: a scheme on a data set, its worth and its attackers
evidence     frames in: the plane, who is dominated and by how much, evidence for claims
groups       is one grouping a post-processing of another? Which attackers prefer which
design       what the papers' schemes cost beside the certified best
pictures     the figures made for the chapter
"""
