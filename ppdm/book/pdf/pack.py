"""What Chromium writes, in a third of the room.

A tagged book has a hundred thousand small objects. Chromium writes each in plain; since PDF 1.5 they
may lie in compressed streams. Nothing else changes, but for the outline: Chromium says some headings twice there
(and formulas not at all), so that the outline gets its words from the page.
"""

from __future__ import annotations

import re
import zlib

_A_STREAM = 200  # objects
_END = re.compile(rb"\s*endobj\s*\Z")


def pack(pdf: bytes, headings: list[str]) -> bytes:
    """A PDF as Chromium writes it, with its small objects in compressed streams.

    `headings` are the words of the outline, in order; they are taken if there are as many as the outline has.
    """
    objects, root, info = _objects(pdf)
    _retitle(objects, headings)
    small = [n for n in sorted(objects) if not objects[n].endswith(b"endstream")]
    out = bytearray(b"%PDF-1.5\n%\xd3\xeb\xe9\xe1\n")
    places: dict[int, tuple[int, int, int]] = {0: (0, 0, 65535)}
    for number in sorted(set(objects) - set(small)):
        places[number] = (1, len(out), 0)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, objects[number])
    last = max(objects) + 1
    for first in range(0, len(small), _A_STREAM):
        members = small[first : first + _A_STREAM]
        places |= {number: (2, last, index) for index, number in enumerate(members)}
        places[last] = (1, len(out), 0)
        out += b"%d 0 obj\n%b\nendobj\n" % (last, _together([(n, objects[n]) for n in members]))
        last += 1
    places[last], start = (1, len(out), 0), len(out)
    rows = b"".join(
        kind.to_bytes(1, "big") + at.to_bytes(4, "big") + index.to_bytes(2, "big")
        for kind, at, index in (places.get(n, (0, 0, 65535)) for n in range(last + 1))
    )
    said = b"/Type /XRef /Size %d /W [1 4 2] /Root %d 0 R /Info %d 0 R" % (last + 1, root, info)
    out += b"%d 0 obj\n%b\nendobj\n" % (last, _stream(said, rows))
    return bytes(out) + b"startxref\n%d\n%%%%EOF\n" % start


def _objects(pdf: bytes) -> tuple[dict[int, bytes], int, int]:
    """The objects by number, without their frames, and the numbers of root and information."""
    start = int(pdf[pdf.rindex(b"startxref") :].split()[1])
    head = re.compile(rb"xref\s+0 (\d+)\s+").match(pdf, start)
    root = re.search(rb"/Root (\d+) 0 R", pdf[start:])
    info = re.search(rb"/Info (\d+) 0 R", pdf[start:])
    if head is None or root is None or info is None:
        raise ValueError(
            "this is no PDF as Chromium writes it: it has no plain table of its objects."
        )
    rows = [pdf[head.end() + 20 * n : head.end() + 20 * n + 18] for n in range(int(head[1]))]
    begins = sorted((int(row[:10]), n) for n, row in enumerate(rows) if row[17:18] == b"n")
    ends = [at for at, _ in begins[1:]] + [start]
    found = {}
    for (begin, number), end in zip(begins, ends):
        framed = pdf[begin:end]
        found[number] = _END.sub(b"", framed.partition(b"obj")[2]).strip(b"\r\n ")
    return found, int(root[1]), int(info[1])


def _retitle(objects: dict[int, bytes], headings: list[str]) -> None:
    """Objects of the outline bear numbers in its order."""
    title = re.compile(rb"/Title\s*(\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>)", re.DOTALL)
    marks = [
        n
        for n in sorted(objects)
        if objects[n].startswith(b"<</Title") and b"/Parent" in objects[n]
    ]
    if len(marks) != len(headings):
        return
    for number, words in zip(marks, headings):
        said = b"/Title <FEFF%b>" % words.encode("utf-16-be").hex().upper().encode()
        objects[number] = title.sub(said, objects[number], count=1)  # hexadecimal: no backslash


def _together(members: list[tuple[int, bytes]]) -> bytes:
    """An object stream: numbers and places, then the objects."""
    index, content = [], bytearray()
    for number, body in members:
        index.append(b"%d %d" % (number, len(content)))
        content += body + b"\n"
    head = b" ".join(index) + b"\n"
    return _stream(
        b"/Type /ObjStm /N %d /First %d" % (len(members), len(head)), head + bytes(content)
    )


def _stream(said: bytes, content: bytes) -> bytes:
    packed = zlib.compress(content, 9)
    return b"<<%b /Filter /FlateDecode /Length %d>>\nstream\n%b\nendstream" % (
        said,
        len(packed),
        packed,
    )
