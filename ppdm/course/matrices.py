"""Assignment 4, OptRR: any randomizing matrix."""

from __future__ import annotations

import numpy as np

from ppdm.course.personal import mine
from ppdm.course.tell import ask, cases, check, compare, pair

FORGOT = "You forgot to invert: these are the shares that were reported."
CLIPPED = "Clipped: the unbiased estimate may leave the range from 0 to 1. Leave it there."
GARBLED = (
    "The sum in the denominator runs over the reports y, as in the garbled formula; it has to run over the true "
    "answers."
)


def material(rng: np.random.Generator, people: int = 10_000) -> dict:
    """A question with four answers, its matrix and its reports; a prior to design for, and a
    number such as a paper prints: right to two digits, or clearly not."""
    counts, M = _reports(rng, 4, people)
    prior, delta, p = _design(rng)
    printed = round(float(_lowest(prior, delta) + rng.choice([0.0, 0.0, -0.03, 0.03])), 2)
    return {"counts": counts, "M": M, "prior": prior, "delta": delta, "p": p, "printed": printed}


def _reports(rng, n: int, people: int) -> tuple[np.ndarray, np.ndarray]:
    M = 0.55 * np.eye(n) + 0.45 * rng.dirichlet(np.full(n, 2.0), size=n).T
    M = np.round(M, 3)
    M[-1] = 1 - M[:-1].sum(axis=0)
    return rng.multinomial(people, M @ rng.dirichlet(np.full(n, 2.0))), M


def _design(rng) -> tuple[np.ndarray, float, float]:
    """A skewed prior, a Warner matrix for it, and a bound that it just keeps."""
    prior = np.round(rng.uniform(0.4, 0.65) ** np.arange(4.0), 3)
    prior = np.round(prior / prior.sum(), 3)
    prior[0] = round(1 - prior[1:].sum(), 3)
    p = round(float(rng.uniform(0.5, 0.75)), 2)
    joint = _warner(4, p) * prior
    delta = float((joint.max(axis=1) / joint.sum(axis=1)).max())
    return prior, round(min(delta + 0.03, 0.99), 2), p


def _lowest(prior: np.ndarray, delta: float, axis: int = 2) -> float:
    """The lowest privacy of Warner's matrices under a bound."""
    joint = np.array([_warner(len(prior), p) for p in np.arange(1001) / 1000]) * prior
    kept = (joint.max(axis=2) <= (delta + 1e-12) * joint.sum(axis=2)).all(axis=1)
    return 1 - joint[kept].max(axis=axis).sum(axis=1).max()


def _warner(n: int, p: float) -> np.ndarray:
    other = (1 - p) / (n - 1)
    return np.full((n, n), other) + (p - other) * np.eye(n)


@check
def check_estimate(estimate, my_estimate, seeds=(1,)) -> None:
    """Task 1: inversion and its standard errors, exactly."""

    def look(answer, where, counts, M):
        reported = counts / counts.sum()
        inverse = np.linalg.inv(M)
        right = inverse @ reported
        got, errors = pair(answer, where)
        clipped = np.maximum(right, 0)
        compare(got, right, f"{where}: the estimate", [
            (FORGOT, reported),
            (("Rows and columns are swapped: M[y, x] is the probability to report y when x is true, "
             "and the columns sum to one."), np.linalg.inv(M.T) @ reported),
            ("The reports were disguised once more instead of inverted.", M @ reported),
            (CLIPPED, clipped), (CLIPPED, clipped / clipped.sum()),
            ("These are counts; shares are asked for.", right * counts.sum()),
        ])  # fmt: skip
        covariance = (np.diag(reported) - np.outer(reported, reported)) / counts.sum()
        se = np.sqrt(np.diag(inverse @ covariance @ inverse.T))
        spread = reported * (1 - reported) / counts.sum()
        compare(errors, se, f"{where}: the standard errors", [
            ("These are the errors of the reported shares: inversion enlarges them.",
             np.sqrt(spread)),
            (("The reported shares depend on each other: they sum to one. Their covariances are "
             "missing."), np.sqrt(inverse**2 @ spread)),
            ("These are variances; their roots are asked for.", se**2),
        ], also=[se * np.sqrt(counts.sum() / (counts.sum() - 1))])  # fmt: skip

    example = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.3], [0.1, 0.2, 0.6]])
    rare = np.array([430, 340, 60])
    for counts in (np.array([430, 340, 230]), rare):
        look(ask(estimate, counts, example), f"with the counts {counts.tolist()}", counts, example)
    for rng in cases(seeds):
        counts, M = _reports(rng, int(rng.integers(3, 6)), 2_000)
        look(ask(estimate, counts, M), "with a random matrix", counts, M)
    my = mine()
    look(my_estimate, "my_estimate, for the reports in `my`", my.counts, my.M)


@check
def check_em(em, seeds=(1,)) -> None:
    """Task 2: the maximum likelihood estimate, within 0.0005."""

    def climb(counts, M, steps):
        reported, guess = counts / counts.sum(), np.full(M.shape[1], 1 / M.shape[1])
        for _ in range(steps):
            following = guess * (M.T @ (reported / (M @ guess)))
            if np.abs(following - guess).max() < 1e-11:
                break
            guess = following
        return guess

    def look(counts, M):
        reported = counts / counts.sum()
        inverted = np.linalg.solve(M, reported)
        cut, garbled = np.maximum(inverted, 0), M.T @ reported
        compare(ask(em, counts, M), climb(counts, M, 50_000), "the maximum likelihood estimate", [
            (("This is the inverted estimate: it leaves the simplex here, and maximum likelihood "
             "does not."), inverted),
            ("This is the inverted estimate, clipped; the likelihood has its maximum elsewhere.",
             cut / cut.sum()),
            (GARBLED, garbled),
            (GARBLED, garbled / garbled.sum()),
            (FORGOT, reported),
            *[(f"Not converged: this is about where {steps} steps lead. Go on until nothing moves.",
               climb(counts, M, steps)) for steps in (1, 2, 5, 10, 20)],
        ], tolerance=0.0005)  # fmt: skip

    look(np.array([400, 300, 200, 100]), _warner(4, 5 / 8))
    for rng in cases(seeds):
        look(rng.permutation([700, 250, 49, 1]) * 3, _warner(4, rng.uniform(0.6, 0.7)))
        look(*_reports(rng, 3, 3_000))


@check
def check_claim(lowest_privacy, decide, my_decision, seeds=(1,)) -> None:
    """Task 3: the lowest privacy of Warner's matrices under a bound, within 0.001, and a printed
    number."""

    def look_at_verdict(answer, lowest, printed, where):
        off = abs(lowest - printed)
        if abs(off - 0.005) > 1e-4:
            compare(answer, "reproduced" if off <= 0.005 else "not reproduced", where)

    # in this one the best guess of some reports is another answer than the reported one
    designs = [(np.array([0.6, 0.2, 0.12, 0.08]), 0.85)]
    designs += [_design(rng)[:2] for rng in cases(seeds)]
    for prior, delta in designs:
        right = _lowest(prior, delta)
        where = f"the lowest privacy for the prior {prior.tolist()} and delta = {delta}"
        compare(ask(lowest_privacy, prior, delta), right, where, [
            ("The bound δ was not looked at: without it, telling the truth has privacy 0.", 0.0),
            (("The best guess takes, for each report y, the likeliest true x. You took for each "
             "true x the likeliest report."), _lowest(prior, delta, axis=1)),
            ("This is the chance that the guess is right; privacy is one minus it.", 1 - right),
        ], tolerance=0.001)  # fmt: skip
        centre = round(right, 2)
        for printed in (centre, round(centre + 0.02, 2), round(centre - 0.05, 2)):
            where = f"the verdict for {right:.4f} where {printed:.2f} is printed"
            look_at_verdict(ask(decide, right, printed), right, printed, where)
    my = mine()
    where = "my_decision, for the number in `my.printed`,"
    look_at_verdict(my_decision, _lowest(my.prior, my.delta), my.printed, where)


@check
def check_beat(beat_warner, seeds=(1,)) -> None:
    """Task 4: a matrix with a smaller error than Warner's and no less privacy, computed exactly."""

    def privacy(M, prior):
        return 1 - (M * prior).max(axis=1).sum()

    def worst(M, prior):
        joint = M * prior
        return (joint.max(axis=1) / np.maximum(joint.sum(axis=1), 1e-300)).max()

    def error(M, prior):
        inverse = np.linalg.inv(M)
        reported = M @ prior
        covariance = np.diag(reported) - np.outer(reported, reported)
        return float(np.trace(inverse @ covariance @ inverse.T) / len(prior))

    my = mine()
    designs = [(my.prior, my.delta, my.p), *map(_design, cases(seeds))]
    for prior, delta, p in designs:
        answer, warner = ask(beat_warner, prior, delta, p), _warner(len(prior), p)
        try:
            M = np.asarray(answer, dtype=float)
        except (TypeError, ValueError):
            raise AssertionError("beat_warner() should give a matrix.") from None
        if M.shape != warner.shape or not np.isfinite(M).all():
            raise AssertionError(f"beat_warner() should give a matrix of shape {warner.shape}.")
        if M.min() < -1e-12:
            raise AssertionError(f"A probability in the matrix is negative: {M.min():.3g}.")
        if np.abs(M.sum(axis=0) - 1).max() > 1e-9:
            rows = np.abs(M.sum(axis=1) - 1).max() <= 1e-9
            raise AssertionError(
                "The columns of M must sum to one"
                + ("; yours is transposed: its rows do." if rows else ".")
            )
        if privacy(M, prior) < privacy(warner, prior) - 1e-9:
            raise AssertionError(
                f"Its privacy is {privacy(M, prior):.5f}, less than Warner's "
                f"{privacy(warner, prior):.5f}."
            )
        if worst(M, prior) > delta + 1e-9:
            raise AssertionError(f"A posterior of {worst(M, prior):.5f} breaks the bound {delta}.")
        if np.linalg.cond(M) > 1e8:
            raise AssertionError("The matrix cannot be inverted: nothing could be estimated.")
        ratio = error(M, prior) / error(warner, prior)
        if ratio > 0.98:
            raise AssertionError(
                f"Its mean squared error is {ratio:.3f} times Warner's; 0.98 or less is asked for."
            )
