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
    assert [row["claim"] for row in rows if row["world"] == "ours"] == list(settings.CLAIMS)
    elsewhere = {row["claim"] for row in rows if row["world"] == "normal 5.5, 2"}
    assert elsewhere == {"HD-15", "HD-16", "HD-17", "HD-18", "HD-19", "HD-20", "HD-33"}


def test_the_claims_own_rules_decide(rows):
    """HD-15: the lowest privacy found is within .05 of .4 (here it cannot be below 1 - .6)."""
    for row in rows:
        if row["claim"] == "HD-15":
            value = float(row["value"])
            assert value >= 0.4 - 1e-9
            assert row["met"] == ("yes" if value <= 0.45 else "no")
