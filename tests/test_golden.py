"""The golden file: each entry met to ten digits by ppdm, and by a second computation that is not ppdm's."""

import json

import golden
import numpy as np
import pandas as pd
import pytest
from obedience import asked

from ppdm import Table
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.estimate import Design, difference, estimate
from ppdm.survey import relate
from ppdm.survey.compliance import models, plain_model, solve

STORED = json.loads(golden.PATH.read_text(encoding="utf-8"))
ENTRIES = {entry["id"]: entry for entry in STORED["entries"]}


def shares(survey: Survey, counts, **options) -> pd.DataFrame:
    table = Table(scheme_of(survey).reports, counts).reported_by(scheme_of(survey))
    return estimate(table, survey, **options)


def row(survey: Survey, counts) -> dict:
    return shares(survey, counts).iloc[1].to_dict()


def several(survey: Survey, counts, **options) -> dict:
    rows = shares(survey, counts, **options)
    return {f"{key} {i}": rows[key].iloc[i] for key in ("share", "se") for i in range(len(rows))}


def habit(name: str, survey: Survey, counts) -> dict:
    model = next(m for m in models(survey, "A") if m.habits == (name,))
    fit = solve(model, np.array(counts))
    followed = dict(zip(("followed", "se of followed"), fit.followed, strict=True))
    return followed | dict(zip(("share", "se", "low", "high"), fit.share(1), strict=True))


def pair(survey: Survey, counts) -> dict:
    return shares(survey, counts, of=["A", "B"]).iloc[-1].to_dict()


def differing(survey: Survey, counts) -> dict:
    table = Table(scheme_of(survey).reports, counts).reported_by(scheme_of(survey))
    return difference(table, survey, "A", "B")._asdict()


def regressed(survey: Survey, counts) -> dict:
    frame = asked(survey, np.array(counts))
    table = relate.regression(frame, survey, "A", survey.names[1:]).table
    slope, errors = table["coefficient"], table["se"]
    return {
        "(intercept)": slope[0], "slope": slope[1], "se of (intercept)": errors[0], "se of slope": errors[1],
    }  # fmt: skip


def weighted(survey: Survey, given) -> dict:
    frame = pd.DataFrame({"A": [["no", "yes"][yes] for yes in given["yes"]]})
    return estimate(frame, survey, design=Design(np.array(given["weights"]))).iloc[1].to_dict()


PPDM = {
    "share": row, "interval": row, "shares": several, "pair": pair, "difference": differing,
    "likeliest": lambda s, c: several(s, c, method="em", rng=np.random.default_rng(1)),
    "careless": lambda s, c: habit("careless", s, c), "always": lambda s, c: habit("always", s, c),
    "fit": lambda s, c: {"fit": solve(plain_model(s, "A"), np.array(c)).fit},
    "regression": regressed, "weighted": weighted,
    "two samples": lambda _, c: relate.two_samples(c["p"], c["yes"], c["asked"])._asdict(),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
def test_ppdm_meets_each_certified_number_to_ten_digits(name):
    entry = ENTRIES[name]
    survey = entry["survey"] and Survey.from_plain(entry["survey"])
    result = PPDM[entry["estimator"]](survey, entry["reports"])
    for key, number in entry["certified"].items():
        # what lies on an edge is found by a search that ends some 1e-9 beside it
        edge = 1e-9 if entry["estimator"] == "likeliest" else 1e-11
        assert float(result[key]) == pytest.approx(float(number), rel=1e-10, abs=edge), key


def test_the_file_is_what_the_second_computation_certifies():
    assert golden.certified() == STORED


def test_the_known_numbers_of_other_programs_stand_in_it():
    """cWise on its cmdata, of which the margins are known, and the example of two samples."""
    crosswise, anchored = (ENTRIES[name]["certified"] for name in ("crosswise", "crosswise-anchor"))
    assert crosswise["share"] == "0.195" and crosswise["se"].startswith("0.014446241302")
    assert anchored["followed"] == "0.772857142857" and anchored["share"] == "0.105360443623"
    assert np.sum(golden.JOINT, axis=0).tolist() == [459, 1541]
    assert np.sum(golden.JOINT, axis=1).tolist() == [573, 1427]
    assert ENTRIES["two-samples"]["certified"] == {"sensitive": "0.592", "unrelated": "0.232"}
