"""`ppdm verify`: is what was published what this package computes?

For each chapter the manifest is checked against its own seal, the tables and claims of this build
against the manifest, the kept cells against their checksums; then cells drawn at random are computed
anew. A cell agrees to the bit, or to the last digits (another processor or library may add in another
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
from ppdm.study import grid, ledger, manifest, provenance

SHOWN = 10  # of a long list


def main(args: argparse.Namespace) -> int:
    """Look at what is asked for; say what was found, and keep it for the page *What was run*."""
    if args.cells < 0:
        raise ValueError(f"--cells is {args.cells}; it must be 0 or more")
    where = places.quick_layout() if args.quick else places.paper_layout()
    manifests = _manifests(args, where)
    wrong = look(where, manifests, args.cells, seed=args.seed, keep=not args.source)
    if wrong:
        print(f"Not as it was: {', '.join(wrong)}.")
        return 1
    print("All that was looked at is as it was." if manifests else "")
    return 0


def look(
    where: places.Layout,
    manifests: list[tuple[str, Path | str, bytes]],
    cells: int,
    seed: int | None = None,
    keep: bool = True,
) -> list[str]:
    """Check chapter by chapter; the chapters that are not as their manifests say."""
    seed = secrets.randbelow(10**6) if seed is None else seed
    rng = np.random.default_rng(seed)
    notes = {stem: _verify(stem, place, content, cells, rng) for stem, place, content in manifests}
    if keep:
        _keep(where, notes)
    print(f"(`--seed {seed}` draws the same cells again.)")
    return [stem for stem, note in notes.items() if note["wrong"]]


# Finding the manifests -------------------------------------------------------------------------------


def _manifests(args, where: places.Layout) -> list[tuple[str, Path | str, bytes]]:
    """(chapter, where it lies, content) of every manifest that is asked for."""
    source = args.source or str(where.results)
    if source == "published":
        source = _published()
    if "://" in source:
        found = list(_download(source, args.chapter))
    else:
        found = here(Path(source))
    if args.chapter:
        found = [entry for entry in found if entry[0].startswith(args.chapter)]
    if not found:
        command = "ppdm book quick" if args.quick else "ppdm book"
        wanted = f" of a chapter {args.chapter!r}" if args.chapter else ""
        raise ValueError(f"there is no manifest{wanted} in {source}: `{command}` writes them")
    return found


def _published() -> str:
    """Where this repository's own site has its manifests."""
    from ppdm.book.settings import pages_address, repository

    name = repository(places.find_root())
    if name is None:
        raise ValueError(
            "--from published: this folder is no checkout from GitHub, and GITHUB_REPOSITORY is not set"
        )
    return f"{pages_address(name)}_static/manifests"


def here(place: Path) -> list[tuple[str, Path | str, bytes]]:
    """(chapter, where it lies, content) of the manifests of a file or a folder."""
    return [(stem, path, path.read_bytes()) for stem, path in _files(place).items()]


def _files(place: Path) -> dict[str, Path]:
    if place.is_file():
        return {_stem(place): place}
    paths = sorted(place.glob("*/manifest.json")) or sorted(place.glob("*.json*"))
    return {_stem(path): path for path in paths}


def _stem(place: Path) -> str:
    """The chapter of a manifest: its folder's name, or that of a published file."""
    return place.parent.name if place.name == "manifest.json" else place.name.partition(".json")[0]


def _download(address: str, chapter: str | None) -> Iterator[tuple[str, Path | str, bytes]]:
    from ppdm.data.live import download

    if address.endswith((".json", ".json.gz")):
        yield _stem(Path(address)), address, download(address)
        return
    for notebook in places.find_notebooks(places.find_root()):
        if notebook.stem.startswith(chapter or ""):
            page = f"{address.rstrip('/')}/{notebook.stem}.json.gz"
            yield notebook.stem, page, download(page)


# One chapter -----------------------------------------------------------------------------------------


def _verify(stem: str, place: Path | str, content: bytes, cells: int, rng) -> dict:
    """Check one chapter; print what was found and return it."""
    print(stem)
    note = {"fingerprint": "", "wrong": 0, "equal": 0, "close": 0, "different": 0}
    note |= {"when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    note |= {"versions": provenance.versions(), "machine": provenance.machine()}
    try:
        known = manifest.read(content, place.name if isinstance(place, Path) else place)
    except manifest.ManifestError as error:
        print(f"  {error}.")
        return note | {"wrong": 1}
    note["fingerprint"] = known.fingerprint
    print(f"  fingerprint {known.fingerprint}")
    for line in _circumstances(known):
        print(f"  {line}")
    faults = []
    if isinstance(place, Path) and place.name == "manifest.json":  # its tables lie beside it
        faults += _tables(known, place.parent) + _claims(known, place.parent)
        told = f"{_count(len(known.what['tables']), 'table')} and "
        told += _count(len(known.what["claims"]), "claim")
        print(f"  {told}: {'as written' if not faults else _listed(faults)}")
    kept, damaged = _kept_cells(known)
    if kept:
        print(f"  {_count(kept, 'kept cell')}: {_listed(damaged) if damaged else 'as written'}")
    faults += damaged
    counts, lines = _compute_again(known, cells, rng)
    print("\n".join(f"  {line}" for line in lines))
    return note | counts | {"wrong": len(faults) + counts["different"]}


def _circumstances(known: manifest.Manifest) -> list[str]:
    """What is not here as it was there: versions, processor, code."""
    lines = []
    here, there = provenance.versions(), known.made_on["versions"]
    other = [
        f"{k} {there[k]} (here {here.get(k, 'none')})" for k in there if there[k] != here.get(k)
    ]
    processor = provenance.machine()["processor"]
    if known.made_on["machine"]["processor"] != processor:
        other.append(f"{known.made_on['machine']['processor']} (here {processor})")
    if other:
        lines.append(f"made with {', '.join(other)}")
    root = places.PACKAGE.parent
    changed = [
        file
        for file, sha in known.what["code"].items()
        if not (root / file).is_file() or manifest.checksum((root / file).read_bytes()) != sha
    ]
    if changed:
        lines.append(f"changed since: {_listed(changed)}")
    return lines


def _tables(known: manifest.Manifest, folder: Path) -> list[str]:
    """Files of results that are gone or not as written."""
    faults = []
    for name, sha in known.what["tables"].items():
        path = folder / name
        if not path.is_file():
            faults.append(f"{name} is not there")
        elif manifest.checksum(path.read_bytes()) != sha:
            faults.append(f"{name} is not as written")
    return faults


def _claims(known: manifest.Manifest, folder: Path) -> list[str]:
    """Claims whose row is gone or not as written."""
    path = folder / "claims.csv"
    if not known.what["claims"] or not path.is_file():
        return []
    try:
        rows = {row["id"]: row for row in ledger.read_csv(path)}
    except (UnicodeDecodeError, KeyError):
        return []  # said already of the whole table
    return [
        f"claim {id} is not as written"
        for id, claim in known.what["claims"].items()
        if id not in rows or manifest.row_checksum(rows[id]) != claim["sha256"]
    ]


def _kept_cells(known: manifest.Manifest) -> tuple[int, list[str]]:
    """How many cells the cache still has, and which of them are not as written."""
    kept, faults = 0, []
    for cell in known.what["cells"]:
        path = known.kept_file(cell)
        if path is None or not path.is_file():
            continue
        kept += 1
        table = grid.unsealed(path.read_bytes())
        if table is None:
            faults.append(f"{_of(known, cell)} is damaged ({path.parent.name}/{path.name})")
        elif manifest.table_checksum(table) != cell["sha256"]:
            faults.append(f"{_of(known, cell)} is another than in the manifest")
    return kept, faults


def _compute_again(known: manifest.Manifest, cells: int, rng) -> tuple[dict, list[str]]:
    """Compute some cells anew: the counts by how they agree, and sentences that say it."""
    told = [cell for cell in known.what["cells"] if known.told(cell)]
    drawn = sorted(rng.choice(len(told), min(cells, len(told)), replace=False).tolist())
    counts, worst, lines = {"equal": 0, "close": 0, "different": 0}, 0.0, []
    for i in tqdm(drawn, unit="cell", leave=False, disable=None):
        how, far, line = _compare(known, told[i])
        counts[how] += 1
        worst = max(worst, far) if how == "close" else worst
        if line:
            lines.append(line)
    words = [f"{counts['equal']} agree to the bit"]
    if counts["close"]:
        words.append(
            f"{counts['close']} to the last digits (relative difference up to {worst:.0e})"
        )
    if counts["different"]:
        words.append(f"{counts['different']} do not")
    first = f"{len(drawn)} of {_count(len(told), 'cell')} computed again"
    first += f": {', '.join(words)}" if drawn else ""
    others = len(known.what["cells"]) - len(told)
    if others:
        lines.append(
            f"{others:,} of {_count(len(known.what['cells']), 'cell')} belong to functions "
            "of the notebook: run the chapter to compute them again"
        )
    return counts, [first, *lines]


def _compare(known: manifest.Manifest, cell: dict) -> tuple[str, float, str]:
    """How a cell computed anew agrees, how far it is off, and a sentence if it is another."""
    try:
        table = known.compute(cell)
    except (grid.CellError, manifest.ManifestError) as error:
        return "different", 0.0, f"{_of(known, cell)} cannot be computed: {error}"
    if manifest.table_checksum(table) == cell["sha256"]:
        return "equal", 0.0, ""
    far = manifest.difference(table, cell["sums"])
    if far < manifest.CLOSE:
        return "close", far, ""
    told = "in kind" if far == float("inf") else f"by {far:.1g} of its size"
    return "different", far, f"{_of(known, cell)} differs {told}"


def _of(known: manifest.Manifest, cell: dict) -> str:
    function = json.dumps(known.what["experiments"][cell["experiment"]]["function"])
    name = function.partition("ppdm.")[2].partition('"')[0].rpartition(":")[2] or "cell"
    coords = ", ".join(f"{k}={v!r}" for k, v in cell["coords"].items())
    block = f", block {cell['block']}" if cell["block"] else ""
    return f"{name}({coords}{block})"


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


# Keeping what was found ------------------------------------------------------------------------------


def record_path(where: places.Layout) -> Path:
    """Where the last verification of each chapter is written down."""
    return where.out / "verified.json"


def _keep(where: places.Layout, notes: dict[str, dict]) -> None:
    kept = manifest.last_verified(where.out)
    try:
        replace_file(record_path(where), json.dumps(kept | notes, indent=1).encode() + b"\n")
    except OSError as error:
        print(f"what was found is not kept: {error}", file=sys.stderr)
