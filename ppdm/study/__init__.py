r"""Studies, verdicts and chapters: from a grid of runs to claims that are decided by rules.

A chapter notebook in ten lines. The parameters cell (tag ``parameters``) comes first::

    profile, reps, seed = "paper", None, 2003        # None: the profile's size
    data_source, split = "stored", "median"

Then the chapter is opened. `sizes` gives each size twice: as in the paper, and for a quick run.
A keyword named like a size overrides it unless it is None; every other keyword is a setting that
the provenance block lists::

    from ppdm import data, plot, study

    ch = study.Chapter("01_electronic_surveys", profile=profile, seed=seed,
                       sizes={"reps": (1000, 20), "points": ([0, .1, .5, 1], [0, 1])},
                       reps=reps, data_source=data_source, split=split)
    adult = ch.use(data.load("adult", source=data_source))    # listed by checksum; keys the cache
    ch.sizes["reps"], ch.quick                                # 1000, False

A run counts as quick if and only if a size is below the paper's (a list: if it lacks one of the
paper's entries). A quick page shows a banner where the chapter is opened.

**Grids.** A point is one combination of coordinates with all its repetitions. The function returns one array
of length `reps` for each metric; its generator depends on the seed and the coordinates only::

    def learned(rng, reps, dataset, q):
        ...
        return {"accuracy": accuracies, "balanced accuracy": others}

    frame = ch.run(learned, {"dataset": ["adult", "wbc"], "q": [0, .05, 1]})
    # dataset  q  rep  metric  value      a row a repetition and metric
    frame = ch.run(learned, [{"dataset": "adult", "q": .5}], reps=50, block=10)
    # long points in blocks of 10 repetitions, each with its own generator

    fronts = ch.rows(search, {"delta": [.6, .7]})    # search(rng, delta) -> dict of columns, or a
    # delta  privacy  mse                            # frame; any number of rows a point

Finished points are kept on disk, under the import path of their function, its arguments (a
`functools.partial` of plain values and arrays), their coordinates, and the checksums of the function's
module and of what that imports: a rerun of an unchanged chapter takes seconds, an interrupted one
resumes. A function written in the notebook works too; its points are computed each time.
`study.run(function, grid, reps, seed)` and `study.rows(function, grid, seed)` are the same without a chapter.

    summary = study.summarise(frame)    # coordinates, metric, reps, mean, se, low, high (95 %),
                                        # var, var_se, var_low, var_high

**Results** go to `<results>/<stem>/<name>.csv`; figures show with their caption and alternative text::

    ch.save("accuracy", summary)
    ch.figure(plot.curves(summary, x="q", hue="dataset", baselines={"majority": .76}))

**A chapter of a paper** is made by its package, which says where its rows and numbers are; then a
notebook has one line a figure and one line a verdict, and each leads to its computation by *go to definition*::

    from ppdm.papers import electronic_surveys as es
    from ppdm.papers.electronic_surveys import pictures

    ch = es.chapter(profile=profile, reps=reps, seed=seed)    # study.Chapter(..., rows=rows, numbers=numbers)
    ch.figure(pictures.mean_accuracy)    # a function of the chapter; the figure is called mean-accuracy
    ch.decide("ZM-8")                    # its entry: evidence: {rows: learned, from: along, x: q}
    ch.decide("ZM-17", "ZM-18")          # one table

    def learned(ch):                     # in the paper's rows.py: computed once, for figures and claims
        return study.Rows(study.summarise(ch.run(...)), plants=..., draws="split", readings=READINGS)

    def mean_accuracy(ch):               # in its pictures.py
        return plot.curves(ch.get(rows.learned).frame, x="q")

Numbers in sentences stand in the markdown, followed by a comment with their name and format:
``81.3<!--majority:.1f-->``. The build puts in what the chapter's `numbers` computed, and
``ppdm book numbers`` writes it into the notebooks.

**Claims** stand in `book/claims/<stem>.yml`, each with its evidence and the rule that decides it. Arguments of a
rule before the `*` are evidence; those after it are fixed in the claim's entry (see `ppdm.study.rules`)::

    - id: ZM-3
      paper: zhan-matwin                  # zhan-matwin ZM, zhan-du ZD, guo GU, huang-du HD, which WC
      where: Section 3.2.1
      claim: Mean accuracy falls as q goes from 1 to 0.
      evidence: {rows: learned, from: along, x: q}
      rule: {name: trend, direction: rising}
      margin: accuracy                    # a name of book/claims/margins.yml
      expect: reproduced
    - id: ZM-9
      paper: zhan-matwin
      where: Section 4
      claim: PSE at q equals PSE at 1 - q.
      evidence: {rows: turned, from: sides}
      rule: {name: identity, tolerance: 1.0e-9}
      unmet: wrong                        # defaults: met: reproduced, unmet: not reproduced
      why: At q = 1 nothing is hidden, at q = 0 everything is.     # shown unless reproduced
      expect: wrong
    - id: GU-T1-WBC-AIBR-VD
      paper: guo
      where: Table 1
      claim: VD of AIBR on WBC.
      printed: "0.37"                     # a string: its digits count
      rule: {name: agree, paper_reps: 50, family: table-1}    # the family is counted for you
      condition: the metrics are taken over the training rows  # allows "under a condition"
      expect: reproduced

**In many worlds.** A verdict is decided with all the chance there is, and asked again elsewhere. A
*reading* is a choice that the paper leaves open, an entry of its `readings.yml` (see
`ppdm.study.worlds`); a *plant* is a world known to be wrong (no undoing, shuffled labels), said in the
same form. A frame of many worlds has the coordinate `world`, and one for the draws of chance, `split`
say. Repetitions that share no split are dealt into draws by `study.dealt`. Claims take their evidence
from a summary of the frame::

    def learned(ch):
        at = [{"dataset": d, "q": q, "split": k} for d in SETS for q in Q for k in range(12)]
        frame = ch.run(study.under(point, READINGS), study.points(at, READINGS), reps=80)
        wrong = ch.run(study.under(point, PLANTS), study.points(at, PLANTS, ours=False), reps=80)
        return study.Rows(study.summarise(frame), study.summarise(wrong), readings=READINGS)

**A claim is data**: its entry says which rows of which summary, and what is taken from them::

    evidence: {rows: learned, where: metric == 'accuracy', from: loss at, x: q, at: 0.5, of: 1}

`where` is a condition on the coordinates, `from` one of the extractors of `ppdm.study.tidy` (*along*,
*loss at*, *worst of*, *between ends*), the rest are its arguments. A claim with a condition has two such
entries, `plain` and `under`. Then ``ch.decide("ZM-11")`` decides it, in every world that can touch it:
ours is the mean over splits, with its error from the spread between them (`study.clustered`); each split
alone is a draw, each reading whose `touches` name the claim a world. Where a reading moves a value by a
standard error or more (``ch.movers("ZM-8", "ZM-11", rows=rows)``), run the pairs too: ``study.pairs(READINGS,
names)`` are readings again, named "a + b". An extractor of one paper stands in its `rows.py`, by its name with
underscores; identities are rows with the columns `ours` and `theirs` (from: sides). A draw called "all"
decides, if there is one; the numbered ones are asked alone. ``study.summarise(frame, cluster="split")`` is a
summary whose errors come from the spread between splits.

In the claim's entry::

      refuses: [no undoing, labels shuffled]     # plants in which the rule must not be met
      accepts: [look-alikes]                     # made-up worlds in which the claim is true
      one_world: an identity                     # why there is no other world to ask
      note: It holds without undoing, too.       # said whatever the verdict; why: unless reproduced
      needs: [as_declared]                       # checks of the method, see ppdm.papers.checks
      unit: points                               # points, %: shares shown a hundredfold; or a word

A plant that is named and not among the rows fails at once; one that the rule accepts fails the chapter.
The card says in how many variations the verdict is the same, another one, or cannot be told, with a strip: our
interval, the threshold, a dot a variation (a ring where the verdict is another, a cross a plant). All
values go to `<results>/<stem>/worlds.csv`, the counts to `claims.csv` (`worlds` includes our own).
A verdict stands *firm* if no other reading turns it over, nor more than a tenth of the draws alone.

**Three outcomes.** A rule that weighs chance asks of each level, step or sign how much room it leaves to what is
claimed, and an entry's `margin` is how much of a miss would not matter: alike for all claims of a unit (see
`ppdm.study.rules`). *Surely so* leads to `met`, *surely not* to `unmet`; else it cannot be told. How often the rule
errs on its evidence stands in `claims.csv` (accepts_true, accepts_false; see `ppdm.study.rules`): one that errs
too often tells nothing, and fails the build unless that is what its entry expects.

**When a rule was written** stands in `book/claims/changes.yml` (see `ppdm.study.history`): a rule,
threshold, condition or expectation that changes without an entry there fails a test. After a change,
tell it there and write the fingerprints anew: ``python -m ppdm.study``.

Further keys: `full_size: true|false` says whether the rule waits for the paper's size (each rule has its
default); `was: [ZM-18]` names claims that are one with this one now, whose addresses lead here (changes.yml
says so, by `what: joined`); `central: true` is for those of the paper's abstract. With a `condition`, `plain`
is the evidence without it, `under` with it: if the rule holds plainly the claim is reproduced; if only under
the condition, reproduced under a condition.

The last cell is ``ch.finish()``: it writes `<results>/<stem>/claims.csv`, `numbers.json` and
`<results>/../provenance/<stem>.json`, shows all verdicts, folded, and the provenance block, and fails if a
claim of the file has no verdict. A page without a claims file uses a chapter in the same way.

The rules (evidence; what the entry fixes):

==========  ====================================================  ==============================
name        evidence                                              in the entry
==========  ====================================================  ==============================
agree       mean, sd, reps                                        (printed) paper_reps, family
exact       value                                                 (printed)
near        value, se=0, names, drawn                             target, within, (margin)
bound       value, se=0, names, drawn                             below, above, (margin)
trend       values, se=0, names, drawn (points, or series)        direction, (margin)
ordering    differences, se=0, names, drawn                       by, show: mean, (margin)
identity    ours, theirs, names                                   tolerance
shown       size                                                  beyond
untestable  none                                                  (why)
==========  ====================================================  ==============================

Environment: PPDM_RESULTS (results folder), PPDM_CACHE (kept points), PPDM_WORKERS (processes),
PPDM_SCHEDULER (a Dask scheduler's address: its workers compute the points, the cache stays here),
PPDM_PROGRESS=0 (no progress bars, for notebooks that become pages).
"""

from ppdm.study import ledger, rules
from ppdm.study.chapter import Chapter
from ppdm.study.grid import PointError, rows, run
from ppdm.study.rules import sample
from ppdm.study.tidy import dealt, summarise
from ppdm.study.verdicts import Rows, cases, clustered, moved
from ppdm.study.worlds import Reading, pairs, points, under

__all__ = [
    "Chapter", "PointError", "Reading", "Rows", "cases", "clustered", "dealt", "ledger", "moved", "pairs",
    "points", "rows", "rules", "run", "sample", "summarise", "under",
]  # fmt: skip
