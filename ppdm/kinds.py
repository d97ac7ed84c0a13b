"""What a table or a frame counts, and where it may go: said once, carried by the data, refused here.

==============  =======================================  =================================
kind            made by                                  may go to
==============  =======================================  =================================
answers         a source that vouches for them           disguise, apply, learn, prior
not said        NumPy, CSV, merged or made by hand       wherever answers may
reports of S    disguise, ``reports``, ``count(.., S)``  undo by S, learn and score with S
slice           reports of some who reported alike       looking at, adding
estimate        undo                                     learn, prior; slicing is fine
distorted       a release without a channel              looking at
==============  =======================================  =================================

Reports carry their channels: what was done to which attributes. A marginal carries the marginal's, and
columns of two schemes side by side carry both. Equal channels are equal however they are spelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from ppdm import marks
from ppdm.domain import MOST_PARTS, Domain, listed

if TYPE_CHECKING:
    from ppdm.channel import Channel

#: What each step takes.
TAKES = {
    "disguise": ("answers", "not said"),
    "apply": ("answers", "not said", "estimate"),
    "undo": ("reports",),
    "learn": ("answers", "not said", "estimate"),
    "believe": ("answers", "not said", "estimate"),
}
#: What helps where something is refused.
HELPS = {
    ("disguise", "reports"): "who is disguised twice cannot be undone once",
    ("undo", "answers"): "there is nothing to undo",
    ("undo", "estimate"): "it has been undone already",
    ("undo", "slice"): "undo first, then condition",
    ("undo", "not said"): (
        "count(frame, scheme) counts it as reports, ppdm.reports(frame, scheme) marks a frame, and "
        "table.reported_by(scheme) says it of a table"
    ),
    ("learn", "reports"): "give the learner the scheme: it undoes what it needs",
    ("learn", "slice"): "undo first, then condition",
    ("believe", "reports"): "an attacker's prior is made of answers, or of what undo() estimates",
}
_STEPS = {
    "disguise": "disguise", "apply": "apply", "undo": "undo", "learn": "learning",
    "believe": "a prior",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Kind:
    """What is counted: the word of the table above and, of reports, their channels.

    `taken` tells that somebody took the data for this, by :meth:`ppdm.Table.taken_as`.

    >>> NOT_SAID, NOT_SAID == Kind("not said")
    (not said, True)
    """

    what: str
    channels: tuple[Channel, ...] = ()
    taken: str = ""

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Kind):
            return NotImplemented
        return self.what == other.what and set(self.channels) == set(other.channels)

    def __hash__(self) -> int:
        return hash((self.what, frozenset(self.channels)))

    def __getstate__(self) -> dict[str, Any]:
        return {"what": self.what, "channels": self.channels, "taken": self.taken}

    def __repr__(self) -> str:
        parts = [f"{type(c).__name__.lower()} of {listed(c.names, 4)}" for c in self.channels]
        return self.what + (f" ({'; '.join(parts)})" if parts else "") + self.taken

    @property
    def disguised(self) -> tuple[str, ...]:
        """The attributes that are reported, not answered."""
        return tuple(name for channel in self.channels for name in channel.names)

    @cached_property
    def _parts(self) -> dict[tuple[str, ...], Kind]:
        return {}

    def only(self, names: Sequence[str]) -> Kind:
        """The kind of a marginal."""
        if not self.channels:
            return self
        names = tuple(names)
        if names not in self._parts:
            if len(self._parts) >= MOST_PARTS:
                self._parts.clear()
            parts = (_part(channel, names) for channel in self.channels)
            self._parts[names] = replace(self, channels=tuple(part for part in parts if part))
        return self._parts[names]

    def where(self, names: Iterable[str]) -> Kind:
        """The kind of a slice: a part of those who *reported* alike is no part of those who are alike."""
        names = set(names)
        if not self.channels:
            return self
        part = self.only([name for name in self.disguised if name not in names])
        return replace(part, what="slice") if names & set(self.disguised) else part

    def after(self, undone: Iterable[Channel]) -> Kind:
        """The kind after some channels are undone."""
        undone = set(undone)
        left = tuple(channel for channel in self.channels if channel not in undone)
        return Kind("reports" if left else "estimate", left, self.taken)

    def true_domain(self, reported: Domain) -> Domain:
        """The domain of the true answers behind a domain of reports."""
        levels = [pair for c in self.channels for pair in zip(c.names, c.inputs.levels)]
        return reported.with_levels(dict(levels))


def _part(channel: Channel, names: Sequence[str]) -> Channel | None:
    """What a channel does to these attributes."""
    present = [name for name in channel.names if name in names]
    if len(present) == len(channel.names):
        return channel
    return channel.only(present) if present else None


ANSWERS, NOT_SAID, ESTIMATE = Kind("answers"), Kind("not said"), Kind("estimate")
DISTORTED = Kind("distorted")


def need(step: str, kind: Kind) -> None:
    """Refuse a kind of data that a step does not take: the one place where it is refused.

    >>> need("undo", ESTIMATE)
    Traceback (most recent call last):
    ValueError: undo takes reports, not an estimate: it has been undone already
    """
    if kind.what in TAKES[step]:
        return
    takes = " or ".join(what for what in TAKES[step] if what != "not said")
    words = {
        "answers": "true answers", "estimate": "an estimate", "slice": "a slice of reports",
        "not said": "data that do not say what they are", "distorted": "a distorted table",
    }.get(kind.what, kind.what)  # fmt: skip
    helps = HELPS.get((step, kind.what), "")
    raise ValueError(f"{_STEPS[step]} takes {takes}, not {words}" + (f": {helps}" if helps else ""))


def need_channels(channels: Iterable[Channel], kind: Kind, scheme: object) -> None:
    """Refuse reports that these channels did not make.

    >>> need_channels((), NOT_SAID, "no scheme")      # what protects nothing is content with everything
    """
    for channel in channels:
        if channel in kind.channels:
            continue
        names = listed(channel.names, 4)
        makers = [other for other in kind.channels if set(other.names) & set(channel.names)]
        if not makers:
            raise ValueError(
                f"{shown(scheme)} protects {names}, and the data do not say that this was reported: "
                f"{HELPS['undo', 'not said']}"
            )
        raise ValueError(
            f"these are no reports of {shown(scheme)}: the answers to {names} were disguised in another "
            f"way ({', '.join(map(repr, map(_described, makers)))}); undo with the scheme that disguised them"
        )


def shown(scheme: object) -> str:
    """A scheme in an error's sentence, cut where it is long.

    >>> shown("x" * 100)[-5:]
    'x ...'
    """
    text = repr(scheme) if not isinstance(scheme, str) else scheme
    return text if len(text) <= 80 else text[:80] + " ..."


def _described(channel: Channel) -> str:
    chance = getattr(channel, "keep", None)
    with_chance = "" if chance is None else f" with {chance:g}"
    return f"{type(channel).__name__.lower()}{with_chance} of {listed(channel.names, 4)}"


# -- frames ----------------------------------------------------------------------------------------

_ANSWERS, _OPEN = marks.ANSWERS, "open"


def mark(frame: pd.DataFrame, kind: Kind) -> pd.DataFrame:
    """Write the kind of its columns into a frame of pandas; columns of reports that no channel
    protects are open.

    >>> of_frame(mark(pd.DataFrame({"A": [0, 1]}), ANSWERS))
    answers
    """
    from ppdm.channel import to_text  # tables do without channels until something was disguised

    texts = dict.fromkeys(frame.columns, _ANSWERS if kind.what == "answers" else _OPEN)
    for channel in kind.channels:
        texts |= dict.fromkeys(channel.names, to_text(channel))
    return marks.write(frame, texts if kind.what in ("answers", "reports") else {})


def of_frame(frame: object) -> Kind:
    """The kind of a frame's columns, as far as it can still vouch for them; else it is not said.

    >>> of_frame(pd.DataFrame({"A": [0, 1]}))
    not said
    """
    texts = marks.read(frame)
    if not texts:
        return NOT_SAID
    from ppdm.channel import from_text

    channels = []
    for text in dict.fromkeys(texts.values()):
        channel = None if text in (_ANSWERS, _OPEN) else from_text(text)
        part = channel and _part(channel, [name for name, own in texts.items() if own == text])
        channels += [part] if part else []
    if channels or _OPEN in texts.values():
        return Kind("reports", tuple(channels))
    return ANSWERS if set(texts) == set(getattr(frame, "columns", ())) else NOT_SAID


def levels_of(kind: Kind) -> Mapping[str, tuple]:
    """The levels of reports, by attribute: the channel's, whatever happens to occur.

    >>> levels_of(NOT_SAID)
    {}
    """
    return dict(pair for c in kind.channels for pair in zip(c.names, c.outputs.levels))
