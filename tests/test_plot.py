"""Figures: words made from the data, the same bytes at every run, colours that can be told apart."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from ppdm import plot, study

THETA = [0, 0.1, 0.3, 0.45, 0.55, 0.7, 0.9, 1]


@pytest.fixture(scope="module")
def summary():
    def cell(rng, reps, dataset, groups, theta):
        right = 0.6 + 0.2 * abs(2 * theta - 1) ** groups
        return {"accuracy": rng.binomial(300, right, reps) / 300}

    grid = {"dataset": ["adult", "voting"], "groups": [1, 2, 3], "theta": THETA}
    return study.summarise(study.run(cell, grid, 40, seed=1, workers=1, cache=False))


@pytest.fixture(scope="module")
def front():
    x = np.linspace(0.2, 0.6, 12)
    return pd.DataFrame({"privacy": x, "mse": 1e-4 * np.exp(5 * x)})


def every_kind(summary, front):
    adult = summary[summary.dataset == "adult"]
    levels = {name: {"majority class": 0.6} for name in ("adult", "voting")}
    return {
        "curves": plot.curves(adult, x="theta", hue="groups", baselines={"ID3": 0.8}),
        "panels": plot.curves(summary, x="theta", hue="groups", col="dataset", baselines=levels),
        "variances": plot.variances(adult, x="theta", hue="groups"),
        "privacy": plot.privacy_curves(front.rename(columns={"mse": "pse"}), x="privacy", y="pse"),
        "fronts": plot.fronts({"Warner": front, "OptRR": front}, front, title="normal, δ = 0.8"),
        "trade_off": plot.trade_off(
            summary.assign(attacker=summary["theta"], balanced=summary["mean"]),
            {"adult": 0.9, "voting": 0.9}, {"adult": 0.6, "voting": 0.5}, hue="groups", along="theta"),
    }  # fmt: skip


@pytest.mark.slow
def test_every_kind_has_words_and_draws_the_same_twice(summary, front):
    once, twice = every_kind(summary, front), every_kind(summary, front)
    for kind, figure in once.items():
        assert len(figure.caption) > 10, kind
        assert len(figure.alt) > 40, kind
        assert re.search(r"\d", figure.alt), kind
        assert plot.svg(figure) == plot.svg(twice[kind]), kind
        ElementTree.fromstring(plot.element(figure, figure.alt, kind))  # well formed


def lettering(figure):
    """The sizes of all text in a drawing, in points."""
    return [
        float(size) * 100 for size in re.findall(r"scale\(([\d.]+) -[\d.]+\)", plot.svg(figure))
    ]


def test_lettering_keeps_its_size_on_a_phone(summary, front):
    """A phone's column is 358 px: what is drawn 3.7 inches wide is shown at nearly its own size."""
    for kind, figure in every_kind(summary, front).items():
        if figure.narrow is None:
            continue
        shown = 358 / figure.narrow.get_figwidth() / 72  # px a point
        assert min(lettering(figure.narrow)) * shown >= 10, kind
        assert figure.data is not None and len(figure.data), kind


def test_on_the_page_ids_are_its_own_and_ink_is_the_pages(summary):
    adult = summary[summary.dataset == "adult"]
    figure = plot.curves(adult, x="theta", hue="groups")
    element = plot.element(figure, 'a "quoted" < text', "first")
    assert 'role="img"' in element
    assert "a &quot;quoted&quot; &lt; text" in element
    assert "currentColor" in element
    assert plot.INK not in element
    ids = set(re.findall(r'\bid="([^"]*)"', element))
    assert ids
    assert len({i.partition("-")[0] for i in ids}) == 2  # the wide drawing's and the phone's
    assert ids.isdisjoint(re.findall(r'\bid="([^"]*)"', plot.element(figure, "", "second")))
    used = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', element)
    assert {a or b for a, b in used} <= ids


@pytest.mark.parametrize("missing", [None, np.nan])
@pytest.mark.parametrize("by", ["hue", "col"])
def test_a_line_without_a_value_is_drawn_and_told(missing, by):
    """A run without θ beside runs with one, as `study.run` gives it."""
    frame = pd.DataFrame({"q": [0, 1, 0, 1], "theta": [0.5, 0.5, missing, missing], "reps": 9,
                          "metric": "accuracy", "mean": [0.5, 0.6, 0.7, 0.8]})  # fmt: skip
    frame = frame.assign(low=frame["mean"] - 0.1, high=frame["mean"] + 0.1)
    figure = plot.curves(frame, "q", **{by: "theta"})
    assert "no θ: rises from 0.7 at q = 0 to 0.8 at q = 1." in figure.alt
    assert sum(len(ax.lines) for ax in figure.axes) == 2
