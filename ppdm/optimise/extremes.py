"""The extreme posteriors of each kind of privacy, and the one that breaks an inequality most.

Under epsilon-LDP a report is more likely by 1 or by e^epsilon: with v in {1, e^epsilon}^n,

    p = v P / (v'P)    (entry by entry),    p'Gp - nu'p = v'Qv / (v'P)^2,
    Q = D G D - (D nu P' + P nu' D) / 2.

So the question whether any of 2^n - 2 posteriors breaks its inequality is a quadratic form over the
corners of a cube, and one goes through all corners: half of the coordinates is fixed, then the form
is a table over the other half plus a linear function. 2^32 corners take some seconds.
"""

from __future__ import annotations

import numpy as np

from ppdm.compiled import njit, refuse_slow
from ppdm.optimise.design import Points, Priced

__all__ = ["LDP", "Listed", "largest_forms", "quadratic"]

#: So many posteriors are added at once; fewer where there are many answers, as each costs more then.
AT_ONCE, AT_ONCE_OF_MANY = 200, 120
#: From more answers on there are many.
MANY = 14
#: Up to so many coordinates, all corners are looked at in no time.
QUICK = 20
#: From this epsilon on v'P is far above 1 at every corner but P itself, and v'Qv far above the violation.
STRONG = 6.0


class Listed:
    """Posteriors that are few enough to be listed.

    >>> truth = Listed(np.array([0.5, 0.5]), np.eye(2), np.zeros(2))
    >>> truth.price(np.eye(2), np.zeros(2), 0.0, truth.start(), rough=False).violation
    1.0
    """

    def __init__(self, prior: np.ndarray, posteriors: np.ndarray, guessed: np.ndarray) -> None:
        self.prior, self.points = prior, Points(posteriors, guessed)

    def start(self) -> Points:
        """All of them if they are few, else a part and P itself, which tells nothing."""
        p, guess = self.points
        if len(p) <= 2 * AT_ONCE:
            return self.points
        part = np.unique(np.linspace(0, len(p) - 1, 2 * AT_ONCE).astype(int))
        blind = self.prior.max() if guess.any() else 0.0
        return Points(np.vstack([self.prior, p[part]]), np.append(blind, guess[part]))

    def price(
        self, g: np.ndarray, nu: np.ndarray, mu: float, points: Points, rough: bool
    ) -> Priced:
        """The worst of the list: the number is exact."""
        p, guess = self.points
        broken = np.einsum("ij,ij->i", p @ g, p) - p @ nu - mu * guess
        worst = np.argsort(-broken, kind="stable")[:AT_ONCE]
        worst = worst[broken[worst] > 0]
        return Priced(Points(p[worst], guess[worst]), float(broken.max()))


class LDP:
    """The posteriors under epsilon-LDP.

    >>> LDP(np.array([0.5, 0.5]), np.log(3)).points(np.array([[1, 0]])).posteriors
    array([[0.75, 0.25]])
    """

    def __init__(self, prior: np.ndarray, epsilon: float) -> None:
        self.prior, self.high = prior, float(np.exp(epsilon))
        # (v'P)^2 is no smaller, but where v = 1: and that is P, as is v = e^epsilon everywhere.
        self.least = (1 + (self.high - 1) * prior.min()) ** 2 if epsilon > STRONG else 1.0

    def points(self, likely: np.ndarray) -> Points:
        """The posteriors of reports that are likelier for some answers: a row of 0 and 1 each."""
        joint = np.where(likely > 0, self.high, 1.0) * self.prior
        return Points(joint / joint.sum(axis=1, keepdims=True), np.zeros(len(likely)))

    def start(self) -> Points:
        """One answer likelier, all but one, the first few, the last few; and P itself."""
        n = len(self.prior)
        some = np.vstack([np.eye(n), 1 - np.eye(n), np.tri(n)[:-1], 1 - np.tri(n)[:-1]])
        return self.points(np.unique(np.vstack([np.zeros(n), some]), axis=0))

    def price(
        self, g: np.ndarray, nu: np.ndarray, mu: float, points: Points, rough: bool
    ) -> Priced:
        """The worst corners. No violation exceeds the largest v'Qv, if that is positive, by `least`."""
        q = quadratic(self.prior, g, nu)
        exact = not rough or len(q) <= QUICK
        if exact:
            values, corners = largest_forms(q, self.high)
        else:
            ratio = points.posteriors / self.prior
            likely = ratio > ratio.min(axis=1, keepdims=True) * np.sqrt(self.high)
            values, corners = _climbed(q, self.high, likely.astype(float))
        corners, first = np.unique(corners, axis=0, return_index=True)
        values = values[first]
        number = AT_ONCE if len(q) <= MANY else AT_ONCE_OF_MANY
        worst = np.argsort(-values, kind="stable")[:number]
        worst = worst[values[worst] > 0]
        violation = max(float(values.max()), 0.0) / self.least
        return Priced(self.points(corners[worst]), violation, exact)


def quadratic(prior: np.ndarray, g: np.ndarray, nu: np.ndarray) -> np.ndarray:
    """Q with v'Qv = (v'P)^2 (p'Gp - nu'p) for p = v P / (v'P).

    >>> quadratic(np.array([0.5, 0.5]), np.eye(2), np.zeros(2))
    array([[0.25, 0.  ],
           [0.  , 0.25]])
    """
    mixed = np.outer(prior * nu, prior)
    return prior[:, None] * g * prior - (mixed + mixed.T) / 2


def largest_forms(q: np.ndarray, high: float) -> tuple[np.ndarray, np.ndarray]:
    """The largest v'Qv over v in {1, high}^n for each choice of the second half; and where.

    The largest of them is the largest of all.

    >>> values, corners = largest_forms(np.diag([1.0, -1.0]), 3.0)
    >>> float(values.max()), corners[values.argmax()]
    (8.0, array([1., 0.]))
    """
    n, rise = len(q), high - 1
    refuse_slow(2.0**n, f"the extreme posteriors of {n} answers")
    form = rise**2 * q + np.diag(2 * rise * q.sum(axis=1))  # v = 1 + rise z, z of 0 and 1
    half = n // 2
    first, second = _corners(half), _corners(n - half)
    table = np.einsum("ij,jk,ik->i", first, form[:half, :half], first)
    fixed = np.einsum("ij,jk,ik->i", second, form[half:, half:], second)
    slopes = np.ascontiguousarray(2 * second @ form[half:, :half])
    values, where = _largest(table, slopes)
    return values + fixed + q.sum(), np.hstack([first[where], second])


def _corners(k: int) -> np.ndarray:
    return ((np.arange(1 << k)[:, None] >> np.arange(k)) & 1).astype(float)


@njit(nogil=True, fastmath={"nnan", "ninf", "nsz"})
def _largest(table: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row of slopes, the largest table[b] + slopes'b over the corners b, and the corner.

    The linear function is a sum of two small tables, one for each half of b.
    """
    half = slopes.shape[1]
    low = half // 2
    size = 1 << low
    near, far = np.zeros(size), np.zeros(1 << (half - low))
    values = np.empty(len(slopes))
    where = np.empty(len(slopes), np.int64)
    for a in range(len(slopes)):
        for i in range(low):
            for j in range(1 << i):
                near[j + (1 << i)] = near[j] + slopes[a, i]
        for i in range(half - low):
            for j in range(1 << i):
                far[j + (1 << i)] = far[j] + slopes[a, low + i]
        best, block = -np.inf, 0
        for k in range(len(far)):
            part = table[k * size : (k + 1) * size]
            top = part[0] + near[0]
            for j in range(size):
                top = max(top, part[j] + near[j])
            if top + far[k] > best:
                best, block = top + far[k], k
        part = table[block * size : (block + 1) * size]
        values[a], where[a] = best, block * size + (part + near).argmax()
    return values, where


def _climbed(q: np.ndarray, high: float, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners that no change of one or two coordinates betters, from each of some corners."""
    rise = high - 1
    form = rise**2 * q + np.diag(2 * rise * q.sum(axis=1))
    n = len(q)
    pool = np.vstack([starts, starts[:, np.r_[n // 2 : n, 0 : n // 2]], starts[:, ::-1]])
    corners = np.unique(pool, axis=0)
    return _climb(form, corners) + q.sum(), corners


@njit(nogil=True)
def _climb(form: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Changes the corners in place; returns their values z'Az."""
    n = len(form)
    values = np.empty(len(corners))
    turn = np.empty(n)
    for r in range(len(corners)):
        z = corners[r]
        slope = 2 * (form @ z)
        while True:
            best, first, second = 1e-13, -1, -1
            for i in range(n):
                turn[i] = (1 - 2 * z[i]) * slope[i] + form[i, i]
                if turn[i] > best:
                    best, first = turn[i], i
            for i in range(n):
                for j in range(i):
                    both = 2 * (1 - 2 * z[i]) * (1 - 2 * z[j]) * form[i, j]
                    if turn[i] + turn[j] + both > best:
                        best, first, second = turn[i] + turn[j] + both, i, j
            if first < 0:
                break
            for i in (first, second):
                if i >= 0:
                    sign = 1 - 2 * z[i]
                    z[i] += sign
                    slope += 2 * sign * form[:, i]
        values[r] = z @ form @ z
    return values
