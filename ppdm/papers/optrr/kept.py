"""[Huang & Du, VI.C.2] Searches of the paper's full length that take longer than a build may: computed apart, and kept.

The file says from which inputs it was made: another seed, setting or distribution has none, and is searched anew, at a
quarter of the length. ``python -m ppdm.papers.optrr.full_length`` writes it (a quarter of an hour); a weekly test computes one
of its searches again.
"""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm.files import replace_file
from ppdm.study import identity

FILE = Path(__file__).with_name("full_length.csv")


def inputs(search: partial, points: list[dict], seed: int) -> str:
    """A checksum of all numbers that decide what a search gives at some points.

    >>> search = partial(print, priors={"even": np.full(2, 0.5), "other": np.ones(1)}, generations=3)
    >>> inputs(search, [{"dataset": "even", "draw": 1}], seed=1) == inputs(search, [{"dataset": "even", "draw": 2}], seed=1)
    False
    """
    plain: dict[str, Any] = dict(search.keywords)
    priors = plain.pop("priors")
    used = {p["dataset"]: np.round(priors[p["dataset"]], 12).tolist() for p in points}
    return identity.checksum(identity.canonical([plain, used, points, seed]).encode())


def read(search: partial, points: list[dict], seed: int) -> pd.DataFrame | None:
    """The kept searches, if they were made from these inputs."""
    head, _, rest = FILE.read_text(encoding="utf-8").partition("\n")
    return pd.read_csv(io.StringIO(rest)) if head == f"# {inputs(search, points, seed)}" else None


def write(search: partial, points: list[dict], seed: int) -> None:
    """Search all points and keep what was found."""
    found = [
        search(
            identity.stream(seed, {k: identity.plain(k, v) for k, v in point.items()}), **point
        ).assign(**point)
        for point in points
    ]
    content = pd.concat(found).to_csv(index=False, float_format="%.9g", lineterminator="\n")
    replace_file(FILE, f"# {inputs(search, points, seed)}\n{content}".encode())
