"""Certificates: a scheme and the numbers that prove it best, in a small file that can be checked again.

The bound itself is `design.bound`; here it is written to a file, and proved again without a search.
Searching the best scheme of 32 answers takes minutes, checking it takes seconds: from the reports'
weights comes the noise of the scheme, and with nu the bound below which no scheme can go, once more
over all 2^32 extreme posteriors (or all that delta allows). Nothing of the search is trusted.

A file names its question (the prior's numerators, epsilon or delta, the workload) and holds for each
report its weight and what makes its posterior: under epsilon-LDP the answers for which it is likelier,
as the bits of a number; under delta the answers of probability delta, and last that of the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ppdm.files import replace_file
from ppdm.optimise.design import best_design, factor, gap_of
from ppdm.optimise.extremes import LDP, Listed
from ppdm.optimise.frontier import EDGE, NO_NOISE, bounded_atoms, reduced, scheme_matrix
from ppdm.optimise.objectives import noise
from ppdm.optimise.workloads import workload_of

__all__ = ["STORED", "Certificate", "Checked", "certified", "check", "question", "stored"]

STORED = Path(__file__).parent / "stored"
FORMAT = "ppdm certificate"
#: What the stored certificates are about: 32 answers, five of two levels each where pairs are asked.
ANSWERS, SHAPE, EPSILON, DELTA = 32, (2, 2, 2, 2, 2), 1.0, 0.3


class Certificate(NamedTuple):
    """A question, the weights and posteriors of a scheme for it, and nu.

    >>> c = question("epsilon", 1.0, [1, 2, 3], "prefixes")
    >>> c.prior.round(3), c.weights.size
    (array([0.167, 0.333, 0.5  ]), 0)
    """

    kind: str  # "epsilon" or "delta"
    level: float
    numerators: tuple[int, ...]  # the prior, as whole numbers
    workload: str
    shape: tuple[int, ...] | None
    reports: tuple[Any, ...] = ()
    weights: np.ndarray = np.empty(0)
    nu: np.ndarray = np.empty(0)

    @property
    def prior(self) -> np.ndarray:
        return np.array(self.numerators, dtype=float) / sum(self.numerators)

    @property
    def rows(self) -> np.ndarray:
        return workload_of(self.workload, self.prior, self.shape)

    @property
    def posteriors(self) -> np.ndarray:
        n = len(self.numerators)
        if self.kind == "epsilon":
            bits = (np.array(self.reports, dtype=np.int64)[:, None] >> np.arange(n)) & 1
            return LDP(self.prior, self.level).points(bits).posteriors
        full = int(1 / self.level + EDGE)
        out = np.zeros((len(self.reports), n))
        for row, answers in zip(out, self.reports, strict=True):
            row[list(answers[:full])] = self.level
            row[list(answers[full:])] = 1 - full * self.level
        return out

    def save(self, path: Path) -> None:
        """Write the certificate as JSON."""
        plain = {"format": FORMAT, **self._asdict()}
        plain |= {"weights": self.weights.tolist(), "nu": self.nu.tolist()}
        replace_file(path, (json.dumps(plain, separators=(",", ":")) + "\n").encode())

    @classmethod
    def load(cls, path: Path) -> Certificate:
        """The inverse of :meth:`save`."""
        plain = json.loads(path.read_text())
        if not isinstance(plain, dict) or plain.pop("format", None) != FORMAT:
            raise ValueError(f"{path} is no certificate: its format is not {FORMAT!r}")
        shape = None if plain["shape"] is None else tuple(plain["shape"])
        reports = [tuple(r) if isinstance(r, list) else r for r in plain["reports"]]
        arrays = {key: np.array(plain[key], dtype=float) for key in ("weights", "nu")}
        return cls(
            plain["kind"],
            plain["level"],
            tuple(plain["numerators"]),
            plain["workload"],
            shape,
            tuple(reports),
            **arrays,
        )


class Checked(NamedTuple):
    """What a certificate shows: the noise of its scheme, and what no scheme can go below.

    >>> Checked(2.0, 1.6, np.eye(2)).gap
    0.25
    """

    noise: float
    bound: float
    matrix: np.ndarray

    @property
    def gap(self) -> float:
        return gap_of(self.noise, self.bound) if self.noise else 0.0  # less than none cannot be had


def question(
    kind: str,
    level: float,
    numerators: Sequence[int],
    workload: str,
    shape: Sequence[int] | None = None,
) -> Certificate:
    """A certificate that is still empty.

    >>> question("delta", 0.8, [1, 1], "cells").workload
    'cells'
    """
    if kind not in ("epsilon", "delta"):
        raise ValueError(f"privacy is bounded by epsilon or by delta; got {kind!r}")
    return Certificate(
        kind, float(level), tuple(numerators), workload, None if shape is None else tuple(shape)
    )


def certified(asked: Certificate, gap: float = 1e-6) -> Certificate:
    """The certificate of the best scheme for a question: this searches.

    >>> one = certified(question("epsilon", 1.0, [1] * 4, "cells"))
    >>> len(one.reports), round(check(one).noise, 3)
    (4, 7.556)
    """
    design = best_design(asked.prior, _family(asked), asked.rows, gap=gap)
    w, posteriors = reduced(design)
    used = w > 0
    w, posteriors = w[used], posteriors[used]
    ratio = posteriors / asked.prior
    reports: list[Any] = []
    if asked.kind == "epsilon":
        likely = ratio > ratio.min(axis=1, keepdims=True) * np.exp(asked.level / 2)
        reports = [int((1 << np.flatnonzero(row)).sum()) for row in likely]
    else:
        for row in posteriors:
            answers = np.flatnonzero(row)
            first = answers[row[answers] > asked.level - EDGE]
            reports.append((*first.tolist(), *sorted(set(answers.tolist()) - set(first.tolist()))))
    return asked._replace(reports=tuple(reports), weights=w, nu=design.nu)


def check(certificate: Certificate) -> Checked:
    """The noise of a certificate's scheme and the bound, both computed anew from the file's numbers.

    A bound that is not positive, or above the noise, proves nothing: such a certificate is refused.

    >>> check(certified(question("delta", 0.8, [3, 2], "cells"))).gap < 1e-6
    True
    """
    prior, rows, posteriors = certificate.prior, certificate.rows, certificate.posteriors
    if not (certificate.weights > 0).all() or len(certificate.weights) != len(posteriors):
        raise ValueError("a certificate has a positive weight for each report")
    if not np.allclose(posteriors.sum(axis=1), 1):
        raise ValueError(
            "a report of the certificate lacks answers or has one twice: what it tells of each answer "
            "does not sum to one"
        )
    matrix = scheme_matrix(certificate.weights, posteriors, prior)
    if len(matrix) != len(posteriors):
        raise ValueError(
            "the certificate proves nothing: its weights make no scheme; search it anew"
        )
    w = matrix @ prior
    b = factor(rows) * prior
    u = np.linalg.solve((posteriors.T * w) @ posteriors, b.T)
    g = u @ u.T
    family = _family(certificate)
    priced = family.price(g, certificate.nu, 0.0, family.start(), rough=False)
    # 2 tr((B G B')^(1/2)) is twice the sum of the singular values of B u, and so no less than this
    lower = 2 * np.trace(b @ u) - certificate.nu @ prior - priced.violation
    exact = float(np.einsum("ij,j,ij->", rows, prior, rows))
    added = float(noise(matrix, prior, rows))
    outcome = Checked(added if added > NO_NOISE * exact else 0.0, float(lower - exact), matrix)
    if not np.isfinite([outcome.gap, outcome.bound]).all():
        raise ValueError(
            f"the certificate proves nothing: its numbers give the bound {outcome.bound:.6g} for the noise "
            f"{outcome.noise:.6g}, and a bound lies between 0 and the noise; search it anew"
        )
    return outcome


def stored() -> dict[str, Path]:
    """The certificates that come with the package, by the names of their files.

    >>> all(path.suffix == ".json" for path in stored().values())
    True
    """
    return {path.stem: path for path in sorted(STORED.glob("*.json"))}


def _family(asked: Certificate) -> LDP | Listed:
    if asked.kind == "epsilon":
        return LDP(asked.prior, asked.level)
    posteriors = bounded_atoms(asked.prior, asked.level)
    return Listed(asked.prior, posteriors, np.zeros(len(posteriors)))


def _store() -> None:
    """Search the stored certificates anew: some minutes each."""
    for kind, level in (("delta", DELTA), ("epsilon", EPSILON)):
        for workload in ("cells", "prefixes", "pairs"):
            shape = SHAPE if workload == "pairs" else None
            asked = question(kind, level, range(1, ANSWERS + 1), workload, shape)
            certified(asked).save(STORED / f"{kind}-{workload}.json")


if __name__ == "__main__":
    _store()
