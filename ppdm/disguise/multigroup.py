"""[Zhan & Du 4] Multi-group randomized response, the related-question model.

The attributes are split into groups. In each group, independently of the others, a respondent
tells the truth about all answers with probability θ, else reverses all of them. For one group the
map on the counts of a cell E and its reversal Ē is

    P*(E) = θ P(E) + (1-θ) P(Ē)        P*(Ē) = (1-θ) P(E) + θ P(Ē)

and for several groups [Eqs. (5) to (8)] the Kronecker product of such maps, so it is undone one
group after the other and the large matrix is never formed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ppdm.chance import generator
from ppdm.channel import Flip
from ppdm.disguise.mechanism import Mechanism
from ppdm.domain import Domain, listed
from ppdm.levels import probability


class MultiGroup(Mechanism):
    """[Zhan & Du 4.2 to 4.4] Truth with probability θ, else the reverse, group by group.

    Parameters
    ----------
    theta
        Probability of the truth in each group.
    groups
        Lists of attribute names. Attributes in no group are not disguised (4.5, 4.7). ``None``
        puts all attributes into one group.
    absent
        The level that stands for an answer not given, if there is one: reversed, it stays as it is.

    The class label is an attribute like any other: name it in a group, or leave it out.

    >>> import pandas as pd
    >>> from ppdm import count
    >>> answers = count(pd.DataFrame({"A": [1, 1, 1, 0], "B": [1, 1, 0, 0]}))
    >>> scheme = MultiGroup(0.8)
    >>> scheme.apply(answers).dense.round(2)
    array([[1.2, 0.2],
           [0.8, 1.8]])
    >>> scheme.undo(scheme.apply(answers)).dense.round(12)
    array([[1., 0.],
           [1., 2.]])
    """

    def __init__(
        self, theta: float, groups: Sequence[Sequence[str]] | None = None, absent: object = None
    ) -> None:
        self.theta = probability("theta", theta)
        if not isinstance(absent, Hashable):
            raise ValueError(f"absent is one level; got {absent!r}")
        self.absent = absent
        self.groups = None if groups is None else as_groups(groups)

    def __repr__(self) -> str:
        return f"MultiGroup(theta={self.theta:g}, groups={self.groups})"

    @property
    def named(self) -> tuple[str, ...] | None:
        return None if self.groups is None else tuple(n for group in self.groups for n in group)

    def channels(self, domain: Domain) -> list[Flip]:
        parts = [domain.only(group) for group in self.groups_in(domain)]
        return [Flip(part, part, self.theta, self._turned(part)) for part in parts]

    def groups_in(self, domain: Domain) -> tuple[tuple[str, ...], ...]:
        """The groups, each cut down to the attributes that a (marginal) table has.

        >>> MultiGroup(0.8, [["A", "B"], ["C"]]).groups_in(Domain(("B",), ((0, 1),)))
        (('B',),)
        """
        return present(self.groups, domain)

    def _turned(self, part: Domain) -> tuple[tuple[int, ...], ...]:
        """Which level each level is reversed into; the absent one stays."""
        reversals = []
        for name, levels in zip(part.names, part.levels, strict=True):
            pair = [i for i, x in enumerate(levels) if self.absent is None or x != self.absent]
            if len(pair) != 2:
                raise ValueError(
                    f"only two-valued answers can be reversed; {name!r} has the levels "
                    f"{listed(levels)} (for more than two use UnrelatedQuestion or "
                    "RRMatrix, or leave it out of the groups)"
                )
            low, high = pair
            reversals.append(tuple({low: high, high: low}.get(i, i) for i in range(len(levels))))
        return tuple(reversals)

    def _own_domain(self, attribute: str | None) -> Domain:
        if self.named is None or (attribute is not None and attribute not in self.named):
            return super()._own_domain(attribute)
        levels = (0, 1) if self.absent is None else ("no", "yes", self.absent)
        return Domain(self.named, (levels,) * len(self.named))


def random_groups(names: Sequence[str], number: int, rng: np.random.Generator) -> list[list[str]]:
    """[Zhan & Du 5.2] Split attributes at random into groups whose sizes differ by at most one.

    Parameters
    ----------
    names
        The attributes.
    number
        How many groups.
    rng
        The source of chance.

    Returns
    -------
    list of list of str
        The groups.

    Raises
    ------
    ValueError
        If there are fewer attributes than groups.

    Examples
    --------
    >>> random_groups(["A", "B", "C"], 2, np.random.default_rng(1))
    [['A', 'B'], ['C']]
    """
    if not 1 <= number <= len(names):
        raise ValueError(f"{len(names)} attributes make 1 to {len(names)} groups, not {number}")
    order = generator(rng).permutation(len(names))
    return [[names[i] for i in part] for part in np.array_split(order, number)]


def as_groups(groups: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Lists of names, each name in one of them; none would protect nobody.

    >>> as_groups([])
    Traceback (most recent call last):
    ValueError: groups is a list of lists of names, and protects what they name; got []
    """
    if isinstance(groups, str) or not len(groups) or not all(len(group) for group in groups):
        raise ValueError(
            f"groups is a list of lists of names, and protects what they name; got {groups!r}"
        )
    for group in groups:
        if isinstance(group, str):
            raise ValueError(f"groups is a list of lists of names; got the bare name {group!r}")
    members = [name for group in groups for name in group]
    twice = sorted({name for name in members if members.count(name) > 1}, key=str)
    if twice:
        raise ValueError(f"an attribute belongs to one group only; {listed(twice)} is in two")
    return tuple(map(tuple, groups))


def present(
    groups: tuple[tuple[str, ...], ...] | None, domain: Domain
) -> tuple[tuple[str, ...], ...]:
    """Groups cut down to the attributes of a domain; without groups all are in one.

    >>> present((("A", "B"), ("C",)), Domain(("B",), ((0, 1),)))
    (('B',),)
    """
    if groups is None:
        return (domain.names,)
    parts = (tuple(name for name in group if name in domain.names) for group in groups)
    return tuple(part for part in parts if part)
