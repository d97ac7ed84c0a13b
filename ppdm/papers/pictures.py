"""Pictures for the pages before the papers: what mixing and undoing do, and what the data look like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ppdm import plot, study
from ppdm.data import SHORT, binarize
from ppdm.data.dataset import Dataset
from ppdm.papers import datasheet, primer
from ppdm.papers.common import captioned

YES, NO = plot.COLOURS[0], plot.COLOURS[1]


# Mixing and undoing -------------------------------------------------------------------------------


def mixing_of(theta: float, share: float) -> plot.Figure:
    """[Warner 1965] What the coin does to the shares of all, and what undoing does to them.

    >>> mixing_of(0.7, 0.3).alt.split(". ")[0]
    'Of 0.30 yes and 0.70 no, 0.42 say yes: 0.21 truly, 0.21 turned'
    """
    said = theta * share + (1 - theta) * (1 - share)

    def draw(phone: bool) -> plot.Figure:
        rows, across = (2, 1) if phone else (1, 2)
        size = (plot.PHONE, 6.4) if phone else (plot.WIDTH, 3.5)
        fig = plot.Figure(figsize=size, layout="constrained")
        mix, undo = fig.subplots(rows, across).ravel()
        _flows(mix, theta, share)
        _stretch(undo, theta, share)
        return fig

    figure = plot.laid_out(draw)
    figure.data = pd.DataFrame(
        {
            "true": ["yes", "yes", "no", "no"],
            "said": ["yes", "no", "yes", "no"],
            "share": [
                theta * share,
                (1 - theta) * share,
                (1 - theta) * (1 - share),
                theta * (1 - share),
            ],
        }
    )
    figure.alt = (
        f"Of {share:.2f} yes and {1 - share:.2f} no, {said:.2f} say yes: {theta * share:.2f} truly, "
        f"{(1 - theta) * (1 - share):.2f} turned. Undoing stretches {1 - theta:.2f} to {theta:.2f} back "
        f"to 0 to 1, and {said:.2f} to {share:.2f}."
    )
    return figure


def _write(
    ax: Axes, text: str, at: tuple[float, float], by: tuple[float, float] = (0, 0), **more: Any
) -> None:
    """Words at a place, so many points beside it; in the middle unless said otherwise."""
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 10} | more
    ax.annotate(text, at, xytext=by, textcoords="offset points", **look)


def _flows(ax: Axes, theta: float, share: float) -> None:
    """Bands from the true answers (left) to the spoken ones (right), as high as their shares."""
    ways = np.linspace(0, 1, 41)
    ease = ways**2 * (3 - 2 * ways)
    kept, turned = theta * share, (1 - theta) * (1 - share)
    bands = [  # colour, lower edge left, lower edge right, height
        (YES, 0.0, 0.0, kept), (NO, share, kept, turned),
        (YES, kept, kept + turned, share - kept),
        (NO, share + turned, kept + turned + share - kept, 1 - share - turned),
    ]  # fmt: skip
    for colour, left, right, height in bands:
        low = left + (right - left) * ease
        ax.fill_between(ways, low, low + height, color=colour, alpha=0.45, linewidth=0)
    for x, part, side, by in ((0, share, "right", -8), (1, kept + turned, "left", 8)):
        for bottom, top, colour, word in ((0, part, YES, "yes"), (part, 1, NO, "no")):
            ax.plot([x, x], [bottom, top], color=colour, linewidth=6, solid_capstyle="butt")
            _write(ax, f"{word} {top - bottom:.2f}", (x, (bottom + top) / 2), (by, 0), ha=side)
    ax.set(title="Mixing: the coin turns some of both", xlim=(-0.42, 1.42), ylim=(-0.1, 1.02))
    for x, words in ((0, "what is true"), (1, "what is said")):
        _write(ax, words, (x, -0.03), va="top")
    ax.axis("off")


def _stretch(ax: Axes, theta: float, share: float) -> None:
    """True shares above, spoken ones below: the coin squeezes the line, undoing stretches it."""
    said, spread = theta * share + (1 - theta) * (1 - share), 0.03
    above, below = ((0, 8), "bottom"), ((0, -8), "top")
    for y, marks, (by, va) in ((0, (0, 1 - theta, theta, 1), below), (1, (0, 1), above)):
        ax.plot([0, 1], [y, y], color=plot.SOFT, linewidth=1.5)
        for mark in marks:
            _write(ax, f"{mark:.2g}", (mark, y), by, va=va)
    ax.fill([0, 1, theta, 1 - theta], [1, 1, 0, 0], color=plot.SOFT, alpha=0.18, linewidth=0)
    low, high = (primer.undo(edge, theta) for edge in (said - spread, said + spread))
    ax.fill(
        [low, high, said + spread, said - spread], [1, 1, 0, 0], color=YES, alpha=0.35, linewidth=0
    )
    ax.plot([share, said], [1, 0], color=YES, marker="o")
    for x, y, (by, va) in ((share, 1, above), (said, 0, below)):
        _write(ax, f"{x:.2f}", (x, y), by, va=va, weight="bold")
    _write(ax, "true share", (0.5, 1.2), va="bottom")
    _write(ax, "share who say yes", (0.5, -0.2), va="top")
    ax.set(title="Undoing: stretch it back, errors too", xlim=(-0.05, 1.05), ylim=(-0.42, 1.42))
    ax.axis("off")


# The data -----------------------------------------------------------------------------------------


def told_apart_in(sets: Sequence[Dataset]) -> plot.Figure:
    """How common a yes to each coded question is in either class: a panel a data set.

    >>> from ppdm import data
    >>> told_apart_in([data.load("congressional-voting")]).alt
    'Voting: furthest apart are the classes at physician-fee-freeze, 0.05 and 0.97.'
    """
    shares = {SHORT.get(d.name, d.name): _shares(d) for d in sets}

    def draw(phone: bool) -> plot.Figure:
        across = 1 if phone else min(len(sets), 2)
        sizes = [len(part) for part in shares.values()]
        longest = [max(sizes[i : i + across]) for i in range(0, len(sizes), across)]
        size = (plot.PHONE if phone else plot.WIDTH, 0.31 * sum(longest) + 0.75 * len(longest))
        fig = plot.Figure(figsize=size, layout="constrained")
        room = {"height_ratios": longest}
        axes = fig.subplots(len(longest), across, squeeze=False, gridspec_kw=room).ravel()
        for ax, (dataset, (name, part)) in zip(axes, zip(sets, shares.items())):
            rows = range(len(part))
            for y, question in enumerate(part.index):
                _write(ax, str(question), (0, y), (0, 4.5), ha="left", va="baseline")
            ax.hlines(rows, part["low"], part["high"], color=plot.SOFT, linewidth=2, alpha=0.7)
            for i, label in enumerate(part.attrs["classes"]):
                ax.plot(part[label], rows, plot.MARKERS[i], color=plot.COLOURS[i], label=label)
            ax.set(yticks=[], xlim=(-0.03, 1.03), ylim=(-0.5, len(part) - 0.2), xticks=[0, 0.5, 1])
            ax.set_title(f"{name}: {len(dataset.frame):,} records", loc="left", pad=24)
            ax.legend(
                loc="lower left",
                bbox_to_anchor=(-0.03, 0.99),
                ncols=2,
                handletextpad=0.1,
                borderpad=0.1,
            )
        axes[-1].set_xlabel("share of ones")
        return fig

    figure = plot.laid_out(draw)
    long = [part.drop(columns=["low", "high"]).reset_index(names="attribute").assign(dataset=name)
            for name, part in shares.items()]  # fmt: skip
    figure.data = pd.concat([
        one.melt(["dataset", "attribute"], var_name="class", value_name="share of ones") for one in long
    ])  # fmt: skip
    furthest = {name: part.iloc[-1] for name, part in shares.items()}
    figure.alt = " ".join(
        f"{name}: furthest apart are the classes at {row.name}, {row['low']:.2f} and {row['high']:.2f}."
        for name, row in furthest.items()
    )
    return figure


def _shares(dataset: Dataset) -> pd.DataFrame:
    """The share of ones of each coded attribute in each class, the most telling one last."""
    answers, _ = binarize(dataset)
    labels = _labels(dataset)
    shares = answers.drop(columns=dataset.target).groupby(answers[dataset.target]).mean().T
    shares = shares.rename(columns=labels)
    shares = shares.assign(low=shares.min(axis=1), high=shares.max(axis=1))
    shares.attrs["classes"] = [labels[value] for value in (0, 1)]
    return shares.iloc[np.argsort((shares["high"] - shares["low"]).to_numpy(), kind="stable")]


def _labels(dataset: Dataset) -> dict[int, str]:
    """The class's own words for its coded values."""
    answers, _ = binarize(dataset)
    pairs = pd.DataFrame(
        {"code": answers[dataset.target], "label": dataset.frame[dataset.target].astype(str)}
    )
    said = pairs.drop_duplicates()
    words = (
        {"2": "benign", "4": "malignant"}
        if "breast" in dataset.name
        else {"0": "no diabetes", "1": "diabetes"}
    )
    return {int(code): words.get(label, label) for code, label in zip(said["code"], said["label"])}


# Of the pages -----------------------------------------------------------------------------------------


def mixing(ch: study.Chapter) -> plot.Figure:
    """[Warner 1965] What the primer's coin does."""
    theta = ch.settings["theta"]
    return captioned(
        mixing_of(theta, ch.settings["share"]),
        "Left: the coin turns some yeses into noes, and more noes into yeses, because there are more of them. Right: "
        f"all shares are squeezed into the strip between {min(theta, 1 - theta):.2g} and {max(theta, 1 - theta):.2g}; "
        "undoing stretches the strip again. The darker wedge is an error of the spoken share. It becomes "
        f"{1 / abs(2 * theta - 1):.2g} times as wide: the price.",
    )


def _alone(drawn: Callable[[Axes], None], columns: int) -> plot.Figure:
    """A figure of one panel, as wide as the page."""

    def draw(phone: bool) -> plot.Figure:
        size = (
            (plot.PHONE, 3.0) if phone else plot.size_of(1, 1, phone)
        )  # room for the upright label
        figure = plot.Figure(figsize=size, layout="constrained")
        drawn(figure.subplots())
        figure.legend(loc="outside upper left", ncols=2 if phone else columns)
        return figure

    return plot.laid_out(draw)


def estimates(ch: study.Chapter) -> plot.Figure:
    """[Warner 1965] Spoken and undone shares of many surveys."""
    said, (theta, share) = (
        ch.get(primer.surveys),
        (ch.settings[name] for name in ("theta", "share")),
    )
    undone = primer.undo(said, theta)

    def drawn(axes: Axes) -> None:
        axes.hist(said, bins=40, color=plot.COLOURS[5], alpha=0.8, label="share who said yes")
        axes.hist(undone, bins=40, color=plot.COLOURS[0], alpha=0.8, label="Warner's estimate")
        axes.axvline(share, color=plot.COLOURS[1], lw=2, label="truth")
        axes.set(xlabel="share of yeses", ylabel="number of surveys")

    figure = _alone(drawn, 3)
    figure.alt = (
        f"Two histograms. The share who said yes is narrow and centred at {said.mean():.2f}. "
        f"Warner's estimate is wider and centred at {undone.mean():.2f}, on the truth, {share}."
    )
    return captioned(
        figure,
        f"{len(said):,} surveys of {ch.settings['respondents']:,} people each, theta = {theta}. "
        "The spoken yeses miss the truth every time; the undone ones scatter around it.",
    )


def price(ch: study.Chapter) -> plot.Figure:
    """[Warner 1965] How many times as many people must be asked, for every coin."""
    thetas = np.concatenate([np.linspace(0, 0.45, 91), [np.nan], np.linspace(0.55, 1, 91)])

    def times(share: float, theta: Any) -> Any:
        asked, tossed = primer.variance(share, theta, 1)
        return (asked + tossed) / asked

    def drawn(axes: Axes) -> None:
        for i, share in enumerate((0.5, 0.3, 0.1)):
            look: dict[str, Any] = {"color": plot.COLOURS[i], "dashes": plot.DASHES[i] or (1, 0)}
            axes.plot(thetas, times(share, thetas), label=f"P = {share}", **look)
        axes.axhline(1, color=plot.SOFT, lw=1, label="open survey")
        axes.set(yscale="log", xlabel="θ (probability of the truth)", ylabel="times as many people")

    figure = _alone(drawn, 4)
    at = ", ".join(f"{times(share, 0.7):.1f} for P = {share}" for share in (0.5, 0.3, 0.1))
    figure.alt = (
        "Three U-shaped pairs of curves over theta. All touch 1 at theta 0 and 1 and rise steeply "
        f"towards theta one half; at 0.7 they read {at}."
    )
    return captioned(
        figure,
        "How many times as many people must be asked to be as exact as an open survey, by the formula. "
        "Near a fair coin the number grows without bound. The rarer the attribute, the dearer its privacy.",
    )


def told_apart(ch: study.Chapter) -> plot.Figure:
    """How common the 1 is in either class of the four data sets."""
    return captioned(
        told_apart_in(ch.get(datasheet.sets)),
        "A line a question: the share of ones in each class. Voting and Breast Cancer have questions that nearly give the class "
        "away. In Adult and Pima no single one does. What a 1 means stands at the end of this page.",
    )
