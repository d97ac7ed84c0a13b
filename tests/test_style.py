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


def branches(function: ast.AST) -> int:
    """McCabe's number, with every condition and every comprehension counted."""
    number = 1
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.For | ast.While | ast.ExceptHandler | ast.IfExp):
            number += 1
        elif isinstance(node, ast.comprehension):
            number += 1 + len(node.ifs)
        elif isinstance(node, ast.BoolOp):
            number += len(node.values) - 1
    return number


def test_branches_are_counted():
    code = "def f(a):\n  if a and b:\n    return [x for x in a if x]\n  return 1 if a else 2"
    assert branches(ast.parse(code)) == 6


def test_a_function_of_many_branches_says_why():
    """More than fifteen by the strictest count: its docstring's first line gives the reason."""
    tangled = []
    for path in ROOT.glob("ppdm/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and branches(node) > 15:
                first = (ast.get_docstring(node) or "").split("\n")[0]
                if not re.search(r"\bas\b|because", first):
                    tangled.append(f"{path.relative_to(ROOT)}: {node.name} ({branches(node)})")
    assert tangled == []
