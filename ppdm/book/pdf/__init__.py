"""The book on paper: the pages of the built site as one PDF.

combine   the articles of all pages in one: names made unique, links turned inwards, solutions last
press     Chromium prints that, twice: the numbers of the contents are read from the first print

Needed are Chromium, and `playwright` and `pikepdf` of the extra `test`.
"""

#: The PDF's name in the folder of the site.
NAME = "ppdm-book.pdf"
#: The report of a few pages, by its page's name and as a file of its own.
REPORT = "book/report", "ppdm-report.pdf"
#: The part of the solutions, behind everything else.
APPENDIX = "Appendix: solutions"
#: Above the table of contents.
CONTENTS = "Contents"
#: Pages that are not printed: what is for a screen only, and what repeats figures that stand in the chapters.
LEFT_OUT = ("book/api", "book/changes")
