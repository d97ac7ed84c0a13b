"""[Warner 1965] The primer: its chapter, its surveys, and the numbers of its sentences."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ppdm import study


def chapter(*, theta: float, share: float, respondents: int, **parameters: Any) -> study.Chapter:
    """The page, with its parameters.

    >>> chapter(theta=0.7, share=0.3, respondents=1000, seed=1).sizes
    {'surveys': 10000}
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1, not {share}")
    if theta == 0.5 or not 0 <= theta <= 1:
        raise ValueError(
            f"theta must lie between 0 and 1 and not be 0.5, where answers say nothing: {theta}"
        )
    settings: dict[str, Any] = {"theta": theta, "share": share, "respondents": respondents}
    return study.Chapter(
        "00_primer", sizes={"surveys": (10_000, 500)}, numbers=numbers, **settings, **parameters
    )


def undo(said_yes: Any, theta: float) -> Any:
    """[Warner 1965] The estimate, from the share of spoken yeses.

    >>> round(undo(0.42, 0.7), 6)
    0.3
    """
    return (said_yes - (1 - theta)) / (2 * theta - 1)


def variance(share: float, theta: Any, n: int) -> tuple[Any, Any]:
    """[Warner 1965] Its two parts: from asking n people, and from the coin.

    >>> variance(0.5, 1.0, 100)
    (0.0025, 0.0)
    """
    return share * (1 - share) / n, theta * (1 - theta) / (n * (2 * theta - 1) ** 2)


def surveys(ch: study.Chapter) -> np.ndarray:
    """The share of spoken yeses in many surveys; as the page draws them."""
    theta, share, n = (ch.settings[name] for name in ("theta", "share", "respondents"))
    p_yes = theta * share + (1 - theta) * (1 - share)
    return np.random.default_rng(ch.seed).binomial(n, p_yes, size=ch.sizes["surveys"]) / n


def numbers(ch: study.Chapter) -> dict[str, Any]:
    """The numbers of the page's sentences; what it says of the variance is held to the formula."""
    theta, share, n = (ch.settings[name] for name in ("theta", "share", "respondents"))
    rng, said = random.Random(ch.seed), ch.get(surveys)
    ten = sum((rng.random() < theta) == (person < 3) for person in range(10))
    estimates, (asking, tossing) = undo(said, theta), variance(share, theta, n)
    ratio = estimates.var(ddof=1) / (asking + tossing)  # scatters by about sqrt(2 / surveys)
    if abs(ratio - 1) > 5 * np.sqrt(2 / len(said)):
        raise ValueError(f"the surveys' variance is {ratio:.3f} times that of the formula")
    ends = undo(0.0, theta), undo(1.0, theta)
    return {
        "ten-yes": ten, "ten-estimate": undo(ten / 10, theta), "ten-lowest": min(ends), "ten-highest": max(ends),
        "surveys": len(said), "mean-estimate": estimates.mean(), "mean-error": estimates.std(ddof=1) / np.sqrt(len(said)),
        "mean-said": said.mean(), "share": share, "price": (asking + tossing) / asking,
    }  # fmt: skip
