"""The pages of a built site."""

from pathlib import Path

from ppdm import places


def pages(site: Path) -> list[Path]:
    """The pages of a built site, front page first; what lies in `_static` is no page."""
    if not (site / "index.html").is_file():
        raise ValueError(f"there is no built site in {site}: type `ppdm book` first.")
    found = [p for p in site.rglob("*.html") if "_static" not in p.relative_to(site).parts]
    return sorted(found, key=lambda p: (p != site / "index.html", p))


def is_redirect(path: Path) -> bool:
    """Whether a page only sends its reader on: there is nothing to look at."""
    return 'http-equiv="refresh"' in path.read_text(encoding="utf-8")[:2000].lower()


def built(quick: bool) -> places.Layout:
    """The quick build or the whole one; refused where it has no site yet."""
    where = places.quick_layout() if quick else places.paper_layout()
    if not (where.html / "index.html").is_file():
        raise ValueError(f"there is no site in {where.html} yet: type `{command_of(where)}` first.")
    return where


def command_of(where: places.Layout) -> str:
    """What makes a build."""
    return "ppdm book quick" if where.out.name == "quick" else "ppdm book"
