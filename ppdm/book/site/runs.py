"""What was run: size, seed and time of each chapter, and what `ppdm verify` found of it."""

from __future__ import annotations

from pathlib import Path

from ppdm.book.site.records import Records, raw_html
from ppdm.book.templating import PAGES, fill
from ppdm.files import replace_file
from ppdm.study.manifest import packed

MACHINE = "{processor}, {cores} cores, {memory_gib} GiB of memory, {system}"
#: What `ppdm verify` counts, in words.
FOUND = {
    "equal": "points agree to the bit",
    "close": "to the last digits",
    "wrong": "parts are not as they were",
}


def runs(records: Records) -> str:
    """What the provenance notes say: a row a chapter, then what all chapters share."""
    notes = records.provenance
    if not notes:
        return "No chapter has been run yet.\n"
    shared = {
        "Versions": [pairs(note["versions"]) for note in notes.values()],
        "Machine": [MACHINE.format_map(note["machine"]) for note in notes.values()],
        "Commit": [str(note["commit"]) for note in notes.values()],
    }
    marks = {stem: str(m.get("fingerprint", "")) for stem, m in records.manifests.items()}
    verified = {stem: _verified(records.verified.get(stem, {}), marks.get(stem)) for stem in notes}
    return raw_html(
        fill(
            "runs.html",
            notes=notes,
            titles=records.titles,
            marks=marks,
            found=verified,
            shared=shared,
        )
    )


def _verified(note: dict, fingerprint: str | None) -> str:
    """What `ppdm verify` found of this very run, in words."""
    if not fingerprint or note.get("fingerprint") != fingerprint:
        return "not yet since this run" if fingerprint else ""
    words = [f"{note[what]} {said}" for what, said in FOUND.items() if note[what]]
    versions = note["versions"]
    said = ", ".join(words) or "no points to compute again"
    return f"{note['when']}, Python {versions['python']}, numpy {versions['numpy']}: {said}"


def publish_manifests(results: Path, folder: Path) -> None:
    """Lay the chapters' manifests beside the site, a packed file a chapter, for `ppdm verify --from`."""
    for path in sorted(results.glob("*/manifest.json")):
        replace_file(folder / f"{path.parent.name}.json.gz", packed(path.read_bytes()))


def pairs(values: dict) -> str:
    """Names and values in a line.

    >>> pairs({"last_digits": [1, 2]})
    'last digits 1 2'
    """
    texts = (
        " ".join(map(str, value)) if isinstance(value, list) else str(value)
        for value in values.values()
    )
    return ", ".join(f"{name} {text}".replace("_", " ") for name, text in zip(values, texts))


def duration(seconds: float) -> str:
    """A duration as one says it.

    >>> duration(6.04), duration(95)
    ('6.0 s', '1 min 35 s')
    """
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


PAGES.filters |= {"pairs": pairs, "duration": duration}
