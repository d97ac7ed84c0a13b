"""Style and types: what ruff and mypy say of the tree, and what they cannot say."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*words: str) -> str:
    """What a tool of this Python says of the tree; empty if it has nothing to say."""
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("words", [("check",), ("format", "--check")], ids=" ".join)
def test_ruff_is_content(words):
    assert not run("ruff", *words, "--quiet", ".")


@pytest.mark.slow
def test_mypy_is_content():
    """Half a minute without its cache, which lies in `_build`: so `make check` asks."""
    assert not run("mypy")


def test_an_exception_to_a_rule_of_style_names_the_rule():
    bare = re.compile(r"#\s*(?:noqa|type:\s*ignore)(?!\s*[:\[])")
    for path in [*ROOT.glob("ppdm/**/*.py"), *ROOT.glob("tests/**/*.py")]:
        found = bare.search(path.read_text(encoding="utf-8").replace(bare.pattern, ""))
        assert not found, f"{path.relative_to(ROOT)}: {found[0]}"


def test_a_function_of_many_branches_says_why():
    """More than fifteen, by ruff's C901: the docstring's first line gives the reason."""
    silent = []
    for path in ROOT.glob("ppdm/**/*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                head = text.split("\n")[node.lineno - 1 : node.body[0].lineno - 1]
                first = (ast.get_docstring(node) or "").split("\n")[0]
                if "C901" in "".join(head) and not re.search(r"\b(as|because|for)\b", first):
                    silent.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert silent == []
