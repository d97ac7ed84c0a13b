"""The live copy: a download through `ucimlrepo`, made dependable, repaired and compared.

`ucimlrepo` 0.0.7 has no timeout, no retry, no cache and follows any address, and its tables carry traps: in Adult the
`?` of one part are strings and of the other missing, and half of the labels end in a dot.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import pandas as pd

from ppdm.files import replace_file

from .catalog import CATALOG, Column, Entry, entry
from .dataset import Dataset, make_dataset
from .stored import load_stored

LARGEST = 100_000_000  # bytes of one download; Adult has five million
HERE = ("127.0.0.1", "::1", "localhost")


class DownloadError(ConnectionError):
    """The archive did not give a usable table; the message says what was tried.

    >>> isinstance(DownloadError("no answer in three attempts"), OSError)
    True
    """


def cache_folder() -> Path:
    """The user's cache folder for downloads.

    >>> cache_folder().name
    'data'
    """
    from platformdirs import user_cache_path

    return user_cache_path("ppdm", appauthor=False) / "data"


def load_live(
    name: str,
    timeout: float = 30.0,
    attempts: int = 3,
    pause: Callable[[float], None] = time.sleep,
    refresh: bool = False,
) -> Dataset:
    """A data set as the archive serves it now, repaired, typed, and compared with the stored copy.

    A download of before is taken from the cache folder; `refresh` downloads anew. `timeout` is
    for one attempt as a whole, in seconds; `pause` is called between attempts with 1, 2, 4, ...

    >>> load_live("pima")
    Traceback (most recent call last):
    ...
    ppdm.data.live.DownloadError: pima is no longer in the UCI archive: there is nothing to download
    """
    known = entry(name)
    if known.uci_id is None:
        raise DownloadError(f"{name} is no longer in the UCI archive: there is nothing to download")
    raw, retrieved = (None, None) if refresh else _read_cache(name)
    if raw is None and find_spec("ucimlrepo") is None:
        raise DownloadError(
            f"{name} is downloaded by the package ucimlrepo, which is not installed: install ppdm with "
            "its extra `book`"
        )
    if raw is None:
        raw = _download(known, known.uci_id, timeout, attempts, pause)
        retrieved = datetime.now(UTC)
        _write_cache(name, raw)
    frame = _repair(known, raw)
    differences = compare_frames(frame, load_stored(name).frame)
    if len(differences):
        warnings.warn(_first_difference(name, differences), stacklevel=3)
    return make_dataset(
        name,
        frame,
        source="live",
        sha256={f"{name}.csv": hashlib.sha256(raw).hexdigest()},
        retrieved=f"{retrieved:%Y-%m-%d}",
        differences=len(differences),
        note=known.note,
    )


def compare(dataset: Dataset, reference: Dataset | None = None) -> pd.DataFrame:
    """Every cell in which a data set differs from the stored copy (or from `reference`).

    A row a difference: row number, column, value here, value in the reference. A row that only one
    of the two has is one difference, in column ``*``.

    >>> from ppdm import data
    >>> len(compare(data.load("pima")))
    0
    """
    reference = load_stored(dataset.name) if reference is None else reference
    return compare_frames(dataset.frame, reference.frame)


def compare_with_archive(timeout: float = 10.0, attempts: int = 1) -> pd.DataFrame:
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
    for name, known in CATALOG.items():
        if known.uci_id is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the table says what the warning would say
            dataset = load_live(name, timeout, attempts)
        differences = compare(dataset)
        first = "" if differences.empty else _first_difference(name, differences)
        rows.append(
            {
                "data set": name,
                "rows": len(dataset.frame),
                "cells": dataset.frame.size,
                "cells that differ": len(differences),
                "first difference": first,
                "retrieved": dataset.provenance.retrieved,
            }
        )
    return pd.DataFrame(rows)


def compare_frames(frame: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """`compare` for two frames with the same columns.

    >>> here, there = pd.DataFrame({"A": [1, 2]}), pd.DataFrame({"A": [1, 3]})
    >>> compare_frames(here, there).to_numpy().tolist()
    [[1, 'A', 2, 3]]
    """
    if set(frame) != set(reference):
        odd = sorted(map(str, set(frame) ^ set(reference)))
        raise ValueError(f"the two frames do not have the same columns: {odd}")
    common = min(len(frame), len(reference))
    parts = []
    for column in reference:
        here = frame[column].iloc[:common].astype(object).to_numpy()
        there = reference[column].iloc[:common].astype(object).to_numpy()
        differ = (here != there) & ~(pd.isna(here) & pd.isna(there))
        rows = differ.nonzero()[0]
        parts.append(
            pd.DataFrame(
                {"row": rows, "column": column, "here": here[rows], "reference": there[rows]},
                dtype=object,
            )
        )
    for row in range(common, max(len(frame), len(reference))):
        words = ("present", "absent") if row < len(frame) else ("absent", "present")
        only = {"row": [row], "column": "*", "here": words[0], "reference": words[1]}
        parts.append(pd.DataFrame(only))
    found = pd.concat(parts, ignore_index=True).astype({"row": "int64"})
    return found.sort_values("row", kind="stable", ignore_index=True)


def _first_difference(name: str, differences: pd.DataFrame) -> str:
    first = differences.iloc[0]
    return (
        f"{name}: the download differs from the stored copy in {len(differences):,} cells;"
        f" the first is row {first.row}, column {first.column}:"
        f" {first.here!r} in the download, {first.reference!r} in the stored copy"
    )


# --- the download -------------------------------------------------------------------------------


def _download(
    known: Entry, uci_id: int, timeout: float, attempts: int, pause: Callable[[float], None]
) -> bytes:
    """The archive's table as CSV, after up to `attempts` tries."""
    for attempt in range(attempts):
        if attempt:
            pause(2.0 ** (attempt - 1))
        try:
            table = _fetch(uci_id, timeout)
            _check_shape(known, table)
            raw = table.to_csv(index=False).encode()
            _repair(known, raw)
        except Exception as error:  # noqa: BLE001 - a library error of any kind is a failed attempt
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            continue
        return raw
    tries = f"{attempts} attempts" if attempts > 1 else "1 attempt"
    raise DownloadError(
        f"could not download {known.name} (id {uci_id}) from the UCI archive in {tries}"
        f" of at most {timeout:g} s each; the last one ended with {reason}"
    )


def _fetch(uci_id: int, timeout: float) -> pd.DataFrame:
    """One call of `fetch_ucirepo`, with the bounds that it does not have.

    It goes to the net through two names, `urllib` and `pd`; both lead to `download` here. The thread
    bounds the whole call, and the deadline ends the thread.
    """
    from ucimlrepo.fetch import fetch_ucirepo

    deadline = time.monotonic() + timeout
    outcome: dict[str, Any] = {}

    def fetch(address: str) -> io.BytesIO:
        return io.BytesIO(download(address, deadline - time.monotonic()))

    doors = {
        "urllib": SimpleNamespace(
            request=SimpleNamespace(urlopen=lambda address, **_: fetch(address)),
            parse=urllib.parse,
            error=urllib.error,
        ),
        "pd": SimpleNamespace(
            read_csv=lambda address: pd.read_csv(fetch(address)), DataFrame=pd.DataFrame
        ),
    }
    bounded = FunctionType(fetch_ucirepo.__code__, {**fetch_ucirepo.__globals__, **doors})
    bounded.__defaults__ = fetch_ucirepo.__defaults__

    def call() -> None:
        try:
            outcome["table"] = bounded(id=uci_id).data.original
        except BaseException as error:  # noqa: BLE001 - handed to the caller below
            outcome["error"] = error

    worker = threading.Thread(target=call, daemon=True, name="ppdm download")
    worker.start()
    worker.join(timeout)
    if "error" in outcome:
        raise outcome["error"]
    if "table" not in outcome:
        raise TimeoutError(f"no complete answer within {timeout:g} s")
    return outcome["table"]


def download(address: str, timeout: float = 30.0, largest: int = LARGEST) -> bytes:
    """What lies at an https address, if it comes in time and is not too large.

    Plain http is for this machine alone. Redirections are held to the same.

    >>> download("http://archive.example/votes.csv")
    Traceback (most recent call last):
    ...
    ValueError: http://archive.example/votes.csv is not followed: only https is
    """
    _check_address(address)
    if timeout <= 0:
        raise TimeoutError("no time is left")
    deadline = time.monotonic() + timeout
    parts, size = [], 0
    with _opener().open(address, timeout=timeout) as answer:
        while part := answer.read1(2**16):
            parts.append(part)
            size += len(part)
            if size > largest:
                raise ValueError(f"{address} holds more than {largest / 1e6:g} MB")
            if time.monotonic() > deadline:
                raise TimeoutError(f"no complete answer within {timeout:g} s")
        if answer.length:
            raise http.client.IncompleteRead(b"", answer.length)
    return b"".join(parts)


def _check_address(address: str) -> None:
    parts = urllib.parse.urlsplit(address)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in HERE):
        return
    raise ValueError(f"{address} is not followed: only https is")


class _Redirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        _check_address(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """What opens http and https and nothing else."""
    import ssl  # here, as lzma below: a browser's Python has neither

    import certifi

    trusted = ssl.create_default_context(cafile=certifi.where())
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=trusted),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirect(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _check_shape(known: Entry, table: pd.DataFrame) -> None:
    """A table that lacks columns or rows was cut off, or is another page than the data."""
    lacking = [column.name for column in known.columns if column.name not in _renamed(table)]
    if lacking:
        raise ValueError(f"the answer has no column {', '.join(lacking)}")
    if len(table) < known.rows:
        raise ValueError(f"the answer has {len(table):,} rows of {known.rows:,}; it was cut off")


def _renamed(table: pd.DataFrame) -> dict[str, str]:
    """Our name of each column of the archive: ``Bare_nuclei`` is ``bare-nuclei`` here."""
    return {re.sub(r"[\s_]+", "-", str(name).strip().lower()): name for name in table.columns}


# --- the repairs --------------------------------------------------------------------------------


def _repair(known: Entry, raw: bytes) -> pd.DataFrame:
    """The archive's table with our names, order, types and missing values."""
    table = pd.read_csv(io.BytesIO(raw), dtype=str, keep_default_na=False)
    theirs = _renamed(table)
    return pd.DataFrame(
        {
            column.name: _repair_column(column, table[theirs[column.name]], known.label_suffix)
            for column in known.columns
        }
    )


def _repair_column(column: Column, text: pd.Series, suffix: str) -> pd.Series:
    text = text.str.strip()
    text = text.mask(text.isin(["?", ""]))
    if column.kind != "nominal":
        numbers = pd.to_numeric(text, errors="coerce")
        unreadable = text[numbers.isna() & text.notna()]
        if len(unreadable):
            raise DownloadError(
                f"column {column.name!r} of the download holds {unreadable.iloc[0]!r}"
                " where a number should be"
            )
        whole = column.kind == "integer" and text.notna().all() and (numbers % 1 == 0).all()
        return numbers.astype("int64" if whole else "float64")
    if suffix:
        text = text.str.removesuffix(suffix)
    named = {str(level): level for level in column.levels}
    new = sorted(set(text.dropna()) - set(named))  # kept: the comparison reports them
    values = text.map(lambda label: named.get(label, label), na_action="ignore")
    return pd.Series(pd.Categorical(values, categories=[*column.levels, *new]), index=text.index)


# --- the cache ----------------------------------------------------------------------------------


def _read_cache(name: str) -> tuple[bytes | None, datetime | None]:
    """A download of before and its date; a damaged one (xz carries a checksum) does not count."""
    import lzma

    path = cache_folder() / f"{name}.csv.xz"
    try:
        raw = lzma.decompress(path.read_bytes())
        return raw, datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, lzma.LZMAError, EOFError):
        return None, None


def _write_cache(name: str, raw: bytes) -> None:
    import lzma

    folder = cache_folder()
    packed = lzma.compress(raw, preset=1, check=lzma.CHECK_SHA256)
    try:
        replace_file(folder / f"{name}.csv.xz", packed)
    except OSError as error:
        warnings.warn(f"{name}: the download could not be kept in {folder}: {error}", stacklevel=2)
