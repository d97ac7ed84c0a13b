"""Ask WEKA anew for everything stored here."""

import json
import lzma
import tempfile
from pathlib import Path

import numpy as np

from . import reference as weka

N_RANDOM = 150
run_weka = weka.program()


def main() -> None:
    """Write all stored outputs."""
    if run_weka is None:
        raise SystemExit("WEKA is not installed: apt-get install weka")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for name in [*weka.SMALL, *weka.PAPERS, weka.DISTINCT]:
            store_named(name, scratch)
        cases = [random_case(seed, scratch) for seed in range(N_RANDOM)]
    _pack("random.jsonl.xz", "".join(json.dumps(case) + "\n" for case in cases))


def store_named(name: str, scratch: Path) -> None:
    """J48 on the whole set and in ten folds; the other classifiers where the third paper uses them."""
    file = str(scratch / "train.arff")
    Path(file).write_text(weka.write_arff(*weka.load(name)))
    (weka.HERE / f"output/{name}.txt").write_text(run_weka("J48", "-t", file))
    _store_predictions(f"{name}.J48.train", run_weka("J48", "-t", file, "-T", file, "-p", "0"))
    if name in ("pima", weka.DISTINCT):
        for classifier in weka.CLASSIFIERS:
            _store_predictions(
                f"{name}.{classifier}.folds", run_weka(classifier, "-t", file, "-p", "0")
            )


def random_case(seed: int, scratch: Path) -> dict:
    """A random data set with what J48 makes of it."""
    X, y, to_predict = weka.random_set(np.random.default_rng(seed))
    options = list(weka.OPTIONS)[max(0, seed % 8 - 3)]  # the defaults in four cases of eight
    train, test = scratch / "train.arff", scratch / "test.arff"
    train.write_text(weka.write_arff(X, y))
    test.write_text(weka.write_arff(to_predict, y.fillna(y.cat.categories[0])))
    files = [*options.split(), "-t", str(train), "-T", str(test)]
    return {
        "options": options,
        "train": train.read_text(),
        "test": test.read_text(),
        "tree": weka.tree_in(run_weka("J48", *files)),
        "predicted": weka.predictions_in(run_weka("J48", *files, "-p", "0")).tolist(),
    }


def _store_predictions(name: str, output: str) -> None:
    _pack(f"output/{name}.xz", "\n".join(str(p + 1) for p in weka.predictions_in(output)) + "\n")


def _pack(path: str, text: str) -> None:
    (weka.HERE / path).write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main()
