"""An audit of every channel: an attacker who sees a million reports learns no more than is declared."""

import math

import numpy as np
import pytest
from scipy.stats import beta

from ppdm import Domain, MultiGroup, RRMatrix, Survey, Table, UnrelatedQuestion, scheme_of
from ppdm.disguise import today
from ppdm.optimise import best_ldp_scheme

YES, FOUR = (0, 1), ("a", "b", "c", "d")
DRAWS, LEVEL = 1_000_000, 1e-6


def survey(mechanism, levels=("no", "yes"), **keys):
    return scheme_of(Survey({"A": levels}, [{"mechanism": mechanism, "attributes": ["A"], **keys}]))


def matrix(M):
    return RRMatrix({"A": M}, {"A": tuple(range(len(M)))}, {"A": tuple(range(M.shape[1]))})


CERTIFIED = best_ldp_scheme(np.array([0.5, 0.3, 0.2]), 1.5, 1).matrix
SCHEMES = {
    "warner": survey("warner", p=0.75),
    "crosswise": survey("warner", p=0.2628),
    "k-rr": survey("k-rr", FOUR, p=0.6),
    "forced response": survey("forced-response", truth=2 / 3, forced=[1 / 6, 1 / 6]),
    "forced to one side": survey("forced-response", truth=0.6, forced=[0.1, 0.3]),
    "unrelated question": survey("unrelated-question", q=0.6, personal={"A": [0.7, 0.3]}),
    "a matrix": survey(
        "matrix", matrix=[[0.7, 0.1], [0.1, 0.6], [0.2, 0.3]], outputs=["x", "y", "?"]
    ),
    "multi-group": MultiGroup(0.8, [["A"]]),
    "three groups": MultiGroup(0.75, [["A"], ["B"], ["C"]]),
    "personal records": UnrelatedQuestion(0.5),
    "personal, uneven": UnrelatedQuestion(0.3, {"A": [0.8, 0.2], "B": [0.6, 0.4]}),
    "certified": matrix(CERTIFIED),
    "unary": matrix(today.unary(3, 2.0)),
    "subsets": matrix(today.subset_selection(5, 1.5)),
    "RAPPOR's two coins": matrix(today.two_coins(3, 0.5, 0.25, 0.75)),
    "by lot": today.OneSampled(
        Domain(("A", "B", "C"), (YES,) * 3), math.log(3), [["A", "C"], ["B", "C"]]
    ),
}


def domain_of(scheme):
    names = ("A", "B", "C") if scheme.named is None else scheme.named
    if isinstance(scheme, RRMatrix):
        return Domain(("A",), (tuple(range(scheme.matrices["A"].shape[1])),))
    whole = Domain(tuple(names), (YES,) * len(names))
    return getattr(scheme, "answers", getattr(scheme, "domain", whole))


def reports_of(scheme, domain, cell, way, rng):
    """How often each report came of a million people with the same answers."""
    reported = scheme.on(domain).reported
    if way == "records":
        digits = np.tile(domain.digits(np.array([cell])), (DRAWS, 1))
        codes = reported.codes(scheme.disguise_digits(digits, domain, rng))
        return np.bincount(codes, minlength=reported.size)
    counts = np.zeros(domain.size)
    counts[cell] = DRAWS
    return scheme.disguise_table(Table(domain, counts), rng).densified().values


@pytest.mark.parametrize("way", ["records", "tables"])
@pytest.mark.parametrize("name", SCHEMES)
def test_a_million_reports_give_away_no_more_than_is_declared(name, way):
    """The attacker knows which two answers are told apart best, and by which report. Her bound on the log
    ratio is exact [Clopper & Pearson] and lies above the truth in 2 of 1e6 audits; the draws are seeded.
    Where a bound is reached, she comes within 5 % of it."""
    scheme, rng = SCHEMES[name], np.random.default_rng(17)
    domain = domain_of(scheme)
    declared, M = scheme.epsilon(domain=domain), scheme.matrix(domain)
    assert 0 < declared <= 4
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(M[:, :, None] / M[:, None, :])
    y, one, other = np.unravel_index(np.nanargmax(logs), logs.shape)
    more = reports_of(scheme, domain, one, way, rng)[y]
    less = reports_of(scheme, domain, other, way, rng)[y]
    low = beta.ppf(LEVEL, more, DRAWS - more + 1)
    high = beta.ppf(1 - LEVEL, less + 1, DRAWS - less)
    bound = math.log(low / high)
    assert bound <= declared + 1e-12
    if (
        logs[y, one, other] > declared - 1e-9
    ):  # reached by some report, not by a sum over channels alone
        assert bound >= 0.95 * declared
