"""Tables for spreadsheets and from them: no text is a formula, and no column is mistaken for another."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pandas as pd

from ppdm.contract import Survey
from ppdm.survey.codes import Codes


def harmless(table: pd.DataFrame) -> bytes:
    """A table as CSV in which no spreadsheet takes a text for a formula.

    >>> harmless(pd.DataFrame({"answer": ["=1+1", "yes"], "share": [-0.5, 1.5]}))
    b"answer,share\\n'=1+1,-0.5\\nyes,1.5\\n"
    """
    plain = table.map(plain_text).rename(columns=plain_text)
    return plain.to_csv(index=False, lineterminator="\n").encode()


def plain_text(value: Any) -> Any:
    """A text that would be taken for a formula with an apostrophe before it; all else as it is."""
    return (
        f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@＝＋－＠\t\r") else value
    )


def read_reports(path: Path, survey: Survey) -> pd.DataFrame:
    """The reports of a CSV file, as words; a file in which columns or rows could be mistaken is refused."""
    try:
        text = path.read_bytes().decode("utf-8-sig")  # once: it may be a pipe
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        lines = [(reader.line_num, row) for row in reader]
    except OSError as error:
        raise ValueError(f"the reports {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the reports {path} are no text in UTF-8") from None
    except csv.Error as error:
        raise ValueError(f"the reports {path} are no CSV: {error}") from None
    rows = [(number, row) for number, row in lines if len(row) > 1 or "".join(row).strip()]
    if not rows:
        raise ValueError(f"{path.name} is empty: its first line names the questions")
    (start, header), *reports = rows
    if not reports:
        raise ValueError(f"{path.name} has no reports, only a header")
    for asked in survey.names:
        if header.count(asked) > 1:
            raise ValueError(f"{path.name} has {header.count(asked)} columns {asked!r}: keep one")
    for number, row in reports:
        if len(row) > len(header):
            raise ValueError(
                f"{path.name}, line {number} has {len(row)} fields, and the header {len(header)}: "
                "take away the commas that are too many, or put an answer with a comma in quotes"
            )
    empty = sorted({number for number, _ in lines} - {number for number, _ in rows})
    for number in empty:
        if len(header) == 1 and start < number < reports[-1][0]:
            raise ValueError(
                f"{path.name}, line {number} is empty, and lines with reports follow: take it out"
            )
    frame = pd.DataFrame([row + [""] * (len(header) - len(row)) for _, row in reports])
    words = [*survey.names, *(level for levels in Codes(survey).levels for level in levels)]
    meant = {plain_text(word): word for word in words if plain_text(word) != word}
    return frame.set_axis([meant.get(name, name) for name in header], axis=1).replace(meant)
