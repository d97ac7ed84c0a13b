"""From the frames of the AIBR chapter's runs to the tables and the evidence that it shows."""

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.papers.aibr import selection
from ppdm.papers.aibr.experiment import BALANCED, CHOSEN, NAMES
from ppdm.papers.aibr.readings import OURS, READINGS, TABLE_1, combinations, over_all_rows
from ppdm.papers.aibr.selection import LIMIT
from ppdm.papers.common import by_question, each_group, readings_frame
from ppdm.privacy.ranks import METRICS, rank_metrics
from ppdm.study import rules

WEKA = ("IBk", "SMO", "J48")
UNSCALED = ("NN unscaled", "SMO", "J48")
TEST_ROWS = ("original", "released")
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
    [{'data': 'Breast Cancer', 'release': 'AIBR, k = 2', 'VD': '0.420\xa0±\xa00.001'}]
    """
    number = f"{{:{form}}}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{{:{half or form}}}"
    rows = summary.assign(
        data=summary["dataset"].replace(NAMES),
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
    groups = _cells_of(values)
    return {claim_id(*cell): _both_rows(groups, cell) for cell in _cells()}


def table1_in_worlds(values: pd.DataFrame, others: pd.DataFrame, beside: pd.DataFrame) -> dict:
    """[Guo, Table 1] The same with `others`, all readings and pairs; and with wrong worlds.

    Wrong is the number of another method in the table, and (`beside`) that of the setting next to the
    paper's, of plain noise of AIBR's size, and of kCG with groups at random; for CP and CK also that
    of the attributes in reverse order. Ten draws of chance are ten parts of the repetitions. A pair of
    readings counts where both alone move the number by a standard error.
    """
    ours, elsewhere, next_to_it = (_cells_of(frame) for frame in (values, others, beside))
    parts = [_cells_of(part) for part in tenths(values)]
    found = {}
    for dataset, scheme, metric in _cells():
        cell = (dataset, scheme, metric)
        main = _both_rows(ours, cell)
        of = {"all rows": dict.fromkeys(("plain", "under"), main["plain"])}
        for reading in combinations(scheme):
            if reading != OURS and not reading.startswith("all rows") and reading.count(" + ") < 2:
                of[reading] = _both_rows(elsewhere, cell, reading)
        moving = set(study.moved(main, {n: e for n, e in of.items() if " + " not in n}))
        follower = SCHEMES_IN_TABLE[SCHEMES_IN_TABLE.index(scheme) - 1]
        wrong = {
            name: _both_rows(next_to_it, (dataset, name, metric))
            for name in [IN_PLACE_OF.get(scheme)]
            if name
        }
        if metric in ("CP", "CK"):
            turned = {
                "mean": reversed_order(dataset)[metric],
                "sd": 0.0,
                "reps": len(ours[(*cell, OURS)]),
            }
            wrong["attributes in reverse order"] = {"plain": turned, "under": turned}
        found[claim_id(*cell)] = main | {
            "worlds": {
                n: e for n, e in of.items() if " + " not in n or set(n.split(" + ")) <= moving
            },
            "draws": {f"draw {i + 1}": _both_rows(part, cell) for i, part in enumerate(parts)},
            "plants": {
                "another method": _both_rows(ours, (dataset, follower, metric)),
                "the next setting": _both_rows(next_to_it, cell),
                **wrong,
            },
        }
    return found


def reversed_order(dataset: str) -> dict[str, float]:
    """The metrics of a release in which the largest attribute is the smallest, and so on.

    >>> found = reversed_order("PID")
    >>> found["CP"], found["CK"]
    (4.0, 0.0)
    """
    means = np.arange(1.0, ATTRIBUTES[dataset] + 1)
    return rank_metrics(np.tile(means, (2, 1)), np.tile(means[::-1], (2, 1)))


ATTRIBUTES = {"WBC": 9, "PID": 8}
IN_PLACE_OF = {"AIBR": "plain noise", "kCG": "kCG, groups at random"}
SCHEMES_IN_TABLE = ("AIBR", "kCG", "BSVD", "SSVD")


def one_at_a_time(every: pd.DataFrame) -> pd.DataFrame:
    """Of runs under all combinations those that change one thing; other schemes are as in ours."""
    ours = every[every["reading"] == OURS]
    parts = [
        _with_ours(every[every["reading"] == name], ours).assign(reading=name) for name in TABLE_1
    ]
    return pd.concat(parts, ignore_index=True)


def under_readings(settings: list[dict]) -> list[dict]:
    """Settings under each reading of Table 1 that concerns their scheme."""
    return [
        cell | {"reading": name}
        for name in TABLE_1[1:]
        for cell in settings
        if any(f"-{cell['scheme']}-" in claim for claim in READINGS[name].touches)
    ]


def next_settings() -> list[dict]:
    """What stands beside the paper's settings and must be told from them.

    The next setting of each (one interval, component or record more; e larger by .05), and the wrong
    schemes of `IN_PLACE_OF` at the paper's k.

    >>> beside = next_settings()
    >>> beside[0]["k"], beside[3]["e"], sorted({cell["scheme"] for cell in beside[8:]})
    (3, 0.5, ['kCG, groups at random', 'plain noise'])
    """
    wrong = [c | {"scheme": IN_PLACE_OF[c["scheme"]]} for c in CHOSEN if c["scheme"] in IN_PLACE_OF]
    return [
        *(c | ({"e": round(c["e"] + 0.05, 2)} if c["e"] else {"k": c["k"] + 1}) for c in CHOSEN),
        *wrong,
    ]


def _cells() -> list[tuple[str, str, str]]:
    return [(c["dataset"], c["scheme"], metric) for c in CHOSEN for metric in METRICS]


def _cells_of(values: pd.DataFrame) -> dict[tuple, np.ndarray]:
    keys = ["dataset", "scheme", "metric", "reading"]
    return {key: part.to_numpy() for key, part in values.groupby(keys, sort=False)["value"]}


def _both_rows(groups: dict[tuple, np.ndarray], cell: tuple, reading: str = OURS) -> dict:
    return {
        "plain": rules.sample(groups[(*cell, over_all_rows(reading))]),
        "under": rules.sample(groups[(*cell, reading)]),
    }


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
        row = {
            "data": NAMES[cell["dataset"]],
            "release": setting(cell["scheme"], cell["k"], cell["e"]),
        }
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
    for (reading, *cell), part in each_group(values, keys):
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


def two_scores(scored: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The runs of `experiment.usability` apart: accuracies, and balanced accuracies.

    >>> accuracy, balanced = two_scores(pd.DataFrame({"metric": ["J48", "J48, balanced"]}))
    >>> accuracy["metric"].tolist(), balanced["metric"].tolist()
    (['J48'], ['J48'])
    """
    second = scored["metric"].str.endswith(BALANCED)
    names = scored["metric"].str.removesuffix(BALANCED)
    return scored[~second], scored[second].assign(metric=names)


def losses_of(loss: pd.DataFrame, scheme: str, reading: str) -> pd.DataFrame:
    """The losses of one scheme, with the classifier in a column of its own, for a figure."""
    rows = loss[(loss.scheme == scheme) & (loss.reading == reading)]
    return rows.rename(columns={"metric": "classifier"}).sort_values(
        "dataset", ascending=False, kind="stable"
    )


def usefulness_trend(loss, scheme, reading, x="k", backwards=False, trio=WEKA, above=0) -> dict:
    """The losses of the three classifiers on both data sets, from strong distortion to weak."""
    rows = losses_of(loss, scheme, reading)
    rows = rows[rows.classifier.isin(trio) & (rows[x] > above)]
    return _series(rows, "classifier", x, backwards)


def tenths(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """The repetitions dealt into ten parts (fewer, where there would be only one in a part).

    >>> [len(part) for part in tenths(pd.DataFrame({"rep": range(6)}))]
    [2, 2, 2]
    """
    dealt = study.dealt(frame, least=2).groupby("draw")
    return [part.drop(columns="draw") for _, part in dealt]


def usefulness_in_worlds(loss, parts, scheme: str, reading: str, **way) -> dict:
    """[Guo, Section 3] `usefulness_trend` in all worlds; `parts` are the losses of `tenths`.

    Wrong: where nothing is distorted, nothing can fall.
    """
    other = next(rows for rows in TEST_ROWS if rows != reading)
    main = usefulness_trend(loss, scheme, reading, **way)
    worlds = {
        f"{other} test rows": usefulness_trend(loss, scheme, other, **way),
        "unscaled neighbour": usefulness_trend(loss, scheme, reading, trio=UNSCALED, **way),
    }
    if scheme in ("AIBR", "BSVD"):
        worlds["without k = 1"] = usefulness_trend(loss, scheme, reading, above=1, **way)
    return main | {
        "worlds": worlds,
        "draws": study.each(lambda part: usefulness_trend(part, scheme, reading, **way), parts),
        "plants": {"nothing distorted": {"values": np.zeros_like(main["values"])}},
    }


def loss_at_papers(loss, reading: str, trio=WEKA) -> dict:
    """[Guo, Section 3] The losses of AIBR at the paper's two parameters."""
    papers = pd.DataFrame([c for c in CHOSEN if c["scheme"] == "AIBR"])
    rows = loss.merge(papers)
    rows = rows[(rows.reading == reading) & rows.metric.isin(trio)]
    return {
        "value": rows["mean"].to_numpy(),
        "se": rows["se"].to_numpy(),
        "names": [f"{NAMES[row.dataset]}, {row.metric}" for row in rows.itertuples()],
    }


def chosen_in_worlds(loss, parts, accuracy, reading: str) -> dict:
    """[Guo, Section 3] `loss_at_papers` in all worlds. Wrong: a classifier of one class."""
    other = next(rows for rows in TEST_ROWS if rows != reading)
    silent = loss_at_papers(selection.losses(one_class(accuracy)), reading)
    return loss_at_papers(loss, reading) | {
        "worlds": {
            f"{other} test rows": loss_at_papers(loss, other),
            "unscaled neighbour": loss_at_papers(loss, reading, UNSCALED),
        },
        "draws": study.each(lambda part: loss_at_papers(part, reading), parts),
        "plants": {"one class": silent | {"se": 0.0}},
    }


def one_class(accuracy: pd.DataFrame) -> pd.DataFrame:
    """A wrong world: what learned from a release says the same of everybody, and is right by half."""
    return accuracy.assign(value=accuracy["value"].where(accuracy["scheme"] == "none", 0.5))


def choice_in_worlds(choice, parts, silent, dataset: str, scheme: str, reading: str) -> dict:
    """[Guo, Section 3] Could the rule have led to the paper's parameter? In all worlds.

    `parts` are choices from halves of our splits, `silent` those from a classifier of one class.
    """

    def found(made, rows=reading) -> dict:
        ask = (made, dataset, scheme, rows)
        return {
            part: {"value": surprise(*ask, neighbour)}
            for part, neighbour in (("plain", "scaled"), ("under", "unscaled"))
        }

    other = next(rows for rows in TEST_ROWS if rows != reading)
    return found(choice) | {
        "worlds": {f"{other} test rows": found(choice, other)},
        "draws": study.each(found, parts),
        "plants": {"one class": found(silent)},
    }


def protection_in_worlds(ours, others, scheme: str, **way) -> dict:
    """[Guo, Section 3] `protection_trend` in all worlds, from runs. Wrong: one release for all."""
    main = protection_trend(study.summarise(ours), scheme, **way)
    return main | {
        "worlds": {
            name: protection_trend(study.summarise(rows), scheme, **way)
            for name, rows in _touching(others, f"-{scheme}-")
        },
        "draws": study.each(
            lambda rows: protection_trend(study.summarise(rows), scheme, **way), tenths(ours)
        ),
        "plants": {"one release for all": {"values": np.ones_like(main["values"])}},
    }


def _touching(others: pd.DataFrame, word: str):
    """The runs under each reading that concerns a scheme."""
    for name, rows in each_group(others, "reading"):
        if any(word in claim for claim in READINGS[name].touches):
            yield name, rows.drop(columns="reading")


def larger_k_in_worlds(ours, others) -> dict:
    """[Guo, Section 3] `larger_k` in all worlds. The sentence is true where k is counted backwards."""

    def found(rows, sign=1) -> dict:
        gain, error = larger_k(study.summarise(rows))
        return {"differences": sign * gain, "se": error}

    worlds = {name: found(rows) for name, rows in _touching(others, "-AIBR-")}
    same = {"differences": np.zeros_like(found(ours)["differences"])}
    return found(ours) | {
        "worlds": worlds,
        "draws": study.each(found, tenths(ours)),
        "plants": {"k counted backwards": found(ours, -1), "the same k": same},
    }


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
    tried = {dataset: set(part[x]) for dataset, part in each_group(rows, "dataset", sort=True)}
    shared = set.intersection(*tried.values())
    left = [
        f"{NAMES[dataset]}, {x} = {', '.join(f'{value:g}' for value in sorted(own - shared))}"
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
    table.columns = [", ".join(pair) for pair in table.columns]
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
    cells: dict[str, list[str]] = {}
    for name in TABLE_1[1:]:
        cells.setdefault(READINGS[name].question, []).append(str(count[name]))
    agree = [" and ".join(found) + " cells agree" for found in cells.values()]
    agree[0] = f"{count['all rows']} cells of 40 agree instead of {count[OURS]}"
    effects = [
        *agree,
        "of 24 losses at the paper's parameters, {} and {} are too large".format(
            *too_large(chosen)
        ),
        "{} of the 8 chosen parameters are within chance instead of {}".format(
            *(within_chance(choice, test_rows, n) for n in ("unscaled", "scaled"))
        ),
    ]
    return readings_frame(by_question(list(READINGS.values())), effects)


# Privacy ----------------------------------------------------------------------------------------


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


def lead_in_worlds(values, others, dataset: str) -> dict:
    """[Guo, Section 4] `lead` in all worlds, from runs. Wrong: AIBR and kCG take each other's name."""

    def found(rows) -> dict:
        return lead(study.summarise(rows.drop(columns="reading")), dataset)

    ours = values[values["reading"] == OURS]
    names = {"AIBR": "kCG", "kCG": "AIBR"}
    exchanged = ours.assign(scheme=ours["scheme"].replace(names))
    whole = {name: _with_ours(others[others["reading"] == name], ours) for name in TABLE_1[1:]}
    return found(ours) | {
        "worlds": {name: found(rows) for name, rows in whole.items()},
        "draws": study.each(found, tenths(ours)),
        "plants": {"AIBR and kCG exchanged": found(exchanged)},
    }


def _with_ours(rows: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """The runs under a reading, and ours of the schemes that it does not concern."""
    return pd.concat([rows, ours[~ours["scheme"].isin(rows["scheme"].unique())]])


def alike_in_worlds(alike, wrong, metric: str, true_in: tuple, false_in: tuple) -> dict:
    """[Guo, Section 4] One measure of AIBR's releases, each repetition a draw; and wrong worlds.

    `alike` and `wrong` are runs of `beyond.likeness`; the schemes `true_in` and `false_in` make the
    sentence true and false.
    """

    def found(rows) -> dict:
        means = rows[rows["metric"] == metric].groupby("dataset", sort=False)["value"].mean()
        return {"value": means.to_numpy(), "names": [NAMES[d] for d in means.index]}

    ours = alike[alike["scheme"] == "AIBR"]
    given = study.cases(found, ours, draws="rep")
    return given | {
        "plants": {
            scheme: found(wrong[wrong["scheme"] == scheme]) for scheme in (*true_in, *false_in)
        }
    }


def closer_in_worlds(close: pd.DataFrame) -> dict:
    """[Guo, Section 3] Does each attribute's distribution come closer with k? From `beyond.closeness`."""

    def found(rows, metric="KS", backwards=False) -> dict:
        rows = study.summarise(rows[rows["metric"] == metric])
        return _series(rows, "metric", "k", backwards) | {
            "names": [NAMES[d] for d in sorted(rows["dataset"].unique())]
        }

    return found(close) | {
        "worlds": {"rounded like the original": found(close, "KS rounded")},
        "draws": study.each(found, tenths(close)),
        "plants": {"k counted backwards": found(close, backwards=True)},
    }


def exact_in_worlds(guesses) -> dict:
    """[Guo, Section 4] How many more values are guessed exactly from a release; each repetition a draw.

    The sentence is true where nothing is released.
    """

    def found(rows) -> dict:
        papers = pd.DataFrame([c for c in CHOSEN if c["scheme"] == "AIBR"])[["dataset", "k"]]
        at = rows.merge(papers).pivot_table(index="dataset", columns="metric", values="value")
        return {
            "value": (at["released"] - at["nothing"]).to_numpy(),
            "names": [NAMES[d] for d in at.index],
        }

    papers = pd.DataFrame([c for c in CHOSEN if c["scheme"] == "AIBR"])[["dataset", "k"]]
    blind = guesses[guesses.metric == "nothing"].merge(papers).groupby("dataset")["value"].mean()
    return study.cases(found, guesses, draws="rep") | {
        "plants": {
            "nothing released": {"value": 0.0 * blind.to_numpy()},
            "the original released": {"value": 1 - blind.to_numpy()},
        }
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


def balanced_trade_off(balanced, traced, reading: str) -> tuple[pd.DataFrame, dict[str, float]]:
    """For each setting the balanced accuracy (mean of the classifiers) and the best attack's share.

    `balanced` is the second of `two_scores`. With the level of each data set without distortion.
    """
    here = balanced[balanced["reading"] == reading]
    mean = here.groupby(CELL)["value"].mean().rename("balanced")
    best = traced.groupby(CELL)["mean"].max().rename("traced")
    frame = pd.concat([mean, best], axis=1, join="inner").reset_index()
    papers = pd.DataFrame(CHOSEN).assign(papers=True)
    frame = frame.merge(papers, how="left").fillna({"papers": False}).astype({"papers": bool})
    plain = balanced[balanced["scheme"] == "none"].groupby("dataset")["value"].mean()
    return frame, {dataset: float(value) for dataset, value in plain.items()}
