"""What the built site is held to, and the checks that hold it there.

static    links, anchors, size, the printed book: needs no browser
server    the site over HTTP on this machine
browser   every page in headless Chromium: wide and narrow, light and dark
layout    how high pages are, where their first figure stands, what is too small
cli       the command `ppdm book check`

Every check returns a list of `Finding`; an empty list is what we want.
"""

from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that is wrong on one page: a kind to group by, and a sentence."""

    page: str
    kind: str
    detail: str
    mode: str = ""

    def __str__(self) -> str:
        where = f"{self.page} ({self.mode})" if self.mode else self.page
        return f"{where}: {self.kind}: {self.detail}"
