"""The whole site as one file, to be unpacked and read from disk without a server."""

import io
import zipfile
from pathlib import Path

from ppdm.book.site.live import FOLDER
from ppdm.files import replace_file


def make_archive(site: Path, target: Path) -> Path:
    """Pack `site` into `target`: one folder, named as the file.

    Readers open its `index.html`. Times are left out, so that the same site gives the same file.
    Python for the browser is left out as well: from a disk no browser starts it.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name: str, content: bytes):
            entry = zipfile.ZipInfo(f"{target.stem}/{name}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)

        left_out = site / "_static" / FOLDER
        for path in sorted(p for p in site.rglob("*") if p.is_file()):
            if left_out in path.parents:
                continue
            add(path.relative_to(site).as_posix(), path.read_bytes())
    replace_file(target, packed.getvalue())
    return target
