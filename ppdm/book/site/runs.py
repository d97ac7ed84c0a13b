"""What was run: size, seed and time of each chapter, and what `ppdm verify` found of it."""

from __future__ import annotations

from pathlib import Path

from ppdm.book.site.records import Records, raw_html
from ppdm.book.templating import PAGES, fill
from ppdm.files import replace_file
from ppdm.study.manifest import packed

MACHINE = "{processor}, {cores} cores, {memory_gib} GiB of memory, {system}"


def runs(records: Records) -> str:
    """What the provenance notes say: a row a chapter, then what all chapters share."""
    notes = records.provenance
    if not notes:
        return "No chapter has been run yet.\n"
    shared = {
        "Versions": (pairs(note["versions"]) for note in notes.values()),
        "Machine": (MACHINE.format_map(note["machine"]) for note in notes.values()),
        "Commit": (str(note["commit"]) for note in notes.values()),
    }
    values = {name: "; or ".join(dict.fromkeys(said)) for name, said in shared.items()}
    marks = {stem: str(m.get("fingerprint", ""))[:12] for stem, m in records.manifests.items()}
    found = {stem: _verified(records, stem) for stem in notes}
    table = fill(
        "runs.html", notes=notes, titles=records.titles, marks=marks, found=found, shared=values
    )
    return raw_html(table)


def _verified(records: Records, stem: str) -> str:
    """What `ppdm verify` found of this very run, in words."""
    manifest, found = records.manifests.get(stem), records.verified.get(stem)
    if manifest is None:
        return ""
    if found is None or found.get("fingerprint") != manifest.get("fingerprint"):
        return "not yet since this run"
    words = [f"{found['equal']} points agree to the bit"]
    if not found["equal"] and not found["close"]:
        words = ["no points to compute again"]
    if found["close"]:
        words.append(f"{found['close']} to the last digits")
    if found["wrong"]:
        words.append(f"{found['wrong']} parts are not as they were")
    on = f"Python {found['versions']['python']}, numpy {found['versions']['numpy']}"
    return f"{found['when']}, {on}: {', '.join(words)}"


def publish_manifests(results: Path, folder: Path) -> None:
    """Lay the chapters' manifests beside the site, a packed file a chapter, for `ppdm verify --from`."""
    for path in sorted(results.glob("*/manifest.json")):
        replace_file(folder / f"{path.parent.name}.json.gz", packed(path.read_bytes()))


def pairs(values: dict) -> str:
    """Names and values in a line, long values cut.

    >>> pairs({"last_digits": [1, 2]})
    'last digits 1 2'
    """
    texts = {
        name.replace("_", " "): " ".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in values.items()
    }
    return ", ".join(
        f"{name} {text if len(text) <= 60 else text[:57].rsplit(' ', 1)[0] + ' ...'}"
        for name, text in texts.items()
    )


def duration(seconds: float) -> str:
    """A duration as one says it.

    >>> duration(6.04), duration(95)
    ('6.0 s', '1 min 35 s')
    """
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


PAGES.filters |= {"pairs": pairs, "duration": duration}
