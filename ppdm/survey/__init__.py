"""A survey of one's own: from the reports, wherever they lie, to shares with intervals.

from ppdm.contract import Survey
from ppdm.survey import estimate

shares = estimate("reports/*.parquet", Survey.load("scheme.json"), by="region")
"""

from ppdm.survey.estimate import estimate

__all__ = ["estimate"]
