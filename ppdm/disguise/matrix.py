"""[Huang & Du III] Any randomizing matrix, for one categorical attribute or for several.

``M[y, x]`` is the probability that the true answer x is reported as y; columns sum to one. Several
attributes are disguised independently, each by its own matrix.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import coins, generator
from ppdm.channel import Matrix, checked_matrix, left_inverse
from ppdm.channel.base import digest
from ppdm.channel.matrix import draw_reports
from ppdm.disguise.mechanism import Mechanism
from ppdm.domain import Domain, Frozen, held, listed
from ppdm.levels import in_order, probability

_ONLY = ""  # the name under which the matrix of a one-attribute scheme is kept


class RRMatrix(Mechanism):
    """[Huang & Du III.A] Disguise by a matrix of reporting probabilities.

    Parameters
    ----------
    M
        A matrix (outputs x inputs) for records of one attribute, or a mapping from attribute
        names to matrices. Attributes without a matrix are not disguised.
    outputs, inputs
        Labels of the reports and of the true answers, in the order of rows and columns (mappings
        if M is one). By default the levels of the records, where these are 0, 1, 2, ... or the
        matrix treats all answers alike; for more outputs than inputs, 0, 1, 2, ...
    prior
        With more outputs than inputs, many left inverses undo the disguise without bias. The one
        used is weighted least squares with weights 1 / (M prior): the best if the prior is the
        true distribution, unbiased in any case. Default: all answers equally likely.

    >>> scheme = RRMatrix([[.7, .2, .1], [.2, .6, .3], [.1, .2, .6]])
    >>> (scheme.left_inverse() @ [.43, .34, .23]).round(12)
    array([0.5, 0.3, 0.2])
    """

    def __init__(
        self,
        M: ArrayLike | Mapping[str, ArrayLike],
        outputs: Sequence | Mapping[str, Sequence] | None = None,
        inputs: Sequence | Mapping[str, Sequence] | None = None,
        prior: Sequence[float] | Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self._one = not isinstance(M, Mapping)
        matrices = {name: _with_inverse(m) for name, m in self._by_name(M).items()}
        if not matrices:
            raise ValueError(
                "a scheme without a matrix protects nobody: name at least one attribute"
            )
        self.matrices = Frozen(matrices)
        self.outputs = self._labels("outputs", outputs, 0)
        self.inputs = self._labels("inputs", inputs, 1)
        priors = {n: held(np.array(p, dtype=float)) for n, p in self._by_name(prior).items()}
        for name, p in priors.items():
            self._refuse_misfit(name, "prior", p, 1, "the prior has {} probabilities")
        self.prior = Frozen(priors)

    def _by_name(self, values: Any) -> dict:
        """The matrix, labels or prior of each attribute; a bare one belongs to the only attribute."""
        if values is None:
            return {}
        return {_ONLY: values} if self._one else dict(values)

    def _labels(self, side: str, given: Any, axis: int) -> Mapping[str, tuple]:
        labels = {
            n: tuple(in_order(f"the {side} of {n!r}", own))
            for n, own in self._by_name(given).items()
        }
        for name, own in labels.items():
            self._refuse_misfit(name, side, own, axis, "{} labels given")
        return Frozen(labels)

    def _refuse_misfit(self, name: str, side: str, values: Any, axis: int, given: str) -> None:
        """Labels and priors belong to a matrix, and are as many as it has rows or columns."""
        if name not in self.matrices:
            raise ValueError(
                f"{side} name {listed([name])}; there are matrices for {listed(self.matrices)}"
            )
        size = self.matrices[name].shape[axis]
        if len(values) != size:
            what = ("outputs", "inputs")[axis]
            raise ValueError(f"the matrix has {size} {what}; {given.format(len(values))}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        params = {
            "M": self.matrices, "outputs": self.outputs, "inputs": self.inputs, "prior": self.prior
        }  # fmt: skip
        return {n: by_name.get(_ONLY) for n, by_name in params.items()} if self._one else params

    # -- known families --------------------------------------------------------------------

    @classmethod
    def warner(cls, n: int, p: float) -> RRMatrix:
        """[Huang & Du III.B] The truth with probability p, else one of the others; also k-RR.

        >>> RRMatrix.warner(2, 0.7).M
        array([[0.7, 0.3],
               [0.3, 0.7]])
        """
        if not isinstance(n, (int, np.integer)) or n < 2:
            raise ValueError(f"a question has two answers or more, a whole number; got n = {n!r}")
        return cls(warner(probability("p", p), n)[0])

    @property
    def M(self) -> np.ndarray:
        """The matrix of a one-attribute scheme."""
        if not self._one:
            raise ValueError("a scheme for several attributes has no single matrix; see .matrices")
        return self.matrices[_ONLY]

    def __repr__(self) -> str:
        sizes = {name: m.shape for name, m in self.matrices.items()}
        return f"RRMatrix({sizes.get(_ONLY, sizes)})"

    @property
    def named(self) -> tuple[str, ...] | None:
        return None if self._one else tuple(self.matrices)

    def channels(self, domain: Domain) -> list[Matrix]:
        parts = [(domain.only([name]), key) for name, key in self._keys(domain)]
        return [self._channel(part, key) for part, key in parts]

    def _channel(self, part: Domain, key: str) -> Matrix:
        M, (name,), (levels,) = self.matrices[key], part.names, part.levels
        if M.shape[1] != len(levels):
            raise ValueError(
                f"the matrix for {name!r} has {M.shape[1]} columns; the attribute has "
                f"{len(levels)} levels: {listed(levels)}"
            )
        if key in self.inputs:
            _refuse_another_order(name, "inputs", self.inputs[key], levels)
        elif not _alike(M) and levels != tuple(range(len(levels))):
            raise ValueError(
                f"the matrix for {name!r} does not treat all answers alike, so it must say which column is "
                f"which: name them, as in RRMatrix({{{name!r}: M}}, inputs={{{name!r}: {list(levels)}}})"
            )
        square = M.shape[0] == M.shape[1]
        reports = self.outputs.get(key, levels if square else tuple(range(len(M))))
        return Matrix(part, part.with_levels({name: reports}), M, self.prior.get(key))

    def true_domain(self, reported: Domain) -> Domain:
        """The domain of the true answers behind a domain of reports."""
        levels = {}
        for name, key in self._keys(reported):
            M, reports = self.matrices[key], reported.levels[reported.axis(name)]
            if M.shape[0] != len(reports):
                raise ValueError(
                    f"the matrix for {name!r} has {M.shape[0]} rows; the table has "
                    f"{len(reports)} reports: {listed(reports)}"
                )
            if key in self.outputs:
                _refuse_another_order(name, "outputs", self.outputs[key], reports)
            square = M.shape[0] == M.shape[1]
            levels[name] = self.inputs.get(key, reports if square else tuple(range(M.shape[1])))
        return reported.with_levels(levels)

    def _keys(self, domain: Domain) -> list[tuple[str, str]]:
        """The attributes that have a matrix, each with the name it is kept under."""
        if not self._one:
            return [(name, name) for name in domain.names if name in self.matrices]
        if len(domain.names) != 1:
            raise ValueError(
                f"one matrix disguises one attribute; the records have "
                f"{len(domain.names)}: name it, as in RRMatrix({{{domain.names[0]!r}: M}})"
            )
        return [(domain.names[0], _ONLY)]

    def _declares(self, names: Sequence[str]) -> Mapping[str, tuple]:
        if self._one:
            return {names[0]: self.inputs[_ONLY]} if _ONLY in self.inputs else {}
        return {name: levels for name, levels in self.inputs.items() if name in names}

    def _own_domain(self, attribute: str | None) -> Domain:
        if self._one:
            levels = tuple(self.inputs.get(_ONLY, range(self.M.shape[1])))
            return Domain((attribute or "answer",), (levels,))
        if attribute is not None and attribute not in self.matrices:
            return super()._own_domain(attribute)
        own = (self.inputs.get(n, range(m.shape[1])) for n, m in self.matrices.items())
        return Domain(tuple(self.matrices), tuple(map(tuple, own)))

    # -- on plain arrays ---------------------------------------------------------------------

    def left_inverse(self, name: str = _ONLY) -> np.ndarray:
        """L with L M = 1: the inverse, or weighted least squares if there are more outputs."""
        key = _ONLY if self._one else name
        return left_inverse(self.matrices[key], self.prior.get(key))

    def count_reports(self, answers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Disguise coded answers (0 to n-1) to one question and count the reports.

        >>> RRMatrix.warner(3, 1.0).count_reports(np.array([0, 2, 2]), np.random.default_rng(1))
        array([1, 0, 2])
        """
        rng = coins(generator(rng), digest(self.M))
        return np.bincount(draw_reports(answers, self.M, rng), minlength=len(self.M))


def _constant_diagonal(diagonal: ArrayLike, n: int) -> np.ndarray:
    diagonal = np.atleast_1d(np.asarray(diagonal, dtype=float))
    off = (1 - diagonal) / (n - 1)
    return off[:, None, None] + (diagonal - off)[:, None, None] * np.eye(n)


def warner(p: ArrayLike, n: int) -> np.ndarray:
    """[Huang & Du, III.B] Warner's matrices: p on the diagonal, (1 - p)/(n - 1) elsewhere.

    >>> warner(0.7, 3)[0].round(2)
    array([[0.7 , 0.15, 0.15],
           [0.15, 0.7 , 0.15],
           [0.15, 0.15, 0.7 ]])
    """
    return _constant_diagonal(p, n)


def uniform_perturbation(q: ArrayLike, n: int) -> np.ndarray:
    """[Huang & Du, III.B] UP: kept with probability q, else drawn evenly from all n answers.

    A matrix results for every q from -1/(n - 1) to 1, though only q >= 0 is a probability.

    >>> uniform_perturbation(0.4, 2)[0].round(2)
    array([[0.7, 0.3],
           [0.3, 0.7]])
    """
    q = np.asarray(q, dtype=float)
    return _constant_diagonal(q + (1 - q) / n, n)


def frapp(lam: ArrayLike, n: int) -> np.ndarray:
    """[Huang & Du, III.B] FRAPP: lambda on the diagonal, 1 elsewhere, divided by their sum.

    lambda runs from 0 to infinity; infinity itself is the identity.

    >>> frapp([1, np.inf], 2)[:, 0, 0]
    array([0.5, 1. ])
    """
    lam = np.asarray(lam, dtype=float)
    finite = np.where(np.isinf(lam), 1.0, lam)
    return _constant_diagonal(np.where(np.isinf(lam), 1.0, finite / (finite + n - 1)), n)


def _with_inverse(M: ArrayLike) -> np.ndarray:
    M = np.array(M, dtype=float)
    if M.ndim == 2 and M.shape[0] < M.shape[1]:
        raise ValueError(
            f"a matrix with {M.shape[0]} outputs for {M.shape[1]} inputs has no left inverse: "
            "it needs as many outputs as inputs, or more"
        )
    M = checked_matrix(M)
    square = M.shape[0] == M.shape[1]
    if square and np.allclose(M.sum(axis=1), 1, atol=1e-9) and not np.allclose(M, M.T, atol=1e-9):
        warnings.warn(
            "the rows of this matrix sum to one, as its columns do, so it cannot be seen whether it was "
            "given by rows: M[y, x] is the chance that the true answer x is reported as y",
            stacklevel=3,
        )
    if (M > 1).any() or (M[:-1].sum(axis=0) > 1 + 1e-12).any():  # numpy draws no counts with such
        M /= M.sum(axis=0)
    return held(M)


def _alike(M: np.ndarray) -> bool:
    """Whether the matrix stays the same however the answers are ordered."""
    if M.shape[0] != M.shape[1]:
        return False
    off = M[~np.eye(len(M), dtype=bool)]
    return bool(np.ptp(np.diag(M)) <= 1e-12 and np.ptp(off) <= 1e-12)


def _refuse_another_order(name: str, side: str, labels: tuple, levels: tuple) -> None:
    """The rows of the matrix would belong to other answers."""
    if labels != levels:
        raise ValueError(
            f"the {side} of the matrix for {name!r} are {listed(labels)}; "
            f"the records have {listed(levels)}, in another order or others"
        )
