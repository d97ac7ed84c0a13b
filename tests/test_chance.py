"""Coins: the operating system's for real people, seeds for studies."""

import re
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm import MultiGroup, RRMatrix, Survey, UnrelatedQuestion, count, scheme_of
from ppdm.chance import system
from ppdm.estimate import estimate

ROOT = Path(__file__).parents[1]


def test_every_scheme_draws_by_the_system_s_chance():
    """Kept truths of 20,000 answers are within six standard errors of their chance: a false alarm in
    5e8 runs for each scheme. These draws have no seed."""
    frame, n = pd.DataFrame({"A": [0, 1] * 10_000}), 20_000
    mixed = UnrelatedQuestion(0.6, {"A": [0.5, 0.5]})
    for scheme, kept in ((MultiGroup(0.8), 0.8), (RRMatrix.warner(2, 0.8), 0.8), (mixed, 0.8)):
        reports = scheme.disguise(frame, system())
        true = (reports["A"] == frame["A"]).mean()
        assert abs(true - kept) < 6 * np.sqrt(kept * (1 - kept) / n)


def _drawn(_):
    return system().integers(2**63, size=4).tolist()


def test_no_seed_gives_the_system_s_coins_back():
    """A seed of a script once gave everybody's answers back. Equal numbers of 63 bits: 1 in 1e18."""
    first = system().random(8)
    assert not np.isin(system().random(8), first).any()
    assert not np.isin(np.random.default_rng(1).random(8), first).any()
    with get_context("fork").Pool(2) as pool:
        one, other = pool.map(_drawn, range(2), chunksize=1)
    assert not set(one) & set(other)


def test_the_first_page_shows_no_seed_for_the_answers_of_people():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    assert "chance.system()" in first and "default_rng" not in first
    assert "who has the seed has the answers" in text
    for page in ("your_survey.md", "at_scale.md"):
        assert "who has the seed has the answers" in (ROOT / "book" / page).read_text(
            encoding="utf-8"
        )


def test_data_and_coins_of_one_seed_are_independent():
    """Of one seed they were one stream: a survey of 100,000 came out 57 standard errors off, with an interval.
    Each of the four within six standard errors: a false alarm in 1e8 seeds."""
    people = pd.DataFrame({"A": (np.random.default_rng(1).random(100_000) < 0.3).astype(int)})
    true = people["A"].mean()
    mixed = UnrelatedQuestion(0.6, {"A": [0.5, 0.5]})
    survey = Survey({"A": [0, 1]}, [{"mechanism": "k-rr", "p": 0.8, "attributes": ["A"]}])
    for scheme in (MultiGroup(0.8), RRMatrix.warner(2, 0.8), mixed, scheme_of(survey)):
        row = estimate(scheme.disguise(people, np.random.default_rng(1)), scheme).iloc[1]
        assert abs(row["share"] - true) < 6 * row["se"]


def test_two_columns_of_one_seed_have_coins_of_their_own():
    """P(1, 1) was .1617 for a true .09. Within six standard errors: 1 in 5e8 seeds."""
    rng = np.random.default_rng(5)
    people = pd.DataFrame({name: (rng.random(100_000) < 0.3).astype(int) for name in "AB"})
    reports = pd.concat(
        [MultiGroup(0.8).disguise(people[[name]], np.random.default_rng(2)) for name in "AB"],
        axis=1,
    )
    scheme = MultiGroup(0.8, [["A"], ["B"]])
    row = estimate(count(reports).reported_by(scheme), scheme, ["A", "B"]).iloc[3]
    assert abs(row["share"] - (people["A"] * people["B"]).mean()) < 6 * row["se"]
