"""Every public function and class says what it is; those of the algorithms show it in an example."""

import importlib
import inspect
import pkgutil
import tomllib
from pathlib import Path

import pytest

import ppdm

ROOT = Path(__file__).resolve().parents[1]

#: The layers above the algorithms: what they do is said, and need not be shown.
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][
    0
]["layers"]
BEHIND = LAYERS[: LAYERS.index("plot")]
#: Rows of data, and what only others make or inherit from.
WITHOUT_EXAMPLE = {
    "Column",
    "Data",
    "Dataset",
    "BestScheme",
    "Entry",
    "Front",
    "Mechanism",
    "Options",
    "Provenance",
    "RawFile",
    "Scheme",
    "Tree",
}
MODULES = [
    m.name
    for m in pkgutil.walk_packages(ppdm.__path__, "ppdm.")
    if not any(part.startswith("_") for part in m.name.split("."))
]


def public(module):
    """The functions and classes that a module defines and does not hide."""
    for name, thing in vars(module).items():
        own = getattr(thing, "__module__", None) == module.__name__
        kind = inspect.isfunction(thing) or inspect.isclass(thing) or hasattr(thing, "py_func")
        if own and kind and not name.startswith("_"):
            yield name, inspect.getdoc(thing) or ""


@pytest.mark.parametrize("name", MODULES)
def test_public_names_are_documented(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    assert [n for n, doc in public(module) if not doc] == []
    if name.split(".")[1] not in BEHIND and not name.endswith(".cli"):
        unshown = {n for n, doc in public(module) if ">>>" not in doc}
        assert unshown - WITHOUT_EXAMPLE == set()
