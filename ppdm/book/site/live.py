"""Python for the reader's browser: fetched when the site is built, laid into it, named on a page.

`runtime.yml` says what it is made of. numpy, pandas and what they need lie in one archive, this package
in another, so that a browser keeps the large one when the package changes. Some of its modules are not
for a browser; `in_page` has what stands there in the place of two of them.

As a Sphinx extension it adds to each page with cells that are tagged `live` the script that runs them,
and the lines of the notebook that they need and the page does not show.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import yaml

from ppdm.book.site.hidden_lines import hidden_lines
from ppdm.book.templating import table
from ppdm.places import PACKAGE, find_root

FOLDER = "python"  # below _static; all of it lies there
ROOM = Path(__file__).parent
#: Files of npm's `pyodide` that a page loads.
PYODIDE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")  # fmt: skip
#: What is of no use in a page: tests, headers, programs for other machines.
_IDLE = re.compile(
    r"(^|/)(tests|f2py|include)/|\.(pyi|pxd|pyx|h|a)$|/RECORD$|(?<!wasm32-emscripten)\.so$"
)
#: Rooms of this package that a page has no use for; and where the files of `in_page` lie there.
_LEFT_OUT = ("book", "survey", "cli.py", "__main__.py")
_IN_PLACE = {
    "run.py": "ppdm_page.py",
    "few.py": "ppdm_few.py",
    "plot.py": "ppdm/plot.py",
    "study.py": "ppdm/study/__init__.py",
}


def read_runtime() -> dict:
    """`runtime.yml`."""
    return yaml.safe_load((ROOM / "runtime.yml").read_text(encoding="utf-8"))


def archives() -> Path:
    """Where a build keeps what it has fetched: a folder for each state of `runtime.yml`."""
    state = hashlib.sha256((ROOM / "runtime.yml").read_bytes()).hexdigest()[:10]
    return find_root() / "_build" / "npm" / f"python-{state}"


def write(static: Path) -> bool:
    """Lay the runtime into `static`; False, with a sentence, where it cannot be had.

    Pages look for it only when a reader asks, and say so when it is not there.
    """
    runtime = read_runtime()
    try:
        fetched = fetch(runtime, archives())
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        print(f"the site gets no Python for the browser: {error}", file=sys.stderr)
        return False
    folder = static / FOLDER
    kept = folder / fetched.name  # a new version has new addresses, and a browser mixes no two
    kept.mkdir(parents=True, exist_ok=True)
    for name, content in _in_tar(fetched / _tarball("pyodide", runtime)):
        if name.removeprefix("package/") in PYODIDE:
            (kept / name.removeprefix("package/")).write_bytes(content)
    shutil.copyfile(fetched / "packages.zip", kept / "packages.zip")
    ours = zipped(our_files())
    package = folder / f"ppdm-{hashlib.sha256(ours).hexdigest()[:10]}.zip"
    package.write_bytes(ours)
    (folder / "licences.md").write_text(made_of(), encoding="utf-8")
    sizes = {path.name: path.stat().st_size for path in [*kept.iterdir(), package]}
    about = {
        "folder": kept.name,
        "package": package.name,
        "packages": sizes["packages.zip"],
        "bytes": sum(sizes.values()),
    }
    (folder / "runtime.json").write_text(json.dumps(about), encoding="utf-8")
    return True


def made_of() -> str:
    """What the runtime is made of, for a page and for the folder that holds it."""
    rows = [
        [f"`{name}`", part["version"], shop, part["licence"], part.get("brings", "")]
        for source, shop in (("npm", "npm"), ("pip", "PyPI"))
        for name, part in read_runtime()[source].items()
    ]
    return table(["what", "version", "from", "licence", "brings"], rows)


# --- what it is made of -------------------------------------------------------------------------


def fetch(runtime: dict, folder: Path) -> Path:
    """The archives of `runtime`, each held to its checksum, and `packages.zip` made of them."""
    if (folder / "packages.zip").is_file():
        return folder
    if not shutil.which("npm"):
        raise RuntimeError("there is no npm")
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in runtime["npm"].items():
        _call("npm", "pack", f"{name}@{part['version']}", "--ignore-scripts", cwd=folder)
        tarball = folder / _tarball(name, runtime)
        digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
        if f"sha512-{digest}" != part["integrity"]:
            raise RuntimeError(f"npm's {name} {part['version']} is not the one in runtime.yml")
    lines = [
        f"{name}=={part['version']} --hash=sha256:{part['sha256']}"
        for name, part in runtime["pip"].items()
    ]
    (folder / "requirements.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    platforms = {runtime["platform"], *(p.get("platform") for p in runtime["pip"].values())}
    _call(
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"),
        *("--require-hashes", "--requirement=requirements.txt", "--implementation=cp"),
        *(f"--python-version={runtime['python']}", "--disable-pip-version-check"),
        *(f"--platform={platform}" for platform in sorted(filter(None, platforms))),
        cwd=folder,
    )
    packed = folder / "packages.zip.part"
    packed.write_bytes(zipped(_libraries(folder, runtime)))
    return packed.rename(folder / "packages.zip").parent


def _call(*command: str, cwd: Path) -> None:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode:
        why = [line for line in done.stderr.splitlines() if re.match(r"(?i)npm error|error", line)]
        raise RuntimeError(f"{Path(command[0]).name} failed: {' '.join(why)[:400]}")


def _tarball(name: str, runtime: dict) -> str:
    return f"{name.removeprefix('@').replace('/', '-')}-{runtime['npm'][name]['version']}.tgz"


def _libraries(folder: Path, runtime: dict) -> Iterator[tuple[str, bytes]]:
    """The files of all libraries, as they lie in Python's folder of packages."""
    [conda] = [
        content
        for name, content in _in_tar(folder / _tarball("@emscripten-forge/numpy", runtime))
        if name.endswith(".tar.gz")
    ]
    packages = f"lib/python{runtime['python']}/site-packages/"
    for name, content in _in_tar(io.BytesIO(conda)):
        if name.startswith(packages):
            yield name.removeprefix(packages), content
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            yield from ((entry, archive.read(entry)) for entry in archive.namelist())


def _in_tar(archive: Path | io.BytesIO) -> Iterator[tuple[str, bytes]]:
    raw = archive if isinstance(archive, io.BytesIO) else io.BytesIO(archive.read_bytes())
    with tarfile.open(fileobj=raw) as tar:
        for entry in tar:
            content = tar.extractfile(entry) if entry.isfile() else None
            if content:
                yield entry.name, content.read()


def our_files() -> Iterator[tuple[str, bytes]]:
    """This package's files for a browser; the stored data unpacked, since it cannot read their kind."""
    from ppdm.data.catalog import CATALOG
    from ppdm.data.stored import read_raw

    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.yml")]):
        name = path.relative_to(PACKAGE)
        if name.parts[0] not in _LEFT_OUT and f"ppdm/{name.as_posix()}" not in _IN_PLACE.values():
            yield f"ppdm/{name.as_posix()}", path.read_bytes()
    for file in (file for entry in CATALOG.values() for file in entry.files):
        yield f"ppdm/data/stored/{file.name}", read_raw(file)
    for source, target in _IN_PLACE.items():
        yield target, (ROOM / "in_page" / source).read_bytes()


def zipped(files: Iterator[tuple[str, bytes]]) -> bytes:
    """One archive, the same bytes for the same files; without what is of no use in a page."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files:
            if not name.endswith("/") and not _IDLE.search(name):
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


# --- the pages ----------------------------------------------------------------------------------


def live_cells(notebook: Path) -> tuple[list[str], list[str]]:
    """The sources of a notebook's live cells, and the hidden lines before each."""
    found = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    cells = [
        ("".join(cell["source"]), "live" in cell["metadata"].get("tags", ()))
        for cell in found
        if cell["cell_type"] == "code"
    ]
    return [source for source, live in cells if live], hidden_lines(cells)


def _add_script(app, pagename, _template, context, _doctree) -> None:
    notebook = Path(app.env.doc2path(pagename)) if pagename in app.env.found_docs else Path()
    if "tag_live" in context.get("body", "") and notebook.suffix == ".ipynb":
        lines = json.dumps(live_cells(notebook)[1]).replace("<", "\\u003c")
        context["body"] += (
            f'<script type="application/json" id="live-hidden" data-notebook="{pagename}.ipynb">'
            f"{lines}</script>"
        )
        app.add_js_file("live.js", loading_method="defer")


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("html-page-context", _add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
