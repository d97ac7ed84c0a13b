"""The key of kept results: another for whatever decides a result, the same in every session."""

import os
import subprocess
import sys
import threading
import time
from functools import cached_property, partial, wraps

import numpy as np
import pandas as pd
import pytest

from ppdm.study import grid, identity, manifest

ALWAYS = """
import functools
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple
import numpy as np
import pandas as pd
from numba import njit
"""

# Before and after an edit: what the cell gives is another, and so must be its key.
EDITS = {
    "names of parameters": ("def cell(a, b): return a - b", "def cell(b, a): return b - a"),
    "a global in a comprehension": (
        "s = 2\ndef cell(): return [s for _ in range(3)]",
        "s = 5\ndef cell(): return [s for _ in range(3)]",
    ),
    "a global in a function within": (
        "s = 2\ndef cell():\n  def inner(): return s\n  return inner()",
        "s = 5\ndef cell():\n  def inner(): return s\n  return inner()",
    ),
    "a helper in a generator": (
        "def h(x): return x\ndef cell(): return sum(h(i) for i in range(3))",
        "def h(x): return -x\ndef cell(): return sum(h(i) for i in range(3))",
    ),
    "a helper in a lambda": (
        "def h(x): return x\ndef cell(): return sorted(range(3), key=lambda i: h(i))",
        "def h(x): return -x\ndef cell(): return sorted(range(3), key=lambda i: h(i))",
    ),
    "the extent of a try block": (
        "def cell():\n  try:\n    x = f()\n    y = g()\n    return x, y\n  except ValueError:\n    return 0",
        "def cell():\n  try:\n    x = f()\n  except ValueError:\n    return 0\n  y = g()\n  return x, y",
    ),
    "a helper with a cache": (
        "@functools.lru_cache\ndef h(x): return x\ndef cell(): return h(3)",
        "@functools.lru_cache\ndef h(x): return -x\ndef cell(): return h(3)",
    ),
    "a function under a library's decorator": (
        "@np.errstate(divide='ignore')\ndef h(x): return 2 * x\ndef cell(): return h(1)",
        "@np.errstate(divide='ignore')\ndef h(x): return 3 * x\ndef cell(): return h(1)",
    ),
    "a context manager": (
        "import contextlib\n@contextlib.contextmanager\ndef h(): yield 2\ndef cell():\n  with h() as x: return x",
        "import contextlib\n@contextlib.contextmanager\ndef h(): yield 3\ndef cell():\n  with h() as x: return x",
    ),
    "a call that is a partial": (
        "def h(x): return x\nclass M:\n  __call__ = partial(h)\nm = M()\ndef cell(): return m(1)",
        "def h(x): return -x\nclass M:\n  __call__ = partial(h)\nm = M()\ndef cell(): return m(1)",
    ),
    "a bound method": (
        "class M:\n  def cell(self, a): return a\ncell = M().cell",
        "class M:\n  def cell(self, a): return -a\ncell = M().cell",
    ),
    "the object of a bound method": (
        "class M:\n  def __init__(self, k): self.k = k\n  def cell(self): return self.k\ncell = M(1).cell",
        "class M:\n  def __init__(self, k): self.k = k\n  def cell(self): return self.k\ncell = M(2).cell",
    ),
    "a vectorised helper": (
        "def one(x): return x\nv = np.vectorize(one)\ndef cell(): return v(3)",
        "def one(x): return -x\nv = np.vectorize(one)\ndef cell(): return v(3)",
    ),
    "a function in an object": (
        "def one(x): return x\nh = SimpleNamespace(f=one)\ndef cell(): return h.f(3)",
        "def one(x): return -x\nh = SimpleNamespace(f=one)\ndef cell(): return h.f(3)",
    ),
    "a lambda in an object": (
        "@dataclass(frozen=True)\nclass R:\n  f: object\nh = R(lambda x: x)\ndef cell(): return h.f(3)",
        "@dataclass(frozen=True)\nclass R:\n  f: object\nh = R(lambda x: -x)\ndef cell(): return h.f(3)",
    ),
    "one of two closures of a factory": (
        "def make(k):\n  return lambda x: k * x\np, q = make(1), make(-1)\ncell = partial(map, p, q, p)",
        "def make(k):\n  return lambda x: k * x\np, q = make(1), make(-1)\ncell = partial(map, p, q, q)",
    ),
    "a long array of a class": (
        "class M: w = np.zeros(2000)\ndef cell(): return M.w[1000]",
        "class M: w = np.zeros(2000); w[1000] = 7\ndef cell(): return M.w[1000]",
    ),
    "the tenth digit in a class": (
        "class M: w = np.array([0.123456789])\ndef cell(): return M.w[0]",
        "class M: w = np.array([0.1234567891])\ndef cell(): return M.w[0]",
    ),
    "a property": (
        "class M:\n  @property\n  def w(self): return 1\nm = M()\ndef cell(): return m.w",
        "class M:\n  @property\n  def w(self): return 2\nm = M()\ndef cell(): return m.w",
    ),
    "a class within a class": (
        "class M:\n  class N:\n    def w(self): return 1\ndef cell(): return M.N().w()",
        "class M:\n  class N:\n    def w(self): return 2\ndef cell(): return M.N().w()",
    ),
    "an attribute of the function": (
        "def cell(): return cell.k\ncell.k = 1",
        "def cell(): return cell.k\ncell.k = 2",
    ),
    "a method of a named tuple": (
        "class S(NamedTuple):\n  g: int = 1\n  def w(self): return self.g\ns = S(2)\ndef cell(): return s.w()",
        "class S(NamedTuple):\n  g: int = 1\n  def w(self): return -self.g\ns = S(2)\ndef cell(): return s.w()",
    ),
    "a method of a dict": (
        "class S(dict):\n  def w(self): return 1\ns = S(g=2)\ndef cell(): return s.w()",
        "class S(dict):\n  def w(self): return 2\ns = S(g=2)\ndef cell(): return s.w()",
    ),
    "the order of a dict": (
        "d = {'x': 1, 'y': 2}\ndef cell(): return next(iter(d.values()))",
        "d = {'y': 2, 'x': 1}\ndef cell(): return next(iter(d.values()))",
    ),
    "the order of a dict in an object": (
        "d = SimpleNamespace(d={'x': 1, 'y': 2})\ndef cell(): return next(iter(d.d.values()))",
        "d = SimpleNamespace(d={'y': 2, 'x': 1})\ndef cell(): return next(iter(d.d.values()))",
    ),
    "numba's options": (
        "@njit\ndef h(x): return 1 / x\ndef cell(): return h(0.0)",
        "@njit(error_model='numpy')\ndef h(x): return 1 / x\ndef cell(): return h(0.0)",
    ),
    "a compiled helper": (
        "@njit\ndef h(x): return x\ndef cell(): return h(0.0)",
        "@njit\ndef h(x): return -x\ndef cell(): return h(0.0)",
    ),
    "what wraps a function of numpy": (
        "@functools.wraps(np.mean)\ndef h(x): return x\ndef cell(): return h(1)",
        "@functools.wraps(np.mean)\ndef h(x): return -x\ndef cell(): return h(1)",
    ),
    "an argument of a partial that is called like its function": (
        "def f(k): return k\ncell = [functools.update_wrapper(partial(f, 1), f)]",
        "def f(k): return k\ncell = [functools.update_wrapper(partial(f, 2), f)]",
    ),
    "an object that looks like a wrapper": (
        "def f(k): return k\nn = SimpleNamespace(pyfunc=f, k=1)\ndef cell(): return n.k",
        "def f(k): return k\nn = SimpleNamespace(pyfunc=f, k=2)\ndef cell(): return n.k",
    ),
    "a function in a set": (
        "def h(x): return x\ns = {h}\ndef cell(): return [f(1) for f in s]",
        "def h(x): return -x\ns = {h}\ndef cell(): return [f(1) for f in s]",
    ),
}


def cell_of(source):
    """The function `cell` of a notebook with this source."""
    scope = {"__name__": "__main__"}
    exec(ALWAYS + source, scope)  # noqa: S102
    return scope["cell"]


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_gives_another_key_and_the_same_source_the_same(edit):
    before, after = (identity.fingerprint(cell_of(source)) for source in edit)
    assert before != after
    assert before == identity.fingerprint(cell_of(edit[0]))


SESSION = """
import sys
sys.path.insert(0, sys.argv[1])
import test_identity as t
print(*t.keys())
"""
WORDS = """
words = {"a", "b", "c", "d", "e", ("f", 1), frozenset({"g", "h", "i"})}
frame = pd.DataFrame({"word": ["x", "y", None], "n": [1, 2, 3]})
class Kind(Enum):
  ONE, TWO = 1, 2
@dataclass
class Row:
  parts: list = field(default_factory=lambda: [words])
  @property
  def first(self): return self.parts[0]
  @functools.cached_property
  def second(self): return self.parts[1]
row = Row()
def cell(a): return frame, row.first, Kind.ONE, a in {"p", "q", "r"}, [w for w in words]
"""


def keys():
    """Keys of all sorts of functions, as a new session has them."""
    from ppdm import data, learn
    from ppdm.study import worlds
    from ppdm.table import Table

    frame = data.load("breast-cancer-wisconsin").frame
    table = Table.from_frame(pd.DataFrame({"A": [0, 1], "class": [0, 1], "count": [2, 1]}))
    options = {"adult": {"x": (1, "y"), "names": {"p", "q", "r"}}, "array": np.eye(3, dtype="f4")}
    functions = [
        *(cell_of(source) for edit in EDITS.values() for source in edit),
        cell_of(WORDS),
        cell_of("from scipy.stats import norm\ndef cell(a): return norm.cdf(a), norm(1, 2).mean()"),
        partial(worlds._in_world, learn.ID3, options, frame=frame, table=table),
        partial(learn.ID3, frozenset("abcdef"), np.array([{"a", "b", "c"}, None], dtype=object)),
        worlds.under(learn.ID3),
        lambda x: [w for w in frame],
    ]
    return [identity.fingerprint(function) for function in functions]


@pytest.mark.slow
def test_a_key_is_the_same_in_every_session():
    told = [
        subprocess.run(
            [sys.executable, "-c", SESSION, os.path.dirname(__file__)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert told[0] == told[1] and len(told[0]) > 50


MODULES = {
    "import helper as other": "def cell(a): return [other.h(a) for _ in range(2)]",
    "from helper import h": "def cell(a): return h(a)",
    "": "def cell(a):\n  from helper import h\n  return h(a)",
    "import far": "def cell(a): return far.helper.h(a)",
    "import mine": "def cell(a): return mine.inner.h(a)",
}


@pytest.mark.parametrize("start", MODULES, ids=str)
def test_a_module_of_ones_own_counts_by_its_file(start, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "far.py").write_text("import helper\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("from . import inner\n")
    keys = []
    for sign in ("", "-", ""):
        for name in ("helper.py", "mine/inner.py"):
            (tmp_path / name).write_text(f"def h(x): return {sign}x\n")
        keys.append(identity.fingerprint(cell_of(f"{start}\n{MODULES[start]}")))
        for name in ("helper", "far", "mine", "mine.inner"):
            sys.modules.pop(name, None)
    assert keys[0] != keys[1]
    assert keys[0] == keys[2]


def test_a_module_that_is_reached_by_its_name_in_the_package_counts():
    for source in (
        "import ppdm\ndef cell(a): return [ppdm.learn.naive_bayes.NaiveBayes(x) for x in a]",
        "import ppdm as p\ndef cell(a): return p.learn.naive_bayes.NaiveBayes(a)",
        "from ppdm import learn\ndef cell(a): return learn.naive_bayes.NaiveBayes(a)",
        "def cell(a):\n  import ppdm\n  return ppdm.learn.naive_bayes.NaiveBayes(a)",
        "def cell(a):\n  from ppdm.learn import naive_bayes\n  return naive_bayes.NaiveBayes(a)",
    ):
        names = [file.name for file in identity.examine(cell_of(source))[1]]
        assert "naive_bayes.py" in names and "linkage.py" not in names, source


def test_an_attribute_that_is_called_like_a_global_does_not_count():
    keys = [
        identity.fingerprint(cell_of(f"mean = {k}\ndef cell(x): return x.mean()")) for k in (1, 2)
    ]
    assert keys[0] == keys[1]


def test_a_default_of_a_function_that_the_package_made_counts():
    """What has the package's name but was made at run time is not in the package's files."""
    scope = {"__name__": "ppdm.study.worlds"}
    exec("def made(k):\n  def inner(x, k=k): return k\n  return inner", scope)  # noqa: S102
    one, two = scope["made"](1), scope["made"](2)
    assert identity.fingerprint(one) != identity.fingerprint(two)


class Lazy:
    """Has a lock of Python's own on 3.11."""

    @cached_property
    def two(self):
        return 2


def test_a_module_in_a_folder_without_an_init_counts_by_its_file(tmp_path, monkeypatch):
    helpers = tmp_path / "folder_of_ones_own" / "helpers.py"
    helpers.parent.mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    for text in (
        "from folder_of_ones_own import helpers\ndef cell(a): return helpers.h(a)",
        "import folder_of_ones_own.helpers as other\ndef cell(a): return other.h(a)",
    ):
        seen = set()
        for factor in (2, 5):
            helpers.write_text(f"def h(x): return {factor} * x\n")
            identity._imports.cache_clear()
            seen.add(identity.fingerprint(cell_of(text)))
        assert len(seen) == 2


def test_what_was_only_used_keeps_its_key():
    from ppdm import UnrelatedQuestion
    from ppdm.table import Table

    frame = pd.DataFrame({"A": [0, 1, 1], "class": [0, 1, 0], "count": [2, 1, 3]})
    table, scheme = Table.from_frame(frame), UnrelatedQuestion(0.5)
    before = [identity.fingerprint(partial(np.add, part)) for part in (table.domain, table, scheme)]
    scheme.undo_pairs(table.pairs("class"))
    assert table.domain.strides.tolist() == [2, 1]
    after = [identity.fingerprint(partial(np.add, part)) for part in (table.domain, table, scheme)]
    assert before == after


def test_what_has_no_checksum_is_said_in_a_sentence():
    lazy, lock = Lazy(), threading.Lock()
    assert identity.fingerprint(lambda: lazy.two)
    with pytest.raises(ValueError, match=r"has no checksum .*lock.*; take what it mentions out"):
        identity.fingerprint(lambda: lock.locked())


def test_data_of_any_kind_are_part_of_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_CACHE", str(tmp_path))
    monkeypatch.setattr(identity, "_BEGAN", float("inf"))
    cell = cell_of("def cell(rng, reps): return {'m': [0.0] * reps}")
    folders = [grid.Store(cell, 1, {"x": np.arange(3) + k, "y": "word"}).folder for k in (0, 0, 1)]
    assert folders[0] == folders[1] != folders[2]


def test_a_large_argument_is_read_once_or_so():
    array = np.random.default_rng(1).random(4_000_000)
    words = pd.DataFrame({"word": np.array(["a", "bc"] * 20_000, dtype=object)})

    def spent(*given):
        began = time.process_time()
        identity.fingerprint(partial(wraps, *given))
        return time.process_time() - began

    spent()
    assert min(spent(array, words) for _ in range(3)) < 0.5


def test_two_functions_of_one_name_stay_two_in_a_manifest_where_nothing_is_kept():
    recorder = manifest.Recorder("chapter")
    for sign in ("", "-"):
        cell = cell_of(f"def cell(rng, reps, a): return {{'m': np.full(reps, {sign}a)}}")
        for _ in range(2):
            grid.run(cell, {"a": [1]}, 2, seed=1, cache=False, record=recorder.record)
    assert recorder.experiments == 2 * [{"function": {"notebook": "cell"}, "seed": 1}]
    assert len(recorder.cells) == 2 and recorder.kept == [None, None]
