"""The key of kept results: another for whatever decides a result, the same in every session."""

import importlib
import json
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest

from ppdm import MultiGroup, learn
from ppdm.papers.multi_group import experiment as mg
from ppdm.places import PACKAGE
from ppdm.study import grid, identity, store, worlds


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(identity, "_BEGAN", float("inf"))  # whoever edits the package meanwhile


def fresh():
    """Forget which file says what, as a new session would."""
    identity.module_file.cache_clear()
    identity._imports.cache_clear()


@pytest.fixture
def own_modules(tmp_path, monkeypatch):
    """A folder of one's own modules: `write(name, text)` lays a file there."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        for module in ("mine", "helper", "folder", "folder.far", "folder.near"):
            sys.modules.pop(module, None)
        fresh()

    yield write
    fresh()


def name_of():
    return store.Store(importlib.import_module("mine").point, 1).name


MINE = "import numpy as np\nfrom helper import h\ndef point(rng, reps): return {'m': h(np.zeros(reps))}\n"
CHAINS = {  # each is imported by the one before it: a module, from a function, a package of one's own
    "mine.py": "import numpy as np\nfrom helper import h\ndef point(rng, reps): return {'m': h(np.zeros(reps))}\n",
    "helper.py": "def h(x):\n  import folder.far\n  from folder import near\n  return x\n",
    "folder/far.py": "k = 1\n",
    "folder/near.py": "k = 1\n",
}


@pytest.mark.parametrize("edit", CHAINS)
def test_an_edit_of_what_is_imported_gives_another_key_and_the_same_source_the_same(
    edit, own_modules
):
    for name, text in CHAINS.items():
        own_modules(name, text)
    keys = [name_of()]
    for text in (CHAINS[edit] + "more = 1\n", CHAINS[edit]):
        own_modules(edit, text)
        keys.append(name_of())
    own_modules("unrelated.py", "k = 3\n")
    assert keys[0] == keys[2] == name_of() != keys[1]


def test_a_key_knows_arguments_data_and_seed():
    def name(function=mg.trees, seed=1, data=None, **given):
        return store.Store(partial(function, **given), seed, data).name

    keys = [
        name(), name(mg.unrelated), name(seed=2), name(data={"adult": ["stored", "5d1f"]}),
        name(ratio=0.5), name(ratio=0.6), name(tables={"a": np.arange(3)}), name(a=(1,)), name(a=[1]),
        name(tables={"a": np.arange(3.0)}), name(learner=learn.ID3), name(learner=learn.J48),
    ]  # fmt: skip
    assert None not in keys and len(set(keys)) == len(keys)
    assert name(tables={"a": np.arange(3)}) == name(tables={"a": np.arange(3)})


SESSION = """
from functools import partial
import numpy as np
from ppdm.papers.multi_group import experiment as mg
from ppdm.places import PACKAGE
from ppdm.study import identity, store, worlds
identity._BEGAN = float("inf")
print(store.Store(worlds._in_world.__get__(0).__func__, 1).name,
      store.Store(partial(mg.trees, tables={"a": np.eye(3), "b": "word"}), 1).name)
"""


@pytest.mark.slow
def test_a_key_is_the_same_in_every_session():
    sessions = [
        subprocess.run(
            [sys.executable, "-c", SESSION],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert sessions[0] == sessions[1] and len(sessions[0]) == 2


def test_a_function_of_a_notebook_is_computed_each_time_and_says_so(capsys, tmp_path):
    calls, scope = [], {"__name__": "__main__"}
    exec("def point(rng, reps, log): log.append(1); return {'m': rng.random(reps)}", scope)  # noqa: S102
    for given in (scope["point"], lambda rng, reps, log: scope["point"](rng, reps, log)):
        for _ in range(2):
            grid.run(partial(given, log=calls), [{}], 2, seed=1, workers=1)
        said = capsys.readouterr().err
        assert said.count("Points are computed each time, as ") == 2
        assert "is not a function of a module that can be imported" in said
    assert len(calls) == 4 and not list(tmp_path.rglob("*.npy"))


@pytest.mark.parametrize("given", [pd.DataFrame({"a": [1]}), object(), {1, 2}, lambda x: x])
def test_what_is_no_plain_value_has_no_key(given):
    with pytest.raises(identity.Unnamed, match="is not a function of a module"):
        identity.pack(partial(mg.trees, given=given))


def test_functions_and_arguments_are_packed_and_found_again():
    table = np.arange(6.0).reshape(2, 3)
    nested = {"a": (table, table.T, [1, None, "x", float("inf")]), "coin": MultiGroup, 3: True}
    options = {"ours": {}, "other": {"negative": "literal"}}
    function = partial(worlds._in_world, partial(mg.trees, tables=nested), options)
    again = identity.unpack(json.loads(json.dumps(identity.pack(function))))
    assert again.func is worlds._in_world and again.args[1] == options
    assert again.args[0].func is mg.trees
    same, turned, words = again.args[0].keywords["tables"]["a"]
    np.testing.assert_array_equal(same, table)
    np.testing.assert_array_equal(turned, table.T)
    assert turned.flags.f_contiguous and words == [1, None, "x", float("inf")]
    assert again.args[0].keywords["tables"]["coin"] is MultiGroup


def test_sources_follow_imports_and_take_stored_data_along():
    names = [
        identity.within(file) for file in identity.sources({"ppdm.papers.multi_group.experiment"})
    ]
    assert {"ppdm/table/__init__.py", "ppdm/table.py"} & set(names)
    assert {"ppdm/study/grid.py", "ppdm/study/identity.py", "ppdm/learn/id3.py"} <= set(names)
    assert any(name.startswith("ppdm/data/stored/") for name in names)
    assert "ppdm/papers/multi_group/readings.yml" in names
    others = ("ppdm/book", "ppdm/plot", "ppdm/papers/optrr", "ppdm/study/cards")
    assert not [name for name in names if name.startswith(others)]


def test_what_a_compiler_leaves_beside_a_module_is_no_source():
    kept = PACKAGE / "learn" / "__pycache__" / "folding.test.nbi"  # as numba names its files
    kept.parent.mkdir(exist_ok=True)
    kept.touch()
    try:
        assert kept not in identity.sources({"ppdm.learn.id3"})
    finally:
        kept.unlink()


def test_sources_edited_during_a_session_are_not_trusted(monkeypatch, capsys):
    monkeypatch.setattr(identity, "_BEGAN", 0.0)
    assert store.Store(mg.trees, 1).folder is None
    assert "changed since this session began" in capsys.readouterr().err


def test_a_stream_is_what_it_was():
    """Numbers of a published run must come out again: this value may never change."""
    rng = identity.stream(2003, {"dataset": "adult", "theta": 0.7})
    assert rng.integers(10**9) == 785290264
