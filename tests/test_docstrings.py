"""Every public function and class says what it is; those of the core show it in an example."""

import importlib
import inspect
import pkgutil

import pytest

import ppdm

CORE = (
    "ppdm.chance",
    "ppdm.contract",
    "ppdm.data.binary",
    "ppdm.data.catalog",
    "ppdm.data.dataset",
    "ppdm.levels",
    "ppdm.disguise",
    "ppdm.distort",
    "ppdm.estimate",
    "ppdm.learn.id3",
    "ppdm.learn.naive_bayes",
    "ppdm.learn.rules",
    "ppdm.optimise",
    "ppdm.privacy",
    "ppdm.table",
    "ppdm.learn.accuracy",
)
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
    if name.startswith(CORE) and not name.endswith(".cli"):
        exempt = {
            "Column",
            "Dataset",
            "Entry",
            "Front",
            "Mechanism",
            "Provenance",
            "RawFile",
            "Scheme",
            "Tree",
        }
        assert [n for n, doc in public(module) if ">>>" not in doc and n not in exempt] == []
