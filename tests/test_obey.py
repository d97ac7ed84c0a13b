"""The page on whether people obey: its claims are decided, and their rules can say no."""

import re

import pytest

from ppdm.book.site import obey


@pytest.mark.slow
def test_every_claim_is_decided_and_its_wrong_world_refused():
    """From simulations with their own seeds, so the verdicts are those of the page. (A rule that met its wrong world
    would raise.)"""
    parts = obey.fragments()
    assert re.findall(r"\*\*(OB-\d), so", parts["obey_claims"]) == [f"OB-{i}" for i in range(1, 10)]
    assert parts["obey_fieldwork"].count("\n| ") == 18 and parts["obey_devices"].count("| `") == 6


def test_a_rule_that_cannot_say_no_is_an_error(monkeypatch):
    same = {"value": [0.95], "se": [0.0]}
    monkeypatch.setattr(obey, "evidence", lambda _: {"OB-3": (same, same)})
    with pytest.raises(ValueError, match="OB-3: its rule does not refuse a wrong world"):
        obey._claims({})
