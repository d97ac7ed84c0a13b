"""Assignment 1, electronic surveys: the unrelated question and naive Bayes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ppdm.course.personal import mine
from ppdm.course.tell import ask, cases, check, compare, pair

FORGOT = (
    "You forgot to invert: these are the frequencies among the records that were sent, and "
    "some of those are personal ones."
)
SWAPPED = "q and 1 - q are swapped: q is the probability that the private record is sent."
CLIPPED = "Clipped: an estimate may lie below 0 or above 1. Leave it there; who uses it may decide."
WRONG_ROWS = (
    "Frequencies over the wrong rows: the rows that *report* the class are not the rows that have "
    "it. Estimate P(A = 1, class) and P(class) each by itself, and then divide."
)
CLASS = "ill"


def material(rng: np.random.Generator, respondents: int = 3_000, q: float | None = None) -> dict:
    """The reports that a student's own survey brought in."""
    q = round(float(rng.uniform(0.5, 0.8)), 2) if q is None else q
    reports, w = _survey(rng, respondents, q)
    return {"reports": reports, "q": q, "w": w, "expression": {"smokes": 1, CLASS: 1}}


def _survey(rng, people: int, q: float) -> tuple[pd.DataFrame, dict[str, float]]:
    """Patients whose answers depend on their illness, disguised record by record."""
    names = ("smokes", "drinks", "sleeps", CLASS)
    ill = rng.random(people) < rng.uniform(0.25, 0.45)
    habits = [
        rng.random(people) < np.where(ill, rng.uniform(0.55, 0.9), rng.uniform(0.1, 0.4))
        for _ in names[:-1]
    ]
    true = np.column_stack([*habits, ill])
    w = {name: round(float(rng.uniform(0.15, 0.4)), 2) for name in names}
    personal = rng.random(true.shape) < list(w.values())
    private = rng.random(people) < q
    return pd.DataFrame(np.where(private[:, None], true, personal).astype(int), columns=names), w


def _matching(reports, expression) -> float:
    return float(np.all([reports[name] == v for name, v in expression.items()], axis=0).mean())


def _stranger(expression, w) -> float:
    """How often personal answers satisfy it."""
    return float(np.prod([w[name] if v else 1 - w[name] for name, v in expression.items()]))


def _estimated(reports, expression, q, w) -> float:
    return (_matching(reports, expression) - (1 - q) * _stranger(expression, w)) / q


@check
def check_share(share, my_share, seeds=(1,)) -> None:
    """Task 1: the share that satisfies a logical expression, exactly."""

    def look(answer, reports, expression, q, w, where=""):
        sent, stranger = _matching(reports, expression), _stranger(expression, w)
        right = _estimated(reports, expression, q, w)

        def undone(probability):
            return (sent - (1 - q) * probability) / q

        words = ", ".join(f"{name} = {value}" for name, value in expression.items())
        compare(answer, right, where or f"the share of {words} among {len(reports)} records", [
            (FORGOT, sent),
            (("The paper's P_Y = 0.5, taken literally: the personal answers here are no fair coins, "
             "and the probability of several answers is a product."), undone(0.5)),
            ("The personal answers here are no fair coins: take their probabilities from w.",
             undone(0.5 ** len(expression))),
            ("An answer 0 has the personal probability 1 - w, not w.",
             undone(np.prod([w[name] for name in expression]))),
            (SWAPPED, (sent - q * stranger) / (1 - q)),
            (CLIPPED, min(max(right, 0.0), 1.0)),
        ])  # fmt: skip

    few = pd.DataFrame({"smokes": [0] * 12 + [1] * 8, "drinks": [1] * 9 + [0] * 10 + [1]})
    expressions: list[dict] = [{"smokes": 1}, {"smokes": 1, "drinks": 1}]  # the second is negative
    scenes = [(few, expression, 0.4, {"smokes": 0.3, "drinks": 0.4}) for expression in expressions]
    for rng in cases(seeds):
        q = rng.uniform(0.3, 0.45)
        reports, w = _survey(rng, 500, q)
        expressions = [{"drinks": 0}, {"smokes": 1, CLASS: 0}, dict.fromkeys(reports, 1)]
        scenes += [(reports, expression, q, w) for expression in expressions]
    for scene in scenes:
        look(ask(share, *scene), *scene)
    my = mine()
    words = "my_share, for the expression in `my`,"
    look(my_share, my.reports, my.expression, my.q, my.w, words)


@check
def check_conditional(conditional, seeds=(1,)) -> None:
    """Task 2: P(attribute = 1 | class), exactly."""
    for rng in cases(seeds):
        q = rng.uniform(0.5, 0.8)
        reports, w = _survey(rng, 800, q)
        for label in (0, 1):
            joint, marginal, class_share = (
                _estimated(reports, some, q, w)
                for some in ({"drinks": 1, CLASS: label}, {"drinks": 1}, {CLASS: label})
            )
            raw = float(reports.loc[reports[CLASS] == label, "drinks"].mean())
            got = ask(conditional, reports, "drinks", CLASS, label, q, w)
            compare(got, joint / class_share, f"P(drinks = 1 | {CLASS} = {label})", [
                (WRONG_ROWS, (raw - (1 - q) * w["drinks"]) / q),
                (FORGOT, raw),
                (("Frequencies over the wrong rows: this is P(A = 1, class), a share of all rows. "
                 "Divide by P(class)."), joint),
                (("Frequencies over the wrong rows: this is P(A = 1) among all rows, whatever their "
                 "class."), marginal),
            ])  # fmt: skip


@check
def check_exposed(exposed, seeds=(1,)) -> None:
    """Task 3: who is exposed by the testing protocol, exactly."""
    both_ways = "A contradiction goes both ways: also '{}' where the classifier is {} on the record that was sent."
    alone = "You looked only at what she said. Compare it with the classifier on the record that was sent."
    for rng in cases(seeds):
        sent, personal = (_survey(rng, 300, 0.5)[0] for _ in "12")
        private = rng.random(300) < 0.5
        sent[~private] = personal[~private]

        def predict(records):
            return (records["smokes"] & (records["drinks"] | records["sleeps"])).to_numpy()

        said, on_sent = (
            (predict(records) == records[CLASS]).to_numpy() for records in (personal, sent)
        )
        right = said != on_sent
        got = ask(exposed, sent, CLASS, predict, said)
        try:
            got = np.asarray(got, dtype=bool)
        except (TypeError, ValueError):
            raise AssertionError("exposed() should give True or False for each record.") from None
        compare(got, right, "who is exposed", [
            (("These are the ones of whom nothing is known: where both agree, the record sent may "
             "be the personal one. Exposed are the others."), ~right),
            (both_ways.format("right", "wrong"), on_sent & ~said),
            (both_ways.format("wrong", "right"), ~on_sent & said),
            (alone, said),
            (alone, ~said),
        ])  # fmt: skip


@check
def check_claim(pse, decide, seeds=(1,)) -> None:
    """Task 4: PSE from its definition, and the claim that it is symmetric in q; exactly."""

    def right(q, w_a, w_y):
        total = 0.0
        for told, w in ((0, 1 - w_y), (1, w_y)):
            one, zero = w_a * (q * told + (1 - q) * w), (1 - w_a) * (q - q * told + (1 - q) * w)
            total += 2 * one * zero / (one + zero) if one + zero > 0 else 0.0
        return total

    def printed(q, w_a, w_y, stranger):
        one, zero = q + (1 - q) * w_y, q + (1 - q) * (1 - w_y)
        first = (1 - w_a) * w_a * (1 - q) * one / (one * w_a + (1 - q) * stranger * (1 - w_a))
        second = 2 * w_a * (1 - w_a) * (1 - q) * (1 - w_y) * zero
        return first + second / (zero * (1 - w_a) + (1 - q) * (1 - w_y) * w_a)

    scan = "This is Eq. (2) as the {} scan prints it. It holds at W_y = 1/2 only: derive it from the four components."
    for rng in cases(seeds):
        q, w_a, w_y = rng.uniform(0.15, 0.85), rng.uniform(0.1, 0.45), rng.uniform(0.55, 0.85)
        good = right(q, w_a, w_y)
        compare(ask(pse, q, w_a, w_y), good, f"PSE at q = {q:.3f}, W_a = {w_a:.3f}, W_y = {w_y:.3f}", [
            (scan.format("first"), printed(q, w_a, w_y, w_y)),
            (scan.format("second"), printed(q, w_a, w_y, 1 - w_y)),
            (("Half of it is missing: the guess can be wrong in two ways for every report, 1 where "
             "0 is true and 0 where 1 is true."), good / 2),
            (SWAPPED, right(1 - q, w_a, w_y)),
            ("W_a and W_y are swapped.", right(q, w_y, w_a)),
        ])  # fmt: skip
        compare(ask(pse, 1.0, w_a, w_y), 0.0, "PSE at q = 1, where every record is private,")
        for rare in (w_a, 0.002):
            gaps = [abs(right(x / 10, rare, w_y) - right(1 - x / 10, rare, w_y)) for x in range(11)]
            gap, verdict = pair(ask(decide, rare, w_y), "decide(w_a, w_y)")
            where = f"the largest gap at W_a = {rare:.3f}, W_y = {w_y:.3f}"
            mean = ("This is the mean gap; the rule asks for the largest.", float(np.mean(gaps)))
            compare(gap, max(gaps), where, [mean])
            expected = "reproduced" if max(gaps) <= 0.01 else "wrong in the paper"
            compare(verdict, expected, f"the verdict for a largest gap of {max(gaps):.4f}")
