"""[Zhan & Matwin 2.4; Zhan & Du 4.6] The accuracy of a model, estimated from disguised test records.

"Is the model right on this record" is a function of records, and its mean over the true records is
wanted. A mechanism knows a function of *reports* with the same mean (`Mechanism.unbiased`): for
the unrelated question that of Zhan & Matwin 2.4, for multi-group the sum over all 2^M reversals of
Zhan & Du, Eq. (15). The mean of that function over the reports is the estimate, its spread over
the reports gives the standard error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from ppdm.estimate.sample import Sample
from ppdm.learn._base import CanCorrect, TableClassifier
from ppdm.table import Table, count


class Accuracy(NamedTuple):
    """An estimated share of right answers and its standard error.

    >>> Accuracy(0.8, 0.01).se
    0.01
    """

    estimate: float
    se: float


def estimated_accuracy(
    model: TableClassifier, reports: Table | pd.DataFrame, mechanism: CanCorrect
) -> Accuracy:
    """[Zhan & Matwin 2.4; Zhan & Du, Eq. 15] Accuracy on the true records behind the reports.

    A frame of reports has to match what was learned from: the names, and the levels.

    Parameters
    ----------
    model
        A learner that has learned.
    reports
        Test records, disguised: a frame or a table.
    mechanism
        What disguised them.

    Returns
    -------
    Accuracy
        The share of right answers among the true records, and its standard error.

    Raises
    ------
    ValueError
        If the reports are not the mechanism's, or there are none.

    Examples
    --------
    >>> import pandas as pd
    >>> from ppdm import MultiGroup
    >>> from ppdm.learn import ID3
    >>> records = pd.DataFrame({"A": [0, 1, 1, 0], "C": [0, 1, 1, 0]})
    >>> model = ID3().fit(records[["A"]], records["C"])
    >>> coin = MultiGroup(1.0)
    >>> estimated_accuracy(model, coin.disguise(records, np.random.default_rng(1)), coin)
    Accuracy(estimate=1.0, se=0.0)
    """
    report_domain = getattr(mechanism, "reported", lambda domain: domain)
    table = (
        reports
        if isinstance(reports, Table)
        else count(reports, report_domain(model.record_domain_))
    )
    values, numbers = model.worth(table, mechanism)
    occupied = table.sparsified()
    sample = Sample(numbers, numbers if occupied.squares is None else occupied.squares)
    variance = sample.covariance(values[None])[0, 0]
    return Accuracy(float(sample.means(values)), float(np.sqrt(variance)))
