"""Assignment 3, AIBR: a distorted data set instead of disguised answers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ppdm.course.personal import mine
from ppdm.course.tell import ask, by_chance, cases, check, compare, pair
from ppdm.scientific import ndtri

WRONG_ROWS = (
    "Ranks over the wrong rows: only the rows that were released take part, in the original table "
    "as well."
)
HANDED_AROUND = (
    "Values of an interval handed to the wrong rows: every record's new value lies in the interval "
    "of its own old one."
)


def material(rng: np.random.Generator, people: int = 300, k: int = 4) -> dict:
    """A table and its release, and what 50 repetitions of an experiment measured."""
    original = _patients(rng, people)
    low, width = original.min(axis=0), np.ptp(original, axis=0) / k
    cell = np.minimum((original - low) // width, k - 1)
    return {
        "original": original,
        "released": low + (cell + rng.random(original.shape)) * width,
        "k": k,
        "accuracies": _accuracies(rng),
        "distances": _distances(rng),
    }


def _patients(rng, people: int) -> np.ndarray:
    """Four attributes without ties: two normal and correlated, one skewed, one even."""
    health = rng.standard_normal(people)
    return np.column_stack(
        [
            120 + 15 * health,
            30 + 4 * (health + rng.standard_normal(people)),
            rng.gamma(2, 10, people),
            rng.uniform(20, 80, people),
        ]
    )


def _accuracies(rng) -> pd.DataFrame:
    """Accuracies of three classifiers on original and released rows, for each k and repetition."""
    rows = []
    first = int(rng.integers(3, 6))  # from here on every classifier loses less than 2 %
    for k in range(1, 9):
        for number, classifier in enumerate(("nearest neighbour", "SVM", "J48")):
            base = (0.70, 0.76, 0.74)[number]
            loss = rng.uniform(0.002, 0.012) if k >= first else rng.uniform(0.03, 0.08)
            if k < first and number != first % 3:
                loss = rng.uniform(-0.01, 0.01)  # only one classifier suffers
            original = base + rng.normal(0, 0.01, 50)
            noise = rng.normal(0, 0.01, 50)
            released = original - base * loss + noise - noise.mean()
            rows.append(
                pd.DataFrame(
                    {
                        "k": k,
                        "classifier": classifier,
                        "rep": range(50),
                        "original": original,
                        "released": released,
                    }
                )
            )
    return pd.concat(rows, ignore_index=True)


def _distances(rng, steep: bool | None = None) -> pd.DataFrame:
    """VD for each k and repetition. If not steep, one step has a z of 1.75 to 2.2: enough at 5 %
    for itself, too little at 5 % for all."""
    steep = bool(rng.random() < 0.5) if steep is None else steep
    rows, mean = [], 0.4
    weak = int(rng.integers(1, 5))
    for k in range(1, 7):
        noise = rng.standard_normal(50)
        values = mean + 0.02 * (noise - noise.mean()) / noise.std(ddof=1)
        rows.append(pd.DataFrame({"k": k, "rep": range(50), "VD": values}))
        step = rng.uniform(0.014, 0.03) if steep or k != weak else rng.uniform(0.007, 0.0088)
        mean -= step
    return pd.concat(rows, ignore_index=True)


@check
def check_aibr(aibr, seeds=(1,)) -> None:
    """Task 1: AIBR on one attribute. Exact intervals; binomial tests, 4 a seed, for draws."""
    for rng in cases(seeds):
        k, people = int(rng.integers(3, 7)), 2_000
        x = rng.choice([rng.gamma(2, 5, people), rng.normal(50, 10, people)])
        out = np.asarray(ask(aibr, x, k, rng), dtype=float)
        if out.shape != x.shape or not np.isfinite(out).all():
            raise AssertionError(f"aibr() should give {people} numbers, as many as it was given.")
        low, width = x.min(), np.ptp(x) / k
        cell = np.minimum((x - low) // width, k - 1)
        position = (out - low) / width - cell
        if ((position < -1e-9) | (position > 1 + 1e-9)).any():
            raise AssertionError(_why_outside(x, out, k, low, width, cell))
        if len(np.unique(out)) <= 2 * k:
            raise AssertionError(
                "Each interval got one value. Draw a value for every record: all values of an "
                "interval being equal, a classifier has little left, and the paper says uniform."
            )
        if (out == x).mean() > 0.5:
            raise AssertionError("Values came back unchanged: each is to be drawn anew.")
        for quarter in (0.25, 0.5, 0.75):
            if not by_chance(int((position < quarter).sum()), people, quarter):
                raise AssertionError("Within an interval the new values are not uniform.")
        half = position < 0.5
        alike = int((half[0::2] == half[1::2]).sum())
        if not by_chance(alike, people // 2, 0.5):
            raise AssertionError("Neighbouring records got related values; draw each by itself.")


def _why_outside(x, out, k, low, width, cell) -> str:
    if np.allclose(np.sort(out), np.sort(x)):
        return "The values were shuffled, not drawn anew."
    if out.max() > x.max() + 1e-9:
        return "The largest value belongs to the last interval, not to one beyond it."
    edges = np.quantile(x, np.linspace(0, 1, k + 1))
    part = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, k - 1)
    if ((out >= edges[part] - 1e-9) & (out <= edges[part + 1] + 1e-9)).all():
        return "The intervals should be of equal width; yours hold equally many records."
    out_cell = np.clip((out - low) // width, 0, k - 1)
    same_numbers = np.bincount(out_cell.astype(int), minlength=k) == np.bincount(
        cell.astype(int), minlength=k
    )
    if same_numbers.all():
        return HANDED_AROUND
    return "Some new values lie outside the interval of the old one."


@check
def check_rank(rank_change, seeds=(1,)) -> None:
    """Task 2: RP over the right rows, exactly."""

    def ranks(table, axis=0):
        return np.argsort(np.argsort(table, axis=axis), axis=axis)

    def move(a, b):
        return np.abs(a - b).mean()

    for rng in cases(seeds):
        original = _patients(rng, 40)
        rows = np.sort(rng.choice(40, 25, replace=False))
        used = original[rows]
        released = used + rng.normal(0, 5, used.shape)
        right = move(ranks(used), ranks(released))
        got = ask(rank_change, original, released, rows)
        compare(got, right, "RP", [
            (WRONG_ROWS, move(ranks(original)[rows], ranks(released))),
            ("Ranks are taken within an attribute, that is a column, not within a record.",
             move(ranks(used, 1), ranks(released, 1))),
            ("argsort gives the order of the rows, not their ranks; the order's argsort does.",
             move(np.argsort(used, axis=0), np.argsort(released, axis=0))),
        ])  # fmt: skip


@check
def check_trace(trace, my_share, seeds=(1,)) -> None:
    """Task 3: the share traced by one who knows the intervals, exactly."""

    def look(answer, where, original, k):
        low, width = original.min(axis=0), np.ptp(original, axis=0) / k
        cell = np.minimum((original - low) // width, k - 1)
        _, which, number = np.unique(cell, axis=0, return_inverse=True, return_counts=True)
        candidates = number[np.ravel(which)]
        alone = float((candidates == 1).mean())
        compare(answer, float((1 / candidates).mean()), where, [
            (("Those who are alone in their cell are traced for sure, but the others are traced as "
             "well: with two candidates, every second time."), alone),
            ("This is the chance of a blind guess; the released values say more.",
             1 / len(original)),
            ("The mean of 1 / candidates is asked for, not 1 / the mean of candidates.",
             float(1 / candidates.mean())),
        ])  # fmt: skip

    for rng in cases(seeds):
        original, k = _patients(rng, 120), int(rng.integers(3, 6))
        low, width = original.min(axis=0), np.ptp(original, axis=0) / k
        cell = np.minimum((original - low) // width, k - 1)
        released = low + (cell + rng.uniform(0.01, 0.99, original.shape)) * width
        look(ask(trace, original, released, k), f"the share traced at k = {k}", original, k)
    my = mine()
    look(my_share, "my_share, for the release in `my`,", my.original, my.k)


@check
def check_choice(choose_k, my_k, seeds=(1,)) -> None:
    """Task 4: the smallest usable k, exactly."""

    def look(answer, where, frame):
        mean = frame.groupby(["k", "classifier"])[["original", "released"]].mean()
        loss = ((mean["original"] - mean["released"]) / mean["original"]).unstack()
        usable = loss.index[(loss < 0.02).all(axis=1)]
        average = loss.index[loss.mean(axis=1) < 0.02]
        right = int(usable.min()) if len(usable) else None
        compare(answer, right, where, [
            ("*Every* classifier has to lose less than 2 %, not their average.",
             int(average.min()) if len(average) else "-"),
            ("That is the most useful k. Among the usable ones the smallest protects best.",
             int(usable.max()) if len(usable) else "-"),
        ])  # fmt: skip

    for rng in cases(seeds):
        frame = _accuracies(rng)
        look(ask(choose_k, frame), "choose_k(accuracies)", frame)
        shuffled = frame.sample(frac=1, random_state=int(rng.integers(1 << 30)))
        look(ask(choose_k, shuffled), "choose_k(accuracies) with the rows in another order", frame)
        hard = frame[frame.k <= 2]
        look(ask(choose_k, hard), "choose_k(accuracies) for k = 1 and 2 only", hard)
    look(my_k, "my_k, for the accuracies in `my`,", mine().accuracies)


@check
def check_claim(decide, my_decision, seeds=(1,)) -> None:
    """Task 5: whether VD falls with every step of k, by a rule with a stated error rate; exactly."""

    def steps(frame, standard_error=True, ddof=1):
        groups = frame.groupby("k")["VD"]
        mean, spread = groups.mean().to_numpy(), groups.std(ddof=ddof).to_numpy()
        error = spread / np.sqrt(groups.size().to_numpy()) if standard_error else spread
        return (mean[:-1] - mean[1:]) / np.hypot(error[:-1], error[1:])

    def look(answer, where, frame):
        z = steps(frame)
        needed = ndtri(1 - 0.05 / len(z))
        verdict, smallest = pair(answer, where)
        compare(smallest, z.min(), f"{where}: the smallest z", [
            ("This is the largest z; the weakest step decides.", z.max()),
            (("Divided by the spread of single repetitions instead of the standard error of the "
             "mean."), steps(frame, False).min()),
            ("The sign is turned: z is positive where VD falls.", -z.max()),
        ], also=[steps(frame, ddof=0).min()])  # fmt: skip
        expected = "reproduced" if z.min() > needed else "not reproduced"
        alone = "reproduced" if z.min() > ndtri(0.95) else "-"
        compare(verdict, expected, f"{where}: the verdict for a smallest z of {z.min():.2f}", [
            ("Five steps are tested: with 5 % for all of them together, each gets 1 %.", alone),
        ])  # fmt: skip

    for rng in cases(seeds):
        for steep in (True, False):
            frame = _distances(rng, steep)
            look(ask(decide, frame), "decide(distances)", frame)
    look(my_decision, "my_decision, for the distances in `my`", mine().distances)
