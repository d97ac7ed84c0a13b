"""[Chapter 5] Which disguise? All schemes on one scale.

chapter      the chapter as its notebooks open it
experiment   one point: a scheme on a data set, what it is worth, and what it gives away
rows         what the page computes, for figures, tables and claims; beyond: the same for the page beyond it
design       what the papers' schemes cost beside the best
groups       whether one grouping is safer than another
pictures, shown                 figures and tables
"""

from ppdm.papers.which.chapter import chapter, later

__all__ = ["chapter", "later"]
