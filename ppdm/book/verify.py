"""`ppdm verify`: is what was published what this package computes?

For each chapter the manifest is checked against its own seal, the tables of this build
against the manifest, the kept points against their checksums; then points drawn at random are computed
anew. A point agrees to the bit, or to the last digits (another processor or library may add in another
order), or not.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ppdm import places
from ppdm.files import replace_file
from ppdm.study import manifest, provenance, store
from ppdm.study.identity import checksum

SHOWN = 10  # of a long list


def main(args: argparse.Namespace) -> int:
    """Look at what is asked for; say what was found, and keep it for the page *What was run*."""
    if args.points < 0:
        raise ValueError(f"--points is {args.points}; it must be 0 or more")
    where = places.quick_layout() if args.quick else places.paper_layout()
    wrong = look(where, _manifests(args, where), args.points, seed=args.seed, keep=not args.source)
    print(
        f"Not as it was: {', '.join(wrong)}." if wrong else "All that was looked at is as it was."
    )
    return int(bool(wrong))


def look(
    where: places.Layout,
    manifests: list[Path],
    points: int,
    seed: int | None = None,
    keep: bool = True,
) -> list[str]:
    """Check chapter by chapter; the chapters that are not as their manifests say."""
    seed = secrets.randbelow(10**6) if seed is None else seed
    rng = np.random.default_rng(seed)
    notes = {_stem(path): _verify(path, points, rng) for path in manifests}
    if keep:
        content = json.dumps(manifest.last_verified(where.out) | notes, indent=1)
        try:
            replace_file(where.out / "verified.json", content.encode() + b"\n")
        except OSError as error:
            print(f"what was found is not kept: {error}", file=sys.stderr)
    print(f"(`--seed {seed}` draws the same points again.)")
    return [stem for stem, note in notes.items() if note["wrong"]]


def _manifests(args: argparse.Namespace, where: places.Layout) -> list[Path]:
    """Every manifest that is asked for."""
    source = Path(args.source or where.results)
    paths = [path for path in here(source) if _stem(path).startswith(args.chapter or "")]
    if not paths:
        command = "ppdm book quick" if args.quick else "ppdm book"
        wanted = f" of a chapter {args.chapter!r}" if args.chapter else ""
        raise ValueError(f"there is no manifest{wanted} in {source}: `{command}` writes them")
    return paths


def here(place: Path) -> list[Path]:
    """The manifests of a file or a folder."""
    if place.is_file():
        return [place]
    return sorted(place.glob("*/manifest.json")) or sorted(place.glob("*.json*"))


def _stem(place: Path) -> str:
    """The chapter of a manifest: its folder's name, or that of a published file."""
    return place.parent.name if place.name == "manifest.json" else place.name.partition(".json")[0]


# One chapter ----------------------------------------------------------------------------------------


def _verify(path: Path, points: int, rng) -> dict:
    """Check one chapter; print what was found and return it."""
    print(_stem(path))
    note = {
        "fingerprint": "", "wrong": 1, "equal": 0, "close": 0, "different": 0,
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": provenance.versions(), "machine": provenance.machine(),
    }  # fmt: skip
    try:
        known = manifest.read(path.read_bytes(), path.name)
    except manifest.ManifestError as error:
        print(f"  {error}.")
        return note
    lines, faults = [f"fingerprint {known.fingerprint}", *_circumstances(known)], []
    if path.name == "manifest.json":  # its tables lie beside it
        faults = [
            f"{name} is {'not as written' if (path.parent / name).is_file() else 'not there'}"
            for name in _changed(known.what["tables"], path.parent)
        ]
        lines.append(f"{len(known.what['tables'])} tables: {_listed(faults) or 'as written'}")
    kept, damaged = _kept_points(known)
    if kept:
        lines.append(f"{kept:,} kept points: {_listed(damaged) or 'as written'}")
    print("".join(f"  {line}\n" for line in lines), end="")
    counts, lines = _compute_again(known, points, rng)
    print("".join(f"  {line}\n" for line in lines), end="")
    wrong = len(faults) + len(damaged) + counts["different"]
    return note | counts | {"wrong": wrong, "fingerprint": known.fingerprint}


def _circumstances(known: manifest.Manifest) -> list[str]:
    """What is not here as it was there: versions, processor, code."""
    ours = provenance.versions() | {"": provenance.machine()["processor"]}
    theirs = known.made_on["versions"] | {"": known.made_on["machine"]["processor"]}
    other = [
        f"{name} {there} (here {ours.get(name, 'none')})".strip()
        for name, there in theirs.items()
        if there != ours.get(name)
    ]
    code = _changed(known.what["code"], places.PACKAGE.parent)
    return [
        f"{words} {_listed(names)}"
        for words, names in (("made with", other), ("changed since:", code))
        if names
    ]


def _changed(checksums: dict[str, str], folder: Path) -> list[str]:
    """Which files of a folder are gone or not as written."""
    return [
        name
        for name, known in checksums.items()
        if not (folder / name).is_file() or checksum((folder / name).read_bytes()) != known
    ]


def _kept_points(known: manifest.Manifest) -> tuple[int, list[str]]:
    """How many points the cache still has, and which of them are not as written."""
    kept, faults = 0, []
    for point in known.what["points"]:
        path = known.kept_file(point)
        if path is None or not path.is_file():
            continue
        kept += 1
        table = store.unsealed(path.read_bytes())
        if table is None:
            faults.append(f"{_of(known, point)} is damaged ({path.parent.name}/{path.name})")
        elif manifest.table_checksum(table) != point["sha256"]:
            faults.append(f"{_of(known, point)} is another than in the manifest")
    return kept, faults


def _compute_again(known: manifest.Manifest, number: int, rng) -> tuple[dict, list[str]]:
    """Compute some points anew: the counts by how they agree, and sentences that say it."""
    every = known.what["points"]
    named = [point for point in every if "notebook" not in known.function(point)]
    drawn = sorted(rng.choice(len(named), min(number, len(named)), replace=False).tolist())
    counts, worst, lines = {"equal": 0, "close": 0, "different": 0}, 0.0, []
    for i in tqdm(drawn, unit="point", leave=False, disable=None):
        try:
            table = known.compute(named[i])
        except manifest.ManifestError as error:
            counts["different"] += 1
            lines.append(f"{_of(known, named[i])} cannot be computed: {error}")
            continue
        equal = manifest.table_checksum(table) == named[i]["sha256"]
        far = 0.0 if equal else manifest.difference(table, named[i]["sums"])
        how = "equal" if equal else "close" if far < manifest.CLOSE else "different"
        counts[how] += 1
        if how == "different":
            size = "in kind" if far == float("inf") else f"by {far:.1g} of its size"
            lines.append(f"{_of(known, named[i])} differs {size}")
        worst = max(worst, far) if how == "close" else worst
    words = {
        "equal": "agree to the bit",
        "close": f"to the last digits (relative difference up to {worst:.0e})",
        "different": "do not",
    }
    outcome = ", ".join(f"{n} {words[how]}" for how, n in counts.items() if n or how == "equal")
    said = f"{len(drawn)} of {len(named):,} points computed again{': ' + outcome if drawn else ''}"
    if len(named) < len(every):
        lines.append(
            f"{len(every) - len(named):,} of {len(every):,} points belong to functions of the notebook: "
            "run the chapter to compute them again"
        )
    return counts, [said, *lines]


def _of(known: manifest.Manifest, point: dict) -> str:
    path = json.dumps(known.function(point)).partition("ppdm.papers.")[2].partition('"')[0]
    name = path.rpartition(":")[2] or "a point"
    block = f", block {point['block']}" if point["block"] else ""
    return f"{name}({store.named(point['coords'])}{block})"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
