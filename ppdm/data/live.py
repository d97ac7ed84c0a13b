"""The live copy: a download by `ucimlrepo` as it is, in a process of its own, compared with the stored copy.

`ucimlrepo` 0.0.7 has no deadline, no limit and no cache, and its tables carry traps: in Adult the
`?` of one part are strings and of the other missing, and half of the labels end in a dot.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import urllib.request
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm.files import replace_file

from .catalog import CATALOG, Entry, entry
from .dataset import Dataset, make_dataset
from .stored import load_stored, parse

LARGEST = (
    500_000_000  # bytes of memory for a download (Adult needs a fifth of it), and of an answer
)
_FETCH = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[2]),) * 2)
except ImportError:  # Windows has no such limit
    pass
from ucimlrepo import fetch_ucirepo
sys.stdout.buffer.write(fetch_ucirepo(id=int(sys.argv[1])).data.original.to_csv(index=False).encode())
"""


class DownloadError(ConnectionError):
    """The archive did not give a usable table; the message says what was tried.

    >>> raise DownloadError("pima is no longer in the UCI archive")
    Traceback (most recent call last):
    ppdm.data.live.DownloadError: pima is no longer in the UCI archive
    """


def load_live(name: str, timeout: float = 60.0, refresh: bool = False) -> Dataset:
    """A data set as the archive serves it now, typed, and compared with the stored copy.

    A download of before is taken from the user's cache folder; `refresh` downloads anew. `timeout`
    is for all of it, in seconds.

    >>> load_live("pima")
    Traceback (most recent call last):
    ...
    ppdm.data.live.DownloadError: pima is no longer in the UCI archive: there is nothing to download
    """
    import lzma  # here, as ssl below: a browser's Python has neither

    item = entry(name)
    if item.uci_id is None:
        raise DownloadError(f"{name} is no longer in the UCI archive: there is nothing to download")
    path = _cache_folder() / f"{name}.csv.xz"
    try:
        raw = b"" if refresh else lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError, EOFError):  # not there, or damaged: xz carries a checksum
        raw = b""
    cached = datetime.fromtimestamp(path.stat().st_mtime, UTC) if raw else None
    raw = raw or _download(name, item.uci_id, timeout)
    try:
        frame = _typed(item, raw)
    except ValueError as error:
        raise DownloadError(f"the UCI archive's {name} is another table: {error}") from None
    if not cached:
        _keep(path, raw)
    dataset = make_dataset(
        name,
        frame,
        source="live",
        sha256={name: sha256(frame.to_csv(index=False).encode()).hexdigest()},
        retrieved=f"{cached or datetime.now(UTC):%Y-%m-%d}",
        note=item.note,
    )
    differences = compare(dataset)
    if len(differences):
        warnings.warn(_first_difference(name, differences), stacklevel=3)
    origin = replace(dataset.provenance, differences=len(differences))
    return replace(dataset, provenance=origin)


def _cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("ppdm", appauthor=False) / "data"


def _download(name: str, uci_id: int, timeout: float) -> bytes:
    """The archive's table as CSV, from a Python that ends when the time or the memory does."""
    failed = f"could not download {name} (id {uci_id}) from the UCI archive"
    if find_spec("ucimlrepo") is None:
        raise DownloadError(
            f"{failed}: the package ucimlrepo is not installed: install ppdm with its extra `book`"
        )
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-c", _FETCH, str(uci_id), str(LARGEST)],
            capture_output=True,
            timeout=timeout,
            check=False,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # each thread has a buffer of its own
        )
    except subprocess.TimeoutExpired:
        raise DownloadError(f"{failed}: no complete answer within {timeout:g} s") from None
    if process.returncode or not process.stdout:
        last = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise DownloadError(f"{failed}: it ended with {last or 'nothing'}")
    return process.stdout


def _typed(known: Entry, raw: bytes) -> pd.DataFrame:
    """The archive's table as the stored files are: our columns in our order, ? where a value lacks."""
    table = pd.read_csv(io.BytesIO(raw), dtype=str, keep_default_na=False)
    table.columns = [re.sub(r"[\s_]+", "-", str(name).strip().lower()) for name in table]
    names = [column.name for column in known.columns]
    lacking = [name for name in names if name not in table]
    if lacking:
        raise ValueError(f"it has no column {', '.join(lacking)}")
    if len(table) < known.rows:
        raise ValueError(f"it has {len(table):,} rows of {known.rows:,}; it was cut off")
    text = table[names].replace("", "?").to_csv(index=False, header=False)
    return parse(known, text.encode())


def _keep(path: Path, raw: bytes) -> None:
    import lzma

    try:
        replace_file(path, lzma.compress(raw, preset=1, check=lzma.CHECK_SHA256))
    except OSError as error:
        warnings.warn(f"the download could not be kept in {path.parent}: {error}", stacklevel=3)


def compare(dataset: Dataset) -> pd.DataFrame:
    """Every cell in which a data set differs from the stored copy.

    A row a difference: row number, column, value here, value in the stored copy. A row that only one
    of the two has is one difference, in column ``*``.

    >>> from ppdm import data
    >>> len(compare(data.load("pima")))
    0
    """
    frame, reference = dataset.frame, load_stored(dataset.name).frame
    if set(frame) != set(reference):
        odd = sorted(map(str, set(frame) ^ set(reference)))
        raise ValueError(f"the two frames do not have the same columns: {odd}")
    common = min(len(frame), len(reference))
    cells, reference_cells = (
        table[[*reference]].iloc[:common].astype(object).to_numpy() for table in (frame, reference)
    )
    differ = (cells != reference_cells) & ~(pd.isna(cells) & pd.isna(reference_cells))
    rows = [
        [i, reference.columns[j], cells[i, j], reference_cells[i, j]]
        for i, j in np.argwhere(differ)
    ]
    words = ["present", "absent"][:: 1 if len(frame) > common else -1]
    rows += [[i, "*", *words] for i in range(common, max(len(frame), len(reference)))]
    return pd.DataFrame(rows, columns=["row", "column", "here", "reference"]).astype({"row": int})


def compare_with_archive(timeout: float = 60.0) -> pd.DataFrame:
    """Download every data set that the archive still has and compare: a row a data set.

    Raises `DownloadError` at the first that cannot be had, so that a page built without a network
    loses one timeout at most.

    >>> from unittest.mock import patch
    >>> votes = {"congressional-voting": entry("congressional-voting")}
    >>> here = "ppdm.data.live."  # in place of the archive: one that serves what is stored
    >>> with patch(here + "CATALOG", votes), patch(here + "load_live", lambda n, *_: load_stored(n)):
    ...     compare_with_archive()[["rows", "cells", "cells that differ"]].to_numpy().tolist()
    [[435, 7395, 0]]
    """
    rows = []
    for name in (name for name, item in CATALOG.items() if item.uci_id is not None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the table says what the warning would say
            dataset = load_live(name, timeout)
        differences = compare(dataset)
        rows.append(
            {
                "data set": name,
                "rows": len(dataset.frame),
                "cells": dataset.frame.size,
                "cells that differ": len(differences),
                "first difference": _first_difference(name, differences)
                if len(differences)
                else "",
                "retrieved": dataset.provenance.retrieved,
            }
        )
    return pd.DataFrame(rows)


def _first_difference(name: str, differences: pd.DataFrame) -> str:
    first = differences.iloc[0]
    return (
        f"{name}: the download differs from the stored copy in {len(differences):,} cells;"
        f" the first is row {first.row}, column {first.column}:"
        f" {first.here!r} in the download, {first.reference!r} in the stored copy"
    )


def download(address: str, timeout: float = 30.0, largest: int = LARGEST) -> bytes:
    """What lies at an https address, if it is not too large (plain http is for this machine alone).

    >>> download("http://archive.example/votes.csv")
    Traceback (most recent call last):
    ...
    ValueError: http://archive.example/votes.csv is not followed: only https is
    """
    import ssl

    import certifi

    context = ssl.create_default_context(cafile=certifi.where())
    safe = re.compile(r"https://|http://(127\.0\.0\.1|localhost)[:/]")
    if not safe.match(address):
        raise ValueError(f"{address} is not followed: only https is")
    with urllib.request.urlopen(address, timeout=timeout, context=context) as answer:
        if not safe.match(answer.url):
            raise ValueError(f"{answer.url} is not followed: only https is")
        content: bytes = answer.read(largest + 1)
    if len(content) > largest:
        raise ValueError(f"{address} holds more than {largest / 1e6:g} MB")
    return content
