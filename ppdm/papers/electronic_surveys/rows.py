"""[Zhan & Matwin] What the chapter computes: a function of the chapter each, for figures and claims."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.privacy import pse as privacy

TENTHS = np.arange(11) / 10
LOPSIDED = np.array([0.1, 0.2, 0.3, 0.4, 0.5])  # W_a of the paper's Figure 5


# Formulas: nothing is drawn by lot ------------------------------------------------------------------


def figure5(ch: study.Chapter, w_a: np.ndarray = LOPSIDED) -> pd.DataFrame:
    """[Zhan & Matwin, Figure 5] PSE along q for answers that are more or less lopsided."""
    q, w = (axis.ravel() for axis in np.meshgrid(TENTHS, w_a))
    return pd.DataFrame({"q": q, "W_a": w, "mean": privacy.pse(q, w), "se": 0.0})


def pse_at_one(ch: study.Chapter) -> study.Rows:
    """PSE at q = 1; wrong: at 0.9."""
    every = ch.get(figure5)
    return study.Rows(every[every["q"] == 1], every[every["q"] == 0.9].assign(world="q = 0.9"))


def pse_along(ch: study.Chapter) -> study.Rows:
    """PSE along q; wrong: along 1 - q."""
    every = ch.get(figure5)
    turned = every.assign(q=(1 - every["q"]).round(1), world="PSE at 1 - q")
    return study.Rows(every, turned)


def pse_lopsided(ch: study.Chapter) -> study.Rows:
    """PSE along W_a; wrong: beyond W_a = 1/2."""
    wrong = figure5(ch, LOPSIDED + 0.4).assign(world="W_a above 1/2")
    return study.Rows(ch.get(figure5), wrong)


def slips(ch: study.Chapter) -> study.Rows:
    """What is printed with 1 - W_y beside what is derived: a probability, and Eq. (2) in two scans."""
    q, a, y = np.meshgrid([0.1, 0.3, 0.5, 0.9], [0.1, 0.4, 0.7], [0.1, 0.2, 0.5, 0.8])
    derived = {"P(R=1 | O=0)": (1 - q) * y, "Eq. (2), scan 1": privacy.pse(q, a, y)}
    derived["Eq. (2), scan 2"] = derived["Eq. (2), scan 1"]
    printed = {"P(R=1 | O=0)": (1 - q) * (1 - y)}
    printed |= {f"Eq. (2), scan {n}": privacy.pse_as_printed(q, a, y, n) for n in (1, 2)}
    frame = pd.concat([
        pd.DataFrame({"w_y": y.ravel(), "ours": derived[name].ravel(), "theirs": printed[name].ravel(), "names": name})
        for name in derived
    ])  # fmt: skip
    at = {0.5: "W_y = 1/2", 0.2: "W_y = 0.2"}
    return study.Rows(frame, frame[frame["w_y"].isin(at)].assign(world=lambda f: f["w_y"].map(at)))


def numbers(ch: study.Chapter) -> dict:
    """The numbers of the page's sentences."""
    return {
        "zm-pse-0": float(privacy.pse(0, 0.4)),
        "zm-pse-1": float(privacy.pse(1, 0.4)),
        "zm-pse-true": float(privacy.pse(0.3, 0.4, 0.2)),
        "zm-pse-scan1": float(privacy.pse_as_printed(0.3, 0.4, 0.2, scan=1)),
        "zm-pse-scan2": float(privacy.pse_as_printed(0.3, 0.4, 0.2, scan=2)),
    }
