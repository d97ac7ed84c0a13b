"""[Huang & Du III] Any randomizing matrix, for one categorical attribute or for several.

``M[y, x]`` is the probability that the true answer x is reported as y; columns sum to one. Several
attributes are disguised independently, each by its own matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import generator
from ppdm.compiled import njit
from ppdm.disguise.mechanism import Mechanism, collect
from ppdm.table import Domain, Table, held, listed, whole_counts

#: Random numbers are drawn in pieces that stay in the processor's cache.
_PIECE = 1 << 15
_ONLY = None  # the name under which the matrix of a one-attribute scheme is kept


class RRMatrix(Mechanism):
    """[Huang & Du III.A] Disguise by a matrix of reporting probabilities.

    Parameters
    ----------
    M
        A matrix (outputs x inputs) for records of one attribute, or a mapping from attribute
        names to matrices. Attributes without a matrix are not disguised.
    outputs, inputs
        Labels of the reports and of the true answers, in the order of rows and columns (mappings
        if M is one). By default the levels of the records; for a matrix with more outputs than
        inputs, 0, 1, 2, ...
    prior
        With more outputs than inputs, many left inverses undo the disguise without bias. The one
        used is weighted least squares with weights 1 / (M prior): the best if the prior is the
        true distribution, unbiased in any case. Default: all answers equally likely.

    >>> scheme = RRMatrix([[.7, .2, .1], [.2, .6, .3], [.1, .2, .6]])
    >>> scheme.undo_vector([.43, .34, .23]).round(12)
    array([0.5, 0.3, 0.2])
    """

    def __init__(
        self,
        M: np.ndarray | Mapping[str, np.ndarray],
        outputs: Sequence | Mapping[str, Sequence] | None = None,
        inputs: Sequence | Mapping[str, Sequence] | None = None,
        prior: Sequence[float] | Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.matrices = {name: _with_inverse(m) for name, m in _by_name(M, M).items()}
        self.outputs = {n: tuple(labels) for n, labels in _by_name(outputs, M).items()}
        self.inputs = {n: tuple(labels) for n, labels in _by_name(inputs, M).items()}
        self.prior = {n: held(np.array(p, dtype=float)) for n, p in _by_name(prior, M).items()}
        for labels, side in (
            (self.outputs, "outputs"),
            (self.inputs, "inputs"),
            (self.prior, "prior"),
        ):
            unknown = [name for name in labels if name not in self.matrices]
            if unknown:
                raise ValueError(
                    f"{side} name {listed(unknown)}; there are matrices for {listed(self.matrices)}"
                )
        for name, chances in self.prior.items():
            if chances.shape != self.matrices[name].shape[1:]:
                raise ValueError(
                    f"the matrix has {self.matrices[name].shape[1]} inputs; "
                    f"the prior has {chances.size} probabilities"
                )
        for labels, side, axis in ((self.outputs, "outputs", 0), (self.inputs, "inputs", 1)):
            for name, values in labels.items():
                size = self.matrices[name].shape[axis]
                if len(values) != size:
                    raise ValueError(f"the matrix has {size} {side}; {len(values)} labels given")

    # -- known families --------------------------------------------------------------------

    @classmethod
    def warner(cls, n: int, p: float) -> RRMatrix:
        """[Huang & Du III.B] The truth with probability p, else one of the others; also k-RR.

        >>> RRMatrix.warner(2, 0.7).M
        array([[0.7, 0.3],
               [0.3, 0.7]])
        """
        _check_answers(n)
        if not 0 <= p <= 1:
            raise ValueError(f"p is a probability, from 0 to 1; got {p!r}")
        return cls(warner(p, n)[0])

    @classmethod
    def uniform_perturbation(cls, n: int, q: float) -> RRMatrix:
        """[Huang & Du III.B] Kept with probability q, else drawn from all n answers.

        q may go below 0, down to -1/(n-1), where the true answer is never reported.
        """
        _check_answers(n)
        if not -1 / (n - 1) - 1e-15 <= q <= 1:
            raise ValueError(f"q goes from -1/(n-1) = {-1 / (n - 1):.4g} to 1; got {q!r}")
        return cls(np.maximum(uniform_perturbation(q, n)[0], 0))

    @classmethod
    def frapp(cls, n: int, lam: float) -> RRMatrix:
        """[Huang & Du III.B] The truth λ times as likely as any other report, λ >= 0."""
        _check_answers(n)
        if not 0 <= lam < math.inf:
            raise ValueError(f"lam goes from 0 up and is finite; got {lam!r}")
        return cls(frapp(lam, n)[0])

    @property
    def M(self) -> np.ndarray:
        """The matrix of a one-attribute scheme."""
        if list(self.matrices) != [_ONLY]:
            raise ValueError("a scheme for several attributes has no single matrix; see .matrices")
        return self.matrices[_ONLY]

    def __repr__(self) -> str:
        sizes = {name: m.shape for name, m in self.matrices.items()}
        return f"RRMatrix({sizes.get(_ONLY, sizes)})"

    # -- the respondent --------------------------------------------------------------------

    @property
    def named(self) -> tuple[str, ...] | None:
        return None if _ONLY in self.matrices else tuple(self.matrices)

    def disguise_codes(
        self, codes: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        self.check_all(domain)
        codes = np.asarray(codes, dtype=np.int64)
        reported = self.reported(domain)
        named = self._matrices_in(domain)
        if len(domain.names) == 1 and named:
            return _draw_reports(codes, named[domain.names[0]], rng)
        return reported.codes(self.disguise_digits(domain.digits(codes), domain, rng))

    def disguise_digits(
        self, digits: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        self.check_all(domain)
        digits = np.array(digits, dtype=np.int64)
        for name, matrix in self._matrices_in(domain).items():
            axis = domain.axis(name)
            digits[:, axis] = _draw_reports(digits[:, axis], matrix, rng)
        return digits

    def count_reports(self, answers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Disguise coded answers (0 to n-1) to one question and count the reports, in one pass.

        >>> RRMatrix.warner(3, 1.0).count_reports(np.array([0, 2, 2]), np.random.default_rng(1))
        array([1, 0, 2])
        """
        rng, (outputs, inputs) = generator(rng), self.M.shape
        answers = _coded(answers, inputs)
        keep, targets = _alias_tables(self.M)
        counts = np.zeros(outputs, dtype=np.int64)
        reports = np.empty(_PIECE, dtype=np.int64)
        for start in range(0, len(answers), _PIECE):
            part = answers[start : start + _PIECE]
            _look_up(part, rng.random(len(part)), keep, targets, outputs, reports)
            counts += np.bincount(reports[: len(part)], minlength=outputs)
        return counts

    def disguise_table(self, table: Table, rng: np.random.Generator) -> Table:
        rng = generator(rng)
        self.check_all(table.domain)
        cells, counts = whole_counts(table)
        reported = self.reported(table.domain)
        digits = table.domain.digits(cells)
        for name, matrix in self._matrices_in(table.domain).items():
            axis = table.domain.axis(name)
            drawn = rng.multinomial(counts, matrix.T[digits[:, axis]])
            source, report = np.nonzero(drawn)
            digits = digits[source]
            digits[:, axis] = report
            counts = drawn[source, report]
        return collect(reported, reported.codes(digits), counts, like=table)

    # -- the collector ---------------------------------------------------------------------

    def reported(self, domain: Domain) -> Domain:
        return self._other_side(domain, 1)

    def true_domain(self, reported: Domain) -> Domain:
        """The domain of the true answers behind a domain of reports."""
        return self._other_side(reported, 0)

    def _other_side(self, domain: Domain, side: int) -> Domain:
        """The true domain behind one of reports (side 0), the reported one of true answers (1)."""
        sides = (
            ("outputs", self.outputs, "rows; the table has {} reports"),
            ("inputs", self.inputs, "columns; the attribute has {} levels"),
        )
        (word, known, told), (_, wanted, _) = sides[side], sides[1 - side]
        levels: dict[str, tuple] = {}
        for name, matrix in self._matrices_in(domain).items():
            here, key = domain.levels[domain.axis(name)], self._key(name)
            if matrix.shape[side] != len(here):
                raise ValueError(
                    f"the matrix for {name!r} has {matrix.shape[side]} {told.format(len(here))}: "
                    f"{listed(here)}"
                )
            _as_labelled(name, word, known.get(key), here)
            square = matrix.shape[0] == matrix.shape[1]
            default = here if square else tuple(range(matrix.shape[1 - side]))
            levels[name] = wanted.get(key, default)
        return domain.with_levels(levels)

    def apply(self, table: Table) -> Table:
        self.check_part(table.domain)
        return self._along_axes(table, self.reported(table.domain), lambda name, m: m)

    def undo(self, table: Table) -> Table:
        """[Huang & Du, Eq. 2] The estimated table of true answers, by inversion."""
        self.check_part(table.domain)
        domain = self.true_domain(table.domain)
        return self._along_axes(table, domain, lambda name, m: self.left_inverse(name))

    def undo_vector(self, shares: Sequence[float]) -> np.ndarray:
        """:meth:`undo` for the reported shares (or counts) of one attribute."""
        return self.left_inverse() @ np.asarray(shares, dtype=float)

    def left_inverse(self, name: str | None = _ONLY) -> np.ndarray:
        """L with L M = 1: the inverse, or weighted least squares if there are more outputs."""
        key = self._key(name)
        return left_inverse(self.matrices[key], self.prior.get(key))

    def unbiased(self, right: Callable, codes: np.ndarray, domain: Domain) -> np.ndarray:
        self.check_part(domain)
        true = self.true_domain(domain)
        everywhere = Table(true, right(true.digits(np.arange(true.size))))
        estimates = self._along_axes(everywhere, domain, lambda name, m: self.left_inverse(name).T)
        return estimates.values[codes]

    def _along_axes(self, table: Table, domain: Domain, choose: Callable) -> Table:
        values = table.dense
        for name, matrix in self._matrices_in(table.domain).items():
            axis = table.domain.axis(name)
            values = np.moveaxis(np.tensordot(choose(name, matrix), values, (1, axis)), 0, axis)
        return Table(domain, values.reshape(-1))

    # -- the attacker ----------------------------------------------------------------------

    def epsilon(self, attribute: str | None = None, domain: Domain | None = None) -> float:
        """Local differential privacy of one answer, or of the record (the sum over attributes).

        >>> RRMatrix.warner(10, 0.5).epsilon()
        2.1972245773362196
        """
        if attribute is not None and self._key(attribute) not in self.matrices:
            return math.inf
        if domain is not None and len(self._matrices_in(domain)) < len(domain.names):
            return math.inf
        wanted = self.matrices if attribute is None else [self._key(attribute)]
        return sum(matrix_epsilon(self.matrices[key]) for key in wanted)

    def likelihood(self, report: np.ndarray, domain: Domain) -> np.ndarray:
        named = self._matrices_in(domain)
        rows = [
            named[name][said] if name in named else np.arange(size) == said
            for name, said, size in zip(domain.names, report, domain.shape, strict=True)
        ]
        return reduce(np.multiply.outer, [np.asarray(row, dtype=float) for row in rows]).reshape(-1)

    def _likeliest(self, prior: Table) -> np.ndarray:
        self.check_part(prior.domain)
        best = prior.dense
        for name, matrix in self._matrices_in(prior.domain).items():
            axis = prior.domain.axis(name)
            moved = np.moveaxis(best, axis, -1)
            best = np.moveaxis((moved[..., None, :] * matrix).max(axis=-1), -1, axis)
        return best.reshape(-1)

    def _told_truth(self, prior: Table) -> Table:
        """The chance that the report equals the true answers; no branch says "truth" here."""
        values = prior.dense
        for name, matrix in self._matrices_in(prior.domain).items():
            if matrix.shape[0] != matrix.shape[1]:
                raise ValueError("with more outputs than inputs a report is not a true answer")
            shape = [1] * values.ndim
            shape[prior.domain.axis(name)] = -1
            values = values * np.diag(matrix).reshape(shape)
        return Table(self.reported(prior.domain), values.reshape(-1))

    # -- names -----------------------------------------------------------------------------

    def _key(self, name: str | None) -> str | None:
        return _ONLY if _ONLY in self.matrices else name

    def _matrices_in(self, domain: Domain) -> dict[str, np.ndarray]:
        if _ONLY in self.matrices:
            if len(domain.names) != 1:
                raise ValueError(
                    f"one matrix disguises one attribute; the records have "
                    f"{len(domain.names)}: name it, as in RRMatrix({{{domain.names[0]!r}: M}})"
                )
            return {domain.names[0]: self.matrices[_ONLY]}
        return {n: self.matrices[n] for n in domain.names if n in self.matrices}


def left_inverse(M: ArrayLike, prior: ArrayLike | None = None) -> np.ndarray:
    """The matrix L with L M = 1 that weighted least squares uses (weights 1 / (M prior)).

    >>> left_inverse(np.array([[.75, .25], [.25, .75]]))
    array([[ 1.5, -0.5],
           [-0.5,  1.5]])
    """
    M = np.asarray(M, dtype=float)
    outputs, inputs = M.shape
    if np.linalg.matrix_rank(M) < inputs:
        raise ValueError(
            "the matrix has no left inverse: some mixtures of true answers give the same reports"
        )
    if outputs == inputs:
        return np.linalg.inv(M)
    prior = np.full(inputs, 1 / inputs) if prior is None else np.asarray(prior, dtype=float)
    reports = M @ prior
    possible = reports > 0
    weighted = M[possible].T / reports[possible]
    inverse = np.zeros((inputs, outputs))
    inverse[:, possible] = np.linalg.solve(weighted @ M[possible], weighted)
    return inverse


def matrix_epsilon(M: np.ndarray) -> float:
    """The largest log ratio within a row of M: local differential privacy of one answer.

    >>> round(matrix_epsilon([[0.75, 0.25], [0.25, 0.75]]), 6)
    1.098612
    """
    M = np.asarray(M, dtype=float)
    rows = M[M.max(axis=1) > 0]
    if (rows == 0).any():
        return math.inf
    return float(np.log(rows.max(axis=1) / rows.min(axis=1)).max())


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


def _by_name(values: Any, M: Any) -> dict:
    """The matrix, labels or prior of each attribute; a bare one belongs to the only attribute."""
    if values is None:
        return {}
    return dict(values) if isinstance(M, Mapping) else {_ONLY: values}


def checked_matrix(M: np.ndarray) -> np.ndarray:
    """A randomizing matrix as floats: its entries are probabilities, its columns sum to one.

    >>> checked_matrix([[0.7, 0.3], [0.4, 0.6]])
    Traceback (most recent call last):
    ValueError: the columns of a randomizing matrix sum to one; column 0 sums to 1.1
        (M[y, x] = P(reported y | true x))
    """
    M = np.array(M, dtype=float)
    if M.ndim != 2:
        raise ValueError(f"a randomizing matrix has two dimensions; got {M.ndim}")
    if not np.isfinite(M).all() or (M < 0).any() or (M > 1 + 1e-12).any():
        raise ValueError("the entries of a randomizing matrix are probabilities, from 0 to 1")
    sums = M.sum(axis=0)
    if not M.size or np.abs(sums - 1).max() > 1e-9:
        worst = int(np.abs(sums - 1).argmax()) if M.size else 0
        raise ValueError(
            f"the columns of a randomizing matrix sum to one; column {worst} sums to "
            f"{sums[worst] if M.size else 0:.6g} (M[y, x] = P(reported y | true x))"
        )
    return M


def _with_inverse(M: np.ndarray) -> np.ndarray:
    M = np.array(M, dtype=float)
    if M.ndim == 2 and M.shape[0] < M.shape[1]:
        raise ValueError(
            f"a matrix with {M.shape[0]} outputs for {M.shape[1]} inputs has no left inverse: "
            "it needs as many outputs as inputs, or more"
        )
    M = checked_matrix(M)
    if (M > 1).any() or (M[:-1].sum(axis=0) > 1 + 1e-12).any():  # numpy draws no counts with such
        M /= M.sum(axis=0)
    return held(M)


def _as_labelled(name: str, side: str, labels: tuple | None, levels: tuple) -> None:
    """Refuse answers in another order than the matrix has them: its rows would be mixed up."""
    if labels is not None and labels != levels:
        raise ValueError(
            f"the {side} of the matrix for {name!r} are {listed(labels)}; "
            f"the records have {listed(levels)}"
        )


def _check_answers(n: int) -> None:
    if n < 2:
        raise ValueError(f"a question has at least two answers; got n = {n}")


def _draw_reports(answers: np.ndarray, M: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One report for each coded answer."""
    answers = _coded(answers, M.shape[1])
    keep, targets = _alias_tables(M)
    reports = np.empty(len(answers), dtype=np.int64)
    for start in range(0, len(answers), _PIECE):
        part = slice(start, start + _PIECE)
        chances = rng.random(len(answers[part]))
        _look_up(answers[part], chances, keep, targets, len(M), reports[part])
    return reports


def _coded(answers: np.ndarray, inputs: int) -> np.ndarray:
    """The answers, if they are whole numbers that the matrix has columns for."""
    answers = np.asarray(answers)
    if answers.ndim != 1 or (len(answers) and answers.dtype.kind not in "iub"):
        raise ValueError(
            f"answers are a list of whole numbers, coded 0 to {inputs - 1}; got an array of "
            f"{answers.dtype} with the shape {answers.shape}"
        )
    if len(answers) and not (answers.min() >= 0 and answers.max() < inputs):
        raise ValueError(
            f"answers are coded 0 to {inputs - 1}; got {answers.min()} to {answers.max()}"
        )
    return answers.astype(np.int64) if answers.dtype.kind == "u" else answers


def _alias_tables(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Walker's tables: drawing a report costs one look-up, whatever the number of outputs.

    Every input has `outputs` slots of equal probability; slot y keeps the report y with chance
    ``keep[x, y]`` and hands the rest to one other report. `targets` holds both, side by side.
    """
    outputs, inputs = M.shape
    keep = np.ones((inputs, outputs))
    other = np.tile(np.arange(outputs), (inputs, 1))
    for x in range(inputs):
        height = M[:, x] * outputs
        low = [y for y in range(outputs) if height[y] < 1]
        high = [y for y in range(outputs) if height[y] >= 1]
        while low and high:
            small, tall = low.pop(), high[-1]
            keep[x, small], other[x, small] = height[small], tall
            height[tall] -= 1 - height[small]
            if height[tall] < 1:
                low.append(high.pop())
    own = np.tile(np.arange(outputs), (inputs, 1))
    return keep.reshape(-1), np.stack([own, other], axis=-1).reshape(-1)


@njit(cache=True)
def _look_up(
    answers: np.ndarray,
    chances: np.ndarray,
    keep: np.ndarray,
    targets: np.ndarray,
    outputs: int,
    reports: np.ndarray,
) -> None:
    """Without a branch: half of the coins would be guessed wrong, ten times slower."""
    for i in range(len(answers)):
        place = chances[i] * outputs
        column = np.int64(place)
        slot = answers[i] * outputs + column
        reports[i] = targets[2 * slot + (place - column >= keep[slot])]
