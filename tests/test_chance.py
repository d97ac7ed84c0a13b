"""Coins: the operating system's for real people, seeds for studies."""

import re
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm import MultiGroup, RRMatrix, UnrelatedQuestion
from ppdm.chance import system

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
