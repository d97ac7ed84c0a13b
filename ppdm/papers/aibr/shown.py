"""[Guo] The tables of the chapter: a function of the chapter each."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.coins import Picture
from ppdm.data.describe import show
from ppdm.papers.aibr import beyond, rows
from ppdm.papers.aibr.experiment import CHOSEN, NAMES
from ppdm.papers.aibr.pictures import LEARNERS
from ppdm.papers.aibr.readings import READINGS, TABLE_1
from ppdm.papers.left_open import folded, left_open
from ppdm.privacy.ranks import METRICS
from ppdm.study.cards import Html
from ppdm.study.claims import NOT_REPRODUCED, REPRODUCED


def _wide(summary: pd.DataFrame, columns, form: str = ".3f") -> pd.DataFrame:
    """A summary as texts: a column for each metric, the mean with half its interval.

    >>> row = {"dataset": "WBC", "scheme": "AIBR", "k": 2, "e": 0.0, "metric": "VD"}
    >>> summary = pd.DataFrame([row | {"mean": 0.42, "high": 0.421}])
    >>> _wide(summary, ["VD"]).to_dict("records")
    [{'data': 'Breast Cancer', 'release': 'AIBR, k = 2', 'VD': '0.420\\xa0±\\xa00.001'}]
    """
    number = f"{{:{form}}}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{{:{form}}}"
    texts = summary.assign(
        data=summary["dataset"].replace(NAMES),
        release=[
            rows.setting(*each) for each in summary[["scheme", "k", "e"]].itertuples(index=False)
        ],
        text=[number.format(m, h - m) for m, h in zip(summary["mean"], summary["high"])],
    )
    at = ["data", "release"]
    wide = texts.pivot_table(index=at, columns="metric", values="text", aggfunc="first", sort=False)
    return wide[list(columns)].fillna("").rename_axis(columns=None).reset_index()


def undistorted(ch) -> Html:
    """The accuracy without any distortion."""
    every = ch.get(rows.accuracy)
    plain = study.summarise(every[every["scheme"] == "none"]).replace({"metric": LEARNERS})
    table = _wide(plain, list(LEARNERS.values())).drop(columns="release")
    table["larger class"] = [
        f"{np.bincount(y).max() / len(y):.3f}" for _, y in ch.get(rows.tables).values()
    ]
    return folded(
        show(table, "Accuracy without any distortion"), "The accuracy without any distortion"
    )


def table_1(ch) -> Picture:
    """[Guo, Table 1] Printed and, in brackets, ours over the training rows; each of the forty is kept as a row too."""
    means = rows.table_1_means(ch)
    agrees = {REPRODUCED: "yes", NOT_REPRODUCED: "no"}
    kept, table = [], []
    for cell in CHOSEN:
        texts = {
            "data": NAMES[cell["dataset"]],
            "release": rows.setting(cell["scheme"], cell["k"], cell["e"]),
        }
        for metric in METRICS:
            name = ", ".join((cell["dataset"], cell["scheme"], metric))
            part = ch.ledger.decided["GU-T1"].parts[name]
            ours = means[name]
            mark = " ✗" if part.verdict == NOT_REPRODUCED else ""
            texts[metric] = f"{part.claim.printed} ({ours:.3g}){mark}"
            kept.append({"dataset": texts["data"], "method": cell["scheme"], "metric": metric, "printed": part.claim.printed,
                         **dict(zip(("ours", "low", "high"), part.finding[1:4])),
                         "agrees": agrees.get(part.verdict, "over the training rows")})  # fmt: skip
        table.append(texts)
    ch.save("table1_printed", pd.DataFrame(kept))
    return show(
        pd.DataFrame(table),
        "The paper's Table 1: printed, and in brackets ours over the training rows; ✗ disagrees",
    )


def choices(ch) -> Html:
    """What the rule picks, and in brackets how many imagined runs pick the paper's."""
    picks, table = ch.get(rows.picked), []
    share = rows.rarity(picks, ch.settings["test_rows"]).set_index(
        ["dataset", "scheme", "neighbour"]
    )["papers"]
    for (dataset, scheme), papers in rows.PAPERS.items():
        texts = {"data": NAMES[dataset], "method": scheme, "paper": f"{papers:g}"}
        for neighbour in rows.TRIOS:
            ours = rows.our_pick(ch, dataset, scheme, neighbour)
            texts[f"ours, {neighbour} neighbour"] = (
                f"{ours:g} ({share[dataset, scheme, neighbour]:.0%})".replace("nan", "none")
            )
        table.append(texts)
    return folded(
        show(
            pd.DataFrame(table),
            "What the rule picks, and in brackets how many imagined runs pick the paper's",
        ),
        "What the rule picks, method by method",
    )


def open_questions(ch) -> Html:
    """What the paper leaves open, and the verdicts that hang on it."""
    return folded(
        show(left_open(ch, READINGS.values()), "What the paper leaves open"),
        "Eight questions, and the verdicts that hang on them",
    )


def traced(ch) -> Picture:
    """The share of released records that three attacks trace."""
    table = _wide(
        ch.save("traced", ch.get(rows.traced)), ["nearest", "matched", "by interval"], ".1%"
    )
    blind = {NAMES[name]: 1 / round(0.8 * len(X)) for name, (X, _) in ch.get(rows.tables).items()}
    table["blind guess"] = [f"{blind[data]:.1%}" for data in table["data"]]
    return show(table, "Share of released records that are traced, at the paper's parameters")


def likeness(ch) -> Picture:
    """How alike original and released records are."""
    measures = ["KS", "largest KS", "correlation", "told apart", "own value"]
    table = _wide(study.summarise(ch.get(rows.likeness)), measures, ".2f")
    return show(table, "How alike original and released records are, at the paper's parameters")


def agreeing(ch) -> Picture:
    """How many numbers of Table 1 agree under each reading."""
    worlds = ch.get(rows.combined)
    table = worlds[worlds["reading"].isin(TABLE_1)].pivot(
        index="reading", columns="dataset", values="agree"
    )
    table = table.loc[TABLE_1, list(NAMES)].rename_axis(columns=None)
    table = ch.save("agreeing-cells", table.assign(together=table.sum(axis=1)))
    return show(table.rename(columns=NAMES), "Numbers of Table 1 that agree (of 20, 20 and 40)")


def judged(ch) -> Picture:
    """A combination of readings chosen on one data set, judged on the other."""
    table = beyond.judged_elsewhere(ch.get(rows.combined)).replace(
        {"chosen on": NAMES, "judged on": NAMES}
    )
    return show(table, "Chosen on one data set, judged on the other: numbers of 20 that agree", 1)
