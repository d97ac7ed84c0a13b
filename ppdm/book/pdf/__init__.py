"""The book on paper: all pages of the built site as one PDF.

combine   the articles of all pages in one: names made unique, links turned inwards, solutions last
pack      what Chromium writes, in a third of the room
press     Chromium prints that, twice: the numbers of the contents are read from the first print

Needed are Chromium, and `playwright` and `pypdf` of the extra `test`.
"""

#: The PDF's name in the folder of the site.
NAME = "ppdm-book.pdf"
#: Above the solutions, behind everything else.
SOLUTIONS = "Solutions to the exercises"
#: Above the table of contents.
CONTENTS = "Contents"
#: Pages that are not printed: the reference of the package is for a screen, and as long as all the rest.
LEFT_OUT = ("book/api/",)
