"""The recorded example of the page on a survey of one's own: from the file to the figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ppdm.book.site.records import raw_html
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.files import replace_file
from ppdm.survey import Codes, advice, estimate, report
from ppdm.survey.codes import ALPHABET, NUMBER
from ppdm.survey.form import form
from ppdm.survey.slides import slides

#: The true shares of the simulated respondents, and how many there are.
TRUE = {"cheated": (0.7, 0.3), "awake": (0.6, 0.3, 0.1), "year": (0.5, 0.3, 0.2)}
RESPONDENTS, SEED = 1000, 1965
_CONTACT = "this is an example, which sends nothing"


def fragments(folder: Path) -> dict[str, str]:
    """The file that `ppdm survey new` writes, and what a thousand simulated respondents give; in `folder`
    the form in two languages, and the slides."""
    text = advice.TEMPLATE.replace("{name}", "survey.yml")
    survey = Survey.from_yaml(text)
    pages = {
        "form.html": form(survey, contact=_CONTACT),
        "formular.html": form(survey, contact=_CONTACT, strings="de"),
        "slides.html": slides(survey, "http://192.168.1.20:8000/", notes=True),
    }
    for name, page in pages.items():
        replace_file(folder / name, page.encode())
    return {"survey_file": f"```yaml\n{text}```\n", "survey_example": _example(survey)}


def _example(survey: Survey) -> str:
    rng = np.random.default_rng(SEED)
    true = pd.DataFrame({
        name: rng.choice(list(levels), RESPONDENTS, p=TRUE[name]) for name, levels in survey.attributes.items()
    })  # fmt: skip
    sent, codes = scheme_of(survey).disguise(true, rng), Codes(survey)
    first = [
        codes.write(row, "".join(rng.choice(list(ALPHABET), NUMBER)))
        for row in sent.head(3).itertuples(index=False)
    ]
    shares = estimate(sent, survey)
    yes = shares[(shares["question"] == "cheated") & (shares["answer"] == "yes")].iloc[0]
    cheats = (true["cheated"] == "yes").mean()
    figure = report.figure(shares[shares["question"] == "cheated"])
    return (
        f"The first codes: {', '.join(f'`{code}`' for code in first)}. {yes['reported']:.1%} say yes. Undone, that is "
        f"{yes['share']:.3f}, with an interval from {yes['low']:.3f} to {yes['high']:.3f}; {cheats:.3f} of "
        f"these thousand have cheated.\n\n{raw_html(f'<div class=own-survey>{figure}</div>')}"
    )
