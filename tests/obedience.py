"""Surveys of one question and an anchor by each device, and what people who do not follow make of them."""

import numpy as np
import pandas as pd

from ppdm.contract import Survey
from ppdm.disguise import scheme_of

#: Each device with who tosses its coins.
MODELS = {
    ("crosswise", "browser"): {"p": 0.2628},
    ("extended-crosswise", "browser"): {"p": 0.2628},
    ("triangular", "birthday"): {"p": 0.2628},
    ("forced-response", "dice"): {"truth": 4 / 6, "forced": [1 / 6, 1 / 6]},
    ("cheating-detection", "browser"): {"halves": [1 / 6, 4 / 6]},
    ("warner", "browser"): {"p": 0.75},
}


def survey_of(mechanism: str, anchor: bool) -> Survey:
    keys = next(keys for (name, _), keys in MODELS.items() if name == mechanism)
    names = ["A", "anchor"] if anchor else ["A"]
    known = {"anchor": [1, 0]} if anchor else {}
    spec = {"mechanism": mechanism, **keys, "attributes": names}
    return Survey({name: ["no", "yes"] for name in names}, [spec], known=known)


def field(survey: Survey, device: str, share: float, careless=0.0, always=0.0) -> np.ndarray:
    """The shares of all pairs of reports on the question and the anchor. Written out: half of the careless tell
    either thing, in either half; those who always tell the same tell the first one."""
    M = scheme_of(survey).matrix(survey.domain.only(["A"]))
    halves = 2 if len(M) == 4 else 1
    first = np.tile([1 / halves, 0], halves)
    anything = np.full(len(M), 1 / len(M))
    followed = np.outer((1 - share) * M[:, 0] + share * M[:, 1], M[:, 0])
    rest = careless * np.outer(anything, anything) + always * np.outer(first, first)
    return (1 - careless - always) * followed + rest


def asked(survey: Survey, counts: np.ndarray) -> pd.DataFrame:
    """Reports with these counts, a row a respondent."""
    levels = scheme_of(survey).reports.levels
    rows = [index for index, number in np.ndenumerate(counts) for _ in range(int(number))]
    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes([row[k] for row in rows], list(levels[k]))
            for k, name in enumerate(survey.names)
        }
    )
