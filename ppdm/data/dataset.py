"""A data set and where its rows came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import pandas as pd

from ppdm import marks

from .catalog import entry


@dataclass(frozen=True)
class Provenance:
    """Where the rows came from. `str()` of it is the one line that a chapter prints.

    `sha256` maps each file that was read to the checksum of its content. `differences` is the
    number of cells in which a download differs from the stored copy; None for the stored copy.
    `instead` says why the stored copy was taken where a download had been asked for.
    """

    name: str
    source: str
    sha256: dict[str, str]
    rows: int
    licence: str
    citation: str
    retrieved: str | None = None
    differences: int | None = None
    note: str = ""
    instead: str = ""

    def __str__(self) -> str:
        line = f"{self.name}: {self.rows:,} rows from the {self.source} copy"
        if self.source == "stored":
            instead = f"; {self.instead}" if self.instead else ""
            return f"{line} ({' and '.join(self.sha256)}, sha256 verified{instead})"
        agreement = (
            "equal to the stored copy in every cell"
            if not self.differences
            else f"{self.differences:,} cells differ from the stored copy"
        )
        return f"{line} (UCI archive, retrieved {self.retrieved}; {agreement})"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A typed table, the name of its class column, and its provenance.

    Nominal columns are pandas categories, numbers are integers or floats, missing values are
    missing (an integer column that misses some is a float column).
    """

    name: str
    frame: pd.DataFrame = field(repr=False)
    target: str
    provenance: Provenance = field(repr=False)
    id: str | None = None

    def __post_init__(self) -> None:
        marks.answers(self.frame)

    @property
    def features(self) -> list[str]:
        """The attributes: all columns but the class and the id."""
        return [column for column in self.frame.columns if column not in (self.target, self.id)]

    def first(self, rows: int) -> Dataset:
        """The first `rows` records, in the order of the files.

        >>> from ppdm import data
        >>> len(data.load("adult").first(10_000).frame)
        10000
        """
        if not isinstance(rows, Integral) or not 1 <= rows <= len(self.frame):
            raise ValueError(
                f"first(rows) takes 1 to {len(self.frame)} for {self.name}, not {rows}"
            )
        return replace(self, frame=self.frame.iloc[:rows].copy())

    def complete(self) -> Dataset:
        """The records without a missing value.

        >>> from ppdm import data
        >>> len(data.load("breast-cancer-wisconsin").complete().frame)
        683
        """
        return replace(self, frame=self.frame.dropna().reset_index(drop=True))

    def distinct(self) -> Dataset:
        """One record of each kind; the id does not count as a difference.

        >>> from ppdm import data
        >>> len(data.load("breast-cancer-wisconsin").complete().distinct().frame)
        449
        """
        frame = self.frame.drop_duplicates(subset=[*self.features, self.target])
        return replace(self, frame=frame.reset_index(drop=True))


def make_dataset(name: str, frame: pd.DataFrame, **provenance: Any) -> Dataset:
    """Put a typed frame together with what the catalog knows of its data set.

    >>> frame = pd.DataFrame({"age": [50, 31], "class": [1, 0]})
    >>> make_dataset("pima", frame, source="stored", sha256={}).features
    ['age']
    """
    item = entry(name)
    origin = Provenance(
        name=name,
        rows=len(frame),
        licence=item.licence,
        citation=item.citation + (f" doi:{item.doi}" if item.doi else ""),
        **provenance,
    )
    return Dataset(name, frame, item.target, origin, item.id)
