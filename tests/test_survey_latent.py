"""Regressions by answers that are disguised: what nobody has seen explains what nobody has seen."""

import numpy as np
import pandas as pd
import pytest

from ppdm import cli
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.survey import relate

YESNO = ["no", "yes"]
DEVICES = [
    {"mechanism": "warner", "p": 0.85, "attributes": ["A"]},
    {"mechanism": "extended-crosswise", "p": 0.1643, "attributes": ["B"]},
]


def people(n: int, rng, slope: float, old: float) -> pd.DataFrame:
    """B says yes more often among the old; A by B and age."""
    age = rng.choice(["young", "old"], n)
    B = rng.random(n) < np.where(age == "old", 0.5, 0.25)
    A = rng.random(n) < 1 / (1 + np.exp(-(-1 + slope * B + old * (age == "old"))))
    return pd.DataFrame({"A": np.where(A, "yes", "no"), "B": np.where(B, "yes", "no"), "age": age})


def test_several_devices_and_an_open_covariate_give_right_intervals():
    """60 surveys of 3,000, A by one device and B by another: z-scores have mean 0 and standard deviation 1, each within
    four standard errors (0.52 and 0.37), for three terms: a false alarm in some 3,000 seeds."""
    survey = Survey({"A": YESNO, "B": YESNO, "age": ["young", "old"]}, DEVICES)
    scheme, rng, scores = scheme_of(survey), np.random.default_rng(11), []
    for _ in range(60):
        sent = scheme.disguise(people(3_000, rng, 1.2, -0.6), rng)
        table = relate.regression(sent, survey, "A", ["B", "age"]).table
        assert table["term"].tolist() == ["(intercept)", "B: yes", "age: old"]
        scores.append((table["coefficient"] - [-1, 1.2, -0.6]) / table["se"])
    assert np.abs(np.mean(scores, axis=0)).max() < 0.52
    assert np.abs(np.std(scores, axis=0) - 1).max() < 0.37


def test_an_undisguised_predictor_is_the_ordinary_regression():
    """A predictor whose protection hardly changes anything gives the coefficients of the open one."""
    rng = np.random.default_rng(3)
    frame = people(2_000, rng, 1.0, 0.5)
    hardly = {"mechanism": "warner", "p": 1 - 1e-9, "attributes": ["B"]}
    open_, hidden = (
        Survey({"A": YESNO, "B": YESNO, "age": ["young", "old"]}, specs)
        for specs in ([DEVICES[0]], [DEVICES[0], hardly])
    )
    sent = scheme_of(open_).disguise(frame, rng)
    expected = relate.regression(sent, open_, "A", ["B", "age"]).table
    table = relate.regression(sent, hidden, "A", ["B", "age"]).table
    for column in ("coefficient", "se"):
        assert table[column].to_numpy() == pytest.approx(expected[column].to_numpy(), rel=1e-5)


@pytest.mark.parametrize(
    ("explained", "by", "words"),
    [
        ("A", ["C"], "'C' is not asked"),
        ("A", ["A"], "'A' cannot explain itself"),
        ("D", ["B"], "needs two answers; 'D' has x, y, z"),
        ("A", ["B", "many"], "too many to be told apart"),
        ("A", ["none"], "no single peak"),
    ],
)
def test_what_cannot_be_explained_is_refused(explained, by, words):
    specs = [{"mechanism": "warner", "p": 0.85, "attributes": ["A", "B", "none"]}]
    levels = {"A": YESNO, "B": YESNO, "none": YESNO, "D": ["x", "y", "z"], "many": list(range(70))}
    survey = Survey(levels, specs)
    rng = np.random.default_rng(1)
    sent = pd.DataFrame({name: rng.choice(own, 500) for name, own in levels.items()})
    sent["none"] = "no"  # fewer yes than would be reported if it were true of nobody
    with pytest.raises(ValueError, match=words):
        relate.regression(sent, survey, explained, by)


def test_the_command_takes_disguised_predictors(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    survey = Survey({"A": YESNO, "B": YESNO, "age": ["young", "old"]}, DEVICES)
    survey.save("s.json")
    rng = np.random.default_rng(2)
    scheme_of(survey).disguise(people(3_000, rng, 1.0, 0.0), rng).to_csv("r.csv", index=False)
    assert cli.main(["survey", "estimate", "s.json", "r.csv", "--regress", "A", "B", "age"]) == 0
    assert "Who truly says “yes” to A" in capsys.readouterr().out
    assert pd.read_csv("result/regressions.csv")["term"].tolist()[1] == "B: yes"
