"""Programs and formulas of others that ours are held to."""

import math
from types import ModuleType

import numpy as np
import pytest


def qif() -> ModuleType:
    """The library qif, or a skipped test. It changes how numpy prints arrays; examples must not see that."""
    with np.printoptions():
        return pytest.importorskip("qif")


def variance_k_rr(n: int, epsilon: float, share: float = 0.0) -> float:
    """N times the variance of a share by k-RR [Wang, Blocki, Li & Jha 2017, Section 4.1]."""
    grown = math.exp(epsilon)
    return (n - 2 + grown) / (grown - 1) ** 2 + share * (n - 2) / (grown - 1)


def variance_unary(epsilon: float, optimised: bool = True, share: float = 0.0) -> float:
    """The same by unary reports [Wang, Blocki, Li & Jha 2017, Sections 4.3 and 4.4]."""
    grown = math.exp(epsilon)
    if optimised:
        return 4 * grown / (grown - 1) ** 2 + share
    half = math.exp(epsilon / 2)
    return half / (half - 1) ** 2 + 0 * share  # its bits are as certain, whatever the share


def bound(prior, posteriors, guessed, accuracy, g, nu, mu, workload) -> float:
    """What tr(B S^-1 B') cannot fall below, from any G, nu and mu and the list of all posteriors (`optimise.design`)."""
    mu, (values, vectors) = max(mu, 0.0), np.linalg.eigh((g + g.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0))
    violation = ((posteriors @ root) ** 2).sum(axis=1) - posteriors @ nu - mu * guessed
    least = 2 * np.linalg.svd((workload * prior) @ root, compute_uv=False).sum()
    return float(least - nu @ prior - mu * accuracy - violation.max())


def variance_subset(n, epsilon, share, size=None):
    """[Ye & Barg 2018] Of subset selection: N times the variance of a share, the true shares given.

    A set holds the own answer with probability `own`, any other with `other`; the share is estimated by (its share among
    the sets - other) / (own - other). The best size of a set is n / (e^ε + 1), rounded, and at least 1.
    """
    growth = math.exp(epsilon)
    size = size or max(1, round(n / (growth + 1)))
    own = size * growth / (size * growth + n - size)
    other = own * (size - 1) / (n - 1) + (1 - own) * size / (n - 1)
    return (share * own * (1 - own) + (1 - share) * other * (1 - other)) / (own - other) ** 2
