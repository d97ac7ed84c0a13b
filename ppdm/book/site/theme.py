"""What has to be mended in the theme's own pages, so that everybody can use them.

A Sphinx extension. It adds `site.css` and `site.js` from `book/_static` and changes the finished
HTML, because the theme's templates leave no other place for it; each change is asked for by a check
of `ppdm book check`, which fails without it:

- the search button and the colour switch have a name that contains what they show;
- the logo lies in a landmark; a folded part's summary has a name;
- the list of references is one;
- a table has no header cell without text (pandas leaves one in the corner);
- an option of a command, in code, is not parted from its dashes;
- a formula has its room before it is set;
- no line begins with the full stop after a formula;
- the script of icons has those that are used, not two thousand;
- the notebooks to download are those of the repository, without outputs;
- the theme's script does not stumble over pages without a list of sections.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path

from markupsafe import Markup

from ppdm.book.site.search import plain
from ppdm.book.templating import fill

_FORMULA = r'<span class="math [^>]*>\\\([^<]*</span>'

# (what the theme writes, what the page gets)
_IN_PAGES = [
    (
        re.compile(
            rf'(?<!<span class="together">)([(“‘]+{_FORMULA}[.,;:!?)”’]*'
            rf"|(?<![(“‘]){_FORMULA}[.,;:!?)”’]+)"
        ),
        r'<span class="together">\1</span>',
    ),
    (
        re.compile(
            r'(<button class="btn [^"]*search-button[^>]*?) aria-label="Search"([^>]*>)'
            r"(?=\s*<i[^>]*></i>\s*<span)"
        ),
        r"\1\2",
    ),
    (re.compile(r'(<i class="theme-switch )([^>]*?) title="[^"]*"'), r'\1\2 aria-hidden="true"'),
    (
        re.compile(r'<div class="(sidebar-primary-items__start[^"]*)">'),
        r'<div class="\1" role="complementary" aria-label="The book">',
    ),
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    (re.compile(r'<summary>(?=<span class="toctree-toggle")'), '<summary aria-label="Its pages">'),
    (re.compile(r'role="doc-biblioentry"'), 'role="listitem"'),
    (re.compile(r'(<span class="pre)(?=">--?\w[\w-]{0,30}</span>)'), r"\1 option"),
    (re.compile(r"<th></th>"), "<td></td>"),
    (re.compile(r'<th (class="(?:blank|index_name)[^"]*"[^>]*)>(?:&nbsp;)*</th>'), r"<td \1></td>"),
    (re.compile(r'<th class="head"><p></p></th>'), '<td class="head"></td>'),
    (re.compile(r'(<span class="pasted-text">[^<]*</span>(?:</strong>)?) (?=%)'), r"\1&nbsp;"),
    (re.compile(r'(Solution to)(<a [^>]*>) '), r"\1 \2"),  # the space is no part of the link
    # Sphinx's own search, which pages would load
    (re.compile(r"<(script|link)[^>]*(?:searchtools|searchindex|language_data)\.js[^>]*>(?:</script>)?\s*"), ""),
]  # fmt: skip
_IN_SCRIPT = (
    'document.querySelector("div.bd-sidebar-secondary").classList',
    'document.querySelector("div.bd-sidebar-secondary")?.classList',
)


#: An icon in the theme's script: its name, its size, other names, its code point and its outline.
_ICON = re.compile(
    r'(?:"([\w-]+)"|([\w$]+)):\[\d+,\d+,\[([^\]]*)\],"[0-9a-f]+",(?:"[^"]*"|\["[^"]*","[^"]*"\])\],?'
)


def keep_icons(script: str, used: set[str]) -> str:
    """The script with all its icons, with those only that are used: every page loads it.

    >>> script = 'p={ball:[512,512,[9917,"football"],"f1e3","M1z"],"a-b":[1,1,[],"61","M2z"]};rest'
    >>> keep_icons(script, {"football"})
    'p={ball:[512,512,[9917,"football"],"f1e3","M1z"],};rest'
    """

    def kept(icon: re.Match[str]) -> str:
        names = {icon[1] or icon[2], *re.findall(r'"([\w-]+)"', icon[3])}
        return icon[0] if names & used else ""

    return _ICON.sub(kept, script)


def _used_icons(site: Path) -> set[str]:
    found: set[str] = set()
    for path in [*site.rglob("*.html"), *site.glob("_static/**/*.js")]:
        if path.name != "fontawesome.js":
            found |= set(re.findall(r"\bfa-([a-z0-9-]+)", path.read_text(encoding="utf-8")))
    return found


#: Said before the page is drawn, so that nothing in it jumps. Light or dark, which the theme's script would choose later, with
#: the borders of code that come with it. And letters, whose height is the measure of formulas: a page from a disk may not
#: ask ahead for a file, but for a font of its style sheet.
AHEAD = (
    '{const d=document.documentElement.dataset;if(d.theme==="auto")'
    'd.theme=matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light"}'
    'if(location.protocol!=="file:")for(const n of ["fonts/source-serif-4.woff2"]){const f=document.createElement("link");'
    'Object.assign(f,{rel:"preload",as:"font",crossOrigin:"",href:document.documentElement.dataset.content_root+'
    '"_static/"+n});document.head.append(f)}'
    'else document.fonts.load("1em \\"Source Serif 4\\"").catch(()=>0)'
)


#: Letters of formulas, which a page asks for ahead if it has any.
_LETTERS = tuple(
    f"mathjax/output/chtml/fonts/woff-v2/MathJax_{n}.woff" for n in ("Main-Regular", "Math-Italic")
)
_SET = re.compile(
    r'<(span|div) class="(math [^"]*)"(?: style="--room:[^"]*")?>(\s*\\[(\[].*?)</\1>', re.DOTALL
)


def room_for(tex: str, display: bool) -> float:
    """Roughly the width of a formula in a line, or the height of one on lines of its own, in em.

    So a page keeps its formulas' room until they are set. Where a browser prints the book, it measures them.

    >>> room_for(r"\\theta = 0.7", display=False), room_for(r"\\frac{a}{b}", display=True)
    (3.3, 3.8)
    """
    if display:
        return 2 + 1.8 * len([row for row in re.split(r"\\\\", tex) if row.strip()])
    letters = re.sub(r"\s|[_^]\{?([^{}]{1,2})\}?", "", plain(tex))
    wide = len(re.findall(r"[=<>≤≥≈→∈+−·×-]", letters))
    return round(0.55 * (len(letters) + wide), 1)


#: What a browser measured: the room in em of a formula, in a line or (True) on lines of its own.
Rooms = dict[tuple[str, bool], float]


def _with_rooms(text: str, measured: Rooms) -> str:
    def with_room(formula: re.Match[str]) -> str:
        kind, names, tex = formula.groups()
        said, display = html.unescape(tex), kind == "div"
        room = measured.get((said.strip()[2:-2].strip(), display), room_for(said, display))
        return f'<{kind} class="{names}" style="--room:{room:g}em">{tex}</{kind}>'

    return _SET.sub(with_room, text)


def give_room(site: Path, measured: Rooms) -> None:
    """The pages of a site with the rooms that a browser measured, where it did: no line breaks anew when a formula is set."""
    for path in site.rglob("*.html"):
        path.write_text(_with_rooms(path.read_text(encoding="utf-8"), measured), encoding="utf-8")


def mend_page(text: str) -> str:
    """One finished page, mended.

    >>> mend_page('<tr><th></th><th>q</th></tr>')
    '<tr><td></td><th>q</th></tr>'
    >>> mended = mend_page('if <span class="math notranslate">\\\\(q\\\\)</span>, then')
    >>> 'if <span class="together"><span' in mended, mend_page(mended) == mended
    (True, True)
    """
    for wrong, right in _IN_PAGES:
        text = wrong.sub(right, text)
    if 'class="math' in text:
        letters = "".join(f',"{name}"' for name in _LETTERS)
        text = text.replace(
            '["fonts/source-serif-4.woff2"]', f'["fonts/source-serif-4.woff2"{letters}]'
        )
    return _with_rooms(text, {})


def mend_site(site: Path) -> None:
    """Every page and the theme's scripts, in place; what only the theme's own developers need goes."""
    for pattern in ("*.map", "fontawesome/**/*.ttf"):  # of the letters there is a smaller kind
        for path in site.glob(f"_static/**/{pattern}"):
            path.unlink()
    shutil.rmtree(site / "_static" / "locales", ignore_errors=True)
    icons = site / "_static" / "scripts" / "fontawesome.js"
    if icons.is_file():
        icons.write_text(keep_icons(icons.read_text("utf-8"), _used_icons(site)), "utf-8")
    for path in site.rglob("*.html"):
        before = path.read_text(encoding="utf-8")
        after = mend_page(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
    script = site / "_static" / "scripts" / "sphinx-book-theme.js"
    if script.is_file():
        script.write_text(script.read_text(encoding="utf-8").replace(*_IN_SCRIPT), "utf-8")


def strip_sources(site: Path) -> None:
    """The notebooks that a page offers for download, without outputs, as the repository has them.

    What came out is on the page; both would make the site a quarter larger.
    """
    for path in site.glob("_sources/notebooks/*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _mark_mathematics(app, pagename, templatename, context, doctree) -> None:
    """Tell Sphinx of formulas that came in as HTML, on cards and scoreboard: they need MathJax too."""
    if 'class="math ' in context.get("body", ""):
        app.env.get_domain("math").data["has_equations"][pagename] = True


def _describe(app, pagename, templatename, context, doctree) -> None:
    """What a page shows when a link to it is shared: its title, and the card."""
    context["metatags"] = context.get("metatags", "") + fill(
        "shared.html",
        title=Markup(context.get("title", "")).striptags() or app.config.html_title,
        book=app.config.html_title,
        address=app.config.html_baseurl,
        page=pagename,
    )


#: Old addresses of pages, and where they lead.
MOVED = {
    "book/gallery": "paper_figures.html",
    "book/errata": "scoreboard.html?verdict=wrong",
    "book/try_it": "../notebooks/00_primer.html#be-the-respondent",
}
#: What follows on a page, where it is not the next entry of the contents.
NEXT = {"notebooks/00_primer": "notebooks/01_electronic_surveys"}


def _turn_to(app, pagename, templatename, context, doctree) -> None:
    goal = NEXT.get(pagename)
    if goal in app.env.titles:
        words = app.env.titles[goal].astext()
        link = app.builder.get_relative_uri(pagename, goal)
        context["next"] = {"title": html.escape(words), "link": link}


def _after_build(app, error) -> None:
    if error is None and app.builder.format == "html":
        from ppdm.book.site.search import write_index

        for name, goal in MOVED.items():
            path = Path(app.outdir) / f"{name}.html"
            path.write_text(fill("moved.html", goal=goal), encoding="utf-8")
        mend_site(Path(app.outdir))
        strip_sources(Path(app.outdir))
        write_index(Path(app.outdir), Path(app.srcdir) / "book" / "index_words.yml")


def setup(app):
    """Register with Sphinx."""
    for style in ("site.css", "ppdm.css"):
        app.add_css_file(style, priority=900)  # after the theme's own
    app.add_js_file(None, body=AHEAD, priority=1)
    app.add_js_file("site.js", loading_method="defer")
    app.connect("html-page-context", _mark_mathematics, priority=400)  # before Sphinx asks
    app.connect("html-page-context", _describe)
    app.connect("html-page-context", _turn_to)
    app.connect("build-finished", _after_build)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
