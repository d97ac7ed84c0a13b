"""The house: who may import whom, and what the map says of it."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ppdm.places import MACHINERY, PACKAGE

ROOT = PACKAGE.parent
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if "__pycache__" not in p.parts)


def lint(folder: Path) -> subprocess.CompletedProcess:
    """The contracts of pyproject.toml on the package in `folder`."""
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as c; c()"
    return subprocess.run(
        [sys.executable, "-P", "-c", code, "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def house(tmp_path):
    """A copy of the package that may be spoiled."""
    skipped = shutil.ignore_patterns("__pycache__", "*.xz")
    shutil.copytree(PACKAGE, tmp_path / "ppdm", ignore=skipped)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_layers_hold():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "line", ["import ppdm.book.site.api", "from ppdm.course import begin", "import ppdm.study"]
)
def test_an_algorithm_that_imports_the_machinery_is_refused(house, line):
    table = house / "ppdm" / "disguise" / "matrix.py"
    table.write_text(table.read_text() + f"\n{line}\n")
    done = lint(house)
    assert done.returncode == 1 and "layers of the house BROKEN" in done.stdout


def test_no_room_imports_the_private_names_of_another():
    found = []
    for path in MODULES:
        room = path.relative_to(PACKAGE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ppdm."):
                other = node.module.split(".")[1]
                parts = [*node.module.split(".")[1:], *(alias.name for alias in node.names)]
                if any(p.startswith("_") for p in parts) and other not in (room, f"{room[:-3]}"):
                    found.append(f"{path.relative_to(ROOT)}: {node.module}")
    assert not found


def test_contributing_maps_every_room():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    mapped = set(re.findall(r"^    ppdm/(\w+(?:\.py|/))", text, re.MULTILINE))
    rooms = {
        p.name + ("/" if p.is_dir() else "")
        for p in PACKAGE.iterdir()
        if p.suffix == ".py" or (p / "__init__.py").is_file()
    }
    assert mapped == rooms - {"__init__.py", "__main__.py"}


def test_what_is_wrong_on_purpose_stands_with_the_papers():
    """`taken_as` turns any kind of table into any: papers' controls and the course's checks need it."""
    home = ("papers", "course")
    users = [
        path.relative_to(PACKAGE)
        for path in MODULES
        if ".taken_as("
        in re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    ]
    assert users and all(path.parts[0] in home for path in users)


def test_the_machinery_is_what_stands_above_the_papers():
    """`places.MACHINERY` says of which rooms no number depends; the contract says where they stand."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    assert set(MACHINERY) == set(layers[: layers.index("survey")])
