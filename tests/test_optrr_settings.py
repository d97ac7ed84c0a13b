"""The claims on OptRR's search under the settings that the paper leaves open."""

import pytest

from ppdm.papers.optrr import READINGS, settings
from ppdm.study.ledger import WORLD_COLUMNS


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PPDM_CACHE", str(tmp_path_factory.mktemp("cache")))
        return settings.run(
            generations=4, readings=[r for r in READINGS if r.name == "normal 5.5, 2"]
        )


def test_every_claim_is_asked_in_ours_and_where_the_reading_concerns_it(rows):
    assert all(tuple(row) == WORLD_COLUMNS for row in rows)
    asked = [row["claim"] for row in rows if row["world"] == "ours"]
    assert len(asked) == len(set(asked)) == 10 and "HD-27" in asked
    elsewhere = {row["claim"] for row in rows if row["world"] == "normal 5.5, 2"}
    assert elsewhere == {"HD-15", "HD-18", "HD-19", "HD-20", "HD-33"}


def test_the_claims_own_rules_decide(rows):
    """HD-18: the lowest privacy found is within .05 of .17 (here it cannot be below 1 - .9)."""
    for row in rows:
        if row["claim"] == "HD-18":
            value = float(row["value"])
            assert value >= 0.1 - 1e-9
            assert row["met"] == ("yes" if abs(value - 0.17) <= 0.05 else "no")
