"""The staged tree and the site made of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from tqdm import tqdm

from ppdm.book.build import family
from ppdm.book.build.chapters import checksums, digest, files_below, installed_versions
from ppdm.book.pdf import NAME, REPORT, press
from ppdm.book.settings import staged_config
from ppdm.book.site import generate
from ppdm.book.templating import fill
from ppdm.files import replace_file
from ppdm.places import PACKAGE, Layout

JUPYTER_BOOK = (
    "from ppdm.book.build.family import end_with_parent; end_with_parent(); "
    "from jupyter_book.cli.main import main; main()"
)
BAR = "{desc} {percentage:3.0f}%|{bar}| {elapsed}"


def stage(layout: Layout) -> None:
    """Lay out what jupyter-book reads, beside the executed notebooks that are there already.

    Names are those of the repository, so that edit links and downloads fit.
    """
    source = layout.source
    source.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(source / "book", ignore_errors=True)
    skipped = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    shutil.copytree(layout.root / "book", source / "book", ignore=skipped)
    shutil.copy(layout.root / "_toc.yml", source / "_toc.yml")
    config = yaml.safe_dump(staged_config(layout.root), sort_keys=False, allow_unicode=True)
    (source / "_config.yml").write_text(config, encoding="utf-8")
    generate(source, layout.results)
    for page, name, what in (
        ("pdf", NAME, "The whole book"),
        ("report_pdf", REPORT[1], "This report"),
    ):
        link = f'<p class="no-print">{what} on paper: <a href="../{name}">{name}</a>.</p>\n'
        file = source / "book" / "_generated" / f"{page}.md"
        file.write_text(link if _prints(layout) else "")


def _prints(layout: Layout) -> bool:
    return layout.out.name != "quick" and press.lacking() is None


def render(layout: Layout) -> bool:
    """Build `html` from the staged tree; False when it was up to date.

    Any change builds every page anew: a page may show another page's numbers, and Sphinx would
    not know. Nothing replaces the last good site unless the new one is free of warnings and of
    broken links.
    """
    made_of = digest(
        checksums(files_below(layout.source), layout.source),
        checksums(files_below(PACKAGE), PACKAGE),
        installed_versions(),
    )
    mark = layout.stamps / "site"
    if (layout.html / "index.html").is_file() and mark.is_file() and mark.read_text() == made_of:
        return False
    fresh = _run_jupyter_book(layout)
    if _prints(layout):
        print("printing the book", flush=True)
        press.press(fresh, layout.source, fresh / NAME)
    if (
        fresh / "book" / "intro.html"
    ).is_file():  # Jupyter Book's own asks for an icon that is not there
        (fresh / "index.html").write_text(
            fill("moved.html", goal="book/intro.html"), encoding="utf-8"
        )
    _refuse_broken_links(fresh)
    mark.unlink(missing_ok=True)
    old = layout.work / "old-html"
    shutil.rmtree(old, ignore_errors=True)
    if layout.html.exists():
        os.replace(layout.html, old)
    os.replace(fresh, layout.html)
    shutil.rmtree(old, ignore_errors=True)
    replace_file(mark, made_of.encode())
    return True


def _run_jupyter_book(layout: Layout) -> Path:
    shutil.rmtree(layout.work / "_build", ignore_errors=True)
    layout.work.mkdir(parents=True, exist_ok=True)
    job = [sys.executable, "-P", "-c", JUPYTER_BOOK, "build"]
    job += [str(layout.source), "--path-output", str(layout.work)]
    job += ["--warningiserror", "--nitpick", "--keep-going"]
    print("building the site", flush=True)
    # The reference imports the package; a compiled function has no signature to show.
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    process = family.start(job, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        _show_progress(process.stdout)
        code = process.wait()
    finally:
        family.stop_tree(process)
    fresh = layout.work / "_build" / "html"
    if code:
        raise RuntimeError(f"the site has warnings (see above); what there is of it: {fresh}")
    return fresh


def _show_progress(told) -> None:
    """A bar from Sphinx's own percentages, of reading and then of writing; all else is dropped."""
    parts = {"reading sources": 0, "writing output": 100}
    with tqdm(total=200, desc="pages", leave=False, disable=None, bar_format=BAR) as bar:
        for line in told:
            found = re.search(r"(reading sources|writing output)\.\.\..*?\[ *(\d+)%\]", line)
            if found:
                bar.update(parts[found[1]] + int(found[2]) - bar.n)


def _refuse_broken_links(site: Path) -> None:
    from ppdm.book.check.static import check_links

    broken = check_links(site)
    for finding in broken:
        print(finding, file=sys.stderr)
    if broken:
        raise RuntimeError(f"{len(broken)} links of the site lead nowhere (see above).")
