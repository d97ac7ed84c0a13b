"""With numpy, pandas and YAML alone, and without numba: the same code gives the same numbers."""

import ast
import json
import subprocess
import sysconfig
import venv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import ppdm
from ppdm import compiled
from ppdm.learn import ID3
from ppdm.places import PACKAGE

LIBRARIES = Path(sysconfig.get_paths()["purelib"])
#: What a bare process has: the names of files and folders begin so.
BARE = ("numpy", "pandas", "yaml", "_yaml", "dateutil", "six", "pytz", "tzdata")
WITH_SCIPY = (
    *BARE,
    "scipy",
    "sklearn",
    "scikit_learn",
    "joblib",
    "cloudpickle",
    "narwhals",
    "threadpoolctl",
)


@pytest.fixture
def run(tmp_path):
    """Runs a script in an environment of its own that has the libraries named; returns what it prints."""

    def run(script: str, libraries: tuple[str, ...]) -> object:
        venv.create(tmp_path / "bare")
        (place,) = (tmp_path / "bare" / "lib").glob("python*/site-packages")
        for path in LIBRARIES.iterdir():
            if path.name.split(".")[0] in libraries:
                (place / path.name).symlink_to(path)
        (place / "ppdm").symlink_to(PACKAGE)
        done = subprocess.run(
            [tmp_path / "bare" / "bin" / "python", "-c", script], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def here(script: str, capsys) -> object:
    """What a script prints in this process, which has everything."""
    exec(compile(script, "script", "exec"), {})  # noqa: S102
    return json.loads(capsys.readouterr().out)


def hold_together(one: dict, other: dict, digits: float) -> None:
    """The same words, and the same numbers to so many digits."""
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, str):
            assert value == other[name], name
        else:
            np.testing.assert_allclose(value, other[name], rtol=digits, atol=digits, err_msg=name)


LEARNING = """
import json
import numpy as np, pandas as pd
from ppdm import MultiGroup, UnrelatedQuestion, count
from ppdm.learn import ID3, NaiveBayes
from ppdm.learn.accuracy import estimated_accuracy

rng = np.random.default_rng(7)
people = pd.DataFrame(rng.integers(0, 2, (400, 4)), columns=list("ABDE"))
people["C"] = (people["A"] & people["B"]) ^ (rng.random(400) < 0.1)
people = people.astype(int)
results = {}
for scheme in (MultiGroup(0.8, [["A", "B"], ["D", "E", "C"]]), UnrelatedQuestion(0.6)):
    reports = scheme.disguise(people, np.random.default_rng(1))
    drawn = scheme.disguise_table(count(people), np.random.default_rng(2))
    name = type(scheme).__name__
    results[name] = [*reports.sum().tolist(), *drawn.values.tolist(), *scheme.undo(drawn).values.tolist()]
    X, y = reports.drop(columns="C"), reports["C"]
    for model in (NaiveBayes(scheme), ID3(scheme), ID3(scheme, "literal")):
        model.fit(X, y)
        results[f"{name} {len(results)}"] = [
            *model.predict_proba(people[list(X.columns)])[:, 0].tolist(),
            *estimated_accuracy(model, reports, scheme),
        ]
    for table in (scheme.undo(count(reports)).densified(), scheme.undo(count(reports)).sparsified()):
        tree = ID3().fit_table(table, "C")
        results[name + str(table.is_sparse)] = tree.export_text()
        results[name + str(table.is_sparse) + "pruned"] = tree.pruned(count(people)).export_text()
print(json.dumps(results))
"""


def test_counting_disguising_and_learning_need_numpy_and_pandas_alone(run, capsys):
    hold_together(run(LEARNING, BARE), here(LEARNING, capsys), 1e-12)


COMPILED = """
import json
import numpy as np, pandas as pd
from ppdm.distort import kcg
from ppdm.learn import J48
from ppdm.learn.nearest import NearestNeighbour
from ppdm.optimise import best_ldp_scheme, optrr
from ppdm.optimise.descent import descend

rng = np.random.default_rng(7)
X = pd.DataFrame({"a": rng.normal(size=60).round(1), "b": rng.choice(list("xyz"), 60)})
X.loc[::7, "a"] = np.nan
y = (X["a"] > 0) ^ (X["b"] == "x")
results = {"J48": str(J48().fit(X, y))}
points = rng.normal(size=(40, 3)).round(1)
neighbour = NearestNeighbour(growing_ranges=True).fit(points, np.arange(40) % 3)
results["IBk"] = neighbour.predict_proba(2 * points[::-1]).tolist()
results["kCG"] = kcg(points, 4, np.random.default_rng(2)).tolist()
front = optrr([0.2, 0.3, 0.5], 0.8, np.random.default_rng(1), generations=3)
results["OptRR"] = front.mse.tolist()
results["square"] = descend(np.eye(3), np.array([0.5, 0.3, 0.2]), 0.8, 0.3).tolist()
results["LDP"] = best_ldp_scheme([0.5, 0.3, 0.2], 1.0).mse
print(json.dumps(results))
"""


def test_what_is_compiled_runs_without_numba(run, capsys):
    """To a billionth where a search's steps depend on rounding."""
    hold_together(run(COMPILED, WITH_SCIPY), here(COMPILED, capsys), 1e-9)


MANNERS = """
import json
from ppdm import MultiGroup
from ppdm.learn import ID3, J48
from ppdm.learn.nearest import NearestNeighbour
from ppdm.privacy.linkage import assignment_share

def refusal(act):
    try:
        act()
    except (ValueError, ModuleNotFoundError) as error:
        return str(error)

model = ID3(negative="literal")
copy = type(model)(**model.get_params()).set_params(mechanism=MultiGroup(0.9))
learned = ID3()
print(json.dumps({
    "params": {name: repr(value) for name, value in copy.get_params().items()},
    "repr": [repr(ID3()), repr(copy), repr(J48(min_leaf=5))],
    "unfitted": refusal(lambda: model.predict([[1]])),
    "unknown": refusal(lambda: model.set_params(thetta=1)),
    "J48": refusal(lambda: J48().fit([[1], [2]], [0, 1])),
    "IBk": refusal(lambda: NearestNeighbour().fit([[1], [2]], [0, 1])),
    "linkage": refusal(lambda: assignment_share([[1.0], [2.0]], [[1.0], [2.0]])),
}))
"""


def test_models_keep_scikit_learns_manners_without_it(run):
    answers = run(MANNERS, BARE)
    model = clone(ID3(negative="literal")).set_params(mechanism=ppdm.MultiGroup(0.9))
    assert answers["params"] == {name: repr(value) for name, value in model.get_params().items()}
    assert answers["repr"] == ["ID3()", repr(model), "J48(min_leaf=5)"]
    assert answers["unfitted"].startswith("This ID3 instance is not fitted yet")
    assert answers["unknown"] == "ID3 has no parameter 'thetta'; it has mechanism, negative"
    for learner in ("J48", "IBk"):
        assert answers[learner].endswith("which is not installed: install scikit-learn")
    assert answers["linkage"].endswith("which is not installed: install scipy")


def test_the_libraries_are_imported_at_their_doors_alone():
    """numba's everywhere; those of scipy and scikit-learn in the rooms that a browser needs."""
    doors = {"numba": "compiled.py", "scipy": "scientific.py", "sklearn": "bases.py"}
    rooms = ("disguise", "learn", "distort", "optimise", "privacy")
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:  # what is imported with the module
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for library in {name.partition(".")[0] for name in names} & set(doors):
                room, *below = path.relative_to(PACKAGE).parts
                above = library != "numba" and below and room not in rooms
                assert path.name == doors[library] or above, (path, library)


def test_what_takes_minutes_as_python_is_refused(monkeypatch):
    compiled.refuse_slow(1e12, "a search")
    monkeypatch.setattr(compiled, "COMPILES", False)
    compiled.refuse_slow(compiled.MOST_TURNS, "a search")
    with pytest.raises(ValueError, match="a search would take about 10 minutes without numba"):
        compiled.refuse_slow(10 * compiled.MOST_TURNS, "a search")
    monkeypatch.setattr(compiled, "MOST_TURNS", 1.0)
    with pytest.raises(ValueError, match="growing a tree on 4 cells would take about"):
        ID3().fit(pd.DataFrame({"A": [0, 1]}), [0, 1])
