"""[Huang & Du] The figures that were made for the chapter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ppdm import plot
from ppdm.papers.common import each_group

#: The methods of the chapter, in one order and one look on all of its figures.
METHODS = ("Warner", "OptRR", "best square matrix", "certified frontier")
LINES = {"Warner": (plot.COLOURS[0], (5, 2)), "OptRR": (plot.COLOURS[1], ()),
         "best square matrix": (plot.COLOURS[2], (1.5, 1.5)), "certified frontier": (plot.INK, ())}  # fmt: skip
NAMES = {"age": "Adult's age", "normal": "normal", "gamma": "gamma", "uniform": "uniform"}


def named(dataset: str, delta: float) -> str:
    """An experiment as the title of a panel.

    >>> named("age", 0.75)
    "Adult's age, δ = 0.75"
    """
    return f"{NAMES.get(dataset, dataset)}, δ = {delta:g}"


def unreached(table: pd.DataFrame, top: float = 6.0) -> plot.Figure:
    """Each method's error as a multiple of the least possible one; `table` is `evidence.four_curves`.

    >>> table = pd.DataFrame({"dataset": "age", "delta": 0.75, "privacy": [0.3, 0.7], "Warner": [2.0, 3.0],
    ...                       "OptRR": [1.2, 1.5], "best square matrix": [1.1, 1.3]})
    >>> unreached(table).alt
    "Adult's age, δ = 0.75: OptRR 1.20 to 1.50 times the least error, Warner 2.00 to 3.00 times."
    """
    panels = list(each_group(table, ["dataset", "delta"]))
    names = ("Warner", "OptRR", "best square matrix")

    def draw(phone: bool) -> plot.Figure:
        rows, across = plot.grid_of(len(panels), phone)
        width, height = plot.size_of(rows, across, phone)
        fig = plot.Figure(figsize=(width, height + (0.8 if phone else 0.5)), layout="constrained")
        axes = fig.subplots(rows, across, squeeze=False, sharey=True).ravel()
        for ax, (cell, part) in zip(axes, panels):
            for name in names:
                _line(ax, part["privacy"], part[name], name)
            ax.axhline(1, color=plot.INK, linewidth=1.8)
            ax.axhspan(0, 1, color=plot.SOFT, alpha=0.22, linewidth=0)
            ax.annotate(
                "no scheme can be here",
                (0.5, 0.84),
                xycoords=ax.get_yaxis_transform(),
                ha="center",
                va="center",
                fontsize=10,
            )
            ax.set(title=named(*cell), ylim=(0.68, top), xlabel="privacy")
            ax.set_yscale("log")
            ticks = [1, 1.5, 2, 3, 4, 6]
            ax.set_yticks(ticks, [f"{tick:g}×" for tick in ticks])
            ax.minorticks_off()
        for ax in axes[::across]:
            ax.set_ylabel("respondents needed\n(best possible: 1×)")
        plot.legend(fig, axes)  # names beside the lines would lie on them
        return fig

    figure = plot.laid_out(draw)
    figure.data = table[["dataset", "delta", "privacy", *names]]
    figure.alt = " ".join(
        f"{named(*cell)}: OptRR {part['OptRR'].min():.2f} to {part['OptRR'].max():.2f} times the least "
        f"error, Warner {part['Warner'].min():.2f} to {part['Warner'].max():.2f} times."
        for cell, part in panels
    )
    figure.caption = "Error at equal privacy, as a multiple of the least that any scheme can have."
    return figure


def all_fronts(
    fronts: Mapping[tuple[str, float], Mapping[str, pd.DataFrame]], thin: int = 4, top: float = 4e-3
) -> plot.Figure:
    """Privacy against error for several experiments, a panel each; of each front every so-manieth point.

    What is above `top` is left out: Warner's error has no limit near the highest privacy.

    >>> front = pd.DataFrame({"privacy": [0.3, 0.5], "mse": [1e-5, 2e-5]})
    >>> drawn = all_fronts({("gamma", 0.75): {"OptRR": front, "certified frontier": front}})
    >>> drawn.alt[:75]
    'gamma, δ = 0.75: OptRR from error 1e-05 at privacy 0.30 to 2e-05 at 0.50; c'
    """
    panels = {
        cell: {name: front.sort_values("privacy") for name, front in methods.items()}
        for cell, methods in fronts.items()
    }
    least = 0.8 * min(
        front["mse"].min() for methods in panels.values() for front in methods.values()
    )

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        axes[0].set_yscale("log")
        axes[0].set_ylim(least, top)
        for i, (ax, (cell, methods)) in enumerate(zip(axes, panels.items())):
            for name, front in methods.items():
                shown = front.iloc[:: thin if len(front) > 100 else 1]
                _line(ax, shown["privacy"], shown["mse"], name)
            _ground(ax, methods.get("certified frontier"))
            ax.set_title(named(*cell).replace(", ", "\n"), fontsize=10.5)
            ax.locator_params(axis="x", nbins=4)
            if i + across >= len(panels):
                ax.set_xlabel("privacy")
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
            handles, words = axes[0].get_legend_handles_labels()
            short = [
                word.replace(" matrix", "\nmatrix").replace("certified ", "certified\n")
                for word in words
            ]
            ax.legend(handles, short, loc="center", fontsize=10, handlelength=1.4, borderpad=0)
        fig.supylabel("mean squared error of a share", fontsize=11)
        if len(axes) == len(panels):
            plot.legend(fig, axes)
        return fig

    figure = plot.laid_out(draw)
    figure.data = pd.concat(
        front[["privacy", "mse"]].assign(dataset=dataset, delta=delta, method=name)
        for (dataset, delta), methods in panels.items()
        for name, front in methods.items()
    )
    figure.alt = " ".join(
        f"{named(*cell)}: "
        + "; ".join(f"{name} {_ends(front)}" for name, front in methods.items())
        + "."
        for cell, methods in panels.items()
    )
    figure.caption = "Privacy against error. Lower and further right is better. No scheme can lie in the shaded ground."
    return figure


def trade_off(points: pd.DataFrame, top: float = 100.0) -> plot.Figure:
    """What precision costs against what a guesser gets; `points` is `evidence.beside_asking`."""
    panels = list(each_group(points, ["dataset", "delta"]))

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        for ax, (cell, part) in zip(axes, panels):
            ax.set_yscale("log")
            for name, line in each_group(part, "method"):
                line = line.sort_values("attacker")
                _line(ax, line["attacker"], line["respondents"], name)
            blind, bound = part["blind"].iloc[0], cell[1]
            for x, word, side, away in (
                (blind, "blind guess", "right", -2),
                (bound, "bound δ", "left", 3),
            ):
                # From above the name of the level, not through it.
                ax.axvline(x, 0.15, color=plot.SOFT, linewidth=1.2, linestyle=(0, (1.5, 1.5)))
                ax.annotate(
                    word,
                    (x, 0.97),
                    xycoords=ax.get_xaxis_transform(),
                    rotation=90,
                    xytext=(away, 0),
                    textcoords="offset points",
                    ha=side,
                    va="top",
                    fontsize=10,
                )
            plot.name_level(ax, "asked directly", 1.0, x=0.12 if phone else 0.3, above=False)
            ax.set_title(named(*cell).replace(", ", "\n" if phone else ", "), fontsize=10.5)
            ax.set(ylim=(0.45, top), xlim=(0, bound + 0.14))
            ax.set_yticks([1, 10, 100], ["1", "10", "100"])
        for ax in axes[-across:]:
            ax.set_xlabel("guesser right" if phone else "a guesser who knows the shares is right")
        fig.supylabel("respondents for one asked directly", fontsize=11)
        plot.legend(fig, axes[: len(panels)])
        return fig

    figure = plot.laid_out(draw)
    figure.data = points
    figure.alt = " ".join(
        f"{named(*cell)}, {name}: a guesser right with {line['attacker'].max():.2f} costs "
        f"{line['respondents'].min():.3g} respondents for one, with {line['attacker'].min():.2f} "
        f"{line['respondents'].max():.3g}."
        for cell, part in panels
        for name, line in each_group(part, "method")
    )
    figure.caption = "What a guesser gets, and how many respondents it takes."
    return figure


def who_is_told(kinds: pd.DataFrame) -> plot.Figure:
    """How many people send a report that names their answer, or leaves two, three or more open.

    >>> kinds = pd.DataFrame({"δ": [1.0], "privacy": [0.3], "up to δ": [0.4], "one of 2": [0.6],
    ...                       "one of 3": [0.0], "one of 4 or more": [0.0]})
    >>> who_is_told(kinds).alt
    'δ = 1, privacy 0.3: up to δ 0.40, one of 2 0.60, one of 3 0.00, one of 4 or more 0.00.'
    """
    columns = ["up to δ", "one of 2", "one of 3", "one of 4 or more"]
    panels = list(kinds.sort_values(["δ", "privacy"], ascending=False).groupby("δ", sort=False))

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        for ax, (delta, part) in zip(axes, panels):
            left = np.zeros(len(part))
            for colour, column, hatch in zip(plot.COLOURS, columns, ("", "//", "..", "xx")):
                ax.barh(
                    part["privacy"].map("{:g}".format),
                    part[column],
                    left=left,
                    color=colour,
                    hatch=hatch,
                    edgecolor=plot.SOFT,
                    linewidth=0.4,
                    label=_told_as(column),
                )
                left += part[column].to_numpy()
            ax.set(title=f"bound δ = {delta:g}", xlabel="share of people", xlim=(0, 1))
            ax.grid(axis="y", visible=False)
        for ax in axes[::across]:
            ax.set_ylabel("privacy")
        plot.legend(fig, axes)
        return fig

    figure = plot.laid_out(draw)
    figure.data = kinds
    figure.alt = " ".join(
        f"δ = {row['δ']:g}, privacy {row['privacy']:g}: "
        + ", ".join(f"{column} {row[column]:.2f}" for column in columns)
        + "."
        for _, row in kinds.iterrows()
    )
    figure.caption = "What kinds of report the best schemes send."
    return figure


def _told_as(column: str) -> str:
    return "her answer, sure up to δ" if column == "up to δ" else column.replace("one", "any one")


def mixing(delta: float = 0.7) -> plot.Figure:
    """The proof's two pictures, for three answers: atoms that mix to a posterior, and why it is no vertex.

    >>> mixing().alt[:42]
    'Left: the triangle of all distributions on'
    """
    atoms = np.array([[1 / 3] * 3, *([1 / 2, 1 / 2, 0], [1 / 2, 0, 1 / 2], [0, 1 / 2, 1 / 2]),
                      *([delta, 1 - delta, 0], [delta, 0, 1 - delta], [0, delta, 1 - delta]),
                      *([1 - delta, delta, 0], [1 - delta, 0, delta], [0, 1 - delta, delta])])  # fmt: skip
    report = np.array([0.4, 0.4, 0.2])

    def draw(phone: bool) -> plot.Figure:
        size = (plot.PHONE, 5.6) if phone else (plot.WIDTH, 3.2)
        fig = plot.Figure(figsize=size, layout="constrained")
        left, right = fig.subplots(*((2, 1) if phone else (1, 2)))
        _triangle(left, atoms, report, delta)
        _bars(right, report)
        return fig

    figure = plot.laid_out(draw)
    figure.data = pd.DataFrame([*atoms, report], columns=["x = 1", "x = 2", "x = 3"]).assign(
        point=["atom"] * len(atoms) + ["report"]
    )
    figure.alt = (
        f"Left: the triangle of all distributions on three answers, its corners cut off at δ = {delta:g}, with "
        f"{len(atoms)} atoms; the report (0.4, 0.4, 0.2) lies on the line between the middle and the atom "
        "(1/2, 1/2, 0). Right: the same report as bars below the line t = 0.4, between two others with "
        "t = 0.45 and t = 0.35."
    )
    figure.caption = "Every report is a mixture of atoms."
    return figure


def _triangle(ax: Axes, atoms: np.ndarray, report: np.ndarray, delta: float) -> None:
    """All distributions on three answers, those with no entry above delta shaded."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
    ax.plot(*corners[[0, 1, 2, 0]].T, color=plot.SOFT, linewidth=1.2)
    around = atoms[4:] @ corners
    middle = around.mean(axis=0)
    turn = np.argsort(np.arctan2(*(around - middle).T))
    ax.fill(*around[turn].T, color=plot.COLOURS[0], alpha=0.15, linewidth=0)
    ax.plot(*(atoms @ corners).T, "o", color=plot.COLOURS[0], markersize=7)
    ends = np.array([atoms[0], atoms[1]]) @ corners
    ax.plot(*ends.T, color=plot.COLOURS[1], linewidth=1.6)
    at = report @ corners
    ax.plot(*at, "D", color=plot.COLOURS[1], markersize=7)
    ax.annotate("a report", at, xytext=(8, 0), textcoords="offset points", va="center", fontsize=10)
    for corner, name, away in zip(
        corners, ("x = 1", "x = 2", "x = 3"), ((-4, -14), (4, -14), (0, 5))
    ):
        ax.annotate(name, corner, xytext=away, textcoords="offset points", ha="center", fontsize=10)
    ax.set(title=f"ten atoms (dots), δ = {delta:g}", xlim=(-0.08, 1.08), ylim=(-0.12, 0.98))
    ax.set_aspect("equal")
    ax.set_axis_off()


def _bars(ax: Axes, report: np.ndarray) -> None:
    """A posterior that lies midway between two others, its t moved up and down."""
    step = 0.05
    move = np.where(report == report.max(), step, -2 * step)
    for i, (p, name) in enumerate(
        [(report - move, "t down"), (report, "a report"), (report + move, "t up")]
    ):
        x = 4 * i + np.arange(3)
        ax.bar(x, p, color=plot.COLOURS[1 if i == 1 else 0], width=0.8)
        ax.plot([x[0] - 0.5, x[-1] + 0.5], [p.max()] * 2, color=plot.INK, linewidth=1.4)
        ax.annotate(
            f"t = {p.max():g}",
            (x[1], p.max()),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=10,
        )
        ax.annotate(
            name,
            (x[1], 0),
            xytext=(0, -8),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=10,
            annotation_clip=False,
        )
    ax.set(title="midway between two others", ylim=(0, 0.54), ylabel="posterior of x = 1, 2, 3")
    ax.set_xticks([])
    ax.grid(axis="x", visible=False)


def _line(ax: Axes, x, y, name: str) -> None:
    colour, dashes = LINES[name]
    ax.plot(
        x,
        y,
        color=colour,
        linestyle=(0, dashes) if dashes else "-",
        label=name,
        linewidth=1.6 if name == "certified frontier" else 1.9,
    )


def _ground(ax: Axes, frontier: pd.DataFrame | None) -> None:
    """Shade what lies below the frontier."""
    if frontier is None:
        return
    ax.fill_between(
        frontier["privacy"],
        ax.get_ylim()[0],
        frontier["mse"],
        color=plot.SOFT,
        alpha=0.22,
        linewidth=0,
    )


def _ends(front: pd.DataFrame) -> str:
    first, last = front.iloc[0], front.iloc[-1]
    return (
        f"from error {first['mse']:.2g} at privacy {first['privacy']:.2f} to {last['mse']:.2g} at "
        f"{last['privacy']:.2f}"
    )
