"""What this book adds to Sphinx.

- A build of anything but the staged tree ends with one sentence that says what to type.
- Pages can name the repository where it is known: in blocks `{only} repository`, with the
  substitutions `{{ citation_file }}` and `{{ colab_install }}`.
- The doubled script of sphinx-thebe, which Jupyter Book and its theme both load, is dropped.
"""

from __future__ import annotations

HOW_TO_BUILD = (
    "This book is built with `ppdm book` (or `make book`), which runs the chapters first; "
    "`ppdm quick` does the same in small."
)


def setup(app):
    """Register with Sphinx."""
    app.add_config_value("ppdm_staged", False, "env")
    app.add_config_value("ppdm_repository", "", "env")
    app.connect("config-inited", _prepare)
    app.connect("html-page-context", _drop_doubled_scripts, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _prepare(app, config) -> None:
    if not config.ppdm_staged:
        raise SystemExit(HOW_TO_BUILD)  # not an error of Sphinx's: those come with a traceback
    if config.ppdm_repository:
        app.tags.add("repository")
    # Whole pieces of text: a substitution inside a link or inside code would not be seen.
    address = f"https://github.com/{config.ppdm_repository}"
    config.myst_substitutions |= {
        "citation_file": f"[CITATION.cff]({address}/blob/main/CITATION.cff)",
        "colab_install": f"`%pip install git+{address}`",
    }


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
