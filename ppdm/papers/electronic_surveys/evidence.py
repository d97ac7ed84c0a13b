"""[Zhan & Matwin] From the frames of the runs to the tables and the evidence that the chapter shows.

`accuracy` is what :func:`accuracies` makes of the runs of `experiment.classifiers`. Evidence is a
dictionary of what the claim's rule takes; that of the claims about accuracy stands in `worlds`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ppdm import data, study
from ppdm.papers.common import TRAINING, readings_frame, respondents
from ppdm.papers.electronic_surveys.experiment import disguised_test_se
from ppdm.papers.electronic_surveys.readings import LIMIT, READINGS, REDRAWN, SETS

SHORT = {name: data.SHORT[name] for name in SETS}
#: The two ways to read the split, by the names they have in figures.
SPLITS = {"fixed": "one split", "redrawn": "new splits"}
PROTOCOLS = ("asked", "computed", "by coin")


# Accuracy along q ---------------------------------------------------------------------------------


def accuracies(frame: pd.DataFrame) -> pd.DataFrame:
    """Means and variances of all metrics, the split told in words."""
    summary = study.summarise(frame).rename(columns={"splitting": "reading"})
    return summary.assign(
        reading=summary["reading"].map(SPLITS), scheme="unrelated question", learner="naive Bayes"
    )


def curve(
    accuracy: pd.DataFrame, dataset: str, metric: str = "accuracy", reading: str = "one split"
) -> pd.DataFrame:
    """One curve, its rows named by q in falling or rising order as they were run.

    >>> rows = pd.DataFrame({"dataset": "adult", "metric": "accuracy", "reading": "one split",
    ...                      "q": [0.1, 1.0], "mean": [0.7, 0.8]})
    >>> curve(rows, "adult")["mean"].to_dict()
    {0.1: 0.7, 1.0: 0.8}
    """
    here = (accuracy["dataset"] == dataset) & (accuracy["metric"] == metric)
    return accuracy[here & (accuracy["reading"] == reading)].set_index("q").sort_index()


def undisguised(accuracy: pd.DataFrame, benchmarks: dict[str, dict[str, float]]) -> dict:
    """At q = 1, least and most of all repetitions, beside another program's."""
    metrics = [(d, m) for d in SETS for m in ("accuracy", "balanced")]
    ours = [
        curve(accuracy, *each).loc[1, ["low", "high"]].to_numpy(dtype=float) for each in metrics
    ]
    return {"ours": ours, "theirs": [[benchmarks[d][m]] * 2 for d, m in metrics]}


def raised_by_undoing(accuracy: pd.DataFrame, raw: pd.DataFrame) -> pd.DataFrame:
    """Curves of one split, learned from undone counts and from counts as reported, q above 0."""
    undone = accuracy[(accuracy["reading"] == "one split") & (accuracy["q"] > 0)]
    return pd.concat([undone.assign(counts="undone"), raw.assign(counts="as reported")])


# Eq. 1, testing, the collector --------------------------------------------------------------------


def slope(crowd: pd.DataFrame) -> dict:
    """The slope of the logarithm of the root mean squared error over that of the number asked.

    >>> crowd = pd.DataFrame({"n": [100, 400], "mean": [0.04, 0.01], "se": [0.0004, 0.0001]})
    >>> {name: round(float(number), 3) for name, number in slope(crowd).items()}
    {'value': -0.5, 'se': 0.005}
    """
    x = np.log(crowd["n"]) - np.log(crowd["n"]).mean()
    noise = crowd["se"] / crowd["mean"] / 2  # standard error of log(rms)
    value = (x * np.log(crowd["mean"]) / 2).sum() / (x**2).sum()
    return {"value": value, "se": np.sqrt((x**2 * noise**2).sum()) / (x**2).sum()}


def testing_errors(testing: pd.DataFrame, **coding) -> pd.DataFrame:
    """The measured standard error of the estimated accuracy beside the derived one."""
    people = {name: len(respondents(name, **coding).codes) for name in SETS}
    tested = {name: size - round(TRAINING * size) for name, size in people.items()}
    errors = testing[testing["metric"].isin(PROTOCOLS)].copy()
    errors["standard error"] = np.sqrt(errors["var"])
    errors["formula"] = [
        disguised_test_se(q, tested[dataset], protocol)
        for q, dataset, protocol in zip(errors["q"], errors["dataset"], errors["metric"])
    ]
    return errors.assign(protocol=errors["metric"])


def persons_needed(points, error: float = 0.01) -> pd.DataFrame:
    """Test persons needed for a standard error, a row a q and a column a protocol.

    >>> persons_needed([0.5]).to_dict("records")
    [{'asked': 5000, 'computed': 7500, 'by coin': 12500}]
    """
    return pd.DataFrame(
        {
            protocol: [
                int(np.ceil(round(disguised_test_se(q, 1, protocol) ** 2 / error**2, 6)))
                for q in points
            ]
            for protocol in PROTOCOLS
        },
        index=pd.Index(points, name="q"),
    )


def collector(told: pd.DataFrame) -> pd.DataFrame:
    """What he believes of those who told the truth, a row a data set and q: mean, shares, largest."""

    def over(limit):
        return lambda rows: rows["private"][rows["truth"] > limit].sum()

    groups = told.groupby(["dataset", "q"])
    return pd.DataFrame(
        {
            "mean": groups.apply(lambda rows: (rows["private"] * rows["truth"]).sum()),
            **{f"above {limit}": groups.apply(over(limit)) for limit in (0.5, 0.9, 0.99)},
            "largest": groups["truth"].max(),
        }
    )


# Readings -----------------------------------------------------------------------------------------


def reading_effects(
    summary: pd.DataFrame, q: float, accuracy: pd.DataFrame, zero: pd.DataFrame
) -> pd.DataFrame:
    """What each reading does to the means at one q, in words: the rows of the ambiguities page.

    `accuracy` shows the split drawn once and anew, `zero` the two ways out at q = 0.
    """
    means = summary.set_index(["metric", "reading", "dataset", "q"])["mean"]
    effects = []
    for r in READINGS:
        moves = (
            f"{word} "
            + ", ".join(
                f"{SHORT[d]} {means[metric, 'ours', d, q]:.3f} to {means[metric, r.name, d, q]:.3f}"
                for d in r.datasets
            )
            for metric, word in (("accuracy", "accuracy"), ("balanced", "balanced accuracy"))
        )
        effects.append(f"at q = {q:g}: {'; '.join(moves)}")
    once, anew = (
        [curve(accuracy, d, reading=split)["var"][q] for d in SETS] for split in SPLITS.values()
    )
    effects.append(
        f"variance of the accuracy at q = {q:g}: {_moves(once, anew)}; the means hardly move"
    )
    values = zero.set_index(["dataset", "reading"])["var"]
    told, limit = ([values[d, way] for d in SETS] for way in ("reports as they are", "limit"))
    effects.append(f"variance of the accuracy: {_moves(told, limit)}")
    return readings_frame((*READINGS, REDRAWN, LIMIT), effects)


def _moves(before, after) -> str:
    moves = zip(SETS, before, after, strict=True)
    return ", ".join(f"{SHORT[d]} {one:.2g} to {other:.2g}" for d, one, other in moves)
