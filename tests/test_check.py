"""Every check says yes to a good page, and no to a page that has the one defect it looks for."""

import argparse
import base64
import random

import pikepdf
import pytest

from ppdm.book import arguments
from ppdm.book.check import cli, static
from ppdm.book.check.browser import MODES, check_pages
from ppdm.book.check.server import serving
from ppdm.book.check.static import check_files, check_links, pages

GOOD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Good</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>img {{max-width: 100%}}</style></head>
<body><main><h1 id="top-of-it">Good</h1><p><a href="other.html#there">there</a></p>
{}</main></body></html>"""
DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="


@pytest.fixture
def site(tmp_path):
    """A function that makes a small good site with `extra` on its front page."""

    def make(extra="", before=""):
        (tmp_path / "index.html").write_text(before + GOOD.format(extra))
        (tmp_path / "other.html").write_text(
            GOOD.format('<p id="there">here</p>').replace("other.html", "")
        )
        return tmp_path

    return make


def test_a_good_site_has_no_findings(site):
    assert check_files(site()) == []
    assert [p.name for p in pages(site())] == ["index.html", "other.html"]


@pytest.mark.parametrize(
    ("extra", "kind"),
    [
        ('<a href="gone.html">x</a>', "broken link"),
        ('<a href="other.html#gone">x</a>', "broken anchor"),
        ('<a href="#gone">x</a>', "broken anchor"),
        ('<img alt="x" src="gone.png">', "broken link"),
    ],
)
def test_broken_links_and_anchors_are_found(site, extra, kind):
    assert [f.kind for f in check_links(site(extra))] == [kind]


def test_site_python_and_print_have_limits_of_their_own_and_the_largest_file_is_named(
    site, monkeypatch
):
    folder = site()
    (folder / "_static" / "python").mkdir(parents=True)
    (folder / "_static" / "python" / "python.wasm").write_bytes(b"x" * 5000)
    (folder / "ppdm-book.pdf").write_bytes(b"x" * 3000)
    for limits, expected in (
        ((4000, 8000, 4000), []), ((4000, 5000, 3000), ["site with Python", "ppdm-book.pdf"]), ((500, 8000, 4000), ["site"]),
    ):  # fmt: skip
        for name, limit in zip(("SIZE_LIMIT", "PYTHON_LIMIT", "PRINT_LIMIT"), limits, strict=True):
            monkeypatch.setattr(static, name, limit)
        findings = static.check_size(folder)
        assert [finding.page for finding in findings] == expected
        assert (
            not expected
            or ("python.wasm" if "Python" in expected[0] else "index.html") in findings[0].detail
        )


def test_a_print_that_is_too_long_or_mute_is_found(site):
    with pikepdf.new() as pdf:
        for _ in range(static.PAGES + 1):
            pdf.add_blank_page()
        pdf.save(site() / "ppdm-book.pdf")
    assert [f.detail for f in static.check_print(site())] == [
        "it has 301 pages; allowed 300",
        "it is not tagged",
    ]


# (what is put on a page, the kind of finding it must give, words of that finding)
DEFECTS = [
    ("<script>console.error('no good')</script>", "console", "no good"),
    ("<script>nothing.there</script>", "console", "nothing is not defined"),
    ("<script>new Image().src = 'http://example.invalid/x'</script>", "third party", "example"),
    ("<script src='gone.js'></script>", "console", "404"),
    (f"<img src='{DOT}'>", "alternative text", ""),
    (f"<img src='{DOT}' alt='figures/plot.png'>", "alternative text", "plot.png"),
    ("<p style='width: 3000px'>wide</p>", "too wide", "3008"),
    ("<p style='color: #ccc; background: #fff'>pale</p>", "axe", "color-contrast"),
    ("<button></button>", "axe", "button-name"),
    (
        """<p style='height: 100vh'>late</p><script>
        setTimeout(() => document.querySelector('h1').style.marginTop = '300px', 60)</script>""",
        "jumps",
        "while it loads, allowed 0.1",
    ),
    ("<p><span class='math'>x^2</span></p>", "mathematics", "x^2"),
    (
        "<script src='big.js'></script><script src='small.js'></script>",
        "weight",
        "1.6",
    ),
]
FINE = [
    "",
    "<script src='small.js'></script><script src='small.js'></script>",  # one of them comes from the cache
    f"<img src='{DOT}' alt='a dot'>",
    "<div tabindex='0' style='overflow-x: auto'><p style='width: 3000px'>wide</p></div>",
]


@pytest.fixture(scope="module")
def seen(chromium_path, tmp_path_factory):
    """What the browser finds on each of these pages, all opened in one go."""
    folder = tmp_path_factory.mktemp("site")
    extras = [extra for extra, *_ in DEFECTS] + FINE
    (folder / "other.html").write_text(GOOD.format("").replace("other.html", "#"))
    for name in (
        "big.js",
        "small.js",
    ):  # as a host sends it, packed, the letters are two bits shorter
        letters = base64.b64encode(random.Random(name).randbytes(800_000))
        (folder / name).write_bytes(b"//" + letters)
    for i, extra in enumerate(extras):
        (folder / f"{i}.html").write_text(GOOD.format(extra))
    with serving(folder) as address:
        findings = check_pages(address, [f"{i}.html" for i in range(len(extras))], MODES[:1])
    return {extra: [f for f in findings if f.page == f"{i}.html"] for i, extra in enumerate(extras)}


@pytest.mark.parametrize(("extra", "kind", "said"), DEFECTS)
def test_the_browser_finds_what_is_wrong(seen, extra, kind, said):
    assert any(said in f.detail for f in seen[extra] if f.kind == kind), seen[extra]


@pytest.mark.parametrize("extra", FINE)
def test_the_browser_finds_nothing_wrong(seen, extra):
    assert seen[extra] == []


def run(site, *options):
    parser = argparse.ArgumentParser(prog="ppdm book check")
    arguments.declare(parser)
    return cli.main(parser.parse_args(["--site", str(site), *options]))


@pytest.mark.slow
def test_the_command_fails_if_and_only_if_something_is_wrong(chromium_path, site, capsys):
    assert run(site()) == 0
    assert "0 findings" in capsys.readouterr().out
    assert run(site("<button></button>")) == 1
    assert (
        "index.html (wide light, narrow light): axe: critical, button-name"
        in capsys.readouterr().out
    )


def test_the_command_says_what_to_install(site, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ValueError, match="apt-get install chromium"):
        run(site())
