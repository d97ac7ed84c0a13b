"""From the frames of the AIBR chapter's runs to the tables and the evidence that it shows."""

import numpy as np
import pandas as pd

from ppdm.papers.aibr.experiment import CHOSEN
from ppdm.papers.aibr.readings import OURS, READINGS, TABLE_1
from ppdm.papers.aibr.selection import LIMIT
from ppdm.papers.common import by_question, readings_frame
from ppdm.privacy.ranks import METRICS
from ppdm.study import rules

WEKA = ("IBk", "SMO", "J48")
CELL = ["dataset", "scheme", "k", "e"]
PAPERS = {(c["dataset"], c["scheme"]): c["e"] or c["k"] for c in CHOSEN}
LARGER_PROTECTS = {"VD": 1, "RP": 1, "RK": -1, "CP": 1, "CK": -1}


def setting(scheme: str, k: int, e: float) -> str:
    """A scheme with its parameter, as the chapter's tables write it.

    >>> setting("AIBR", 2, 0.0), setting("SSVD", 7, 0.45)
    ('AIBR, k = 2', 'SSVD, k = 7, e = 0.45')
    """
    return f"{scheme}, k = {k}" + (f", e = {e:g}" if e else "")


def wide(summary: pd.DataFrame, columns, form: str = ".3f", half: str = "", also=()):
    """A summary as a table of texts: a column for each metric, the mean with half its interval.

    `form` is the format of the means, `half` that of the halves if they have their own.

    >>> row = {"dataset": "WBC", "scheme": "AIBR", "k": 2, "e": 0.0, "metric": "VD"}
    >>> summary = pd.DataFrame([row | {"mean": 0.42, "high": 0.421}])
    >>> wide(summary, ["VD"]).to_dict("records")
    [{'data': 'WBC', 'release': 'AIBR, k = 2', 'VD': '0.420\xa0±\xa00.001'}]
    """
    number = f"{{:{form}}}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{{:{half or form}}}"
    rows = summary.assign(
        data=summary["dataset"],
        release=[setting(*row) for row in summary[["scheme", "k", "e"]].itertuples(index=False)],
        text=[number.format(m, h - m) for m, h in zip(summary["mean"], summary["high"])],
    )
    table = rows.pivot_table(
        index=["data", "release", *also],
        columns="metric",
        values="text",
        aggfunc="first",
        sort=False,
    )
    return table[list(columns)].fillna("").rename_axis(columns=None).reset_index()


# Table 1 ----------------------------------------------------------------------------------------


def claim_id(dataset: str, scheme: str, metric: str) -> str:
    """The claim on a cell of Table 1.

    >>> claim_id("WBC", "AIBR", "VD")
    'GU-T1-WBC-AIBR-VD'
    """
    return f"GU-T1-{dataset}-{scheme}-{metric}"


def table1(values: pd.DataFrame) -> dict[str, dict]:
    """[Guo, Table 1] The evidence of the 40 claims: over all rows plainly, else over training rows."""
    found = {}
    for cell in CHOSEN:
        for metric in METRICS:
            here = values[
                (values.dataset == cell["dataset"])
                & (values.scheme == cell["scheme"])
                & (values.metric == metric)
            ]
            found[claim_id(cell["dataset"], cell["scheme"], metric)] = {
                "plain": rules.sample(here.value[here.reading == "all rows"]),
                "under": rules.sample(here.value[here.reading == "training rows"]),
            }
    return found


def same_digits(evidence: dict[str, dict], claims: dict) -> int:
    """How many cells, over the training rows, round to the printed digits."""
    return sum(
        rules.exact(given["under"]["mean"], printed=claims[id].printed).met
        for id, given in evidence.items()
    )


def side_by_side(evidence: dict[str, dict], decided: dict) -> pd.DataFrame:
    """[Guo, Table 1] Printed and, in brackets, ours over the training rows; ✗ where they disagree."""
    rows = []
    for cell in CHOSEN:
        row = {"data": cell["dataset"], "release": setting(cell["scheme"], cell["k"], cell["e"])}
        for metric in METRICS:
            id = claim_id(cell["dataset"], cell["scheme"], metric)
            ours = f"{evidence[id]['under']['mean']:.3g}"
            mark = " ✗" if decided[id].verdict == "not reproduced" else ""
            row[metric] = f"{decided[id].claim.printed} ({ours}){mark}"
        rows.append(row)
    return pd.DataFrame(rows)


def agreeing(values: pd.DataFrame, claims: dict) -> pd.DataFrame:
    """Whether each cell of Table 1 agrees with the printed number, under each reading."""
    keys = ["reading", "dataset", "scheme", "metric"]
    rows = []
    for (reading, *cell), part in values.groupby(keys, sort=False):
        met = rules.agree(**rules.sample(part.value), **claims[claim_id(*cell)].given).met
        rows.append((reading, *cell, met))
    return pd.DataFrame(rows, columns=[*keys, "agrees"])


def counted(agrees: pd.DataFrame) -> pd.DataFrame:
    """How many cells agree under each reading: of 20 for each data set, of 40 together."""
    counts = agrees.pivot_table(
        index="reading", columns="dataset", values="agrees", aggfunc="sum", sort=False
    ).rename_axis(columns=None)
    return counts.assign(together=counts.sum(axis=1))


# Usefulness -------------------------------------------------------------------------------------


def losses_of(loss: pd.DataFrame, scheme: str, reading: str) -> pd.DataFrame:
    """The losses of one scheme, with the classifier in a column of its own, for a figure."""
    rows = loss[(loss.scheme == scheme) & (loss.reading == reading)]
    return rows.rename(columns={"metric": "classifier"}).sort_values(
        "dataset", ascending=False, kind="stable"
    )


def usefulness_trend(loss, scheme, reading, x="k", backwards=False) -> dict:
    """The losses of the three classifiers on both data sets, from strong distortion to weak."""
    rows = losses_of(loss, scheme, reading)
    rows = rows[rows.classifier.isin(WEKA)]
    return _series(rows, "classifier", x, backwards)


def protection_trend(summary, scheme, x="k", backwards=False) -> dict:
    """VD, RP and -RK from strong distortion to weak, each in units of its largest value."""
    rows = summary[(summary.scheme == scheme) & summary.metric.isin(["VD", "RP", "RK"])]
    largest = rows.groupby(["dataset", "metric"])["mean"].transform("max")
    rows = rows.assign(
        se=rows["se"] / largest, mean=rows["metric"].map(LARGER_PROTECTS) * rows["mean"] / largest
    )
    return _series(rows, "metric", x, backwards)


def _series(rows, name, x, backwards):
    """One series for each data set and `name`, at the values of `x` that both data sets have."""
    shared = set.intersection(*(set(part[x]) for _, part in rows.groupby("dataset")))
    order = sorted(shared, reverse=backwards)
    table = rows[rows[x].isin(shared)].pivot(
        index=["dataset", name], columns=x, values=["mean", "se"]
    )
    return {"values": table["mean"][order].to_numpy(), "se": table["se"][order].to_numpy()}


def trend_note(frame: pd.DataFrame, scheme: str, x: str = "k", backwards: bool = False) -> str:
    """What a trend leaves out: the points that only one data set has."""
    rows = frame[frame.scheme == scheme]
    tried = {dataset: set(part[x]) for dataset, part in rows.groupby("dataset")}
    shared = set.intersection(*tried.values())
    left = [
        f"{dataset}, {x} = {', '.join(f'{value:g}' for value in sorted(own - shared))}"
        for dataset, own in tried.items()
        if own - shared
    ]
    return (
        f"Left out, because the other data set has no such point: {'; '.join(left)}."
        if left
        else ""
    )


def share_of_papers(choice, dataset, scheme, reading, neighbour) -> float:
    """The share of imagined runs in which the rule picks the paper's parameter."""
    rows = _choices(choice, dataset, scheme, reading, neighbour)
    return float(rows.share[rows.value == PAPERS[dataset, scheme.split()[0]]].sum())


def surprise(choice, dataset, scheme, reading, neighbour) -> float:
    """The p-value of the paper's parameter: the share of imagined runs with a choice as rare."""
    rows = _choices(choice, dataset, scheme, reading, neighbour)
    papers = share_of_papers(choice, dataset, scheme, reading, neighbour)
    return float(rows.share[rows.share <= papers].sum())


def within_chance(choice, reading, neighbour, least: float = 0.05 / len(CHOSEN)) -> int:
    """How many of the paper's eight parameters the rule could have picked."""
    return sum(
        surprise(choice, dataset, scheme, reading, neighbour) >= least for dataset, scheme in PAPERS
    )


def _choices(choice, dataset, scheme, reading, neighbour):
    return choice[
        (choice.dataset == dataset)
        & (choice.scheme == scheme)
        & (choice.reading == reading)
        & (choice.neighbour == neighbour)
    ]


def picked(choice: pd.DataFrame) -> pd.DataFrame:
    """What the rule picks under each reading, and in how many imagined runs the paper's choice."""
    keys = ["dataset", "scheme", "reading", "neighbour"]
    texts = {}
    for key, part in choice.groupby(keys, sort=False):
        share = share_of_papers(part, *key)
        value = part.value[part.picked].iloc[0]
        texts[key] = f"{'none' if np.isnan(value) else f'{value:g}'} ({share:.0%})"
    table = pd.Series(texts).rename_axis(keys).unstack(["reading", "neighbour"])
    table.columns = [f"{reading}, {neighbour}" for reading, neighbour in table.columns]
    table.insert(0, "paper", [f"{PAPERS[d, s.split()[0]]:g}" for d, s in table.index])
    return table


def too_large(chosen: pd.DataFrame) -> pd.Series:
    """How many losses at the paper's parameters are above the limit, by the reading of test rows."""
    weka = chosen[chosen["metric"].isin(WEKA)]
    return (weka["mean"] >= LIMIT).groupby(weka["reading"]).sum()


def reading_effects(counts: pd.DataFrame, chosen, choice, test_rows: str) -> pd.DataFrame:
    """Question, choice, alternatives and effect of each reading.

    `counts` are the agreeing cells under each reading of Table 1, `chosen` the losses at the paper's
    parameters, `choice` what the rule picks.
    """
    count = counts["together"]
    cells = {}
    for name in TABLE_1[1:]:
        cells.setdefault(READINGS[name].question, []).append(str(count[name]))
    agree = [" and ".join(found) + " cells agree" for found in cells.values()]
    agree[0] = f"{count['all rows']} cells of 40 agree instead of {count[OURS]}"
    effects = [
        *agree,
        "of 24 losses at the paper's parameters, {} and {} are too large".format(*too_large(chosen)),
        "{} of the 8 chosen parameters are within chance instead of {}".format(
            *(within_chance(choice, test_rows, n) for n in ("unscaled", "scaled"))),
    ]  # fmt: skip
    return readings_frame(by_question(list(READINGS.values())), effects)


# Privacy ----------------------------------------------------------------------------------------


def of_aibr(alike: pd.DataFrame, metric: str) -> dict:
    """One measure of AIBR's releases at the paper's parameters, with its standard errors."""
    rows = alike[(alike["scheme"] == "AIBR") & (alike["metric"] == metric)]
    return {"value": rows["mean"], "se": rows["se"]}


def exact_gain(guesses: pd.DataFrame) -> dict:
    """How many more values are guessed exactly from AIBR's release than without it."""
    papers = pd.DataFrame([c for c in CHOSEN if c["scheme"] == "AIBR"])[["dataset", "k"]]
    at = guesses.merge(papers).pivot(index="dataset", columns="metric", values=["mean", "se"])
    return {"value": at["mean"]["released"] - at["mean"]["nothing"],
            "se": np.hypot(at["se"]["released"], at["se"]["nothing"])}  # fmt: skip


def larger_k(summary: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """How much more AIBR's largest k protects (VD and RP) than the paper's, with standard errors."""
    gain, error = [], []
    for (dataset, metric), rows in summary[summary.scheme == "AIBR"].groupby(["dataset", "metric"]):
        if metric in ("VD", "RP"):
            rows = rows.set_index("k")
            small, large = rows.loc[PAPERS[dataset, "AIBR"]], rows.loc[rows.index.max()]
            gain.append(large["mean"] - small["mean"])
            error.append(np.hypot(large["se"], small["se"]))
    return np.array(gain), np.array(error)


def lead(summary: pd.DataFrame, dataset: str) -> dict:
    """By how much AIBR protects better than each other scheme, by each metric."""
    table = summary[summary.dataset == dataset].pivot(
        index="scheme", columns="metric", values=["mean", "se"]
    )
    mean, se = table["mean"], table["se"]
    pairs = [(s, m) for s in ("kCG", "BSVD", "SSVD") for m in METRICS]
    return {
        "differences": [
            LARGER_PROTECTS[m] * (mean.loc["AIBR", m] - mean.loc[s, m]) for s, m in pairs
        ],
        "se": [np.hypot(se.loc["AIBR", m], se.loc[s, m]) for s, m in pairs],
    }


def chosen_by_us(choice: pd.DataFrame, reading: str, neighbour: str) -> pd.DataFrame:
    """The settings (dataset, scheme, k, e) that the rule picks in our run, where it picks any."""
    rows = choice[
        choice.picked
        & (choice.reading == reading)
        & (choice.neighbour == neighbour)
        & choice.value.notna()
    ]
    by_e = rows.parameter == "e"
    kept = [PAPERS[d, "BSVD"] for d in rows.dataset]
    return rows[["dataset", "scheme"]].assign(
        k=np.where(by_e, kept, rows.value).astype(int), e=np.where(by_e, rows.value, 0.0)
    )


def trade_off(loss: pd.DataFrame, traced: pd.DataFrame, reading: str, trio=WEKA) -> pd.DataFrame:
    """For each setting: the accuracy that the worst classifier keeps, and the best attack's share."""
    here = loss[(loss.reading == reading) & loss.metric.isin(trio)]
    worst = here.groupby(CELL)["mean"].max()
    best = traced.groupby(CELL)["mean"].max()
    return pd.DataFrame({"accuracy kept": 1 - worst, "share traced": best}).reset_index()
