"""From evidence to a verdict: a claim's rule asked in our world, in others, and in wrong ones.

The verdict is decided in our own world, with all the chance counted: splits (seeds, drawn data sets) are
clusters, and standard errors come from the spread between them. The other worlds say how firmly the verdict
stands. A *plant* is a world known to be wrong; a rule that does not refuse it tests nothing.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.data import in_words
from ppdm.scientific import ndtri, stdtrit
from ppdm.study import rates, rules, tidy
from ppdm.study.claims import CONDITION, NOT_DECIDED, REPRODUCED, UNTESTABLE, Claim, LedgerError
from ppdm.study.rates import Rates
from ppdm.study.rules import NOT, OPEN, SO, Finding, NotFinite, interval
from ppdm.study.tidy import ALL
from ppdm.study.worlds import OURS, Reading

# What a rule measures, by the name it has as evidence; everything else is taken from the first draw.
MEASURED = ("value", "values", "differences", "size", "mean")
BOTH = {"plain", "under"}  # the parts of the evidence of a claim with a condition
RATES = ("accepts_true", "accepts_false", "worlds")  # what the rates of a claim are called
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
    that our world meets. A joined claim passes if all parts do, and is false if one of them is.
    """
    order = (claim.met, CONDITION, OPEN, claim.unmet, NOT_DECIDED)

    def worst(worlds: Mapping[str, World], of: Iterable[str]) -> World:
        def badness(part: str) -> tuple:
            world = worlds[part]
            away = _away(world.finding)
            return order.index(world.verdict), not world.met, -away if world.met else away

        name = max(of, key=badness)
        world = worlds[name]
        if world.finding is None:
            return world
        told = ", ".join(filter(None, (name, world.finding.worst)))
        return world._replace(finding=world.finding._replace(worst=told), beside=name)

    ours = {n: World(OURS, d.finding, d.verdict) for n, d in parts.items()}
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
        f"{number} {word}" for word, number in counts.items()
    )
    told = _sentences(of, claim.why if home.verdict not in (claim.met, OPEN) else "", claim.note)
    note = _sentences(home.finding.note if home.finding else "", told)
    erring = [d.rates for d in parts.values() if d.rates]
    together: Rates | None = parts[home.beside].rates if home.beside in parts else None
    if erring and home.verdict in (claim.met, CONDITION):
        true = float(np.prod([r.accepts_true for r in erring]))
        false = max(r.accepts_false for r in erring)
        together = max(erring)._replace(accepts_true=true, accepts_false=false)
    return Decision(
        claim, home.finding, home.verdict, note, told, together, beside("worlds", parts), beside("draws", parts),
        beside("plants", met), dict(parts),
    )  # fmt: skip


def _away(finding: Finding | None) -> float:
    """How far a number is from the nearest threshold, in widths of its interval."""
    if finding is None or finding.ours is None or not finding.limits:
        return 0.0
    width = (finding.high or 0.0) - (finding.low or 0.0)
    return min(abs(finding.ours - limit) for limit in finding.limits) / (width or 1.0)


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
    if len(every) < 2:
        raise ValueError(f"a spread needs two draws or more; there are {len(every)}")
    first = every[0]
    if set(first) == BOTH:
        return {part: clustered({name: d[part] for name, d in draws.items()}) for part in first}
    _check_order(every)
    out = {name: value for name, value in first.items() if name not in (*MEASURED, "se")}
    wider = stdtrit(len(every) - 1, 0.975) / ndtri(0.975) / np.sqrt(len(every))
    for name in set(MEASURED) & set(first):
        stack = np.array([np.asarray(d[name], dtype=float) for d in every])
        spread = stack.std(axis=0, ddof=1)
        spread = np.where(spread < 1e-12 * np.abs(stack).max(), 0.0, spread)  # rounding
        out |= {name: stack.mean(axis=0)[()], "se": (wider * spread)[()], "drawn": stack}
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
    verdict: str
    beside: str = ""  # what is to be said of the evidence that did not decide

    @property
    def met(self) -> bool:
        """Whether the claim is surely so there."""
        return self.finding is not None and self.finding.met


class Decision(NamedTuple):
    """A claim with its verdict, how often its rule errs, and what it says in other worlds.

    `told` are the sentences for everybody, `note` these with the rule's own.
    """

    claim: Claim
    finding: Finding | None
    verdict: str
    note: str
    told: str = ""
    rates: Rates | None = None
    worlds: tuple[World, ...] = ()  # one for each other reading, or pair of readings
    draws: tuple[World, ...] = ()  # our reading, one draw of chance alone
    plants: tuple[World, ...] = ()
    parts: Mapping[str, Decision] = MappingProxyType({})  # of a joined claim, by what each is about

    def __repr__(self) -> str:
        number = interval(self.finding, self.claim.unit) if self.finding else ""
        ours = f"; ours {number}" if number else ""
        worst = f", {self.finding.worst}" if self.finding and self.finding.worst else ""
        printed = f"; printed {self.claim.printed}" if self.claim.printed else ""
        return f"{self.claim.id}: {self.verdict}{printed}{ours}{worst}. {self.note}"

    @property
    def others(self) -> tuple[World, ...]:
        return self.worlds + self.draws if self.decided else ()

    @property
    def decided(self) -> bool:
        """Whether a rule has said anything."""
        return self.verdict not in (NOT_DECIDED, UNTESTABLE)

    def beside(self, world: World) -> str:
        """What another world says beside ours: the same, another verdict, or that it cannot tell."""
        if world.verdict == self.verdict:
            return "same"
        return "cannot tell" if world.verdict == OPEN else "other"

    @property
    def counts(self) -> Counter[str]:
        """How many of the other worlds say the same, another verdict, or cannot tell."""
        return Counter(map(self.beside, self.others))

    @property
    def turned(self) -> list[str]:
        """The readings under which the verdict is another."""
        return [w.name for w in self.worlds if self.decided and self.beside(w) == "other"]

    @property
    def firm(self) -> bool | None:
        """No reading turns the verdict, and hardly a draw of chance does; None if not decided."""
        if self.verdict == NOT_DECIDED:
            return None
        turning = sum(self.beside(w) == "other" for w in self.draws)
        return not self.turned and turning <= (1 - FIRM) * len(self.draws)

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
        finding, claim = self.finding or Finding(OPEN, None, None, None, ""), self.claim
        counts, total = self.counts, self.decided * (1 + len(self.others))
        other = [w.name for w in self.others if self.beside(w) == "other"]
        shares = [f"{share:.4g}" for share in (self.rates or ())[:2]] or ["", ""]
        return {
            "id": claim.id, "paper": claim.paper, "where": claim.where, "printed": claim.printed,
            **_numbers(finding, ("ours", "low", "high")), "rule": claim.rule_text,
            "verdict": self.verdict, "note": self.note, "worlds": total,
            "holds": self.decided + counts["same"],
            "fails_in": ";".join(other), "refuses": ";".join(self.refused),
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
        chance, of = self.finding and self.finding.chance, dict(zip(RATES, self.rates))
        rough = chance if self.verdict == OPEN else None
        looks = {
            f"told_{n}": rates.told(rough, n, _stream(self.claim)) if rough else ""
            for n in rates.LOOKS
        }
        count = chance.room.size if chance else 1
        return [
            {"claim": self.claim.id, "verdict": self.verdict, "comparisons": count, **of, **looks}
        ]

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


def decide(
    claim: Claim, evidence: Any, note: str = "", quick: str = "", **elsewhere: Mapping | None
) -> Decision:
    """The verdict on a claim; `quick` says what is below the paper's size.

    `elsewhere` are `worlds` (other readings), `draws` (each draw of chance alone) and `plants` (wrong
    worlds), each from names to evidence of the same form. A rule that errs too often on the evidence that
    there is tells nothing, whatever it says.
    """
    waits = bool(quick) and claim.full_size
    names = [name for given in elsewhere.values() for name in given or {}]
    for name in names:
        if ";" in name or names.count(name) > 1:
            raise LedgerError(f"claim {claim.id}: the world {name!r} is there twice or has a ';'")
    ours = _ask(claim, OURS, evidence, waits)
    others: dict[str, Any] = {
        kind: tuple(
            _ask(claim, name, _with_error(e, evidence) if kind == "draws" else e, waits)
            for name, e in dict(given or {}).items()
        )
        for kind, given in elsewhere.items()
    }
    quick = f"Quick run: {quick}" if quick else ""
    if waits:
        told = _sentences(quick, note)
        return Decision(claim, ours.finding, NOT_DECIDED, told, told, None, **others)
    erring = _rates(claim, ours.finding, evidence, dict(elsewhere.get("plants") or {}))
    fault = erring.fault if erring and ours.verdict != OPEN else ""
    verdict = OPEN if fault else ours.verdict
    why = claim.why if verdict not in (claim.met, OPEN) else ""
    told = _sentences(ours.beside, fault, note, why, claim.note, quick)
    whole = _sentences(ours.finding.note, told)  # type: ignore[union-attr] # what does not wait has one
    return Decision(claim, ours.finding, verdict, whole, told, erring, **others)


def _rates(
    claim: Claim, finding: Finding | None, evidence: Any, plants: dict[str, Any]
) -> Rates | None:
    """How often the rule errs on this evidence; None where it weighs no chance."""
    if finding is None:
        return None
    rng = _stream(claim)
    if finding.chance is not None:
        return rates.measured(finding.outcome, finding.chance, rng)
    if claim.rule != "agree":
        return None
    plainly = not claim.condition or finding == _apply(claim, evidence["plain"])
    part, neighbours = "plain" if plainly else "under", [n for n in claim.refuses if n in plants]
    sides = [
        e[part] if claim.condition else e for e in (evidence, *map(plants.get, neighbours[:1]))
    ]
    return rates.printed(sides[0], claim.given, sides[1:], rng)


def _stream(claim: Claim) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(claim.id.encode()))


def _with_error(draw: Any, main: Any) -> Any:
    """A draw's evidence with an error: its own, or else the spread between draws."""
    if not isinstance(draw, dict):
        return draw
    if set(draw) == BOTH:
        return {part: _with_error(draw[part], main[part]) for part in BOTH}
    if "se" in draw or "drawn" not in main:
        return draw
    return draw | {"se": np.std(main["drawn"], axis=0, ddof=1)}


def _ask(claim: Claim, name: str, evidence: Any, waits: bool) -> World:
    """What a claim's rule says in one world.

    With a condition there are two findings. Shown is the one that decides: the plain one where it
    is met; else, met or not, the one under the condition, which was the last chance.
    """
    where = "" if name == OURS else f" (in the world {name!r})"
    verdicts = {SO: claim.met, NOT: claim.unmet, OPEN: OPEN}
    try:
        if not claim.condition:
            finding = _apply(claim, evidence)
            verdict = UNTESTABLE if claim.rule == "untestable" else verdicts[finding.outcome]
            return World(name, finding, verdict)
        if not isinstance(evidence, dict) or set(evidence) != BOTH:
            raise LedgerError(f"claim {claim.id} has a condition: give plain=... and under=...")
        plain, under = _apply(claim, evidence["plain"]), _apply(claim, evidence["under"])
    except NotFinite as error:
        if waits:
            return World(name, None, NOT_DECIDED)
        raise NotFinite(f"{error}{where}") from None
    except LedgerError as error:
        raise LedgerError(f"{error}{where}") from None
    if plain.met:
        beside = f"{'Also' if under.met else 'Not'} under the condition that {claim.condition}"
        return World(name, plain, claim.met, f"{beside}: {_said(under, claim)}")
    beside = f"{'Only' if under.met else 'Not even'} under the condition that {claim.condition}. Without it"
    verdict = claim.unmet if plain.outcome == under.outcome == NOT else OPEN
    if under.met:
        verdict = CONDITION if claim.met == REPRODUCED else claim.met
    return World(name, under, verdict, f"{beside}, {_said(plain, claim)}")


def _said(finding: Finding, claim: Claim) -> str:
    worst = f", {in_words(finding.worst)}" if finding.worst else ""
    return f"ours is {interval(finding, claim.unit)}{worst}"


def _apply(claim: Claim, evidence: Any) -> Finding:
    """A rule's finding; evidence is handed over by name, or in the order in which the rule takes it."""
    takes = rules.TAKES[claim.rule]
    given = dict(evidence if isinstance(evidence, dict) else enumerate(evidence))
    given = {dict(enumerate(takes)).get(name, name): value for name, value in given.items()}
    if "drawn" not in takes:
        given.pop("drawn", None)
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
