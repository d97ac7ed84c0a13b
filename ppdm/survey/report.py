"""The result of a survey as one page with figures, and as CSV."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pandas as pd

from ppdm.contract import Survey
from ppdm.files import replace_file
from ppdm.survey.form import question
from ppdm.survey.relate import Regression, Relation

_STYLE = """
:root { color-scheme: light dark; --ink: #0b57b7; --soft: #767f8a; }
@media (prefers-color-scheme: dark) { :root { --ink: #8fbaff; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }
th, td { text-align: left; padding: 0.2rem 1rem 0.2rem 0; border-bottom: 1px solid var(--soft); }
td { font-variant-numeric: tabular-nums; }
figure { margin: 0; } svg { width: 100%; max-width: 30rem; height: auto; }
svg text { font: 14px system-ui, sans-serif; fill: currentColor; }
"""
_METHODS = {
    "inversion": "Shares are undone, not cut off: below 0 or above 1 means that chance had a loud voice.",
    "em": "Shares are the likeliest ones within 0 and 1; the intervals are those of resampled respondents.",
}
# Narrow, so that a phone shows its lettering at more than ten pixels.
_WIDTH, _LEFT, _ROW = 400, 150, 28


def page(
    survey: Survey,
    shares: pd.DataFrame,
    method: str = "inversion",
    relations: dict[tuple[str, str], Relation] | None = None,
    combinations: dict[tuple[str, str], pd.DataFrame] | None = None,
    regressions: dict[str, Regression] | None = None,
) -> str:
    """One HTML page: a figure and a table for each question, then what goes together.

    >>> survey = Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 0.8, "attributes": ["A"]}])
    >>> from ppdm.survey import estimate
    >>> asked = pd.DataFrame({"A": [0] * 60 + [1] * 40})
    >>> "<svg" in page(survey, estimate(asked, survey))
    True
    """
    number = int(shares["reports"].max())
    title = escape(survey.title or "Survey")
    body = [
        f"<h1>{title}</h1>",
        (f"<p>{number:,} respondents. Intervals: 95 %. {_METHODS[method]}</p>"),
    ]
    for name in survey.names:
        rows = shares[shares["question"] == name]
        if len(rows):
            body.append(f"<h2>{escape(question(survey, name))}</h2>")
            body.append(figure(rows))
            body.append(_table(rows.drop(columns="question")))
    for (a, b), found in (relations or {}).items():
        body.append(
            f"<h2>{escape(a)} and {escape(b)}</h2><p>The share of {_last(survey, a)} to {escape(a)} among those with "
            f"{_last(survey, b)} to {escape(b)}, less that among all others: {found.difference:+.3f} "
            f"(from {found.low:+.3f} to {found.high:+.3f}).</p>"
        )
        if combinations and (a, b) in combinations:
            body.append(_table(combinations[a, b]))
    for name, result in (regressions or {}).items():
        body.append(
            f"<h2>Who truly says {_last(survey, name)} to {escape(name)}</h2>{_table(result.table)}"
        )
        body.append(
            f"<p>Logistic regression of the true answer; log-likelihood {result.log_likelihood:.3f}.</p>"
        )
    body.append(f"<p>Scheme: {survey.fingerprint}.</p>")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def _last(survey: Survey, name: str) -> str:
    """The answer that a relation and a regression are about."""
    return f"“{escape(str(survey.attributes[name][-1]))}”"


def write(folder: Path, survey: Survey, shares: pd.DataFrame, **parts) -> list[Path]:
    """`report.html`, `shares.csv` and a CSV of each further part in a folder; returns their paths."""
    files = {"report.html": page(survey, shares, **parts).encode()}
    for name, table in {"shares": shares, **_tables(**parts)}.items():
        files[f"{name}.csv"] = table.to_csv(index=False, lineterminator="\n").encode()
    for name, content in files.items():
        replace_file(folder / name, content)
    return [folder / name for name in files]


def _tables(relations=None, combinations=None, regressions=None, **_) -> dict[str, pd.DataFrame]:
    """What was asked for beyond the shares, one long table of each kind."""
    found = {
        "pairs": [
            rows.set_axis(["answer", "other answer", *rows.columns[2:]], axis=1).assign(
                question=a, other=b
            )
            for (a, b), rows in (combinations or {}).items()
        ],
        "relations": [
            pd.DataFrame([{"question": a, "other": b, **told._asdict()}])
            for (a, b), told in (relations or {}).items()
        ],
        "regressions": [
            told.table.assign(question=name) for name, told in (regressions or {}).items()
        ],
    }
    return {name: pd.concat(tables) for name, tables in found.items() if tables}


def figure(rows: pd.DataFrame) -> str:
    """Estimates with intervals, a line an answer, over a frame that holds them all."""
    low, high = min(0.0, rows["low"].min()), max(1.0, rows["high"].max())
    room = 0.04 * (high - low)
    low, high = low - room, high + room

    def x(share: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - 10) * (share - low) / (high - low)

    height = _ROW * len(rows) + 26
    bottom = height - 22
    parts = [
        (
            f'<rect x="{x(0):.1f}" y="2" width="{x(1) - x(0):.1f}" height="{bottom - 2}" fill="none" '
            'stroke="var(--soft)"/>'
        )
    ]
    parts += [
        f'<text x="{x(mark):.1f}" y="{height - 6}" text-anchor="middle">{mark:g}</text>'
        for mark in (0, 0.5, 1)
    ]
    told = []
    for i, row in enumerate(rows.to_dict("records")):
        y = 2 + _ROW * (i + 0.5)
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(str(row["answer"]))}</text>'
        )
        parts.append(
            f'<line x1="{x(row["low"]):.1f}" x2="{x(row["high"]):.1f}" y1="{y}" y2="{y}" '
            'stroke="var(--ink)" stroke-width="3"/>'
        )
        parts.append(f'<circle cx="{x(row["share"]):.1f}" cy="{y}" r="6" fill="var(--ink)"/>')
        told.append(
            f"{row['answer']}: {row['share']:.3f}, from {row['low']:.3f} to {row['high']:.3f}"
        )
    label = escape("Estimated shares with 95 % intervals. " + "; ".join(told) + ".", quote=True)
    head = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">'
    return f"<figure>{head}{''.join(parts)}</svg></figure>"


def _table(rows: pd.DataFrame) -> str:
    shown = rows.dropna(axis=1, how="all")
    head = "".join(f'<th scope="col">{escape(str(c))}</th>' for c in shown.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(v))}</td>" for v in row) + "</tr>"
        for row in shown.itertuples(index=False)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value) -> str:
    return (
        f"{value:.4f}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )
