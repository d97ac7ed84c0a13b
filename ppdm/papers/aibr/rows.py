"""[Guo] What the chapter computes: a function of the chapter each, computed once by `ch.get(rows.losses)`.

Those that give `study.Rows` are what claims take their evidence from, as their entries say. Data sets are called there as on
the pages; runs, and the files of results, keep the paper's names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from ppdm import data, places, study
from ppdm.papers import checks
from ppdm.papers.aibr import beyond, experiment, selection
from ppdm.papers.aibr.experiment import CHOSEN, NAMES, SCHEMES_IN_TABLE
from ppdm.papers.aibr.readings import OURS, TABLE_1, combinations, concerns, over_all_rows
from ppdm.papers.common import each_group
from ppdm.privacy.ranks import rank_metrics
from ppdm.study import ledger, tidy
from ppdm.study.tidy import ALL

TRIOS = {
    "scaled": ("IBk", "SMO", "J48"),
    "unscaled": ("NN unscaled", "SMO", "J48"),
}  # the neighbours
LARGER_PROTECTS = {"VD": 1, "RP": 1, "RK": -1, "CP": 1, "CK": -1}
CELL = ["dataset", "scheme", "k", "e"]
PAPERS = {(c["dataset"], c["scheme"]): c["e"] or c["k"] for c in CHOSEN}
AIBR = [c for c in CHOSEN if c["scheme"] == "AIBR"]
IN_PLACE_OF = {"AIBR": "plain noise", "kCG": "kCG, groups at random"}


def setting(scheme: str, k: int, e: float) -> str:
    """A scheme with its parameter, as the chapter's tables write it.

    >>> setting("AIBR", 2, 0.0), setting("SSVD", 7, 0.45)
    ('AIBR, k = 2', 'SSVD, k = 7, e = 0.45')
    """
    return scheme + (f", k = {k}" if k else "") + (f", e = {e:g}" if e else "")


def of_set(dataset: str) -> list[dict]:
    """The paper's parameters on one data set."""
    return [cell for cell in CHOSEN if cell["dataset"] == dataset]


# What is asked and run ----------------------------------------------------------------------------


def tables(ch) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Attributes and classes of the paper's two data sets."""
    kept = experiment.tables_of(ch.settings["data_source"])
    return {name: (X.copy(order="K"), y.copy()) for name, (X, y) in kept.items()}


def counts(ch) -> study.Rows:
    """[Guo, Section 3] Records and attributes of both sets, and the records left of Breast Cancer."""
    cancer, pima = (
        data.load(name, ch.settings["data_source"]) for name in ("breast-cancer-wisconsin", "pima")
    )
    sizes = [(len(each.frame), len(each.features)) for each in (cancer, pima)]
    whole, left = cancer.complete(), len(cancer.complete().distinct().frame)
    names = [
        "WBC, records",
        "WBC, attributes",
        "PID, records",
        "PID, attributes",
        "WBC, not repeated",
    ]
    frame = pd.DataFrame({
        "names": names, "ours": [*sum(sizes, ()), left], "theirs": [699, 9, 768, 8, 449], "world": "ours"
    })  # fmt: skip
    wrong = {"files exchanged": [*sum(sizes[::-1], ()), left],
             "with repetitions": [*sum(sizes, ()), len(whole.frame)]}  # fmt: skip
    plants = [frame.assign(ours=ours, world=name) for name, ours in wrong.items()]
    return study.Rows(frame, pd.concat(plants))


def _run(ch, function: Callable, points: list[dict], reps: int | None = None) -> pd.DataFrame:
    return ch.run(partial(function, tables=ch.get(tables)), points, reps=reps)


def as_released(ch) -> pd.DataFrame:
    """The methods' own check: what is released at the paper's parameters is what each method says of itself."""
    says: dict[str, Callable] = {
        "AIBR": checks.redrawn, "BSVD": checks.projected, "kCG": lambda B, A, k: checks.handed_round(B, A)
    }  # fmt: skip

    def off(draw: int) -> dict[str, float]:
        rng = np.random.default_rng([ch.seed, draw])
        found: dict[str, float] = {}
        for cell in CHOSEN:
            if cell["scheme"] in says:
                A, y = ch.get(tables)[cell["dataset"]]
                B = experiment.SCHEMES[cell["scheme"]](A, y, cell["k"], cell["e"], rng)
                own = says[cell["scheme"]](B, A, cell["k"])
                found |= {
                    f"{cell['scheme']}, {NAMES[cell['dataset']]}, {what}": x
                    for what, x in own.items()
                }
        return found

    return checks.in_draws(off, range(20))


def swept(ch) -> list[dict]:
    """All parameters that are tried of each method."""
    last = ch.sizes["last_k"]
    return [
        dict(zip(CELL, (dataset, *tried)))
        for dataset in NAMES
        for tried in experiment.parameters(dataset, ch.get(tables), last)
    ]


def moved(ch) -> pd.DataFrame:
    """Runs of the five metrics at all parameters."""
    return _run(ch, experiment.metrics, ch.get(swept))


def metrics(ch) -> pd.DataFrame:
    """The five metrics at all parameters, summarised."""
    return ch.save("metrics", study.summarise(ch.get(moved)))


def under_all(ch) -> pd.DataFrame:
    """Runs of Table 1 under all combinations of its readings."""
    return _run(
        ch,
        experiment.metrics,
        [c | {"reading": r} for c in CHOSEN for r in combinations(c["scheme"])],
    )


def over_both(ch) -> pd.DataFrame:
    """Runs of Table 1 over the training rows and over all rows."""
    grid = [cell | {"reading": reading} for cell in CHOSEN for reading in (OURS, "all rows")]
    return ch.save("table1", _run(ch, experiment.metrics, grid, ch.sizes["table_reps"]))


def scored(ch) -> pd.DataFrame:
    """Accuracies of the classifiers on 50 splits, at all parameters, of original and released test rows."""
    run = partial(experiment.usability, tables=ch.get(tables), last=ch.sizes["last_k"])
    return ch.rows(run, {"dataset": list(NAMES), "rep": range(ch.sizes["reps"])})


def accuracy(ch) -> pd.DataFrame:
    """The plain accuracies of `scored`."""
    every = ch.get(scored)
    return ch.save("accuracy", every[~every["metric"].str.endswith(experiment.BALANCED)])


def balanced(ch) -> pd.DataFrame:
    """The balanced ones."""
    every = ch.get(scored)
    every = every[every["metric"].str.endswith(experiment.BALANCED)]
    return ch.save(
        "balanced", every.assign(metric=every["metric"].str.removesuffix(experiment.BALANCED))
    )


def losses(ch) -> pd.DataFrame:
    """[Guo, Section 3] The loss r of each classifier at each parameter."""
    return ch.save("loss", selection.losses(ch.get(accuracy)))


def traced(ch) -> pd.DataFrame:
    """The share of people found by three attacks, at the paper's parameters."""
    return study.summarise(_run(ch, beyond.tracing, CHOSEN, ch.sizes["traces"]))


def traced_everywhere(ch) -> pd.DataFrame:
    """The same at all parameters."""
    reps = min(5, ch.sizes["traces"])
    return ch.save(
        "traced-everywhere", study.summarise(_run(ch, beyond.tracing, ch.get(swept), reps))
    )


def traced_with_few(ch) -> pd.DataFrame:
    """The share found by who knows some attributes only."""
    grid = [
        c | {"known": n}
        for c in CHOSEN
        for n in range(1, ch.get(tables)[c["dataset"]][0].shape[1] + 1)
    ]
    return ch.save(
        "traced-with-few",
        study.summarise(_run(ch, beyond.tracing_with_few, grid, ch.sizes["traces"])),
    )


def trade_off(ch) -> pd.DataFrame:
    """For each setting the balanced accuracy (mean of the classifiers) and the best attack's share."""
    rows = ch.get(balanced)
    mean = rows[rows["reading"] == ch.settings["test_rows"]].groupby(CELL)["value"].mean()
    best = ch.get(traced_everywhere).groupby(CELL)["mean"].max()
    frame = pd.concat(
        [mean.rename("balanced"), best.rename("traced")], axis=1, join="inner"
    ).reset_index()
    return ch.save("trade-off", _with_papers(frame))


# What claims take their evidence from -------------------------------------------------------------


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(dataset=frame["dataset"].map(NAMES))


def _with_papers(frame: pd.DataFrame) -> pd.DataFrame:
    """Which settings are the paper's own."""
    own = pd.MultiIndex.from_frame(pd.DataFrame(CHOSEN)[CELL])
    return frame.assign(papers=pd.MultiIndex.from_frame(frame[CELL]).isin(own))


def _from_strong(frame: pd.DataFrame) -> pd.DataFrame:
    """With `weakness`, a parameter from strong distortion to weak, and whether `both` data sets have it."""
    frame = frame[frame["scheme"].isin(SCHEMES_IN_TABLE)]
    weakness = np.select(
        [frame["scheme"] == "SSVD", frame["scheme"] == "kCG"],
        [-frame["e"], -frame["k"]],
        frame["k"],
    )
    frame = _with_papers(frame).assign(weakness=weakness)
    return frame.assign(
        both=frame.groupby(["scheme", "weakness"])["dataset"].transform("nunique") == 2
    )


def _whole(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["draw"] == ALL]


def usefulness(ch) -> study.Rows:
    """[Guo, Section 3] The losses from strong distortion to weak, in all worlds. Wrong: nothing is distorted;
    a classifier of one class."""
    every = _from_strong(tidy.with_draws(ch.get(accuracy), selection.losses))
    here, (other,) = ch.settings["test_rows"], {"original", "released"} - {ch.settings["test_rows"]}
    by = {trio: every[every["metric"].isin(names)] for trio, names in TRIOS.items()}
    ours = by["scaled"][by["scaled"]["reading"] == here]
    whole, unscaled = _whole(ours), _whole(by["unscaled"])
    late = whole[whole["scheme"].isin(["AIBR", "BSVD"]) & (whole["k"] > 1)]
    frame = tidy.in_worlds({
        "ours": ours, f"{other} test rows": _whole(by["scaled"][by["scaled"]["reading"] == other]),
        "unscaled neighbour": unscaled[unscaled["reading"] == here], "without k = 1": late,
    })  # fmt: skip
    silent = _from_strong(selection.losses(one_class(ch.get(accuracy))).assign(draw=ALL))
    silent = silent[silent["metric"].isin(TRIOS["scaled"]) & (silent["reading"] == here)]
    plants = tidy.in_worlds({"nothing distorted": whole.assign(mean=0.0), "one class": silent})
    return study.Rows(_shown(frame), _shown(plants.assign(se=0.0)), "draw")


def one_class(accuracy: pd.DataFrame) -> pd.DataFrame:
    """A wrong world: what learned from a release says the same of everybody, and is right by half."""
    return accuracy.assign(value=accuracy["value"].where(accuracy["scheme"] == "none", 0.5))


def picked(ch) -> pd.DataFrame:
    """What the paper's rule picks with either neighbour, and how often in imagined runs."""
    return ch.save("choice", _picks(ch, ch.get(accuracy), ch.sizes["draws"]))


def _picks(ch, accuracy: pd.DataFrame, draws: int) -> pd.DataFrame:
    of_papers = accuracy[accuracy["scheme"].isin(["none", *SCHEMES_IN_TABLE])]
    return pd.concat([
        selection.picks(of_papers[of_papers["metric"].isin(trio)], draws, np.random.default_rng(ch.seed)).assign(neighbour=n)
        for n, trio in TRIOS.items()
    ], ignore_index=True)  # fmt: skip


def choices(ch) -> study.Rows:
    """[Guo, Section 3] Could the rule have led to the paper's parameter? The share of imagined runs with a
    choice as rare. Draws are halves of our splits; wrong is a classifier of one class."""
    every, here = ch.get(accuracy), ch.settings["test_rows"]
    (other,) = {"original", "released"} - {here}
    own = every[(every["reading"] == here) | (every["scheme"] == "none")]
    halves = [np.random.default_rng(i).permutation(ch.sizes["reps"])[::2] for i in range(10)]
    ours = {ALL: ch.get(picked)}
    ours |= {
        str(i): _picks(ch, own[own["rep"].isin(half)], ch.sizes["draws"] // 5)
        for i, half in enumerate(halves)
    }
    rare = pd.concat([rarity(picks, here).assign(draw=draw) for draw, picks in ours.items()])
    elsewhere = rarity(ch.get(picked), other).assign(draw=ALL)
    silent = rarity(_picks(ch, one_class(every), 20), here).assign(draw=ALL)
    frame = tidy.in_worlds({"ours": rare, f"{other} test rows": elsewhere})
    return study.Rows(_shown(frame), _shown(silent.assign(world="one class")), "draw")


def our_pick(ch, dataset: str, scheme: str, neighbour: str) -> float:
    """The parameter that the rule picks in our run; NaN if none passes."""
    made = _made(ch.get(picked), dataset, scheme, ch.settings["test_rows"], neighbour)
    return float(made["value"][made["picked"]].iloc[0])


def rarity(picks: pd.DataFrame, reading: str) -> pd.DataFrame:
    """For each of the paper's parameters the share of imagined runs that pick it or what is as rare."""
    rows = []
    for dataset, scheme in PAPERS:
        for neighbour in TRIOS:
            made = _made(picks, dataset, scheme, reading, neighbour)
            papers = made["share"][made["value"] == PAPERS[dataset, scheme]].sum()
            rows.append(
                (dataset, scheme, neighbour, made["share"][made["share"] <= papers].sum(), papers)
            )
    return pd.DataFrame(rows, columns=["dataset", "scheme", "neighbour", "mean", "papers"]).assign(
        se=0.0
    )


def _made(
    picks: pd.DataFrame, dataset: str, scheme: str, reading: str, neighbour: str
) -> pd.DataFrame:
    asked = {"dataset": dataset, "scheme": scheme, "reading": reading, "neighbour": neighbour}
    return picks[(picks[list(asked)] == pd.Series(asked)).all(axis=1)]


def table_1(ch) -> study.Rows:
    """[Guo, Table 1] The forty numbers in all worlds, over the `training` rows and over `all`.

    Readings and pairs of them are worlds. Wrong is the number of another method in the table, of the next
    setting, of plain noise of AIBR's size, of kCG with groups at random, of the attributes in reverse order.
    """
    ours, every = ch.get(over_both), ch.get(under_all)
    whole = ours[ours["reading"] == "all rows"]
    names = {
        name for c in CHOSEN for name in combinations(c["scheme"]) if name.count(" + ") < 2
    } - {OURS}
    worlds = {n: _both(every, n) for n in sorted(names) if not n.startswith("all rows")}
    worlds["all rows"] = pd.concat([whole.assign(over=over) for over in ("training", "all")])
    next_to = [
        c | ({"e": round(c["e"] + 0.05, 2)} if c["e"] else {"k": c["k"] + 1}) for c in CHOSEN
    ]
    next_to += [
        c | {"scheme": IN_PLACE_OF[c["scheme"]]} for c in CHOSEN if c["scheme"] in IN_PLACE_OF
    ]
    beside = _run(
        ch, experiment.metrics, [c | {"reading": r} for c in next_to for r in (OURS, "all rows")]
    )
    before = dict(zip(SCHEMES_IN_TABLE, (*SCHEMES_IN_TABLE[1:], SCHEMES_IN_TABLE[0])))
    plants = {
        "another method": ours.assign(scheme=ours["scheme"].map(before)),
        "the next setting": beside[beside["scheme"].isin(SCHEMES_IN_TABLE)],
        "attributes in reverse order": _reversed(ch),
    } | {
        wrong: beside[beside["scheme"] == wrong].assign(scheme=s)
        for s, wrong in IN_PLACE_OF.items()
    }
    summary = {
        kind: {name: study.summarise(_both(runs) if "over" not in runs else runs).assign(draw=ALL)
               for name, runs in frames.items()}
        for kind, frames in (("worlds", worlds), ("plants", plants))
    }  # fmt: skip
    frame = tidy.in_worlds({"ours": tidy.with_draws(_both(ours))} | summary["worlds"])
    return study.Rows(frame, tidy.in_worlds(summary["plants"]), "draw")


def _both(runs: pd.DataFrame, reading: str = OURS) -> pd.DataFrame:
    """Runs under a reading, over the training rows and over all."""
    over = {"training": reading, "all": over_all_rows(reading)}
    parts = [runs[runs["reading"] == name].assign(over=rows) for rows, name in over.items()]
    return pd.concat(parts).drop(columns="reading")


def _reversed(ch) -> pd.DataFrame:
    """CP and CK of a release in which the largest attribute is the smallest, and so on."""
    rows = []
    for cell in CHOSEN:
        means = np.arange(1.0, ch.get(tables)[cell["dataset"]][0].shape[1] + 1)
        found = rank_metrics(np.tile(means, (2, 1)), np.tile(means[::-1], (2, 1)))
        rows += [cell | {"metric": m, "value": found[m], "rep": i, "reading": reading}
                 for m in ("CP", "CK") for i in (0, 1) for reading in (OURS, "all rows")]  # fmt: skip
    return pd.DataFrame(rows)


def table_1_means(ch) -> dict[str, float]:
    """Ours over the training rows, by the names of the forty numbers."""
    ours = ch.get(over_both).query("reading == @OURS")
    means = ours.groupby(["dataset", "scheme", "metric"], sort=False)["value"].mean()
    return dict(zip(map(", ".join, means.index), means))


def combined(ch) -> pd.DataFrame:
    """How well each combination of all readings explains Table 1."""
    claims = ledger.read(places.find_root() / "book" / "claims" / "03_aibr.yml")
    return ch.save("which-world", beyond.which_world(ch.get(under_all), claims["GU-T1"].given))


def sample_of(rows: pd.DataFrame) -> dict:
    """What the rule for printed numbers takes from a summary of one number."""
    (row,) = rows.to_dict("records")
    return {"mean": row["mean"], "sd": np.sqrt(row["var"]), "reps": row["reps"]}


def protection(ch) -> study.Rows:
    """[Guo, Section 3] The metrics from strong distortion to weak, in all worlds. Wrong: one release for all, and
    k counted backwards."""
    points = [c for c in ch.get(swept) if c["scheme"] in SCHEMES_IN_TABLE]
    grid = [c | {"reading": n} for n in TABLE_1[1:] for c in points if concerns(n, c["scheme"])]
    others = _run(ch, experiment.metrics, grid, max(2, ch.sizes["reps"] // 12))
    worlds = {"ours": tidy.with_draws(ch.get(moved))}
    worlds |= {
        name: study.summarise(rows).assign(draw=ALL) for name, rows in each_group(others, "reading")
    }
    whole = _whole(worlds["ours"])
    plants = {"one release for all": whole.assign(mean=1.0, se=0.0),
              "k counted backwards": whole.assign(mean=-whole["mean"])}  # fmt: skip
    ours, wrong = (_shown(_from_strong(tidy.in_worlds(frames))) for frames in (worlds, plants))
    return study.Rows(ours, wrong, "draw")


def weakening(rows: pd.DataFrame) -> dict:
    """VD, RP and -RK from strong distortion to weak, each in units of its largest value."""
    rows = rows[rows["metric"].isin(["VD", "RP", "RK"])]
    largest = rows.groupby(["dataset", "metric"])["mean"].transform("max")
    sign = rows["metric"].map(LARGER_PROTECTS)
    scaled = rows.assign(mean=sign * rows["mean"] / largest, se=rows["se"] / largest)
    return tidy.along(scaled[scaled["both"]], "weakness", by=["dataset", "metric"])


def gain_of_the_largest(rows: pd.DataFrame) -> dict:
    """How much more AIBR's largest k protects (VD and RP) than the paper's, in parts of the larger value."""
    rows = rows[rows["metric"].isin(["VD", "RP"])].sort_values("k")
    last = rows.groupby(["dataset", "metric"])[["mean", "se"]].last()
    papers = rows[rows["papers"]].set_index(["dataset", "metric"])[["mean", "se"]].sort_index()
    names = [", ".join(name) for name in last.index]
    ours, theirs = papers["mean"].to_numpy(), last["mean"].to_numpy()
    whole = np.maximum(np.abs(ours), np.abs(theirs))
    error = np.hypot(last["se"].to_numpy(), papers["se"].to_numpy())
    return {"differences": (theirs - ours) / whole, "se": error / whole, "names": names}


def leads(ch) -> study.Rows:
    """[Guo, Section 4] The metrics at the paper's parameters in all worlds. Wrong: AIBR and kCG exchanged."""
    ours = ch.get(over_both)
    ours = ours[ours["reading"] == OURS].drop(columns="reading")
    worlds = {"ours": tidy.with_draws(ours)}
    for name, rows in each_group(ch.get(under_all), "reading"):
        if name in TABLE_1[1:]:
            rest = ours[~ours["scheme"].isin(rows["scheme"].unique())]
            worlds[name] = study.summarise(pd.concat([rows.drop(columns="reading"), rest])).assign(
                draw=ALL
            )
    whole = _whole(worlds["ours"])
    wrong = whole.assign(
        scheme=whole["scheme"].replace({"AIBR": "kCG", "kCG": "AIBR"}),
        world="AIBR and kCG exchanged",
    )
    return study.Rows(_shown(tidy.in_worlds(worlds)), _shown(wrong), "draw")


def lead(rows: pd.DataFrame) -> dict:
    """By how much AIBR protects better than each other method, by each metric, in parts of the larger value."""
    wide = rows.pivot(index=["dataset", "metric"], columns="scheme", values=["mean", "se"])
    sign = wide.index.get_level_values("metric").map(LARGER_PROTECTS).to_numpy()
    others = list(SCHEMES_IN_TABLE[1:])
    ours, theirs = wide["mean"]["AIBR"].to_numpy(), wide["mean"][others].to_numpy().T
    whole = np.maximum(np.maximum(np.abs(ours), np.abs(theirs)), np.finfo(float).tiny)
    error = np.hypot(wide["se"]["AIBR"].to_numpy(), wide["se"][others].to_numpy().T)
    return {
        "differences": (sign * (ours - theirs) / whole).ravel(),
        "se": (error / whole).ravel(),
        "names": [f"{dataset}, {metric} of {s}" for s in others for dataset, metric in wide.index],
    }


def _single(runs: pd.DataFrame, name: str = "ours") -> pd.DataFrame:
    """Repetitions as draws of their own."""
    return _shown(runs.rename(columns={"value": "mean"}).assign(se=0.0, world=name))


def exact_guesses(ch) -> study.Rows:
    """[Guo, Section 4] How many more values are guessed exactly from a release; each repetition a draw.

    The sentence is true where nothing is released.
    """
    points = [{"dataset": c["dataset"], "k": c["k"]} for c in AIBR]
    runs = _run(ch, beyond.exact_guesses, points, ch.sizes["traces"])
    wide = runs.pivot(index=["dataset", "k", "rep"], columns="metric", values="value")
    ours = (wide["released"] - wide["nothing"]).rename("mean").reset_index()
    blind = wide["nothing"].groupby("dataset").mean().rename("mean").reset_index().assign(rep=ALL)
    plants = {"nothing released": 0 * blind["mean"], "the original released": 1 - blind["mean"]}
    wrong = tidy.in_worlds({name: blind.assign(mean=mean) for name, mean in plants.items()})
    return study.Rows(_shown(ours.assign(se=0.0)), _shown(wrong.assign(se=0.0)), "rep")


def likeness(ch) -> pd.DataFrame:
    """Runs of `beyond.likeness` at the paper's parameters."""
    runs = _run(ch, beyond.likeness, CHOSEN, ch.sizes["forests"])
    ch.save("likeness", study.summarise(runs))
    return runs


def alikeness(ch) -> study.Rows:
    """[Guo, Section 4] How alike AIBR's releases are, each repetition a draw; and wrong worlds."""
    wrong = ("original", "records drawn anew", "columns shuffled", "plain noise")
    runs = _run(ch, beyond.likeness, [c | {"scheme": s} for c in AIBR for s in wrong], 2)
    mean = runs.groupby([*CELL, "metric"], sort=False)["value"].mean().reset_index()
    ours = ch.get(likeness)
    return study.Rows(
        _single(ours[ours["scheme"] == "AIBR"]),
        _single(mean).assign(world=mean["scheme"], rep=ALL), "rep"
    )  # fmt: skip


def close(ch) -> pd.DataFrame:
    """The mean KS distance at all k, with its draws."""
    points = [
        {"dataset": c["dataset"], "k": c["k"]} for c in ch.get(swept) if c["scheme"] == "AIBR"
    ]
    return tidy.with_draws(_run(ch, beyond.closeness, points, ch.sizes["traces"]))


def closeness(ch) -> study.Rows:
    """[Guo, Section 3] Does each attribute's distribution come closer with k? Wrong: k counted backwards."""
    every = ch.get(close)
    every = every[every.groupby("k")["dataset"].transform("nunique") == 2]
    ours, rounded = (every[every["metric"] == metric] for metric in ("KS", "KS rounded"))
    frame = tidy.in_worlds({"ours": ours, "rounded like the original": _whole(rounded)})
    backwards = _whole(ours).assign(k=-_whole(ours)["k"], world="k counted backwards")
    return study.Rows(_shown(frame), _shown(backwards), "draw")
