"""Adult as a person would be asked: the columns that are cut into yes and no, as questions."""

from __future__ import annotations

import pandas as pd

#: A question for each answer that a person can give. `fnlwgt` is a weight of the census, and no question.
QUESTIONS = {
    "age": "Are you older than {:g}?",
    "workclass": "Do you work for a private company?",
    "education": "Is high school the last that you finished?",
    "education-num": "Is your schooling above step {:g} of 16?",
    "marital-status": "Are you married, and do you live together?",
    "occupation": "Is yours a learned profession?",
    "relationship": "Are you a husband?",
    "race": "Are you white?",
    "sex": "Are you a man?",
    "capital-gain": "Did you gain more than {:,.0f} dollars from capital?",
    "capital-loss": "Did you lose more than {:,.0f} dollars of it?",
    "hours-per-week": "Do you work more than {:g} hours a week?",
    "native-country": "Were you born in the United States?",
    "income": "Do you earn more than 50,000 dollars a year?",
}


def questions(cuts: pd.DataFrame) -> dict[str, str]:
    """The questions, with the thresholds at which the answers were cut (see `ppdm.data.binarize`).

    >>> from ppdm import data
    >>> asked = questions(data.binarize(data.load("adult"))[1])
    >>> asked["age"], len(asked)
    ('Are you older than 37?', 14)
    """
    at = cuts.set_index("column")["threshold"]
    return {name: question.format(at[name]) for name, question in QUESTIONS.items()}
