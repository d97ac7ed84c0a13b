"""Two attributes of a data set before and after its release."""

from collections.abc import Mapping

import numpy as np


def before_and_after(
    original,
    y,
    releases: Mapping[str, np.ndarray],
    names: tuple[str, str],
    classes: tuple[str, str],
    jitter: np.random.Generator | None = None,
):
    """Scatter plots of two attributes: the original records, then each release of them.

    `original` and every release hold two columns, whose `names` label the axes. `jitter`, if given,
    moves each point of the original a little, so that equal records do not hide each other.
    """
    import matplotlib

    from ppdm.plot import COLOURS, STYLE, Figure

    panels = {"original": np.asarray(original, dtype=float), **releases}
    if jitter is not None:
        spread = 0.02 * np.ptp(panels["original"], axis=0)
        panels["original"] = panels["original"] + jitter.normal(size=(len(y), 2)) * spread
    rows = -(-len(panels) // 2)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 2.7 * rows + 0.5), layout="constrained")
        axes = figure.subplots(rows, 2, sharex=True, sharey=True).ravel()
        for ax, (title, points) in zip(axes, panels.items()):
            for label, (marker, colour, name) in enumerate(zip("ox", COLOURS, classes)):
                part = points[np.asarray(y) == label]
                ax.scatter(
                    *part.T,
                    s=11,
                    marker=marker,
                    color=colour,
                    alpha=0.6,
                    label=name,
                    linewidths=0.8 if marker == "x" else 0,
                )
            ax.set_title(title)
            ax.label_outer()
        handles, labels = axes[0].get_legend_handles_labels()
        if len(axes) > len(panels):  # the empty corner takes the legend
            axes[-1].set_axis_off()
            axes[-1].legend(handles, labels, loc="center", markerscale=1.6)
            axes[-3].tick_params(labelbottom=True)
        else:
            figure.legend(handles, labels, loc="outside upper center", ncols=2)
        figure.supxlabel(names[0], fontsize=11)
        figure.supylabel(names[1], fontsize=11)
    moves = {title: np.corrcoef(points.T)[0, 1] for title, points in panels.items()}
    told = ", ".join(f"{title} {r:.2f}" for title, r in moves.items())
    figure.caption = (
        f"{names[0].capitalize()} and {names[1]} of the same {len(y):,} records, before and after."
    )
    figure.alt = f"{len(panels)} scatter plots. Correlation of the two attributes: {told}."
    return figure
