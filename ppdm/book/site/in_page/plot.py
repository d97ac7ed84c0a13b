"""The figures of the live cells, in a browser, where `ppdm.plot` cannot be: it needs matplotlib.

The same functions with the same arguments, of those that live cells call, on `ppdm.coins.curves`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ppdm.coins import Picture, curves

LABELS = {"theta": "θ", "mse": "mean squared error of a share"}


def privacy_curves(
    frame: pd.DataFrame,
    x: str,
    y: str,
    hue: str | None = None,
    *,
    baselines: Mapping[str, float] | None = None,
    xlabel: str = "",
    ylabel: str = "",
    **_: Any,
) -> Picture:
    """A line of column `y` against `x`, one for each `hue`.

    >>> privacy_curves(pd.DataFrame({"q": [0.5, 0.1], "accuracy": [0.9, 0.7]}), "q", "accuracy")
    accuracy against q: from 0.7 at 0.1 to 0.9 at 0.5
    """
    parts = {"": frame} if hue is None else dict(tuple(frame.groupby(hue, sort=False)))
    lines = {str(name): _points(part, x, y) for name, part in parts.items()}
    x, y = xlabel or LABELS.get(x, x), ylabel or LABELS.get(y, y)
    return curves(lines, x, y, levels=baselines)


def fronts(
    points: Mapping[str, pd.DataFrame], *, x: str = "privacy", y: str = "mse", **_: Any
) -> Picture:
    """A set of points for each method, on a logarithmic scale.

    >>> fronts({"Warner": pd.DataFrame({"privacy": [0.3], "mse": [1e-5]})})
    Warner: from 1e-05 at 0.3 to 1e-05 at 0.3
    """
    dots = {name: _points(part, x, y) for name, part in points.items()}
    return curves(dots, LABELS.get(x, x), LABELS.get(y, y), log=True, joined=False)


def _points(frame: pd.DataFrame, x: str, y: str) -> list[tuple[float, float]]:
    return sorted(zip(frame[x].tolist(), frame[y].tolist(), strict=True))
