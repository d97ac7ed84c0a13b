"""[Zhan & Matwin] Electronic surveys: what the paper ran, and what decides its claims.

chapter      the chapter: sizes, and where its rows and numbers are
readings     what the paper leaves open, and our choice
experiment   one point: disguise, undo, learn, test; testing on disguised records; attackers; clusters
rows         what the chapter computes, for figures and claims
pictures     the figures and tables
"""

from ppdm.papers.common import binary_frame
from ppdm.papers.electronic_surveys.chapter import chapter
from ppdm.papers.electronic_surveys.readings import READINGS, SETS
from ppdm.papers.questions import questions

__all__ = ["READINGS", "SETS", "binary_frame", "chapter", "questions"]
