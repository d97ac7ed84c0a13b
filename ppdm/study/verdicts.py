"""From evidence to a verdict: a claim's rule asked in our world, in others, and in wrong ones.

The verdict is decided in our own world, with all the chance counted: splits (seeds, drawn data sets) are
clusters, and standard errors come from the spread between them. The other worlds say how firmly the verdict
stands. A *plant* is a world known to be wrong; a rule that does not refuse it tests nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from ppdm.data import in_words
from ppdm.study import rules, tidy
from ppdm.study.claims import (
    CAVEAT,
    NOT_DECIDED,
    REPRODUCED,
    UNTESTABLE,
    Claim,
    LedgerError,
)
from ppdm.study.rules import Finding, NotFinite, interval
from ppdm.study.tidy import ALL
from ppdm.study.worlds import OURS, Reading

# What a rule measures, by the name it has as evidence; everything else is taken from the first draw.
MEASURED = ("value", "values", "differences", "size", "mean")
ERRORS = ("se", "mean_se")
BOTH = {"plain", "under"}  # the parts of the evidence of a claim with a condition
PLANT = "plant: "  # before the name of a wrong world, in the file of all worlds
FIRM = 0.9  # a firm verdict comes out in so many of the single draws of chance


class Rows(NamedTuple):
    """A summary of runs in many worlds, from which claims take their evidence.

    `readings` are those of its column `world`, `plants` a summary of wrong worlds, `draws` the column of the
    draws of chance: where it is lacking, there are none.
    """

    frame: pd.DataFrame
    plants: pd.DataFrame | None = None
    draws: str | None = "split"
    readings: tuple[Reading, ...] = ()


# Evidence in all worlds ---------------------------------------------------------------------------


def cases(
    evidence: Callable,
    frame: pd.DataFrame,
    *,
    plants: pd.DataFrame | None = None,
    draws: str | None = "split",
    touches: Iterable[str] | None = None,
) -> dict:
    """A claim's evidence in all worlds of a frame, as the arguments of `Chapter.decide`.

    `evidence(rows)` gives the evidence by name from the rows of one world in one draw of chance; `draws` is
    the column of the draws, None where there are none; `touches` the names of the readings that can touch
    the claim (default: all); `plants` a frame of wrong worlds, by their column `world`. Evidence is the mean
    over draws (see :func:`clustered`), unless one of them is called "all", or is the only one: that decides.
    A world that concerns some data sets only leaves the others as they are in ours. A pair of readings
    ("a + b") counts where each of them alone moves a value by a standard error; a world that changes nothing
    is none.
    """

    def take(rows: pd.DataFrame) -> dict:
        groups = rows.groupby(draws, sort=False) if draws else [(0, rows)]
        return {draw: evidence(part) for draw, part in groups}

    def whole(parts: dict) -> dict:
        alone = ALL if ALL in parts else next(iter(parts)) if len(parts) == 1 else None
        return clustered(parts) if alone is None else parts[alone]

    by_world = _by_world(frame)
    ours = by_world.pop(OURS)
    home = take(ours)
    main = whole(home)
    alone = [evidence for draw, evidence in home.items() if draw != ALL]
    worlds: dict[str, dict] = {}
    movers: set[str] = set()
    for name, rows in by_world.items():
        if touches is None or " + " in name or name in set(touches):
            there = take(_filled(rows, ours, draws))
            # beside each world stands ours with the same draws: what differs is the reading alone
            same = {draw: home[draw] for draw in home if draw in there}
            moves = _moves(whole(same if len(same) > 1 else home), other := whole(there), main)
            worlds |= {name: other} if moves >= 0 else {}
            movers |= {name} if moves >= 1 else set()
    wrong = {} if plants is None else _by_world(plants)
    return main | {
        "worlds": {
            n: e for n, e in worlds.items() if " + " not in n or set(n.split(" + ")) <= movers
        },
        "draws": {f"{draws} {i}": e for i, e in enumerate(alone, 1)} if draws else {},
        "plants": {n: whole(take(_filled(r, ours, draws))) for n, r in wrong.items() if n != OURS},
    }


def taken(claim: Claim, rows: Rows, module: ModuleType | None = None) -> dict:
    """The evidence that a claim's entry names, in all worlds of a frame, as `cases` has it.

    Worlds of which the entry's `where` leaves nothing are none of the claim's. Where the entry says why
    there is one world only, the draws are not asked alone.
    """
    parts = claim.evidence if set(claim.evidence) == BOTH else {"": claim.evidence}

    def chosen(frame: pd.DataFrame, part: dict) -> pd.DataFrame:
        return frame.query(part["where"]) if "where" in part else frame

    def evidence(frame: pd.DataFrame) -> dict:
        extracted = {}
        for name, part in parts.items():
            arguments = {k: v for k, v in part.items() if k not in ("rows", "where", "from")}
            extract = tidy.extractor(part["from"], module)
            extracted[name] = extract(chosen(frame, part), **arguments)
        return extracted.get("", extracted)

    frame, plants = rows.frame, rows.plants
    touches = [r.name for r in rows.readings if claim.id in r.touches] if rows.readings else None
    try:
        if "" in parts:
            frame = chosen(frame, parts[""])
            plants = None if plants is None else chosen(plants, parts[""])
        draws = rows.draws if rows.draws in frame else None
        every = cases(evidence, frame, plants=plants, draws=draws, touches=touches)
    except (KeyError, NameError, SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, LedgerError):
            raise
        raise LedgerError(
            f"claim {claim.id}: its evidence cannot be taken from {claim.rows!r}, which has "
            f"{', '.join(map(str, rows.frame))} ({type(error).__name__}: {error})"
        ) from error
    return every | {"draws": {} if claim.one_world else every["draws"]}


def parts_of(claim: Claim, rows: Rows) -> Iterator[tuple[str, Claim, Rows]]:
    """The parts of a joined claim: one for each combination of the columns that its entry names as `each`."""
    columns = list(claim.each)
    ours = rows.frame if "world" not in rows.frame else rows.frame[rows.frame["world"] == OURS]
    chosen = claim.evidence.get("where")
    for key in (
        (ours.query(chosen) if chosen else ours)[columns].drop_duplicates().itertuples(index=False)
    ):

        def here(frame: pd.DataFrame, key: tuple = key) -> pd.DataFrame:
            return frame[(frame[columns] == list(key)).all(axis=1)]

        name, part = ", ".join(map(str, key)), claim
        printed = claim.given.get("printed")
        if isinstance(printed, dict):
            if name not in printed:
                continue
            number = printed[name]
            part = replace(claim, printed=number, given=claim.given | {"printed": number})
        plants = None if rows.plants is None else here(rows.plants)
        yield name, part, rows._replace(frame=here(rows.frame), plants=plants)


def joined(claim: Claim, parts: Mapping[str, Decision]) -> Decision:
    """One decision from that of each part: it holds if every part does, and shows the worst.

    In another world the parts that it does not concern are as in ours. A wrong world is refused if a part is
    that our world meets.
    """

    def worst(worlds: Mapping[str, World], of: Iterable[str]) -> World:
        order = (REPRODUCED, CAVEAT, *({claim.met, claim.unmet} - {REPRODUCED}), NOT_DECIDED)
        name = max(of, key=lambda part: (not worlds[part].met, order.index(worlds[part].verdict)))
        world = worlds[name]
        if world.finding is None:
            return world
        told = ", ".join(filter(None, (name, world.finding.worst)))
        return world._replace(finding=world.finding._replace(worst=told))

    ours = {n: World(OURS, d.finding, d.met, d.verdict) for n, d in parts.items()}
    met = [name for name, world in ours.items() if world.met] or list(parts)

    def beside(kind: str, of: Iterable[str]) -> tuple[World, ...]:
        by_part = {n: {w.name: w for w in getattr(d, kind)} for n, d in parts.items()}
        names = dict.fromkeys(name for worlds in by_part.values() for name in worlds)
        return tuple(
            worst({n: by_part[n].get(name, ours[n]) for n in parts}, of)._replace(name=name)
            for name in names
        )

    home = worst(ours, parts)
    counts = Counter(d.verdict for d in parts.values())
    of = f"Of {len(parts)} parts " + ", ".join(
        f"{number} {verdict}" for verdict, number in counts.items()
    )
    why = claim.why if home.verdict != REPRODUCED else ""
    told = _sentences(of, why, claim.note)
    note = _sentences(home.finding.note if home.finding else "", told)
    return Decision(
        claim, home.finding, home.verdict, note, told, beside("worlds", parts), beside("draws", parts),
        beside("plants", met), home.met, dict(parts),
    )  # fmt: skip


def _by_world(frame: pd.DataFrame) -> dict[Any, pd.DataFrame]:
    if "world" not in frame:
        return {OURS: frame}
    return dict(tuple(frame.groupby("world", sort=False)))


def _filled(rows: pd.DataFrame, ours: pd.DataFrame, draws: str | None) -> pd.DataFrame:
    """The rows of a world; data sets that it does not concern are those of ours, in its draws."""
    if "dataset" not in rows:
        return rows
    rest = ours[~ours["dataset"].isin(rows["dataset"].unique())]
    if len(rest) and draws in ours:
        rest = rest[rest[draws].isin(rows[draws].unique())]
    return pd.concat([rows, rest]) if len(rest) else rows


def each(evidence: Callable, parts: pd.DataFrame | Iterable[Any], column: str = "draw") -> dict:
    """The evidence of each draw alone: of a frame's rows of each split, seed or data set, or of each part.

    >>> frame = pd.DataFrame({"split": [0, 0, 1, 1], "value": [1., 3, 5, 7]})
    >>> each(lambda rows: {"value": rows["value"].mean()}, frame, "split")
    {'split 1': {'value': np.float64(2.0)}, 'split 2': {'value': np.float64(6.0)}}
    """
    if isinstance(parts, pd.DataFrame):
        parts = [rows for _, rows in parts.groupby(column, sort=False)]
    return {f"{column} {i}": evidence(part) for i, part in enumerate(parts, 1)}


def clustered(draws: Mapping[Any, dict]) -> dict:
    """One evidence from that of each draw: the mean over draws, its error from their spread.

    So whatever differs between draws counts, and what is common within one (the split that all
    points of a curve share) does not count twice. Errors are widened as Student's t asks, so
    that rules may take them as normal. Evidence under a condition keeps its two parts.

    >>> both = clustered({"split 1": {"value": 1.0, "se": .1}, "split 2": {"value": 3.0, "se": .1}})
    >>> [round(float(both[name]), 2) for name in ("value", "se")]
    [2.0, 6.48]
    """
    every = list(draws.values())
    if len(every) < 2:
        raise ValueError(f"a spread needs two draws or more; there are {len(every)}")
    first = every[0]
    if set(first) == BOTH:
        return {part: clustered({name: d[part] for name, d in draws.items()}) for part in first}
    _check_order(every)
    out = {name: value for name, value in first.items() if name not in (*MEASURED, *ERRORS)}
    wider = stdtrit(len(every) - 1, 0.975) / ndtri(0.975) / np.sqrt(len(every))
    for name in set(MEASURED) & set(first):
        stack = np.array([np.asarray(d[name], dtype=float) for d in every])
        spread = stack.std(axis=0, ddof=1)
        spread = np.where(spread < 1e-12 * np.abs(stack).max(), 0.0, spread)  # rounding
        out[name], out["se"] = stack.mean(axis=0)[()], (wider * spread)[()]
        if name == "differences":
            means = stack.reshape(len(every), -1).mean(axis=1)
            out["mean_se"] = float(wider * means.std(ddof=1))
    return out


def _check_order(every: list[dict]) -> None:
    """Draws are averaged value by value, so the same must stand at the same place in each."""
    for name in ("names", *MEASURED):
        first, *others = (d.get(name) for d in every)
        if name == "names":
            mixed = any(
                np.asarray(first).tolist() != np.asarray(other).tolist() for other in others
            )
        else:  # rows of a frame may have other numbers, but not the same in another order
            rows = [series.index for series in (first, *others) if isinstance(series, pd.Series)]
            mixed = any(not rows[0].equals(i) and set(rows[0]) == set(i) for i in rows)
        if mixed:
            raise LedgerError(
                f"the {name} of one draw stand in another order than those of the next: sort the "
                "evidence of every draw alike (groupby(sort=False) takes the order of the rows)"
            )


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
    main = cases(evidence, frame, draws=draws, touches=touches)
    return moved(main, {n: e for n, e in main["worlds"].items() if " + " not in n})


def moved(main: dict, worlds: dict[str, dict], by: float = 1.0) -> list[str]:
    """The worlds that move a value of the evidence by `by` of our standard errors or more.

    >>> moved({"value": 1.0, "se": 0.1}, {"a": {"value": 1.05}, "b": {"value": 1.2}})
    ['b']
    """
    return [name for name, other in worlds.items() if _moves(main, other, main) >= by]


def _moves(main: dict, other: dict, scale: dict) -> float:
    """By how many standard errors (of `scale`) a value of the evidence is elsewhere; below 0: by none."""
    if BOTH <= set(main):
        return max(_moves(main[part], other[part], scale[part]) for part in BOTH)
    farthest = -np.inf
    for name in {*MEASURED, "ours"} & set(main) & set(other):
        if np.asarray(main[name]).dtype.kind not in "biuf":  # trees as text
            continue
        here, there = (np.asarray(e[name], dtype=float) for e in (main, other))
        if here.shape != there.shape:
            return np.inf
        se = scale["sd"] / np.sqrt(scale["reps"]) if "sd" in scale else scale.get("se", 0.0)
        with np.errstate(divide="ignore"):  # without chance, any difference moves it
            away = (np.abs(there - here) - 1e-15) / np.asarray(se, dtype=float)
        farthest = max(farthest, float(np.max(away)))
    return farthest


# Deciding -----------------------------------------------------------------------------------------


class World(NamedTuple):
    """A claim in one world: what its rule found there, and the verdict that this would be."""

    name: str
    finding: Finding | None
    met: bool
    verdict: str
    beside: str = ""  # what is to be said of the evidence that did not decide


class Decision(NamedTuple):
    """A claim with its verdict, and what its rule says in other worlds.

    `told` are the sentences for everybody, `note` these with the rule's own.
    """

    claim: Claim
    finding: Finding | None
    verdict: str
    note: str
    told: str = ""
    worlds: tuple[World, ...] = ()  # one for each other reading, or pair of readings
    draws: tuple[World, ...] = ()  # our reading, one draw of chance alone
    plants: tuple[World, ...] = ()
    met: bool = False
    parts: Mapping[str, Decision] = MappingProxyType({})  # of a joined claim, by what each is about

    def __repr__(self) -> str:
        ours = f"; ours {interval(self.finding, self.claim.unit)}" if self.finding else ""
        worst = f", {self.finding.worst}" if self.finding and self.finding.worst else ""
        printed = f"; printed {self.claim.printed}" if self.claim.printed else ""
        return f"{self.claim.id}: {self.verdict}{printed}{ours}{worst}. {self.note}"

    @property
    def others(self) -> tuple[World, ...]:
        return self.worlds + self.draws

    @property
    def turned(self) -> list[str]:
        """The readings under which the verdict is another."""
        return [w.name for w in self.worlds if w.verdict != self.verdict]

    @property
    def firm(self) -> bool | None:
        """No reading turns the verdict, and hardly a draw of chance does; None if not decided."""
        if self.verdict == NOT_DECIDED:
            return None
        same = sum(w.verdict == self.verdict for w in self.draws)
        return not self.turned and same >= FIRM * len(self.draws)

    @property
    def refused(self) -> list[str]:
        """The plants that the rule refuses, as it must."""
        return [p.name for p in self.plants if p.name in self.claim.refuses and not p.met]

    @property
    def accepted(self) -> list[str]:
        """The made-up worlds in which the claim is true, and the rule is met."""
        return [p.name for p in self.plants if p.name in self.claim.accepts and p.met]

    def row(self) -> dict:
        """Its line of `claims.csv`."""
        finding, claim = self.finding or Finding(False, None, None, None, ""), self.claim
        decided = self.verdict not in (NOT_DECIDED, UNTESTABLE)
        fails = [w.name for w in self.others if w.verdict != self.verdict] if decided else []
        count = decided * (1 + len(self.others))
        return {
            "id": claim.id, "paper": claim.paper, "where": claim.where, "printed": claim.printed,
            **_numbers(finding, ("ours", "low", "high")), "rule": claim.rule_text,
            "verdict": self.verdict, "note": self.note, "worlds": count, "holds": count - len(fails),
            "fails_in": ";".join(fails), "refuses": ";".join(self.refused),
            "firm": {True: "yes", False: "no", None: ""}[self.firm], "worst": finding.worst,
            "unit": claim.unit, "limits": ";".join(f"{x:.10g}" for x in finding.limits),
            "history": claim.history,
        }  # fmt: skip

    def world_rows(self) -> list[dict]:
        """A row for our own world, each other one, and each plant."""
        plants = [plant._replace(name=PLANT + plant.name) for plant in self.plants]
        every = [World(OURS, self.finding, self.met, self.verdict), *self.others, *plants]
        return [
            {"claim": self.claim.id, "world": w.name, **_numbers(w.finding, ("value", "low", "high")),
             "met": "yes" if w.met else "no"}
            for w in every if w.finding is not None
        ]  # fmt: skip


def _numbers(finding: Finding, names: tuple[str, ...]) -> dict[str, str]:
    return {n: "" if x is None else f"{x:.10g}" for n, x in zip(names, finding[1:4], strict=True)}


def decide(
    claim: Claim, evidence: Any, note: str = "", quick: str = "", **elsewhere: Mapping | None
) -> Decision:
    """The verdict on a claim; `quick` says what is below the paper's size.

    `elsewhere` are `worlds` (other readings), `draws` (each draw of chance alone) and `plants` (wrong
    worlds), each from names to evidence of the same form.
    """
    waits = bool(quick) and claim.full_size
    names = [name for given in elsewhere.values() for name in given or {}]
    for name in names:
        if ";" in name or names.count(name) > 1:
            raise LedgerError(f"claim {claim.id}: the world {name!r} is there twice or has a ';'")
    ours = _ask(claim, OURS, evidence, waits)
    others: dict[str, Any] = {
        kind: tuple(_ask(claim, name, e, waits) for name, e in dict(given or {}).items())
        for kind, given in elsewhere.items()
    }
    quick = f"Quick run: {quick}" if quick else ""
    if waits:
        told = _sentences(quick, note)
        return Decision(claim, ours.finding, NOT_DECIDED, told, told, met=ours.met, **others)
    why = claim.why if ours.verdict != REPRODUCED else ""
    told = _sentences(ours.beside, note, why, claim.note, quick)
    whole = _sentences(ours.finding.note, told)  # type: ignore[union-attr] # what does not wait has one
    return Decision(claim, ours.finding, ours.verdict, whole, told, met=ours.met, **others)


def _ask(claim: Claim, name: str, evidence: Any, waits: bool) -> World:
    """What a claim's rule says in one world.

    With a condition there are two findings. Shown is the one that decides: the plain one where it
    is met; else, met or not, the one under the condition, which was the last chance.
    """
    where = "" if name == OURS else f" (in the world {name!r})"
    try:
        if not claim.condition:
            finding = _apply(claim, evidence)
            verdict = claim.met if finding.met else claim.unmet
            verdict = UNTESTABLE if claim.rule == "untestable" else verdict
            return World(name, finding, finding.met, verdict)
        if not isinstance(evidence, dict) or set(evidence) != BOTH:
            raise LedgerError(f"claim {claim.id} has a condition: give plain=... and under=...")
        plain, under = _apply(claim, evidence["plain"]), _apply(claim, evidence["under"])
    except NotFinite as error:
        if waits:
            return World(name, None, False, NOT_DECIDED)
        raise NotFinite(f"{error}{where}") from None
    except LedgerError as error:
        raise LedgerError(f"{error}{where}") from None
    if plain.met:
        beside = f"{'Also' if under.met else 'Not'} under the condition that {claim.condition}"
        return World(name, plain, True, claim.met, f"{beside}: {_said(under, claim)}")
    beside = f"{'Only' if under.met else 'Not even'} under the condition that {claim.condition}. Without it"
    verdict = CAVEAT if under.met else claim.unmet
    return World(name, under, under.met, verdict, f"{beside}, {_said(plain, claim)}")


def _said(finding: Finding, claim: Claim) -> str:
    worst = f", {in_words(finding.worst)}" if finding.worst else ""
    return f"ours is {interval(finding, claim.unit)}{worst}"


def _apply(claim: Claim, evidence: Any) -> Finding:
    """A rule's finding; evidence is handed over by name, or in the order in which the rule takes it."""
    takes = rules.TAKES[claim.rule]
    given = dict(evidence if isinstance(evidence, dict) else enumerate(evidence))
    given = {dict(enumerate(takes)).get(name, name): value for name, value in given.items()}
    for name in given:
        if name in rules.FIXED[claim.rule]:
            raise LedgerError(
                f"claim {claim.id}: {name!r} is fixed in the entry, not given as evidence"
            )
    if not {name for name in takes if takes[name]} <= set(given) <= set(takes):
        raise LedgerError(
            f"claim {claim.id} is handed {', '.join(map(str, given)) or 'nothing'}; rule {claim.rule} "
            f"takes as evidence: {', '.join(takes) or 'nothing'}"
        )
    try:
        return rules.RULES[claim.rule](**given, **claim.given)
    except ValueError as error:
        kind = NotFinite if isinstance(error, NotFinite) else LedgerError
        raise kind(f"claim {claim.id}: {error}") from error


def _sentences(*parts: str) -> str:
    tidy = (" ".join(p.split()) for p in parts if p)
    begun = (p[:1].upper() + p[1:] for p in tidy)
    return " ".join(p if p.endswith((".", "?", "!")) else p + "." for p in begun)
