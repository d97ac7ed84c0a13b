"""The pages of a built site."""

from pathlib import Path


def pages(site: Path) -> list[Path]:
    """The pages of a built site, front page first; what lies in `_static` is no page."""
    if not (site / "index.html").is_file():
        raise ValueError(f"there is no built site in {site}: type `ppdm book` first.")
    found = [p for p in site.rglob("*.html") if "_static" not in p.relative_to(site).parts]
    return sorted(found, key=lambda p: (p != site / "index.html", p))


def is_redirect(path: Path) -> bool:
    """Whether a page only sends its reader on: there is nothing to look at."""
    return 'http-equiv="refresh"' in path.read_text(encoding="utf-8")[:2000].lower()
