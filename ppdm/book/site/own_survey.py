"""The recorded example of the page on a survey of one's own: from the file to the figures."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm.book.site.records import raw_html
from ppdm.book.templating import table
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.files import replace_file
from ppdm.survey import Codes, advice, collect, compliance, estimate, report
from ppdm.survey.codes import ALPHABET, NUMBER
from ppdm.survey.form import form, question
from ppdm.survey.pages import read
from ppdm.survey.slides import slides

#: The true shares of the simulated respondents, how many there are, and the share who answer anything.
TRUE = {"cheated": (0.9, 0.1), "awake": (0.8, 0.2), "coach": (1, 0), "year": (0.5, 0.3, 0.2)}
RESPONDENTS, CARELESS, SEED = 1000, 0.15, 1965
#: The survey of a first lecture, as its page shows it.
LECTURE = """\
title: First lecture
attributes:
  - name: cheated
    question: "Have you ever cheated in an exam?"
    levels: [no, yes]
protection:
  - mechanism: warner
    p: 0.75
    attributes: [cheated]
"""
_CONTACT = "this is an example, which sends nothing"


def fragments(folder: Path) -> dict[str, str]:
    """The file that `ppdm survey new` writes, and what a thousand simulated respondents give; in `folder`
    the form in two languages, and the slides."""
    text = advice.TEMPLATE.replace("{name}", "survey.yml")
    survey = Survey.from_yaml(text)
    pages = {
        "form.html": form(survey, contact=_CONTACT),
        "formular.html": form(survey, contact=_CONTACT, strings="de"),
        "slides.html": slides(Survey.from_yaml(LECTURE), "http://192.168.1.20:8000/", notes=True),
    }
    for name, page in pages.items():
        replace_file(folder / name, page.encode())
    replace_file(folder / "golden.json", read("stored/golden.json").encode())
    files = {"survey_file": text, "lecture_file": LECTURE}
    return {name: f"```yaml\n{file}```\n" for name, file in files.items()} | {
        "survey_example": _example(survey),
        "survey_coverage": _coverage(),
    }


def _coverage() -> str:
    """How often intervals cover, over all devices, as a table; `tests/test_coverage.py` draws the numbers."""
    cells = pd.read_csv(StringIO(read("stored/coverage.csv")))
    cells["covers"] = cells["covers"].where(cells["printed"] >= 0.2)
    heads = ["interval of a", "share", "respondents"]
    known = cells.groupby(heads, sort=False).agg(
        printed=("printed", "min"), low=("covers", "min"), high=("covers", "max")
    )
    rows = [
        [*key, f"{printed:.2f}", f"{low:.3f} to {high:.3f}".replace("nan to nan", "seldom printed")]
        for key, printed, low, high in known.itertuples()
    ]
    return table([*heads, "printed", "covers"], rows)


def _example(survey: Survey) -> str:
    rng = np.random.default_rng(SEED)
    true = pd.DataFrame(
        {
            name: rng.choice(list(levels), RESPONDENTS, p=TRUE[name])
            for name, levels in survey.attributes.items()
        }
    )
    sent, codes = scheme_of(survey).disguise(true, rng), Codes(survey)
    careless = rng.random(RESPONDENTS) < CARELESS
    for name, levels in zip(survey.names, codes.levels, strict=True):
        if name in survey.protected:
            sent.loc[careless, name] = rng.choice(list(levels), careless.sum())
    written = [
        codes.write(row, "".join(rng.choice(list(ALPHABET), NUMBER)))
        for row in sent.itertuples(index=False)
    ]
    reports = collect.collect(survey, ["\n".join(written)]).frame
    shares = estimate(reports, survey)
    yes = shares[(shares["question"] == "cheated") & (shares["answer"] == "yes")].iloc[0]
    followed = compliance.compliance(reports, survey).query("question == 'cheated'")
    text = (
        f"The first codes: {', '.join(f'`{code}`' for code in written[:3])}. If all had followed the instructions, "
        f"{yes['share']:.1%} would have cheated ({100 * yes['low']:.1f} to {100 * yes['high']:.1f}). The report goes on: "
        f"*{' '.join(compliance.sentences(followed))}* In truth {careless.sum()} of the thousand answered "
        f"anything, and {(true['cheated'] == 'yes').mean():.1%} have cheated.\n\n"
    )
    figures = "".join(
        f"<h3>{question(survey, name)}</h3>{report.figure(shares[shares['question'] == name])}"
        for name in survey.protected
        if name not in survey.known
    )
    return text + raw_html(f'<div class="own-survey">{figures}</div>')
