"""What this book adds to Sphinx.

- `jupyter-book build .` in the repository does what `ppdm book` does: the chapters run first, and what is
  rendered is the staged tree. `PPDM_PROFILE=quick` before it makes the small book of `ppdm book quick`.
- Pages can name the repository where it is known: in blocks `{only} repository`, with the
  substitutions `{{ citation_file }}` and `{{ colab_install }}`.
- The doubled script of sphinx-thebe, which Jupyter Book and its theme both load, is dropped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ONLY_HTML = (
    "This book is made as HTML, by `jupyter-book build .` or `ppdm book`, and as a PDF by `ppdm book pdf`; "
    "the builder {name} is not among them."
)


def setup(app):
    """Register with Sphinx."""
    app.add_config_value("ppdm_staged", False, "env")
    app.add_config_value("ppdm_repository", "", "env")
    app.connect("config-inited", _prepare)
    app.connect("builder-inited", _hand_over, priority=0)
    app.connect("html-page-context", _drop_doubled_scripts, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _prepare(app, config) -> None:
    if config.ppdm_repository:
        app.tags.add("repository")
    # Whole pieces of text: a substitution inside a link or inside code would not be seen.
    address = f"https://github.com/{config.ppdm_repository}"
    config.myst_substitutions |= {
        "citation_file": f"[CITATION.cff]({address}/blob/main/CITATION.cff)",
        "colab_install": f"`%pip install 'ppdm[book] @ git+{address}'`",
    }


def _hand_over(app) -> None:
    if not app.config.ppdm_staged:
        # Nothing is left to do for this Sphinx; any other error would come with a traceback.
        raise SystemExit(build_as_ppdm(app, app.builder.name))


def build_as_ppdm(app, builder: str) -> int | str:
    """Build the book around the folder that Sphinx was pointed to; an exit code, or what is wrong.

    Another folder for the output gets a copy of the site.
    """
    from ppdm import places

    if builder != "html":
        return ONLY_HTML.format(name=builder)
    profile = os.environ.get("PPDM_PROFILE", "paper")
    if profile not in ("paper", "quick"):
        return f"PPDM_PROFILE may be paper or quick, not {profile!r}."
    root = places.find_root(Path(app.srcdir))
    words = {"paper": ["book"], "quick": ["book", "quick"]}[profile]
    code = subprocess.call([sys.executable, "-P", "-m", "ppdm", *words], cwd=root)
    made = {"paper": places.paper_layout, "quick": places.quick_layout}[profile](root).html
    wanted = Path(app.outdir)
    if code == 0 and wanted not in (made, places.paper_layout(root).html):
        shutil.copytree(made, wanted, dirs_exist_ok=True)
        print(f"A copy is in {wanted}.")
    return code


def _drop_doubled_scripts(app, pagename, templatename, context, doctree) -> None:
    """Keep the first of any script that is there twice, and none of sphinx-thebe's.

    Live cells are switched off in this book, and its script complains where they are.
    """
    seen, kept = set(), []
    for script in context.get("script_files", []):
        name = str(getattr(script, "filename", None) or "")
        what = (name, getattr(script, "attributes", {}).get("body"))
        if what in seen or "thebe" in f"{what}".lower():
            continue
        seen.add(what)
        kept.append(script)
    context["script_files"] = kept
