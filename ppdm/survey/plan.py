"""What a survey of a whole country would cost, and what error would remain: on paper.

Yes/no answers, each with a coin of its own: the truth with probability θ, and
ε = ln(θ / (1 - θ)) for each answer (for a record of d answers, d ε). A report adds to the estimated
share of "yes" either θ / (2θ - 1) or -(1 - θ) / (2θ - 1), and to the share of a combination of
answers the product of such numbers. The standard error is that of a mean, so it falls with the
square root of the number of respondents, whatever that is.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ppdm import MultiGroup
from ppdm.table import count_marginals


def theta_of(epsilon: float) -> float:
    """The chance of the truth that gives a yes/no answer this ε.

    >>> round(theta_of(math.log(3)), 12)
    0.75
    """
    return 1 / (1 + math.exp(-epsilon))


def standard_error(epsilon: float, answers: int, respondents: float) -> float:
    """What the disguise adds to the estimated share, among these respondents, of one combination of
    so many fair and independent answers.

    (Who takes the respondents for a sample of more people has the sample's own error besides.)

    >>> round(standard_error(math.log(3), 1, 7_500), 12)
    0.01
    """
    theta = theta_of(epsilon)
    square = (theta**2 + (1 - theta) ** 2) / (2 * (2 * theta - 1) ** 2)  # mean of one factor's
    return math.sqrt((square**answers - 0.5**answers) / respondents)


def errors(respondents: float, epsilons=(0.1, 0.5, 1, 2, 4), questions: int = 40) -> pd.DataFrame:
    """For each ε: standard errors, in percentage points, of what is asked of the reports.

    A leaf of a tree three questions deep is a combination of four answers, the class among them.

    >>> errors(330e6).round(5).iloc[2].tolist()
    [1.0, 0.73106, 40.0, 0.00528, 0.00732, 0.01102]
    """
    rows = [
        {
            "ε": epsilon,
            "θ": theta_of(epsilon),
            "ε of the record": questions * epsilon,
            "a share": 100 * standard_error(epsilon, 1, respondents),
            "a pair": 100 * standard_error(epsilon, 2, respondents),
            "a leaf": 100 * standard_error(epsilon, 4, respondents),
        }
        for epsilon in epsilons
    ]
    return pd.DataFrame(rows)


def simulated(
    epsilon: float, respondents: int, rng: np.random.Generator, questions: int = 40
) -> dict[str, float]:
    """The errors that a survey really makes, beside those on paper: root mean squares over all
    questions, and over the pairs and foursomes of neighbouring ones.

    The respondents' answers are fair and independent. Every report is drawn, disguised by the
    mechanism, counted by marginals and undone, as in a survey; only the respondents are fewer.
    """
    names = [f"q{i}" for i in range(questions)]
    true = pd.DataFrame(rng.integers(0, 2, (respondents, questions)), columns=names)
    scheme = MultiGroup(theta_of(epsilon), [[name] for name in names])
    reports = scheme.disguise(true, rng)
    found = {"ε": epsilon, "respondents": respondents}
    for what, size in (("a share", 1), ("a pair", 2), ("a leaf", 4)):
        sets = [names[i : i + size] for i in range(0, questions, size)]
        pairs = zip(count_marginals(true, sets), count_marginals(reports, sets), strict=True)
        wrong = [(scheme.undo(told).values - truth.values) / respondents for truth, told in pairs]
        found[what] = 100 * float(np.sqrt(np.mean(np.square(wrong))))
        found[f"{what}, on paper"] = 100 * standard_error(epsilon, size, respondents)
    return found
