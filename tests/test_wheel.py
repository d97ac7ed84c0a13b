"""The package as a wheel, in an environment and a folder of their own: what a stranger installs.

The environment is clean but for the libraries, which are lent by the one that runs the tests: nothing
is fetched. That the lock brings them is what every `make` shows.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BOOK = ("_config.yml", "_toc.yml", "book/", "notebooks/")


def blocks() -> list[str]:
    """The Python examples of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_first_example_of_the_readme_fits_ten_lines():
    assert "import ppdm" in blocks()[0] or "from ppdm" in blocks()[0]
    assert len(blocks()[0].splitlines()) <= 10 and "disguise" in blocks()[0]


def copy_tracked(target: Path, wanted=("",)) -> None:
    """The files of the repository, and nothing that only lies beside them."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if name.startswith(wanted) and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


def run(*command, cwd: Path) -> str:
    """What a command says, with nothing in its environment that leads to this checkout."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PPDM_", "PYTHON", "PYTEST_", "COV_"))
    }
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=kept,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The folder of programs of an environment that has the wheel."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    copy_tracked(folder / "source")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    run(
        *pip,
        "wheel",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        folder,
        folder / "source",
        cwd=folder,
    )
    shutil.rmtree(folder / "source")
    (wheel,) = folder.glob("ppdm-*-none-any.whl")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = next(programs.glob("python*"))
    run(*pip, "--python", python, "install", "--no-index", "--no-deps", wheel, cwd=folder)
    told = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(told.strip(), "lent.pth").write_text("\n".join(sorted(paths)) + "\n")
    found = run(python, "-c", "import ppdm; print(ppdm.__file__)", cwd=folder)
    assert Path(found.strip()).is_relative_to(folder / "env")
    return programs


@pytest.mark.slow
def test_the_readmes_examples_run_in_a_folder_of_their_own(environment, tmp_path):
    checks = """
assert abs(estimated.values.sum() - len(answers)) < 1e-6 and len(disguised) == len(answers)
"""
    python = next(environment.glob("python*"))
    (tmp_path / "first.py").write_text(blocks()[0] + checks)
    run(python, "first.py", cwd=tmp_path)
    (tmp_path / "second.py").write_text(blocks()[1] + "assert scheme.reports.size == 4\n")
    run(python, "second.py", cwd=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["first.py", "scheme.json", "second.py"]
    told = run(environment / "ppdm", "data", "list", cwd=tmp_path)
    assert "congressional-voting" in told


@pytest.mark.weekly
def test_a_chapter_runs_in_a_copy_of_the_book(environment, tmp_path):
    copy_tracked(tmp_path, BOOK)
    assert not (tmp_path / "ppdm").exists()
    told = run(environment / "ppdm", "run", "01", "-p", "profile", "quick", cwd=tmp_path)
    results = Path(re.search(r"^results:  (.*)$", told, re.MULTILINE)[1])
    assert results.is_relative_to(tmp_path / "_build" / "runs")
    assert (results / "claims.csv").read_text().count("ZM-") >= 8
    assert (results / "manifest.json").is_file()


@pytest.mark.slow
def test_wheel_and_sdist_are_the_same_bytes_in_any_folder(tmp_path):
    pytest.importorskip("hatchling")
    built = []
    for folder in (tmp_path / "here", tmp_path / "another place" / "ü"):
        folder.mkdir(parents=True)
        copy_tracked(folder)
        run(sys.executable, "-m", "hatchling", "build", "-d", "dist", cwd=folder)
        built.append({path.name: path.read_bytes() for path in (folder / "dist").iterdir()})
    assert len(built[0]) == 2 and built[0] == built[1]
