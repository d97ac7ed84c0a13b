"""A chapter in a browser, in the place of `ppdm.study`: it shows figures and keeps nothing."""

from __future__ import annotations

import builtins
from html import escape
from typing import Any

from ppdm.coins import Picture


class Chapter:
    """Opened as in the notebook; live cells ask it for its sizes and to show a figure.

    >>> Chapter("00_example", seed=1, profile="quick", sizes={"reps": (50, 5), "draws": (9, 2)}, reps=7).sizes
    {'reps': 7, 'draws': 2}
    """

    def __init__(
        self,
        stem: str,
        *,
        seed: int,
        profile: str = "paper",
        sizes: dict[str, tuple] | None = None,
        rows: Any = None,
        numbers: Any = None,
        use: Any = (),
        **parameters: Any,
    ):
        of_profile = {name: pair[profile == "quick"] for name, pair in (sizes or {}).items()}
        given = {k: v for k, v in parameters.items() if k in of_profile and v is not None}
        self.stem, self.seed, self.sizes = stem, seed, of_profile | given

    def use(self, dataset: Any) -> Any:
        """The data set itself: there is no provenance to note it in."""
        return dataset

    def save(self, name: str, frame: Any) -> Any:
        """The frame itself: nothing is kept."""
        return frame

    def figure(self, figure: Picture, *, name: str = "", caption: str = "", alt: str = "") -> None:
        """Show a figure above its caption."""
        html = f"<figure>{figure.html}<figcaption>{escape(caption)}</figcaption></figure>"
        builtins.display(Picture(html, figure.words))  # type: ignore[attr-defined]
