"""Channels: how answers become reports, in three forms, and a choice between blocks by lot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ppdm.channel.base import Best, Cells, Channel, matrix_epsilon
from ppdm.channel.flip import Flip
from ppdm.channel.lot import NOT_ASKED, Lot
from ppdm.channel.matrix import Matrix, checked_matrix, left_inverse
from ppdm.channel.mixture import Mixture, Personal
from ppdm.domain import Domain

__all__ = [
    "NOT_ASKED",
    "Best",
    "Cells",
    "Channel",
    "Flip",
    "Lot",
    "Matrix",
    "Mixture",
    "Personal",
    "checked_matrix",
    "from_plain",
    "from_text",
    "left_inverse",
    "matrix_epsilon",
    "to_plain",
    "to_text",
]

#: Longer texts stay in this process: a frame carries the fingerprint only.
_LONGEST = 20_000
_FORMS: Mapping[str, type[Channel]] = {
    "matrix": Matrix, "mixture": Mixture, "flip": Flip, "lot": Lot
}  # fmt: skip
_known: dict[str, Channel] = {}


def to_plain(channel: Channel) -> dict[str, Any]:
    """A channel as lists, strings and numbers: what a file, a frame or a browser is told of it.

    >>> yes = Domain(("A",), (("no", "yes"),))
    >>> to_plain(Flip(yes, yes, 0.8, ((1, 0),)))["keep"]
    0.8
    """
    form = next(name for name, kind in _FORMS.items() if type(channel) is kind)
    names = {
        "names": channel.names,
        "inputs": channel.inputs.levels,
        "outputs": channel.outputs.levels,
    }
    numbers = {
        name: value for name, value in vars(channel).items()
        if name in type(channel).__dataclass_fields__ and name not in ("inputs", "outputs")
    }  # fmt: skip
    if isinstance(channel, Mixture):
        personal = numbers.pop("personal")
        numbers |= {"shares": personal.shares, "joint": personal.joint}
    return {"form": form, **_lists(names), **_lists(numbers)}


def from_plain(plain: Mapping[str, Any]) -> Channel:
    """The inverse of :func:`to_plain`.

    >>> yes = Domain(("A",), (("no", "yes"),))
    >>> coin = Flip(yes, yes, 0.8, ((1, 0),))
    >>> from_plain(to_plain(coin)) == coin
    True
    """
    numbers = dict(plain)
    kind, names = _FORMS[numbers.pop("form")], tuple(numbers.pop("names"))
    sides = [Domain(names, numbers.pop(side)) for side in ("inputs", "outputs")]
    if kind is Mixture:
        shares, joint = numbers.pop("shares"), numbers.pop("joint")
        arrays = (np.array(joint[0], dtype=np.int64), np.array(joint[1])) if joint else None
        numbers["personal"] = Personal(sides[0], shares and tuple(map(np.array, shares)), arrays)
    for name in {"M", "prior"} & numbers.keys():
        numbers[name] = None if numbers[name] is None else np.array(numbers[name])
    for name in {"turned", "blocks"} & numbers.keys():
        numbers[name] = tuple(map(tuple, numbers[name]))
    if "sizes" in numbers:
        numbers["sizes"] = tuple(numbers["sizes"])
    return kind(*sides, **numbers)


def to_text(channel: Channel) -> str:
    """A channel as a text of one line; what is too long for that, or has levels that are no plain data,
    is kept in this process and named by its fingerprint.

    >>> yes = Domain(("A",), (("no", "yes"),))
    >>> from_text(to_text(Flip(yes, yes, 0.8, ((1, 0),)))).names
    ('A',)
    """
    try:
        text = json.dumps(to_plain(channel), ensure_ascii=False)
        if len(text) <= _LONGEST and from_text(text) == channel:
            return text
    except (TypeError, ValueError):
        pass
    _known[channel.key] = channel
    return channel.key


@lru_cache(maxsize=256)
def from_text(text: str) -> Channel | None:
    """The inverse of :func:`to_text`; None where another process kept what it means."""
    if not text.startswith("{"):
        return _known.get(text)
    return from_plain(json.loads(text))


def _lists(values: Mapping[str, Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return value.tolist()
        return [plain(part) for part in value] if isinstance(value, tuple) else value

    return {name: plain(value) for name, value in values.items()}
