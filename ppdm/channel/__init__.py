"""Channels: how answers become reports, in three forms, and a choice between blocks by lot."""

from __future__ import annotations

import json
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
_FORMS = {form.__name__: form for form in (Matrix, Mixture, Flip, Lot, Personal, Domain)}
_known: dict[str, Channel] = {}


def to_plain(value: Any) -> Any:
    """A channel, and what it is made of, as mappings, lists, strings and numbers.

    >>> yes = Domain(("A",), (("no", "yes"),))
    >>> to_plain(Flip(yes, yes, 0.8, ((1, 0),)))["keep"]
    0.8
    """
    if type(value).__name__ in _FORMS:
        state = value.__getstate__()
        if isinstance(value, Domain):
            del state["whole"]
        parts = {name: to_plain(part) for name, part in state.items()}
        return {"form": type(value).__name__, **parts}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, np.generic):
        return value.item()
    return [*map(to_plain, value)] if isinstance(value, tuple) else value


def from_plain(plain: Any) -> Any:
    """The inverse of :func:`to_plain`.

    >>> yes = Domain(("A",), (("no", "yes"),))
    >>> coin = Flip(yes, yes, 0.8, ((1, 0),))
    >>> from_plain(to_plain(coin)) == coin
    True
    """
    if isinstance(plain, list):
        return tuple(map(from_plain, plain))
    if not isinstance(plain, dict):
        return plain
    if "array" in plain:
        return np.array(plain["array"])
    parts = {name: from_plain(part) for name, part in plain.items()}
    return _FORMS[parts.pop("form")](**parts)


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
def from_text(text: str) -> Any:
    """The inverse of :func:`to_text`; None where another process kept what it means."""
    return from_plain(json.loads(text)) if text.startswith("{") else _known.get(text)
