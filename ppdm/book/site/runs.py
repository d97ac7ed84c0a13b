"""What was run, and the chapters' cards on the front page."""

from __future__ import annotations

import base64
import html
import json
import re
from pathlib import Path

from ppdm.book.site.records import Records, raw_html
from ppdm.files import replace_file
from ppdm.study.manifest import packed

_SUFFIX = {"image/svg+xml": ".svg", "image/png": ".png"}


def runs(records: Records) -> str:
    """What the provenance notes say: what all chapters share, then a row a chapter."""
    notes = records.provenance
    if not notes:
        return "No chapter has been run yet.\n"
    rows = []
    for stem, note in notes.items():
        details = {
            "Sizes": _pairs(note["sizes"]),
            "Settings": _pairs(note["settings"]),
            "Data": _pairs(
                {name: f"{known['rows']:,} rows" for name, known in note["data"].items()}
            ),
            "Verified": _verified(records, stem),
        }
        told = "".join(
            f'<span class="note"><strong>{name}:</strong> {html.escape(text)}</span>'
            for name, text in details.items()
            if text
        )
        rows.append(
            '<tr role="row">'
            f'<td role="cell"><a href="../notebooks/{stem}.html">{_title(records, stem)}</a>{told}</td>'
            f'<td role="cell" data-label="Size">{html.escape(note["size"])}</td>'
            f'<td role="cell" class="number" data-label="Seed">{note["seed"]}</td>'
            f'<td role="cell" class="number" data-label="Time">{_time(note["seconds"])}</td>'
            f'<td role="cell" data-label="Finished">{html.escape(note["finished"])}</td>'
            f'<td role="cell" data-label="Fingerprint">{_fingerprint(records, stem)}</td></tr>'
        )
    head = "".join(
        f'<th role="columnheader" scope="col">{name}</th>'
        for name in ("Chapter", "Size", "Seed", "Time", "Finished", "Fingerprint")
    )
    table = raw_html(
        '<table class="claims" role="table" aria-label="What was run">\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{"".join(rows)}\n</tbody>\n</table>'
    )
    shared = [
        f"{label}\n: {'; or '.join(_distinct(notes, key))}\n"
        for label, key in (("Versions", "versions"), ("Machine", "machine"), ("Commit", "commit"))
    ]
    return "\n".join([table, "## On what", "", *shared])


def _fingerprint(records: Records, stem: str) -> str:
    """The beginning of the manifest's fingerprint, which leads to the manifest."""
    manifest = records.manifests.get(stem)
    if manifest is None:
        return ""
    short = html.escape(str(manifest.get("fingerprint", ""))[:12])
    return f'<a href="../_static/manifests/{stem}.json.gz" download><code>{short}</code></a>'


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


def _title(records: Records, stem: str) -> str:
    return html.escape(records.titles.get(stem, stem))


def _machine(machine: dict) -> str:
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB of memory, "
        f"{machine['system']}"
    )


def _distinct(notes: dict[str, dict], key: str) -> list[str]:
    """What the notes say under a key, each different thing once."""
    say = {"machine": _machine, "versions": _pairs}.get(key, str)
    said = [say(note[key]) for note in notes.values()]
    return list(dict.fromkeys(said))


def _pairs(values: dict) -> str:
    return ", ".join(f"{str(name).replace('_', ' ')} {_value(v)}" for name, v in values.items())


def _value(value: object) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 60 else text[:57].rsplit(" ", 1)[0] + " ..."


def _time(seconds: float) -> str:
    """A duration as one says it.

    >>> _time(6.04), _time(95)
    ('6.0 s', '1 min 35 s')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def best_picture(notebook: Path, name: str | None = None) -> tuple[str, bytes, str] | None:
    """The figure called `name` of an executed notebook, or else its first picture.

    Its kind, its bytes and its alternative text.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    named = [
        o for o in outputs if f'id="fig-{name}"' in "".join(o.get("data", {}).get("text/html", ""))
    ]
    return next(filter(None, map(_picture, named + outputs)), None)


def _picture(output: dict) -> tuple[str, bytes, str] | None:
    data = {
        kind: "".join(text)
        for kind, text in output.get("data", {}).items()
        if isinstance(text, (str, list))
    }
    figure = data.get("text/html", "")
    drawn = re.search(r"<svg.*?</svg>", figure, re.DOTALL)
    if drawn:
        alt = re.search(r'aria-label="([^"]*)"', drawn[0])
        return "image/svg+xml", _alone(drawn[0]), html.unescape(alt[1]) if alt else ""
    embedded = re.search(r'<img[^>]*src="data:image/png;base64,([^"]+)"[^>]*>', figure)
    if embedded:
        alt = re.search(r'alt="([^"]*)"', embedded[0])
        return "image/png", base64.b64decode(embedded[1]), html.unescape(alt[1]) if alt else ""
    if "image/svg+xml" in data:
        return "image/svg+xml", data["image/svg+xml"].encode(), ""
    if "image/png" in data:
        return "image/png", base64.b64decode(data["image/png"]), ""
    return None


def _alone(svg: str) -> bytes:
    """A drawing taken out of its page: the page's colour of text becomes one that suits a card."""
    svg = re.sub(r"<svg ", '<svg style="background: #fff; color: #1f2328" ', svg, count=1)
    return svg.encode()


def _headed(paper: dict) -> str:
    """A card's head: who wrote the paper and its title; after a question no colon."""
    short = paper["short"]
    return f"{short}{'' if short.endswith('?') else ':'} {paper['title']}"


def cards(records: Records, source: Path) -> str:
    """The chapters as cards, each with its picture, in the book's order."""
    out = ["::::{grid} 1 1 2 2", ":gutter: 3", ""]
    for paper in records.papers:
        stem = paper["chapter"]
        if stem not in records.titles:
            continue
        picture = best_picture(source / "notebooks" / f"{stem}.ipynb", paper.get("picture"))
        options = [f":link: ../notebooks/{stem}", ":link-type: doc"]
        if picture:
            kind, data, alt = picture
            name = f"card-{stem}{_SUFFIX[kind]}"
            (source / "book" / "_generated" / name).write_bytes(data)
            options += [
                f":img-top: _generated/{name}",
                f":img-alt: {' '.join(alt.split()) or paper['title']}",
            ]
        out += [
            f":::{{grid-item-card}} {_headed(paper)}",
            *options,
            "",
            " ".join(paper["about"].split()),
            ":::",
            "",
        ]
    return "\n".join([*out, "::::", ""])
