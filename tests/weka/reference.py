"""Read, write and make data for WEKA, run it, and read what it prints."""

import csv
import lzma
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm import data

HERE = Path(__file__).parent
JAR = Path("/usr/share/java/weka.jar")
PAPERS = ["adult", "breast-cancer-wisconsin", "congressional-voting", "pima"]
DISTINCT = "breast-cancer-wisconsin-distinct"  # complete rows, each once: 449
SMALL = sorted(path.name.removesuffix(".arff.xz") for path in (HERE / "data").glob("*.arff.xz"))
CLASSIFIERS = {
    "J48": "weka.classifiers.trees.J48",
    "SMO": "weka.classifiers.functions.SMO",
    "IBk": "weka.classifiers.lazy.IBk",
}


# --- data ---------------------------------------------------------------------------------------


def load(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Attributes and class of a data set by its name."""
    if name in SMALL:
        return read_arff(stored(f"data/{name}.arff.xz"))
    dataset = data.load(name.removesuffix("-distinct"))
    frame = dataset.frame[[*dataset.features, dataset.target]]
    if name == DISTINCT:
        frame = frame.dropna().drop_duplicates().reset_index(drop=True)
    return frame[list(dataset.features)], frame[dataset.target]


def stored(path: str) -> str:
    """The text of a stored file, unpacked if need be."""
    file = HERE / path
    return lzma.open(file, "rt").read() if file.suffix == ".xz" else file.read_text()


def stored_predictions(name: str, classifier: str, test: str) -> np.ndarray:
    """The class WEKA predicted for each row, counted from 0."""
    return np.array(stored(f"output/{name}.{classifier}.{test}.xz").split(), int) - 1


def read_arff(text: str) -> tuple[pd.DataFrame, pd.Series]:
    """Attributes and class (the last attribute); nominal ones as categories in the file's order."""
    head, body = re.split(r"(?im)^\s*@data\s*$", text, maxsplit=1)
    attributes = re.findall(r"(?im)^\s*@attribute\s+('[^']*'|[^\s{]+)\s*(\{[^}]*\}|\w+)", head)
    lines = [line for line in body.splitlines() if line.strip() and not line.startswith("%")]
    rows = [[None if v == "?" else v for v in row] for row in _split(lines)]
    columns = {}
    for (name, kind), values in zip(attributes, zip(*rows, strict=True), strict=True):
        if kind.startswith("{"):
            (levels,) = _split([kind[1:-1]])
            columns[name.strip("'")] = pd.Series(pd.Categorical(values, categories=levels))
        else:
            columns[name.strip("'")] = pd.Series(values).astype(float)
    frame = pd.DataFrame(columns)
    return frame.iloc[:, :-1], frame.iloc[:, -1]


def _split(lines: list[str]):
    for row in csv.reader(lines, quotechar="'", skipinitialspace=True):
        yield [value.strip() for value in row]


def write_arff(X: pd.DataFrame, y: pd.Series) -> str:
    """The text of an ARFF file."""
    frame = X.assign(**{str(y.name or "class"): y})
    lines = ["@relation data"]
    texts = []
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            levels = ",".join(f"'{level}'" for level in column.cat.categories)
            lines.append(f"@attribute '{name}' {{{levels}}}")
            texts.append(["?" if pd.isna(v) else f"'{v}'" for v in column])
        else:
            lines.append(f"@attribute '{name}' numeric")
            texts.append(["?" if pd.isna(v) else repr(float(v)) for v in column])
    lines.append("@data")
    lines.extend(",".join(row) for row in zip(*texts, strict=True))
    return "\n".join(lines) + "\n"


OPTIONS = {
    "": {},
    "-M 1": {"min_leaf": 1},
    "-M 5": {"min_leaf": 5},
    "-C 0.05": {"confidence": 0.05},
    "-C 0.5": {"confidence": 0.5},
}


def random_set(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame]:
    """Attributes, class, and attributes to predict, made to hit J48's corners.

    Few rows or many, two classes or more, ties, near ties, constants, many levels, levels that do
    not occur, missing values, rows without a class, repeated rows.
    """
    n = int(rng.choice([rng.integers(2, 12), rng.integers(5, 40), rng.integers(20, 200)]))
    n_classes = int(rng.choice([2, 2, 2, 3, 4, 7]))
    latent = rng.normal(size=(n, 3))
    missing = rng.choice([0, 0, 0.02, 0.1, 0.4])
    signal = rng.choice([0.2, 1, 3])
    columns = {}
    for a in range(rng.integers(1, 9)):
        column = _random_column(latent @ rng.normal(size=3) * signal + rng.normal(size=n), rng)
        keep = rng.random(n) >= missing * (rng.random() < 0.7)
        columns[f"a{a}"] = column.where(keep)
    X = pd.DataFrame(columns)
    score = latent @ rng.normal(size=3) + rng.normal(size=n) * rng.choice([0.1, 0.5, 2])
    y = _levels_by_rank(score, n_classes, n_classes + (rng.random() < 0.1), rng)
    if rng.random() < 0.15:
        y = y.where((rng.random(n) > 0.1) | (np.arange(n) == 0))
    if rng.random() < 0.1:
        again = rng.integers(0, n, n)
        again[0] = 0
        X, y = X.iloc[again].reset_index(drop=True), y.iloc[again].reset_index(drop=True)
    to_predict = X.apply(lambda c: c.iloc[rng.permutation(n)].reset_index(drop=True))
    return X, y, to_predict.where(rng.random(X.shape) > rng.choice([0, 0.1, 0.5]))


def _random_column(t: np.ndarray, rng: np.random.Generator) -> pd.Series:
    n = t.size
    kind = rng.choice(["real", "whole", "steps", "close", "constant", "few", "many", "unused"])
    if kind == "real":
        return pd.Series(t * 10.0 ** rng.integers(-3, 6))
    if kind == "whole":
        return pd.Series(np.round(t))
    if kind == "steps":
        return pd.Series(np.round(t * 2) * rng.choice([0.05, 0.1, 0.5]))
    if kind == "close":  # around the widths at which WEKA takes numbers for equal
        return pd.Series(np.round(t * 4) + rng.choice([0, 4e-7, 1.1e-6, 5e-6, 1.1e-5], size=n))
    if kind == "constant":
        return pd.Series(np.full(n, 3.7))
    if kind == "few":
        return _levels_by_rank(t, *2 * [int(rng.integers(1, 8))], rng)
    if kind == "many":
        return _levels_by_rank(t, *2 * [int(rng.integers(max(2, n // 4), n + 2))], rng)
    return _levels_by_rank(t, 3, 5, rng)


def _levels_by_rank(t: np.ndarray, n_used: int, n_levels: int, rng) -> pd.Series:
    """A nominal column in which level follows the rank of ``t``, but for one value in five."""
    codes = t.argsort().argsort() * n_used // t.size
    codes = np.where(rng.random(t.size) < 0.2, rng.integers(0, n_used, t.size), codes)
    names = [f"v{i}" for i in range(n_levels)]
    return pd.Series(pd.Categorical.from_codes(rng.permutation(n_levels)[codes], names))


# --- WEKA ---------------------------------------------------------------------------------------


def program() -> Callable[..., str] | None:
    """A function that runs WEKA; None where it is not installed."""
    java = shutil.which("java")
    return partial(_run, java) if java and JAR.exists() else None


def _run(java: str, classifier: str, *options: str) -> str:
    """What WEKA prints, without the times it took."""
    fast_start = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    command = [java, *fast_start, "-cp", str(JAR), CLASSIFIERS[classifier], *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    if "exception" in done.stderr.lower():
        raise RuntimeError(done.stderr)
    return re.sub(r"(?m)^Time taken.*\n", "", done.stdout)


def tree_in(output: str) -> str:
    """J48's tree within WEKA's output, as ``str`` of our tree gives it."""
    return re.search(r"J48 \w+ tree\n.*?Size of the tree : \t\d+\n", output, re.DOTALL)[0]


def right_in_folds(output: str) -> int:
    """Rows that ten-fold cross-validation classified rightly."""
    tail = output[output.index("=== Stratified cross-validation ===") :]
    return int(re.search(r"Correctly Classified Instances +(\d+)", tail)[1])


def confusion_in(output: str, n_classes: int) -> np.ndarray:
    """The last confusion matrix: rows the actual class, columns the predicted one."""
    table = output[output.rindex("=== Confusion Matrix ===") :]
    rows = re.findall(r"(?m)^((?:\s*\d+)+) \|", table)
    return np.array([row.split() for row in rows], int).reshape(n_classes, n_classes)


def predictions_in(output: str) -> np.ndarray:
    """Predicted classes, counted from 0, in the order WEKA lists them."""
    return np.array(re.findall(r"(?m)^ +\d+ +\d+:.*? +(\d+):", output), int) - 1


# --- WEKA's ten folds ---------------------------------------------------------------------------


class JavaRandom:
    """java.util.Random, as its documentation defines it."""

    def __init__(self, seed: int):
        self.state = (seed ^ 0x5DEECE66D) & (2**48 - 1)

    def below(self, bound: int) -> int:
        """A whole number from 0 up to ``bound``, exclusive."""
        while True:
            self.state = (self.state * 0x5DEECE66D + 0xB) & (2**48 - 1)
            bits = self.state >> 17
            if bound & (bound - 1) == 0:
                return bound * bits >> 31
            if bits - bits % bound + bound - 1 < 2**31:
                return bits % bound

    def shuffle(self, rows: list) -> None:
        """WEKA's shuffle, in place."""
        for j in range(len(rows) - 1, 0, -1):
            k = self.below(j + 1)
            rows[j], rows[k] = rows[k], rows[j]


def ten_folds(labels: np.ndarray):
    """(training rows, test rows) of WEKA's stratified ten-fold cross-validation, seed 1."""
    random = JavaRandom(1)
    rows = list(range(len(labels)))
    random.shuffle(rows)
    place = 1
    while place < len(rows):  # bring the rows of a class together
        for j in range(place, len(rows)):
            if labels[rows[place - 1]] == labels[rows[j]]:
                rows[place], rows[j] = rows[j], rows[place]
                place += 1
        place += 1
    rows = [row for start in range(10) for row in rows[start::10]]
    first = 0
    for fold in range(10):
        size = len(rows) // 10 + (fold < len(rows) % 10)
        train, test = rows[:first] + rows[first + size :], rows[first : first + size]
        random.shuffle(train)
        first += size
        yield np.array(train), np.array(test)
