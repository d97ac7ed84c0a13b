"""CSV files as lecturers' programs write them, and safe for those programs to open."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ppdm.files import replace_file

#: Where a spreadsheet would see a formula: at the beginning of a cell or of a line, and, if it splits
#: cells elsewhere than we do, after a separator.
FORMULA = re.compile(
    r"((?:^|[\n\r])[\s\"]*)(?=[=+\-@＝＋－＠])"
    r"|((?<=[,;\t|])[\s\"]*)(?=[=@]|[+\-][^\d\s])"
)
MADE_HARMLESS = re.compile(
    r"((?:^|[\n\r])[\s\"]*)'(?=[=+\-@＝＋－＠])"
    r"|((?<=[,;\t|])[\s\"]*)'(?=[=@]|[+\-][^\d\s])"
)


class Dialect(NamedTuple):
    """How a table was written, so that it can be written so again."""

    delimiter: str = ","
    encoding: str = "utf-8"


PLAIN = Dialect()


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe before what looks like one.

    >>> harmless("=1+1"), harmless("a;=x"), harmless("a = 1, -3"), harmless("3.5")
    ("'=1+1", "a;'=x", 'a = 1, -3', '3.5')
    """
    text = text.replace("\x00", "")
    if text.startswith(("\t", "\r", "\n")) and not FORMULA.match(text):
        text = f"'{text}"
    return FORMULA.sub(lambda found: f"{found[0]}'", text)


def as_given(text: str) -> str:
    """What `harmless` made harmless, as it was.

    >>> as_given("'=1+1"), as_given("'tis")
    ('=1+1', "'tis")
    """
    return MADE_HARMLESS.sub(lambda found: found[0][:-1], text)


def read_table(path: Path, needed: Sequence[str]) -> tuple[list[dict[str, str]], Dialect]:
    """Rows of a CSV with commas, semicolons or tabs, in UTF-8, UTF-16 or Windows' cp1252."""
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text, encoding = data.decode("utf-16"), "utf-16"
    else:
        try:
            text = data.decode("utf-8-sig")
            encoding = "utf-8-sig" if data[:3] == b"\xef\xbb\xbf" else "utf-8"
        except UnicodeDecodeError:
            text, encoding = data.decode("cp1252", "replace"), "utf-8-sig"
    if text[:4].lower() == "sep=":  # Excel's own way to name the separator
        text = text.partition("\n")[2]
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    csv.field_size_limit(1 << 26)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns = [(name or "").strip().lower() for name in rows.fieldnames or []]
    lacking = [name for name in needed if name not in columns]
    if lacking:
        raise ValueError(
            f"{path.name} has no column {lacking[0]!r}; it needs {', '.join(needed)}, "
            "between commas, semicolons or tabs"
        )
    rows.fieldnames = columns
    found = [
        {
            name: as_given(value) if isinstance(value, str) else ""
            for name, value in row.items()
            if name
        }
        for row in rows
    ]
    return found, Dialect(delimiter, encoding)


def write_table(
    path: Path, rows: list[dict], columns: Sequence[str], dialect: Dialect = PLAIN
) -> None:
    """Write a CSV that no spreadsheet takes for a program."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", delimiter=dialect.delimiter)
    writer.writeheader()
    for row in rows:
        writer.writerow({name: harmless(str(row.get(name, ""))) for name in columns})
    replace_file(path, text.getvalue().encode(dialect.encoding, "replace"))
