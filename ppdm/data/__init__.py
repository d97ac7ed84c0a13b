"""The four data sets of the papers: stored copies, live download, checks, binary coding.

    >>> from ppdm import data
    >>> d = data.load("breast-cancer-wisconsin")
    >>> d.frame.shape, d.target, len(d.features)
    ((699, 11), 'class', 9)
    >>> print(data.load("pima").provenance)
    pima: 768 rows from the stored copy (pima-indians-diabetes.data, sha256 verified)

`load` gives a typed `Dataset`; `binarize` turns it into answers of 0 and 1; `verify` checks the
stored files; `compare` lists the cells in which a download differs from the stored copy.
"""

from __future__ import annotations

import os
import warnings
from functools import lru_cache
from typing import Any

from .binary import binarize
from .catalog import SHORT, entry, in_words, names
from .dataset import Dataset, Provenance
from .live import DownloadError, compare, compare_with_archive, load_live
from .stored import DamagedFileError, load_stored, verify

__all__ = [
    "SHORT",
    "DamagedFileError",
    "Dataset",
    "DownloadError",
    "Provenance",
    "binarize",
    "compare",
    "compare_with_archive",
    "in_words",
    "load",
    "names",
    "verify",
]

SOURCES = ("stored", "live", "auto")


def load(name: str, source: str | None = None, **download: Any) -> Dataset:
    """One of the four data sets.

    `source` is ``"stored"`` (the copy inside the package), ``"live"`` (a download from the UCI
    archive, compared with the stored copy) or ``"auto"``: the download if it is equal to the stored
    copy, else the stored copy, with a warning; the data are the same either way. None means the
    environment variable ``PPDM_DATA_SOURCE``, and without it ``"stored"``.
    `download` goes to the live path: `timeout`, `refresh`.

    Parameters
    ----------
    name
        The data set; `names()` lists them.
    source
        "stored", "live" or "auto".
    download
        `timeout` and `refresh` of a download.

    Returns
    -------
    Dataset
        The typed table, its class, and where it comes from.

    Raises
    ------
    ValueError
        If there is no such data set or source.
    DownloadError
        If the archive was asked for and did not give it.

    Examples
    --------
    >>> load("pima").frame.shape
    (768, 9)
    """
    item = entry(name)
    origin = "source" if source is not None else "PPDM_DATA_SOURCE"
    source = source or os.environ.get("PPDM_DATA_SOURCE") or "stored"
    if source not in SOURCES:
        raise ValueError(f"{origin} must be one of {', '.join(SOURCES)}, not {source!r}")
    if source == "stored":
        return load_stored(name)
    if item.uci_id is None:
        reason = f"{name} is no longer in the UCI archive"
    elif source == "live":
        return load_live(name, **download)
    else:
        reason = _refusal(name, **download)
        if not reason:
            return load_live(name, **download | {"refresh": False})
    warnings.warn(f"{reason}: using the stored copy", stacklevel=2)
    return load_stored(name, reason)


@lru_cache
def _refusal(name: str, **download: Any) -> str:
    """Why the archive's copy is not taken; asked once in a process, for it may take its time."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            dataset = load_live(name, **download)
    except DownloadError as error:
        return str(error)
    return "its download differs from the stored copy" if dataset.provenance.differences else ""
