"""The result of a survey as one page with figures, and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ppdm.contract import Survey
from ppdm.files import replace_file
from ppdm.survey.form import question
from ppdm.survey.pages import render
from ppdm.survey.sheets import harmless

_METHODS = {
    "inversion": "Shares are undone, not cut off: where few people have answered, chance alone may bring one "
    "below 0 or above 1.",
    "em": "Shares are the likeliest ones within 0 and 1; the intervals are those of resampled respondents.",
}
#: Less probable than this under every true share, reports are not what the survey's scheme makes.
_IMPOSSIBLE = 0.001
_NO_SHARE = (
    "No true share leads to these reports: chance explains them less than once in a thousand surveys. Somebody "
    "has reported more than once, or people did not follow the instructions, or the reports were made with other "
    "probabilities than the survey file names. Do not use this estimate."
)
_NO_INTERVAL = (
    "Where no interval is printed, none would cover as often as it says: there are too few reports, or too few "
    "people in a group whose size is itself estimated."
)


#: The file of the parts on how people followed; the page has each with its question.
COMPLIANCE = "compliance"


class Part(NamedTuple):
    """What was asked for beyond the shares: a heading and a sentence, a table, and the file it goes to."""

    file: str
    heading: str
    text: str
    table: pd.DataFrame


def page(
    survey: Survey,
    shares: pd.DataFrame,
    method: str = "inversion",
    parts: Sequence[Part] = (),
    alpha: float = 0.05,
) -> str:
    """One HTML page: a figure and a table for each question, then what goes together.

    >>> survey = Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 0.8, "attributes": ["A"]}])
    >>> from ppdm.survey import estimate
    >>> asked = pd.DataFrame({"A": [0] * 60 + [1] * 40})
    >>> "<svg" in page(survey, estimate(asked, survey))
    True
    """
    shown = [part._replace(table=_table(part.table)) for part in parts]
    followed = {
        part.table["question"].iloc[0]: show
        for part, show in zip(parts, shown, strict=True)
        if part.file == COMPLIANCE
    }
    return render(
        "report",
        title=survey.title or "A survey",
        number=int(shares["reports"].max()),
        method=_METHODS[method],
        level=f"{100 - 100 * alpha:g}",
        results=[
            result
            | {"known": result["name"] in survey.known, "followed": followed.get(result["name"])}
            for result in results(survey, shares)
        ],
        corrected=bool(survey.known),
        parts=[part for part in shown if part.file != COMPLIANCE],
        fingerprint=survey.fingerprint,
    )


def results(survey: Survey, shares: pd.DataFrame) -> list[dict[str, Any]]:
    """For each question its rows, the axis that holds them, and what cannot be."""
    parts = {name: rows for name, rows in shares.groupby("question", sort=False)}
    return [
        {
            "name": name,
            "question": question(survey, name),
            "rows": parts[name].to_dict("records"),
            "axis": _axis(parts[name]),
            "doubts": doubts(parts[name]),
            "table": _table(parts[name].drop(columns="question")),
        }
        for name in survey.names
        if name in parts
    ]


def doubts(rows: pd.DataFrame) -> list[str]:
    """What the reports on a question say against its estimate: no true share leads to them.

    An exact test says so (`fit`: how probable such reports are at most, whatever the true shares). A
    share without an interval is no doubt, but it has to be said, too.

    >>> row = {"answer": "yes", "share": 1.39, "low": 1.37, "high": 1.42, "fit": 1e-9}
    >>> doubts(pd.DataFrame([row]))[0][:44]
    'No true share leads to these reports: chance'
    >>> doubts(pd.DataFrame([row | {"share": 1.02, "low": 0.9, "high": 1.14, "fit": 0.4}]))
    []
    """
    none = ((rows["reports"] > 0) & rows["low"].isna()).any() if "reports" in rows else False
    return [_NO_SHARE] * bool((rows["fit"] < _IMPOSSIBLE).any()) + [_NO_INTERVAL] * bool(none)


def figure(rows: pd.DataFrame) -> str:
    """Estimates with intervals, a line an answer, on an axis that holds them all."""
    return render("figure", rows=rows.to_dict("records"), axis=_axis(rows))


def _axis(rows: pd.DataFrame) -> tuple[float, float]:
    low = min(0.0, rows["low"].min(), rows["share"].min())
    high = max(1.0, rows["high"].max(), rows["share"].max())
    room = 0.04 * (high - low)
    return low - room, high + room


def _table(rows: pd.DataFrame) -> Any:
    from markupsafe import Markup

    shown = rows.dropna(axis=1, how="all")
    html = shown.to_html(index=False, border=0, float_format="{:.4f}".format, na_rep="")
    return Markup(html) if len(shown) else ""  # pandas has escaped it


def write(
    folder: Path,
    survey: Survey,
    shares: pd.DataFrame,
    method: str,
    parts: Sequence[Part] = (),
    alpha: float = 0.05,
) -> list[Path]:
    """`report.html`, `shares.csv` and a CSV of each kind of further part in a folder; returns their paths."""
    tables = {"shares": [shares]}
    for part in parts:
        tables.setdefault(part.file, []).append(part.table)
    files = {"report.html": page(survey, shares, method, parts, alpha).encode()}
    files |= {f"{name}.csv": harmless(pd.concat(some)) for name, some in tables.items()}
    for name, content in files.items():
        replace_file(folder / name, content)
    return [folder / name for name in files]
