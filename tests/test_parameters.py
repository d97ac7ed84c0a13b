"""What chapters' parameters may be: declared for every one, refused in a sentence before anything runs."""

import json

import pytest

from ppdm import cli
from ppdm.book.build import execute
from ppdm.places import find_notebooks, find_root
from ppdm.study import parameters

ROOT = find_root()
NOTEBOOKS = {path.stem: path for path in find_notebooks(ROOT)}


def defaults(path) -> dict:
    """The parameters cell, run."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if "parameters" in cell["metadata"].get("tags", []):
            scope: dict = {}
            exec("".join(cell["source"]), {}, scope)  # noqa: S102
            return scope
    raise AssertionError(path)


@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_every_parameter_is_declared_and_its_own_value_allowed(stem):
    own, rules = defaults(NOTEBOOKS[stem]), parameters.declared(stem)
    assert not set(own) - set(rules), "declare them in book/parameters.yml"
    known = {*parameters.KINDS, *parameters.BOUNDS, "holds", "none"}
    assert all(set(rule) <= known and set(rule) & set(parameters.KINDS) for rule in rules.values())
    parameters.check(stem, own)


WRONG = [
    ("00_primer", "respondents", "0", "a whole number, 2 or more"),
    ("00_primer", "theta", "0.5", "a number, 0 or more, at most 1, not 0.5"),
    ("00_data", "ties", "up", "'low', 'high' or 'even'"),
    ("01", "reps", "abc", "a whole number, 10 or more, or None"),
    ("01", "alpha", "abc", "a number, 0 or more"),
    (
        "01",
        "points",
        "0.5",
        "a list of different numbers, each 0 or more, at most 1, 0, 0.1, 0.5 and 1",
    ),
    ("02", "ratio", "1", "a number, more than 0, less than 1"),
    ("02", "seed", "-1", "a whole number, 0 or more"),
    ("03", "test_rows", "xx", "'original' or 'released'"),
    ("04", "mutation_rate", "2", "a number, 0 or more, at most 1"),
]


@pytest.mark.parametrize(("chapter", "name", "value", "allowed"), WRONG)
def test_what_is_not_allowed_is_one_sentence_and_nothing_runs(
    chapter, name, value, allowed, capsys, monkeypatch
):
    monkeypatch.setattr(execute.family, "start", lambda *_, **__: pytest.fail("something runs"))
    assert cli.main(["run", chapter, "-p", name, value]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and f"{name} is " in told and f"it must be {allowed}" in told


def test_numbers_that_are_none_are_refused():
    whole, number = {"whole": True}, {"number": True}
    for value in (True, "1", float("nan"), float("inf"), [1], None, 1j):
        assert not parameters.allows(whole, value) and not parameters.allows(number, value)
    assert not parameters.allows(whole, 1.0)
    points = {"numbers": True, "least": 0, "holds": [0]}
    for value in ([], [1], [0, 0], [0, "1"], [0, -1], "01", {0: 1}, 0):
        assert not parameters.allows(points, value)
    assert parameters.allows(points, (0, 0.25))
