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
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ppdm import places
from ppdm.files import replace_file
from ppdm.study import manifest, provenance, store
from ppdm.study.identity import checksum

SHOWN = 10  # of a long list
Entry = tuple[str, "Path | str", bytes]  # a chapter, where its manifest lies, what is in it


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
    manifests: list[Entry],
    points: int,
    seed: int | None = None,
    keep: bool = True,
) -> list[str]:
    """Check chapter by chapter; the chapters that are not as their manifests say."""
    seed = secrets.randbelow(10**6) if seed is None else seed
    rng = np.random.default_rng(seed)
    notes = {stem: _verify(stem, place, content, points, rng) for stem, place, content in manifests}
    if keep:
        content = json.dumps(manifest.last_verified(where.out) | notes, indent=1)
        try:
            replace_file(where.out / "verified.json", content.encode() + b"\n")
        except OSError as error:
            print(f"what was found is not kept: {error}", file=sys.stderr)
    print(f"(`--seed {seed}` draws the same points again.)")
    return [stem for stem, note in notes.items() if note["wrong"]]


# Finding the manifests ------------------------------------------------------------------------------


def _manifests(args: argparse.Namespace, where: places.Layout) -> list[Entry]:
    """Every manifest that is asked for."""
    source = args.source or str(where.results)
    if source == "published":
        source = _published()
    entries = list(_download(source, args.chapter)) if "://" in source else here(Path(source))
    entries = [entry for entry in entries if entry[0].startswith(args.chapter or "")]
    if not entries:
        command = "ppdm book quick" if args.quick else "ppdm book"
        wanted = f" of a chapter {args.chapter!r}" if args.chapter else ""
        raise ValueError(f"there is no manifest{wanted} in {source}: `{command}` writes them")
    return entries


def _published() -> str:
    """Where this repository's own site has its manifests."""
    from ppdm.book.settings import pages_address, repository

    name = repository(places.find_root())
    if name is None:
        raise ValueError(
            "--from published: this folder is no checkout from GitHub, and GITHUB_REPOSITORY is not set"
        )
    return f"{pages_address(name)}_static/manifests"


def here(place: Path) -> list[Entry]:
    """The manifests of a file or a folder."""
    paths = sorted(place.glob("*/manifest.json")) or sorted(place.glob("*.json*"))
    return [
        (_stem(path), path, path.read_bytes()) for path in ([place] if place.is_file() else paths)
    ]


def _stem(place: Path) -> str:
    """The chapter of a manifest: its folder's name, or that of a published file."""
    return place.parent.name if place.name == "manifest.json" else place.name.partition(".json")[0]


def _download(address: str, chapter: str | None) -> Iterator[Entry]:
    from ppdm.data.live import download

    if address.endswith((".json", ".json.gz")):
        yield _stem(Path(address)), address, download(address)
        return
    for notebook in places.find_notebooks(places.find_root()):
        if notebook.stem.startswith(chapter or ""):
            page = f"{address.rstrip('/')}/{notebook.stem}.json.gz"
            yield notebook.stem, page, download(page)


# One chapter ----------------------------------------------------------------------------------------


def _verify(stem: str, place: Path | str, content: bytes, points: int, rng) -> dict:
    """Check one chapter; print what was found and return it."""
    print(stem)
    note = {
        "fingerprint": "", "wrong": 0, "equal": 0, "close": 0, "different": 0,
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": provenance.versions(), "machine": provenance.machine(),
    }  # fmt: skip
    try:
        known = manifest.read(content, Path(place).name)
    except manifest.ManifestError as error:
        print(f"  {error}.")
        return note | {"wrong": 1}
    print(f"  fingerprint {known.fingerprint}")
    print("".join(f"  {line}\n" for line in _circumstances(known)), end="")
    faults = []
    if isinstance(place, Path) and place.name == "manifest.json":  # its tables lie beside it
        gone = _changed(known.what["tables"], place.parent)
        faults = [
            f"{name} is {'not as written' if (place.parent / name).is_file() else 'not there'}"
            for name in gone
        ]
        print(f"  {len(known.what['tables'])} tables: {_listed(faults) or 'as written'}")
    kept, damaged = _kept_points(known)
    if kept:
        print(f"  {kept:,} kept points: {_listed(damaged) or 'as written'}")
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
    paths = {name: folder / name for name in checksums}
    return [
        name
        for name, path in paths.items()
        if not path.is_file() or checksum(path.read_bytes()) != checksums[name]
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
    named = [point for point in known.what["points"] if "notebook" not in known.function(point)]
    drawn = sorted(rng.choice(len(named), min(number, len(named)), replace=False).tolist())
    counts, worst, lines = {"equal": 0, "close": 0, "different": 0}, 0.0, []
    for i in tqdm(drawn, unit="point", leave=False, disable=None):
        how, far, line = _compare(known, named[i])
        counts[how] += 1
        worst = max(worst, far) if how == "close" else worst
        lines += [line] if line else []
    words = {
        "equal": "agree to the bit",
        "close": f"to the last digits (relative difference up to {worst:.0e})",
        "different": "do not",
    }
    outcome = ", ".join(f"{n} {words[how]}" for how, n in counts.items() if n or how == "equal")
    lines.insert(
        0, f"{len(drawn)} of {len(named):,} points computed again{': ' + outcome if drawn else ''}"
    )
    rest = len(known.what["points"]) - len(named)
    if rest:
        lines.append(
            f"{rest:,} of {len(known.what['points']):,} points belong to functions of the notebook: "
            "run the chapter to compute them again"
        )
    return counts, lines


def _compare(known: manifest.Manifest, point: dict) -> tuple[str, float, str]:
    """How a point computed anew agrees, how far it is off, and a sentence if it is another."""
    try:
        table = known.compute(point)
    except manifest.ManifestError as error:
        return "different", 0.0, f"{_of(known, point)} cannot be computed: {error}"
    if manifest.table_checksum(table) == point["sha256"]:
        return "equal", 0.0, ""
    far = manifest.difference(table, point["sums"])
    if far < manifest.CLOSE:
        return "close", far, ""
    size = "in kind" if far == float("inf") else f"by {far:.1g} of its size"
    return "different", far, f"{_of(known, point)} differs {size}"


def _of(known: manifest.Manifest, point: dict) -> str:
    path = json.dumps(known.function(point)).partition("ppdm.papers.")[2].partition('"')[0]
    name = path.rpartition(":")[2] or "a point"
    block = f", block {point['block']}" if point["block"] else ""
    return f"{name}({store.named(point['coords'])}{block})"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
