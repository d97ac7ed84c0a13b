"""Interpretations of what a paper leaves open, and runs under each of them.

Each paper's folder has a `readings.yml`: lists by name, in each a question an entry, with our choice and what
else it could mean (`instead`: by name, `says` in words, and the fields of a :class:`Reading`)::

    readings:
    - question: Is a count smoothed before it is divided?
      choice: one is added (Laplace)
      instead:
        alpha 0: {says: no, options: {alpha: 0.0}, datasets: [adult], touches: [ZM-8]}

A *world* is one draw of all that is chance under one *reading* of what the paper leaves open. A *plant* is a
world known to be wrong, said in the same form. `points` and `under` make a frame of many worlds with
`study.run`: it has a column `world`, "ours" among its values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import yaml

OURS = "ours"


@dataclass(frozen=True)
class Reading:
    """Something that a paper leaves open: our choice and why, and what else it could mean.

    >>> ours = Reading("ours", "Is a count smoothed?", "one is added (Laplace)")
    >>> other = Reading("alpha 0", ours.question, ours.choice, alternative="no",
    ...                 options={"alpha": 0.0}, touches=("ZM-8", "ZM-9"))
    >>> other.options
    {'alpha': 0.0}
    """

    name: str
    question: str
    choice: str
    why: str = ""
    alternative: str = ""
    #: The keywords of the paper's experiment that make it the alternative.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: The data sets it says anything about.
    datasets: tuple[str, ...] = ()
    #: The claims whose evidence it can move.
    touches: tuple[str, ...] = ()


def read(path: Path) -> dict[str, tuple[Reading, ...]]:
    """The readings of a file, by the names of its lists; `named` holds what others refer to."""
    lists = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {
        name: tuple(
            _reading(question, other, dict(fields or {}), path.name)
            for question in questions
            for other, fields in question["instead"].items()
        )
        for name, questions in lists.items()
        if name != "named"
    }


def _reading(question: dict, name: str, fields: dict, file: str) -> Reading:
    allowed = {"says", "options", "datasets", "touches"}
    if not set(fields) <= allowed or not set(question) <= {"question", "choice", "why", "instead"}:
        raise ValueError(
            f"{file}: {name!r} has a key that is not known; a question has question, choice, why and "
            f"instead, what stands instead has {', '.join(sorted(allowed))}"
        )
    return Reading(
        name, question["question"], question.get("choice", ""), question.get("why", ""),
        str(fields.get("says", "")), fields.get("options", {}),
        tuple(fields.get("datasets", ())), tuple(fields.get("touches", ())),
    )  # fmt: skip


def points(
    grid: list[dict], readings: Iterable[Reading] = (), column: str = "dataset", ours: bool = True
) -> list[dict]:
    """The points of a grid in our own world (unless not `ours`) and in that of each reading or plant.

    >>> middle = Reading("middle", "Where is it cut?", "the median", datasets=("adult",))
    >>> points([{"dataset": "adult"}, {"dataset": "wbc"}], [middle])   # doctest: +NORMALIZE_WHITESPACE
    [{'dataset': 'adult', 'world': 'ours'}, {'dataset': 'wbc', 'world': 'ours'},
     {'dataset': 'adult', 'world': 'middle'}]
    """
    return [point | {"world": OURS} for point in grid if ours] + [
        point | {"world": reading.name}
        for reading in readings
        for point in grid
        if not reading.datasets or point.get(column) in reading.datasets
    ]


def under(function: Callable, readings: Iterable[Reading] = ()) -> Callable:
    """A point's function with one coordinate more, `world`: the options of that reading are added.

    >>> def point(rng, reps, q, alpha=1.0): return {"alpha": [alpha] * reps}
    >>> none = Reading("alpha 0", "Is a count smoothed?", "yes", options={"alpha": 0.0})
    >>> under(point, [none])(None, 2, q=1, world="alpha 0")
    {'alpha': [0.0, 0.0]}
    """
    return partial(_in_world, function, {OURS: {}} | {r.name: dict(r.options) for r in readings})


def _in_world(
    function: Callable, options: dict[str, dict], *arguments: Any, world: str, **coordinates: Any
) -> Any:
    if world not in options:
        raise ValueError(f"world is {world!r}; allowed are {', '.join(options)}")
    return function(*arguments, **(coordinates | options[world]))


def pairs(readings: Iterable[Reading], names: Iterable[str]) -> list[Reading]:
    """All pairs of the readings of these names (see `Chapter.movers`) that can be held together.

    >>> a, b, c = (Reading(n, "", "", options={x: v}) for n, x, v in ("ax1", "by1", "cx2"))
    >>> [pair.name for pair in pairs([a, b, c], ["a", "b", "c"])]
    ['a + b', 'b + c']
    """
    together = []
    for a, b in itertools.combinations([r for r in readings if r.name in set(names)], 2):
        shared = tuple(d for d in a.datasets or b.datasets if not b.datasets or d in b.datasets)
        apart = a.datasets and b.datasets and not shared
        if not apart and not set(a.options) & set(b.options):
            touches = tuple(claim for claim in a.touches if claim in b.touches)
            options = {**a.options, **b.options}
            together.append(
                Reading(f"{a.name} + {b.name}", "", "", "", "", options, shared, touches)
            )
    return together
