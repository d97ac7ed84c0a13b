"""Certificates: from the file's numbers alone, by arithmetic that shares nothing with the search."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from ppdm.optimise import best_ldp_scheme, best_scheme
from ppdm.optimise.certificate import Certificate, certified, check, question
from ppdm.optimise.workloads import pairs, prefixes

SMALL = [
    question("epsilon", 1.0, range(1, 9), "cells"),
    question("epsilon", 2.0, range(1, 9), "pairs", (2, 2, 2)),
    question("delta", 0.4, range(1, 9), "prefixes"),
]


def plain_check(path) -> tuple[float, float]:
    """Noise and bound of a certificate's file, written anew with numpy and nothing of the package's
    but the workloads."""
    told = json.loads(path.read_text())
    n = len(told["numerators"])
    prior = np.array(told["numerators"]) / sum(told["numerators"])
    W = {"cells": np.eye(n), "prefixes": prefixes(n)}.get(told["workload"])
    W = pairs(told["shape"]) if W is None else W
    w, nu = np.array(told["weights"]), np.array(told["nu"])
    if told["kind"] == "epsilon":
        high = np.exp(told["level"])
        v = np.array(
            [[high if report >> x & 1 else 1.0 for x in range(n)] for report in told["reports"]]
        )
        p = v * prior / (v @ prior)[:, None]
        assert np.allclose(v.max(axis=1) / v.min(axis=1), high)
    else:
        p = np.array([point(answers, told["level"], n) for answers in told["reports"]])
    assert w.min() > 0 and p.sum(axis=1) == pytest.approx(np.ones(len(w)))
    assert w @ p == pytest.approx(prior, abs=1e-9)  # a scheme: the columns of its matrix sum to one
    S = (p.T * w) @ p
    own = np.trace(W * prior @ np.linalg.solve(S, (W * prior).T))
    G = np.linalg.solve(S, (W * prior).T)
    G = G @ G.T
    # this G: 2 tr((B G B')^(1/2)) = 2 tr(B S^-1 B')
    if told["kind"] == "epsilon":
        worst = worst_corner(prior, G, nu, high)
    else:
        worst = max(p @ G @ p - nu @ p for p in all_points(told["level"], n))
    exact = np.trace(W * prior @ W.T)
    return own - exact, 2 * own - nu @ prior - worst - exact


def point(answers, delta: float, n: int) -> np.ndarray:
    full = int(1 / delta + 1e-9)
    out = np.zeros(n)
    out[list(answers[:full])] = delta
    out[list(answers[full:])] = 1 - full * delta
    return out


def all_points(delta: float, n: int):
    full = int(1 / delta + 1e-9)
    for held in combinations(range(n), full):
        for rest in set(range(n)) - set(held):
            yield point((*held, rest), delta, n)


def worst_corner(prior, G, nu, high: float) -> float:
    """The largest v'Qv over all v in {1, high}^n, a number that no violation exceeds (v'P >= 1)."""
    half = len(prior) // 2
    mixed = np.outer(prior * nu, prior)
    Q = prior[:, None] * G * prior - (mixed + mixed.T) / 2
    corners = 1 + (high - 1) * ((np.arange(1 << half)[:, None] >> np.arange(half)) & 1)
    A, B, C = Q[:half, :half], Q[half:, half:], Q[:half, half:]
    first = np.einsum("ij,jk,ik->i", corners, A, corners)
    second = np.einsum("ij,jk,ik->i", corners, B, corners)
    cut = half // 2
    low = 1 + (high - 1) * ((np.arange(1 << cut)[:, None] >> np.arange(cut)) & 1)
    top = 1 + (high - 1) * ((np.arange(1 << (half - cut))[:, None] >> np.arange(half - cut)) & 1)
    table = first.reshape(len(top), len(low))
    worst = -np.inf
    for v, own in zip(corners, second):
        slope = 2 * C @ v
        by_top = (table + low @ slope[:cut]).max(axis=1) + top @ slope[cut:]
        worst = max(worst, by_top.max() + own)
    return max(worst, 0.0)


@pytest.mark.parametrize("asked", SMALL, ids=lambda c: f"{c.kind}-{c.workload}")
def test_a_certificate_shows_what_the_search_found(asked, tmp_path):
    found = certified(asked)
    path = tmp_path / "c.json"
    found.save(path)
    again = Certificate.load(path)
    assert again.reports == found.reports and again.weights.tolist() == found.weights.tolist()
    seen = check(again)
    assert 0 <= seen.gap < 1e-4
    find = best_ldp_scheme if asked.kind == "epsilon" else best_scheme
    assert find(asked.prior, asked.level, workload=asked.rows).noise == pytest.approx(
        seen.noise, rel=2e-5
    )
    assert plain_check(path) == pytest.approx((seen.noise, seen.bound), rel=1e-7)


def test_a_forged_certificate_proves_nothing_false(tmp_path):
    """Whatever the numbers, the bound stays below what is possible: a forgery has a gap."""
    found = certified(SMALL[0])
    true = check(found)
    rng = np.random.default_rng(1)
    for _ in range(10):
        forged = found._replace(nu=found.nu + rng.normal(size=8) * 0.1)
        assert check(forged).bound <= true.noise * (1 + 1e-9)
        other = found._replace(weights=found.weights * rng.uniform(0.9, 1.1, len(found.weights)))
        seen = check(other)
        assert seen.bound <= true.noise * (1 + 1e-9)
        assert seen.noise >= true.bound * (1 - 1e-9)
    for forged in (found._replace(nu=found.nu * 50), found._replace(nu=found.nu * np.nan)):
        with pytest.raises(ValueError, match="the certificate proves nothing"):
            check(forged)
    with pytest.raises(ValueError, match="its weights make no scheme"):
        check(found._replace(weights=found.weights * np.geomspace(1, 1e3, len(found.weights))))
    with pytest.raises(ValueError, match="a positive weight for each report"):
        check(found._replace(weights=found.weights[:-1]))
    with pytest.raises(ValueError, match="epsilon or by delta"):
        question("kappa", 1.0, [1, 1], "cells")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="is no certificate"):
        Certificate.load(tmp_path / "other.json")


def test_answers_that_are_rare_do_not_keep_a_scheme_from_being_certified():
    """The roots of rounding errors put the bound above the noise, and the search took that for the end."""
    for prior, epsilon in (([700_000, 299_999, 1], 1.0), ([60_000, 39_999, 1], 0.5)):
        seen = check(certified(question("epsilon", epsilon, prior, "cells")))
        assert -1e-12 <= seen.gap < 1e-6


def test_reports_that_name_their_answers_wrongly_are_refused():
    found = certified(question("delta", 0.8, [1, 1], "cells"))
    for reports in (((0,), (1,), (0, 0, 1)), ((0, 0), (1, 0))):
        forged = found._replace(reports=reports, weights=np.ones(len(reports)) / 2)
        with pytest.raises(ValueError, match="lacks answers or has one twice"):
            check(forged)


def test_no_noise_is_certified_as_none():
    found = certified(question("delta", 1.0, [3, 2], "cells"))
    seen = check(found)
    assert (seen.noise, seen.gap) == (0.0, 0.0)
    with pytest.raises(ValueError, match="the certificate proves nothing"):
        check(found._replace(nu=found.nu * np.nan))
