"""Files to take along as one file, the same bytes every time: the whole site, or the notebooks."""

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

from ppdm.book.site.live import FOLDER
from ppdm.files import replace_file


def pack(files: Iterable[tuple[str, bytes]], target: Path) -> Path:
    """Names and contents into a zip at `target`, in one folder that is named as the file; times are left out."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(f"{target.stem}/{name}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    replace_file(target, packed.getvalue())
    return target


def make_archive(site: Path, target: Path) -> Path:
    """Pack `site` into `target`; readers unpack it and open its `index.html`.

    Python for the browser is left out: from a disk no browser starts it.
    """
    paths = sorted(path for path in site.rglob("*") if path.is_file())
    kept = [path for path in paths if site / "_static" / FOLDER not in path.parents]
    return pack(((p.relative_to(site).as_posix(), p.read_bytes()) for p in kept), target)
