"""From evidence to a verdict: a claim's rule asked in our world, in others, and in wrong ones.

The verdict is decided in our own world, with all the chance counted: splits (seeds, drawn data sets) are
clusters, and standard errors come from the spread between them. The other worlds say how firmly the verdict
stands. A *plant* is a world known to be wrong; a rule that does not refuse it tests nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.data import in_words
from ppdm.scientific import ndtri, stdtrit
from ppdm.study import rules, tidy
from ppdm.study.claims import (
    CONDITION,
    NOT_DECIDED,
    REPRODUCED,
    UNTESTABLE,
    Claim,
    LedgerError,
    nearest,
)
from ppdm.study.rules import NOT, OPEN, SO, Finding, NotFinite, Rates, interval, near
from ppdm.study.tidy import ALL
from ppdm.study.worlds import OURS, Reading

# What a rule measures, by the name it has as evidence; everything else is taken from the first draw.
MEASURED = ("value", "values", "differences", "size", "mean")
BOTH = ("plain", "under")  # the parts of the evidence of a claim with a condition
RATES = ("accepts_true", "accepts_false", "worlds")  # what the rates of a claim are called
PLANT = "plant: "  # before the name of a wrong world, in the file of all worlds
CHECKED = 0.005  # by less a method's own check may be off: the margin of shares
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
    """A claim's evidence in all worlds of a frame, with its `worlds`, `draws` and `plants`.

    `evidence(rows)` gives the evidence by name from the rows of one world in one draw of chance; `draws` is
    the column of the draws, None where there are none; `touches` the names of the readings that can touch
    the claim (default: all); `plants` a frame of wrong worlds, by their column `world`. Evidence is the mean
    over draws (see :func:`clustered`), unless one of them is called "all", or is the only one: that decides.
    A world that concerns some data sets only leaves the others as they are in ours. A pair of readings
    ("a + b") counts where each of them alone moves a value by a standard error; a world that changes nothing
    is none.
    """

    def take(rows: pd.DataFrame) -> dict:
        groups = rows.groupby(draws, sort=False) if draws else [(ALL, rows)]
        return {draw: evidence(part) for draw, part in groups}

    def whole(parts: dict) -> dict:
        if ALL not in parts and len(parts) > 1:
            return clustered(parts)
        return parts[ALL if ALL in parts else next(iter(parts))]

    by_world = _by_world(frame)
    ours = by_world.pop(OURS)
    home = take(ours)
    main, worlds, moves = whole(home), {}, {}
    for name, rows in by_world.items():
        if touches is None or " + " in name or name in touches:
            there = take(_filled(rows, ours, draws))
            # beside each world stands ours with the same draws: what differs is the reading alone
            same = {draw: home[draw] for draw in home if draw in there}
            worlds[name] = whole(there)
            moves[name] = _moves(whole(same if len(same) > 1 else home), worlds[name], main)
    alone = [part for draw, part in home.items() if draw != ALL]
    wrong = {} if plants is None else _by_world(plants)
    return main | {
        "worlds": {
            name: other for name, other in worlds.items() if moves[name] >= 0
            if " + " not in name or all(moves.get(one, -1) >= 1 for one in name.split(" + "))
        },
        "draws": {f"{draws} {i}": part for i, part in enumerate(alone, 1)},
        "plants": {n: whole(take(_filled(r, ours, draws))) for n, r in wrong.items() if n != OURS},
    }  # fmt: skip


def taken(claim: Claim, rows: Rows, module: ModuleType | None = None) -> dict:
    """The evidence that a claim's entry names, in all worlds of a frame, as `cases` has it.

    Worlds of which the entry's `where` leaves nothing are none of the claim's. Where the entry says why
    there is one world only, the draws are not asked alone.
    """
    whole = {**claim.evidence}
    parts = whole if set(whole) == set(BOTH) else {"": whole}
    where = parts[""].pop("where", None) if "" in parts else None
    touches = [r.name for r in rows.readings if claim.id in r.touches] if rows.readings else None

    def evidence(frame: pd.DataFrame) -> dict:
        extracted = {}
        for name, part in parts.items():
            chosen = frame.query(part["where"]) if "where" in part else frame
            given = {k: v for k, v in part.items() if k not in ("rows", "where", "from")}
            extracted[name] = tidy.extractor(part["from"], module)(chosen, **given)
        return extracted.get("", extracted)

    try:
        if where:
            plants = None if rows.plants is None else rows.plants.query(where)
            rows = rows._replace(frame=rows.frame.query(where), plants=plants)
        draws = rows.draws if rows.draws in rows.frame else None
        every = cases(evidence, rows.frame, plants=rows.plants, draws=draws, touches=touches)
    except LedgerError:
        raise
    except (KeyError, NameError, SyntaxError, TypeError, ValueError) as error:
        raise LedgerError(
            f"claim {claim.id}: its evidence cannot be taken from {claim.rows!r}, which has "
            f"{', '.join(map(str, rows.frame))} ({type(error).__name__}: {error})"
        ) from error
    return every | {"draws": {} if claim.one_world else every["draws"]}


def parts_of(claim: Claim, rows: Rows) -> Iterator[tuple[str, Claim, Rows]]:
    """The parts of a joined claim: one for each combination of the columns that its entry names as `each`."""
    columns, printed = list(claim.each), claim.given.get("printed")
    ours = _by_world(rows.frame)[OURS]
    if "where" in claim.evidence:
        ours = ours.query(claim.evidence["where"])
    for key in ours[columns].drop_duplicates().itertuples(index=False):
        name, part = ", ".join(map(str, key)), claim
        if isinstance(printed, dict):
            if name not in printed:
                continue
            part = replace(
                claim, printed=printed[name], given=claim.given | {"printed": printed[name]}
            )

        def chosen(frame: pd.DataFrame, key: tuple = key) -> pd.DataFrame:
            return frame[(frame[columns] == list(key)).all(axis=1)]

        plants = None if rows.plants is None else chosen(rows.plants)
        yield name, part, rows._replace(frame=chosen(rows.frame), plants=plants)


def joined(claim: Claim, parts: Mapping[str, Decision]) -> Decision:
    """One decision from that of each part: it holds if every part does, and shows the worst.

    In another world the parts that it does not concern are as in ours. A wrong world is refused if a part is
    that our world meets. A joined claim passes if all parts do, and is false if one of them is.
    """
    order = (claim.met, CONDITION, OPEN, claim.unmet, NOT_DECIDED)
    ours = {n: World(OURS, d.finding, d.verdict) for n, d in parts.items()}

    def worst(worlds: Mapping[str, World], of: Iterable[str]) -> World:
        def badness(part: str) -> tuple:
            world = worlds[part]
            away = _away(world.finding)
            return order.index(world.verdict), not world.met, -away if world.met else away

        name = max(of, key=badness)
        world = worlds[name]
        if world.finding is None:
            return world
        about = ", ".join(filter(None, (name, world.finding.worst)))
        return world._replace(finding=world.finding._replace(worst=about), beside=name)

    def beside(kind: str, of: Iterable[str]) -> tuple[World, ...]:
        by_part = {n: {w.name: w for w in getattr(d, kind)} for n, d in parts.items()}
        names = dict.fromkeys(name for worlds in by_part.values() for name in worlds)
        return tuple(
            worst({n: by_part[n].get(name, ours[n]) for n in parts}, of)._replace(name=name)
            for name in names
        )

    home = worst(ours, parts)
    counts = Counter(d.verdict for d in parts.values())
    of = ", ".join(f"{number} {word}" for word, number in counts.items())
    why = claim.why if home.verdict not in (claim.met, OPEN) else ""
    erring = [d.rates for d in parts.values() if d.rates]
    together = parts[home.beside].rates if home.beside else None
    if erring and home.verdict in (claim.met, CONDITION):
        together = max(erring)._replace(
            accepts_true=float(np.prod([r.accepts_true for r in erring])),
            accepts_false=max(r.accepts_false for r in erring),
        )
    met = [name for name, world in ours.items() if world.met] or list(parts)
    return Decision(
        claim, home.finding, home.verdict, _sentences(f"Of {len(parts)} parts {of}", why, claim.note), together,
        beside("worlds", parts), beside("draws", parts), beside("plants", met), parts,
    )  # fmt: skip


def _away(finding: Finding | None) -> float:
    """How far a number is from the nearest threshold, in widths of its interval."""
    if finding is None or finding.ours is None or not finding.limits:
        return 0.0
    width = (finding.high or 0.0) - (finding.low or 0.0)
    return min(abs(finding.ours - limit) for limit in finding.limits) / (width or 1.0)


def _by_world(frame: pd.DataFrame) -> dict[Any, pd.DataFrame]:
    return dict(tuple(frame.groupby("world", sort=False))) if "world" in frame else {OURS: frame}


def _filled(rows: pd.DataFrame, ours: pd.DataFrame, draws: str | None) -> pd.DataFrame:
    """The rows of a world; data sets that it does not concern are those of ours, in its draws."""
    if "dataset" not in rows:
        return rows
    rest = ours[~ours["dataset"].isin(rows["dataset"].unique())]
    if draws in ours:
        rest = rest[rest[draws].isin(rows[draws].unique())]
    return pd.concat([rows, rest]) if len(rest) else rows


def clustered(draws: Mapping[Any, dict]) -> dict:
    """One evidence from that of each draw: the mean over draws, its error from their spread.

    So whatever differs between draws counts, and what is common within one (the split that all
    points of a curve share) does not count twice. The values of each draw stand in `drawn`, where rules find
    their errors; `se`, for people, is widened as Student's t asks. Evidence under a condition keeps its two parts.

    >>> both = clustered({"split 1": {"value": 1.0, "se": .1}, "split 2": {"value": 3.0, "se": .1}})
    >>> [round(float(both[name]), 2) for name in ("value", "se")]
    [2.0, 6.48]
    """
    every = list(draws.values())
    first, number = every[0], len(every)
    if set(first) == set(BOTH):
        return {part: clustered({name: d[part] for name, d in draws.items()}) for part in first}
    out = {name: value for name, value in first.items() if name not in (*MEASURED, "se")}
    wider = stdtrit(number - 1, 0.975) / ndtri(0.975) / np.sqrt(number)
    for name in set(MEASURED) & set(first):
        # values are averaged place by place; rows of a frame may have other numbers, but not the same in another order
        rows = [list(d[name].index) for d in every if isinstance(d[name], pd.Series)]
        orders = {tuple(np.ravel(d.get("names", ""))) for d in every}
        if len(orders) > 1 or any(rows[0] != r and set(rows[0]) == set(r) for r in rows):
            raise LedgerError(
                "the values of one draw stand in another order than those of the next: sort the "
                "evidence of every draw alike (groupby(sort=False) takes the order of the rows)"
            )
        stack = np.array([np.asarray(d[name], dtype=float) for d in every])
        spread = stack.std(axis=0, ddof=1)
        spread = np.where(spread < 1e-12 * np.abs(stack).max(), 0.0, spread)  # rounding
        out |= {name: stack.mean(axis=0)[()], "se": (wider * spread)[()], "drawn": stack}
    return out


def moved(main: dict, worlds: dict[str, dict], by: float = 1.0) -> list[str]:
    """The worlds that move a value of the evidence by `by` of our standard errors or more.

    >>> moved({"value": 1.0, "se": 0.1}, {"a": {"value": 1.05}, "b": {"value": 1.2}})
    ['b']
    """
    return [name for name, other in worlds.items() if _moves(main, other, main) >= by]


def _moves(main: dict, other: dict, scale: dict) -> float:
    """By how many standard errors (of `scale`) a value of the evidence is elsewhere; below 0: by none."""
    if set(BOTH) <= set(main):
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
    verdict: str
    part: str = ""  # of evidence with a condition, the one that decides
    beside: str = ""  # what is to be said of the other

    @property
    def met(self) -> bool:
        """Whether the claim is surely so there."""
        return self.finding is not None and self.finding.met


@dataclass(eq=False, repr=False)
class Decision:
    """A claim with its verdict, how often its rule errs, and what it says in other worlds.

    `others` are the other worlds that count, each with what it says beside ours (*same*, *other*, *cannot
    tell*), `counts` how many say so, `turned` the readings under which the verdict is another. It stands *firm*
    if no reading turns it, and hardly a draw of chance does; None if nothing is decided.
    """

    claim: Claim
    finding: Finding | None
    verdict: str
    told: str = ""  # sentences for everybody
    rates: Rates | None = None
    worlds: tuple[World, ...] = ()  # one for each other reading, or pair of readings
    draws: tuple[World, ...] = ()  # our reading, one draw of chance alone
    plants: tuple[World, ...] = ()
    parts: Mapping[str, Decision] = field(
        default_factory=dict
    )  # of a joined claim, by what each is about

    def __post_init__(self) -> None:
        self.decided = self.verdict not in (NOT_DECIDED, UNTESTABLE)
        said = {OPEN: "cannot tell", self.verdict: "same"}
        beside = [(w, said.get(w.verdict, "other")) for w in (*self.worlds, *self.draws)]
        turned = [w.name for w, says in beside if says == "other"]
        readings = [name for name in turned if name in {w.name for w in self.worlds}]
        hardly = len(turned) - len(readings) <= (1 - FIRM) * len(self.draws)
        self.others = beside if self.decided else []
        self.counts = Counter(says for _, says in self.others)
        self.turned = readings if self.decided else []
        self.firm = None if self.verdict == NOT_DECIDED else not self.turned and hardly
        self.refused = [p.name for p in self.plants if p.name in self.claim.refuses and not p.met]
        self.accepted = [p.name for p in self.plants if p.name in self.claim.accepts and p.met]
        own = self.finding.note if self.finding and self.decided else ""  # the rule's own sentence
        self.note = _sentences(own, self.told)

    def row(self) -> dict:
        """Its line of `claims.csv`."""
        finding, claim, counts = self.finding or rules.untestable(), self.claim, self.counts
        shares = [f"{share:.4g}" for share in (self.rates or ())[:2]] or ["", ""]
        return {
            "id": claim.id, "paper": claim.paper, "where": claim.where, "printed": claim.printed,
            **_numbers(finding, ("ours", "low", "high")), "rule": claim.rule_text,
            "verdict": self.verdict, "note": self.note, "worlds": self.decided * (1 + len(self.others)),
            "holds": self.decided + counts["same"],
            "fails_in": ";".join(w.name for w, says in self.others if says == "other"),
            "refuses": ";".join(self.refused),
            "firm": {True: "yes", False: "no", None: ""}[self.firm], "worst": finding.worst,
            "unit": claim.unit, "limits": ";".join(f"{x:.10g}" for x in finding.limits),
            "history": claim.history, "outcome": self.verdict, "same": counts["same"],
            "other": counts["other"], "cannot_tell": counts["cannot tell"],
            "accepts_true": shares[0], "accepts_false": shares[1],
            "central": "yes" if claim.central else "",
        }  # fmt: skip

    def rates_rows(self) -> list[dict]:
        """A row on how often its rule errs, and how often more draws would tell what cannot be told; or none."""
        if self.rates is None:
            return []
        chance = self.finding.chance if self.finding else None
        rough = chance if self.verdict == OPEN else None
        return [
            {"claim": self.claim.id, "verdict": self.verdict, **dict(zip(RATES, self.rates)),
             "comparisons": chance.room.size if chance else 1,
             **{f"told_{n}": rules.told(rough, n, np.random.default_rng(self.claim.seed)) if rough else "" for n in rules.LOOKS}}
        ]  # fmt: skip

    def world_rows(self) -> list[dict]:
        """A row for our own world, each other one, and each plant."""
        plants = [plant._replace(name=PLANT + plant.name) for plant in self.plants]
        ours = World(OURS, self.finding, self.verdict)
        return [
            {"claim": self.claim.id, "world": w.name, **_numbers(w.finding, ("value", "low", "high")),
             "met": "yes" if w.met else "no"}
            for w in (ours, *self.worlds, *self.draws, *plants) if w.finding is not None
        ]  # fmt: skip


def _numbers(finding: Finding, names: tuple[str, ...]) -> dict[str, str]:
    return {n: "" if x is None else f"{x:.10g}" for n, x in zip(names, finding[1:4], strict=True)}


def decide(claim: Claim, evidence: dict, quick: str = "") -> Decision:
    """The verdict on a claim; `quick` says what is below the paper's size.

    Beside our own evidence may stand `worlds` (other readings), `draws` (each draw of chance alone) and `plants`
    (wrong worlds), each from names to evidence of the same form. A rule that errs too often on the evidence that
    there is tells nothing, whatever it says.
    """
    waits = bool(quick) and claim.full_size
    elsewhere = {kind: evidence.get(kind) or {} for kind in ("worlds", "draws", "plants")}
    evidence = {name: value for name, value in evidence.items() if name not in elsewhere}
    names = [name for given in elsewhere.values() for name in given]
    for name in names:
        if ";" in name or names.count(name) > 1:
            raise LedgerError(f"claim {claim.id}: the world {name!r} is there twice or has a ';'")
    ours = _ask(claim, OURS, evidence, waits)
    others: dict[str, Any] = {
        kind: tuple(
            _ask(claim, name, e, waits, evidence if kind == "draws" else None)
            for name, e in given.items()
        )
        for kind, given in elsewhere.items()
    }
    quick = f"Quick run: {quick}" if quick else ""
    if waits:
        return Decision(claim, ours.finding, NOT_DECIDED, _sentences(quick), None, **others)
    erring = _rates(claim, ours, evidence, elsewhere["plants"])
    fault = erring.fault if erring and ours.verdict != OPEN else ""
    verdict = OPEN if fault else ours.verdict
    why = claim.why if verdict not in (claim.met, OPEN) else ""
    told = _sentences(ours.beside, fault, why, claim.note, quick)
    return Decision(claim, ours.finding, verdict, told, erring, **others)


def _rates(claim: Claim, ours: World, evidence: dict, plants: Mapping[str, dict]) -> Rates | None:
    """How often the rule errs on this evidence; None where it weighs no chance."""
    rng = np.random.default_rng(claim.seed)
    if ours.finding is not None and ours.finding.chance is not None:
        return rules.measured(ours.finding.outcome, ours.finding.chance, rng)
    if claim.rule != "agree":
        return None
    mine, *next_to = (
        e.get(ours.part, e) for e in (evidence, *(plants[n] for n in claim.refuses if n in plants))
    )
    return rules.printed(mine, claim.given, next_to[:1], rng)


def _ask(claim: Claim, name: str, evidence: dict, waits: bool, main: dict | None = None) -> World:
    """What a claim's rule says in one world; a draw of `main` has the spread between draws as its error.

    With a condition there are two findings. Shown is the one that decides: the plain one where it
    is met; else, met or not, the one under the condition, which was the last chance.
    """
    parts = BOTH if claim.condition else ("",)
    if bool(claim.condition) != (set(evidence) == set(BOTH)):
        raise LedgerError(
            f"claim {claim.id}: its evidence is plain=... and under=... if it has a condition, and only then"
        )
    takes, findings = rules.TAKES[claim.rule], []
    for part in parts:
        given, whole = evidence.get(part, evidence), (main or {}).get(part, main) or {}
        if "drawn" in whole and "se" not in given:
            given = given | {"se": np.std(whole["drawn"], axis=0, ddof=1)}
        given = {k: v for k, v in given.items() if k != "drawn" or k in takes}
        if not {k for k in takes if takes[k]} <= set(given) <= set(takes):
            raise LedgerError(
                f"claim {claim.id} is handed {', '.join(map(str, given)) or 'nothing'}; rule {claim.rule} "
                f"takes as evidence: {', '.join(takes) or 'nothing'}"
            )
        try:
            findings.append(rules.RULES[claim.rule](**given, **claim.given))
        except ValueError as error:
            if waits and isinstance(error, NotFinite):
                return World(name, None, NOT_DECIDED)
            kind = NotFinite if isinstance(error, NotFinite) else LedgerError
            raise kind(f"claim {claim.id}: {error} (in the world {name!r})") from error
    plain, under = findings[0], findings[-1]
    if not claim.condition:
        told = UNTESTABLE if claim.rule == "untestable" else OPEN
        return World(name, plain, {SO: claim.met, NOT: claim.unmet, OPEN: told}[plain.outcome])
    part, shown, other = ("plain", plain, under) if plain.met else ("under", under, plain)
    ours = (
        f"ours is {interval(other, claim.unit)}{', ' if other.worst else ''}{in_words(other.worst)}"
    )
    if plain.met:
        verdict, said = claim.met, "Also {}: {}" if under.met else "Not {}: {}"
    elif under.met:
        verdict = CONDITION if claim.met == REPRODUCED else claim.met
        said = "Only {}. Without it, {}"
    else:
        verdict = claim.unmet if plain.outcome == under.outcome == NOT else OPEN
        said = "Not even {}. Without it, {}"
    beside = said.format(f"under the condition that {claim.condition}", ours)
    return World(name, shown, verdict, part, beside)


def _sentences(*parts: str) -> str:
    tidy = (" ".join(p.split()) for p in parts if p)
    begun = (p[:1].upper() + p[1:] for p in tidy)
    return " ".join(p if p.endswith((".", "?", "!")) else p + "." for p in begun)


# All claims of a chapter ----------------------------------------------------------------------------


class Ledger:
    """The claims of one chapter and what has been decided of them."""

    def __init__(self, claims: dict[str, Claim], quick: str = "", module: ModuleType | None = None):
        """`quick` says what is below the paper's size, empty at full size; `module` has more extractors."""
        self.claims, self.quick, self.module = claims, quick, module
        self.decided: dict[str, Decision] = {}
        self.rows: dict[str, Rows] = {}
        self.checked: dict[str, Finding] = {}  # what the methods' own checks found
        self.problems: list[
            str
        ] = []  # sentences: methods that are not what they say, plants that a rule accepts

    def decide(self, id: str, *evidence: Any, **named: Any) -> Decision:
        """Apply the claim's rule to its evidence, in our world, in others and in wrong ones.

        The evidence is what the claim's entry names, unless it is given: by name, or in the rule's order. Then
        `worlds` (other readings), `draws` (each draw of chance alone) and `plants` map names to evidence of the
        same form, and a condition's evidence is `plain` without it and `under` with it.
        """
        if id not in self.claims:
            raise LedgerError(f"unknown claim {id!r}; did you mean {nearest(id, self.claims)!r}?")
        if id in self.decided:
            raise LedgerError(f"claim {id} is decided twice")
        claim = self.claims[id]
        for need in claim.needs:
            self._check(claim, need)
        if claim.each:
            parts = parts_of(claim, self._rows(claim, claim.rows))
            decided = {n: decide(p, self.taken(p, rows), self.quick) for n, p, rows in parts}
            return self._entered(joined(claim, decided))
        given = dict(zip(rules.TAKES[claim.rule], evidence)) | named
        if claim.evidence and not given:
            given = self.taken(claim)
        return self._entered(decide(claim, given, self.quick))

    def _check(self, claim: Claim, need: str) -> None:
        """A method that is not what it says decides nothing: its check's rows are off by a margin or more."""
        if need in self.checked:
            return
        wide = self._rows(claim, need).frame.pivot(index="draw", columns="what", values="off")
        off, names = wide.to_numpy(), list(map(str, wide))
        finding = near(off.mean(axis=0), 0.0, names, off, target=0, within=0, margin=CHECKED)
        self.checked[need] = finding
        if finding.outcome == NOT or (finding.outcome != SO and not self.quick):
            self.problems.append(f"the method is not what it says: {need.replace('_', ' ')}, {finding.worst}, is off "
                                 f"by {interval(finding)}; no claim on it is decided")  # fmt: skip

    def _entered(self, decision: Decision) -> Decision:
        """A decision is kept if its wrong worlds are there, with a sentence for each that its rule mistakes."""
        claim, met = decision.claim, {plant.name: plant.met for plant in decision.plants}
        for name in (*claim.refuses, *claim.accepts):
            if name not in met:
                raise LedgerError(
                    f"claim {claim.id} names the plant {name!r}, which was not handed in"
                )
            if met[name] == (name in claim.refuses) and decision.verdict != NOT_DECIDED:
                self.problems.append(
                    f"the rule of {claim.id} accepts the plant {name!r}, which it must refuse"
                    if met[name] else f"the rule of {claim.id} refuses {name!r}, where the claim is true"
                )  # fmt: skip
        self.decided[claim.id] = decision
        return decision

    def _rows(self, claim: Claim, name: str) -> Rows:
        if name not in self.rows:
            raise LedgerError(
                f"claim {claim.id} takes its evidence from {name!r}; the chapter has "
                f"{', '.join(self.rows) or 'nothing'} (a function of that name in the paper's rows.py gives it)"
            )
        return self.rows[name]

    def taken(self, claim: Claim, rows: Rows | None = None) -> dict:
        """The evidence that a claim's entry names, in all worlds of its frame."""
        return taken(claim, rows or self._rows(claim, claim.rows), self.module)

    def movers(self, *ids: str, rows: Rows | None = None) -> list[str]:
        """The readings that move the evidence of one of these claims by a standard error or more."""
        every = [self.taken(self.claims[id], rows) for id in ids if id in self.claims]
        names = [name for given in every for name in moved(given, given["worlds"])]
        return list(dict.fromkeys(names))

    def undecided(self) -> list[str]:
        """The claims that have no verdict yet."""
        return [id for id in self.claims if id not in self.decided]

    def changed(self) -> list[str]:
        """A sentence for each verdict that is not the expected one."""
        return [
            f"{id}: {d.verdict}, expected {d.claim.expect}"
            for id, d in self.decided.items()
            if d.verdict not in (d.claim.expect, NOT_DECIDED)
        ]

    def in_order(self) -> list[Decision]:
        """What is decided, in the order of the claims file."""
        return [self.decided[id] for id in self.claims if id in self.decided]
