"""[Zhan & Du 5] The paper's experiment for a whole chapter: many divisions, our world and others.

Both pages of the chapter ask for the same runs; the cell cache computes each once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import pandas as pd

from ppdm import study
from ppdm.papers.multi_group import evidence, experiment
from ppdm.papers.multi_group.readings import DATASETS, PLANTS, READINGS, touching
from ppdm.study.worlds import Reading

FOUR = (0.7, 0.9)  # where four groups are tried as well


class Runs:
    """The runs of a chapter `ch`, whose sizes are reps, few and divisions; `coding` is the trees'.

    >>> ch = study.Chapter("02_multi_group", profile="quick", seed=1, sizes={
    ...     "reps": (1000, 2), "few": (100, 2), "divisions": (20, 2)})    # doctest: +ELLIPSIS
    Quick run: ...
    >>> runs = Runs(ch)
    >>> grid = [{"dataset": "congressional-voting", "groups": 1, "theta": 0.9}]
    >>> runs.divided(runs.trees, grid)["division"].unique().tolist()
    [0, 1]
    """

    def __init__(
        self, ch: study.Chapter, *, negative: str = "clip", ratio: float = 0.8, **coding: Any
    ):
        self.ch, self.settings, self.coding = ch, {"ratio": ratio, **coding}, coding
        self.divisions, self.few = ch.sizes["divisions"], ch.sizes["few"]
        self.trees = partial(experiment.trees, negative=negative, **self.settings)

    def divided(
        self, function: Callable, grid: Any, reps: int | None = None, on: int | None = None
    ) -> pd.DataFrame:
        """A run whose repetitions are spread over divisions of the records, the same number on each."""
        on, reps = on or self.divisions, reps or self.few
        spread = max(2, reps // on) * on
        frame = self.ch.run(partial(function, divisions=on), grid, reps=spread)
        return study.dealt(frame, on, "division", runs=True)

    def elsewhere(
        self,
        function: Callable,
        grid: list[dict],
        readings: Sequence[Reading] = (),
        draws: int | None = None,
    ) -> pd.DataFrame:
        """The same grid in other worlds, on half of the divisions unless `draws` says how many."""
        on = draws or max(2, self.divisions // 2)
        if not readings:
            return self.divided(function, grid, self.few // 2, on)
        cells = study.points(grid, readings, ours=False)
        return self.divided(study.under(function, readings), cells, self.few // 2, on)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The paper's experiment: every data set, one to three groups, every θ; and four groups at two."""
        return self.divided(self.trees, self.grid, self.ch.sizes["reps"])

    @property
    def grid(self) -> list[dict]:
        """Its cells."""
        points = [(m, t) for m in (1, 2, 3) for t in experiment.THETAS] + [(4, t) for t in FOUR]
        return [{"dataset": d, "groups": m, "theta": t} for d in DATASETS for m, t in points]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Means of one to three groups over the divisions, with the error of the spread between them."""
        return study.summarise(self.frame[self.frame["groups"] < 4], cluster="division")

    @cached_property
    def accuracy(self) -> pd.DataFrame:
        """The accuracies of the summary, beside the undisguised trees of the same divisions."""
        return evidence.accuracies(self.summary)

    @cached_property
    def benchmarks(self) -> dict[str, dict[str, float]]:
        """For each data set both learners on undisguised records, and the majority class."""
        return {
            name: experiment.benchmark(name, divisions=self.divisions, **self.settings)
            for name in DATASETS
        }

    @cached_property
    def others(self) -> pd.DataFrame:
        """The experiment under each reading of what the paper leaves open."""
        return self.elsewhere(self.trees, self.grid, list(READINGS.values()))

    @cached_property
    def of_world(self) -> pd.DataFrame:
        """The accuracies of each division, in our world and under each reading."""
        every = pd.concat([self.frame.assign(world="ours"), self.others])
        return evidence.accuracies(study.summarise(every))

    @cached_property
    def _of_plant(self) -> pd.DataFrame:
        wrong = self.elsewhere(self.trees, self.grid, PLANTS, draws=max(2, self.divisions // 4))
        return evidence.accuracies(study.summarise(wrong))

    def cases(self, claim: str) -> dict:
        """A claim's evidence (`evidence.ON_ACCURACY`) in all worlds and for all plants.

        Pairs of readings take longer than the chapter has: `multi_group.pairs` asks them.
        """
        found = evidence.ON_ACCURACY[claim]
        return study.cases(
            found, self.of_world, plants=self._of_plant, draws="division", touches=touching(claim)
        )
