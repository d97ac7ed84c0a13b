"""A claim in many worlds: readings, draws of chance, and worlds that are known to be wrong.

A *world* is one draw of all that is chance under one *reading* of what the paper leaves open. The
verdict is decided in our own, with all the chance counted: splits (seeds, drawn data sets) are
clusters, and standard errors come from the spread between them. The other worlds say how firmly the
verdict stands. A *plant* is a world known to be wrong; a rule that does not refuse it tests nothing.

A frame of many worlds has a column `world`, "ours" among its values, and a column of the draws
(`split`, say). `points` and `under` make such a frame with `study.run`; `cases` takes a claim's
evidence, a function of a frame, through all of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from ppdm.study.ledger import LedgerError

OURS = "ours"
# What a rule measures, by the name it has as evidence; everything else is taken from the first draw.
MEASURED = ("value", "values", "differences", "size", "mean")
ERRORS = ("se", "mean_se")
CASES = ("worlds", "draws", "plants")


# Running ------------------------------------------------------------------------------------------


def points(
    grid: list[dict], readings: Iterable[Any] = (), column: str = "dataset", ours: bool = True
) -> list[dict]:
    """The points of a grid in our own world (unless not `ours`) and in that of each reading or plant.

    A reading is anything with a `name` and, where it concerns some data sets only, `datasets`.

    >>> from types import SimpleNamespace as R
    >>> middle = R(name="middle", datasets=("adult",))
    >>> points([{"dataset": "adult"}, {"dataset": "wbc"}], [middle])   # doctest: +NORMALIZE_WHITESPACE
    [{'dataset': 'adult', 'world': 'ours'}, {'dataset': 'wbc', 'world': 'ours'},
     {'dataset': 'adult', 'world': 'middle'}]
    """
    out = [point | {"world": OURS} for point in grid] if ours else []
    for reading in readings:
        touched = getattr(reading, "datasets", ()) or None
        out += [
            point | {"world": reading.name}
            for point in grid
            if touched is None or point.get(column) in touched
        ]
    return out


def under(function: Callable, readings: Iterable[Any] = ()) -> Callable:
    """A point's function with one coordinate more, `world`: the options of that reading are added.

    >>> from types import SimpleNamespace as R
    >>> def point(rng, reps, q, alpha=1.0): return {"alpha": [alpha] * reps}
    >>> under(point, [R(name="alpha 0", options={"alpha": 0.0})])(None, 2, q=1, world="alpha 0")
    {'alpha': [0.0, 0.0]}
    """
    return partial(_in_world, function, {OURS: {}} | {r.name: dict(r.options) for r in readings})


def _in_world(
    function: Callable, options: dict[str, dict], *arguments: Any, world: str, **coordinates: Any
) -> Any:
    if world not in options:
        raise ValueError(f"world is {world!r}; allowed are {', '.join(options)}")
    return function(*arguments, **(coordinates | options[world]))


class Both:
    """Two readings at once, where they do not say different things of the same option."""

    def __init__(self, first: Any, second: Any):
        self.name = f"{first.name} + {second.name}"
        self.options = dict(first.options) | dict(second.options)
        one, two = (tuple(getattr(r, "datasets", ()) or ()) for r in (first, second))
        self.datasets = tuple(d for d in one if d in two) if one and two else one or two
        self.touches = tuple(c for c in _touches(first) if c in _touches(second))


def pairs(readings: Iterable[Any], names: Iterable[str]) -> list[Both]:
    """All pairs of the readings of these names (see :func:`moved`) that can be held together.

    >>> from types import SimpleNamespace as R
    >>> a, b = R(name="a", options={"x": 1}), R(name="b", options={"y": 1})
    >>> [p.name for p in pairs([a, b, R(name="c", options={"x": 2})], ["a", "b", "c"])]
    ['a + b', 'b + c']
    """
    chosen = [r for r in readings if r.name in set(names)]
    return [
        both
        for a, b in itertools.combinations(chosen, 2)
        if not set(a.options) & set(b.options)
        for both in [Both(a, b)]
        if both.datasets or not (getattr(a, "datasets", ()) or getattr(b, "datasets", ()))
    ]


def _touches(reading: Any) -> tuple[str, ...]:
    return tuple(getattr(reading, "touches", ()) or ())


# Evidence -----------------------------------------------------------------------------------------


def each(evidence: Callable, frame: pd.DataFrame, column: str) -> dict[str, dict]:
    """The evidence of each draw alone: of the rows of each split, seed or data set.

    >>> frame = pd.DataFrame({"split": [0, 0, 1, 1], "value": [1., 3, 5, 7]})
    >>> each(lambda rows: {"value": rows["value"].mean()}, frame, "split")
    {'split 1': {'value': np.float64(2.0)}, 'split 2': {'value': np.float64(6.0)}}
    """
    parts = frame.groupby(column, sort=False)
    return {f"{column} {i}": evidence(rows) for i, (_, rows) in enumerate(parts, 1)}


def clustered(draws: dict[str, dict]) -> dict:
    """One evidence from that of each draw: the mean over draws, its error from their spread.

    So whatever differs between draws counts, and what is common within one (the split that all
    points of a curve share) does not count twice. Errors are widened as Student's t asks, so
    that rules may take them as normal. Evidence under a condition keeps its two parts.

    >>> found = clustered({"split 1": {"value": 1.0, "se": .1}, "split 2": {"value": 3.0, "se": .1}})
    >>> found["value"], round(found["se"], 2)
    (2.0, 6.48)
    """
    every = list(draws.values())
    if len(every) < 2:
        raise ValueError(f"a spread needs two draws or more; there are {len(every)}")
    first = every[0]
    if set(first) == {"plain", "under"}:
        return {
            part: clustered({name: d[part] for name, d in draws.items()})
            for part in ("plain", "under")
        }
    _check_order(every)
    out = {name: value for name, value in first.items() if name not in (*MEASURED, *ERRORS)}
    wider = stdtrit(len(every) - 1, 0.975) / ndtri(0.975) / np.sqrt(len(every))
    for name in MEASURED:
        if name in first:
            stack = np.array([np.asarray(d[name], dtype=float) for d in every])
            spread = stack.std(axis=0, ddof=1)
            spread = np.where(spread < 1e-12 * np.abs(stack).max(), 0.0, spread)  # rounding
            out[name], out["se"] = _plain(stack.mean(axis=0)), _plain(wider * spread)
            if name == "differences":
                means = stack.reshape(len(every), -1).mean(axis=1)
                out["mean_se"] = float(wider * means.std(ddof=1))
    return out


def _check_order(every: list[dict]) -> None:
    """Draws are averaged value by value, so the same must stand at the same place in each."""
    for name in ("names", *MEASURED):
        first, *others = (d.get(name) for d in every)
        for other in others:
            if name == "names":
                mixed = np.asarray(first).tolist() != np.asarray(other).tolist()
            elif isinstance(first, pd.Series) and isinstance(other, pd.Series):
                here, there = first.index, other.index  # rows of a frame may have other numbers
                mixed = not here.equals(there) and set(here) == set(there)
            else:
                continue
            if mixed:
                raise LedgerError(
                    f"the {name} of one draw stand in another order than those of the next: sort the "
                    "evidence of every draw alike (groupby(sort=False) takes the order of the rows)"
                )


def _plain(array: Any) -> Any:
    return float(array) if np.ndim(array) == 0 else array


def cases(
    evidence: Callable,
    frame: pd.DataFrame,
    *,
    plants: pd.DataFrame | None = None,
    draws: str | None = "split",
    touches: Iterable[str] | None = None,
    pooled: bool = False,
) -> dict:
    """A claim's evidence in all worlds of a frame, as the arguments of `Chapter.decide`.

    `evidence(rows)` gives the evidence by name from the rows of one world (in one draw of chance,
    unless `pooled`, when it is handed all rows of a world and counts their clusters itself).
    `draws` is the column of the draws, None where there are none; `touches` the names of the
    readings that can touch the claim (default: all); `plants` a frame of wrong worlds, by their
    column `world`. A world that concerns some data sets only leaves the others as they are in ours. A
    pair of readings ("a + b") counts where each of them alone moves a value by a standard error; a
    world that changes nothing of the evidence is none.
    """

    def take(rows: pd.DataFrame) -> dict:
        if pooled or not draws:
            return {0: evidence(rows)}
        return {v: evidence(part) for v, part in rows.groupby(draws, sort=False)}

    def whole(found: dict) -> dict:
        return found[0] if pooled or not draws else clustered(found)

    by_world = _worlds(frame)
    ours = by_world.pop(OURS)
    home = take(ours)  # of each draw
    main, found = whole(home), {}
    for name, rows in by_world.items():
        if touches is None or " + " in name or name in set(touches):
            found[name] = take(_filled(rows, ours, draws))
    # beside each world stands ours with the same draws: what differs is the reading alone
    beside = {n: whole(_same_draws(home, there)) for n, there in found.items()}
    worlds = {n: whole(there) for n, there in found.items()}
    worlds = {n: e for n, e in worlds.items() if _moves(beside[n], e, 0.0)}
    movers = {n for n in worlds if _moves(beside[n], worlds[n], 1.0, main)}
    worlds = {n: e for n, e in worlds.items() if set(n.split(" + ")) <= movers or " + " not in n}
    planted = {} if plants is None else _worlds(plants)
    planted.pop(OURS, None)
    alone = {f"{draws} {i}": e for i, e in enumerate(home.values(), 1)} if draws else {}
    if draws and pooled:  # `home` is one evidence of all draws
        alone = each(evidence, ours, draws)
    return {
        **main,
        "worlds": worlds,
        "draws": alone,
        "plants": {n: whole(take(_filled(rows, ours, draws))) for n, rows in planted.items()},
    }


def _worlds(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    if "world" not in frame:
        return {OURS: frame}
    return {str(name): rows for name, rows in frame.groupby("world", sort=False)}


def _filled(rows: pd.DataFrame, ours: pd.DataFrame, draws: str | None) -> pd.DataFrame:
    """The rows of a world; data sets that it does not concern are those of ours, in its draws."""
    if "dataset" not in rows:
        return rows
    rest = ours[~ours["dataset"].isin(rows["dataset"].unique())]
    if len(rest) and draws in ours:
        rest = rest[rest[draws].isin(rows[draws].unique())]
    return pd.concat([rows, rest]) if len(rest) else rows


def movers(
    evidence: Callable,
    frame: pd.DataFrame,
    touches: Iterable[str] | None = None,
    draws: str | None = "split",
) -> list[str]:
    """The readings of a frame that move a value of the evidence by a standard error or more.

    >>> frame = pd.DataFrame({"world": ["ours"] * 2 + ["a"] * 2, "split": [0, 1] * 2,
    ...                       "value": [1.0, 1.1, 1.0, 2.1]})
    >>> movers(lambda rows: {"value": rows["value"].mean()}, frame)
    ['a']
    """
    found = cases(evidence, frame, draws=draws, touches=touches)
    main = {name: value for name, value in found.items() if name not in CASES}
    return moved(main, {n: e for n, e in found["worlds"].items() if " + " not in n})


def _same_draws(home: dict, there: dict) -> dict:
    """Our evidence in the draws that another world has, where it has some of ours and not all."""
    same = {value: evidence for value, evidence in home.items() if value in there}
    return same if len(same) > 1 else home


def moved(main: dict, worlds: dict[str, dict], by: float = 1.0) -> list[str]:
    """The worlds that move a value of the evidence by `by` of our standard errors or more.

    >>> moved({"value": 1.0, "se": 0.1}, {"a": {"value": 1.05}, "b": {"value": 1.2}})
    ['b']
    """
    return [name for name, other in worlds.items() if _moves(main, other, by)]


def _moves(main: dict, other: dict, by: float, scale: dict | None = None) -> bool:
    """Whether a value of the evidence is elsewhere by so many standard errors (of `scale`)."""
    scale = main if scale is None else scale
    if set(main) == {"plain", "under"}:
        return any(_moves(main[part], other[part], by, scale[part]) for part in main)
    for name in MEASURED:
        if name in main and name in other:
            here, there = (np.asarray(e[name], dtype=float) for e in (main, other))
            if here.shape != there.shape:
                return True
            se = np.asarray(_error_of(scale), dtype=float)
            if (np.abs(there - here) >= by * se + 1e-15).any():
                return True
    return False


def _error_of(evidence: dict) -> Any:
    """The standard errors in some evidence; those of a sample's mean follow from its spread."""
    if "sd" in evidence:
        return evidence["sd"] / np.sqrt(evidence["reps"])
    return evidence.get("se", 0.0)
