"""[Guo] Distorted data sets: what the paper ran, and what decides its claims.

chapter      the chapter as its notebooks open it
rows         what is computed, for figures, tables and claims
pictures     the figures
shown        the tables
numbers      the numbers in sentences
readings     what the paper leaves open, and our choice
experiment   one point of a grid: distort and measure, or distort, classify and score
selection    the parameter that the paper's rule chooses, and how sure the choice is
beyond       tracing records, guessing values, telling a release from the original
"""

from ppdm.papers.aibr.chapter import chapter
from ppdm.papers.aibr.experiment import CHOSEN, SCHEMES, numbers_of
from ppdm.papers.aibr.readings import READINGS

__all__ = ["CHOSEN", "READINGS", "SCHEMES", "chapter", "numbers_of"]
