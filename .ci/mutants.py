"""Would the tests notice? Small faults, put one at a time into the rooms that numbers come from.

    python3 .ci/mutants.py                      400 mutants, drawn by a seed
    python3 .ci/mutants.py --number 60 --seed 8

cosmic-ray makes the mutants: another operator, comparison, number or constant, an early end of a loop. First
all tests run once under coverage, which says which of them reach a line. Then each mutant, in a checkout of its own,
meets the tests that reach its line, the quick ones first, until one fails. A mutant that makes the tests
run three times as long as they may is noticed, too. What compilers read is not seen line by line: there the
tests that reach the function count, then those of the module.

A survivor that changes nothing that could be seen stands in `.ci/survivors.yml` with its reason. The end is an
error if fewer than `LEAST` of the others are noticed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from queue import Queue
from typing import NamedTuple
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parents[1]
PLACE = HERE / "_build" / "mutants"
#: What is mutated: estimates, channels, kinds, rules. Beside each, the share that must be noticed.
ROOMS = {
    "ppdm/estimate": 0.95, "ppdm/channel": 0.9, "ppdm/kinds": 0.9, "ppdm/marks": 0.9,
    "ppdm/disguise": 0.9, "ppdm/study/rules": 0.9,
}  # fmt: skip
LEAST = 0.9
BASELINE, LIMIT = 20, 60  # seconds of unmutated tests for one mutant, and when it is stopped
SPEED_ONLY = {"njit", "lru_cache", "cache", "cached_property", "staticmethod"}


class Fault(NamedTuple):
    """Where cosmic-ray can put a fault: its operator, and the how-manieth place of the file that is."""

    path: Path
    operator: str
    number: int
    line: int
    last: int
    function: tuple[int, int]


class Mutant(NamedTuple):
    """A file with a fault."""

    path: str
    operator: str
    line: int
    last: int
    function: tuple[int, int]
    was: str
    text: str


def main() -> int:
    """Draw mutants, run the tests that reach them, say which survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=400, help="mutants to draw: 400")
    parser.add_argument("--seed", type=int, default=1, help="decides which: 1")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time: 2")
    options = parser.parse_args()
    if "cosmic_ray" not in sys.modules and not _in_own_python():
        return subprocess.run([_own_python(), __file__, *sys.argv[1:]], check=False).returncode
    files = [path for room in ROOMS for path in _files(room)]
    faults = [fault for path in files for fault in every_fault(path)]
    chance = random.Random(options.seed)
    drawn = map(mutant_of, chance.sample(faults, len(faults)))
    mutants = [*islice(filter(None, drawn), options.number)]
    print(f"{len(mutants)} of {len(faults)} mutants in {len(files)} files", flush=True)
    reach, seconds = tests_that_reach(files)
    checkouts: Queue[Path] = Queue()
    for number in range(options.workers):
        checkouts.put(_checkout(number))

    def judge(mutant: Mutant) -> dict:
        folder = checkouts.get()
        try:
            outcome = _outcome(mutant, folder, chosen(mutant, reach, seconds))
        finally:
            checkouts.put(folder)
        known = reasons().get(f"{mutant.path}: {mutant.was.strip()}", "")
        print(f"{outcome:9} {mutant.path}:{mutant.line} {mutant.operator}", flush=True)
        return mutant._asdict() | {"outcome": outcome, "reason": known}

    with ThreadPoolExecutor(options.workers) as pool:
        results = list(pool.map(judge, mutants))
    (PLACE / "results.json").write_text(json.dumps(results, indent=1))
    return report(results)


def report(results: list[dict]) -> int:
    """Print the survivors and the shares; 1 if too few were noticed."""
    for one in results:
        if one["outcome"] == "survived":
            own = "\n".join(line for line in one["text"].split("\n")[one["line"] - 1 : one["last"]])
            print(
                f"\n{one['path']}:{one['line']} {one['operator']}  {one['reason']}\n-{one['was']}\n+{own}"
            )
    bad = 0
    for room, least in {**ROOMS, "": LEAST}.items():
        own = [r for r in results if r["path"].startswith(room) and not r["reason"]]
        noticed = sum(r["outcome"] != "survived" for r in own)
        if own:
            bad += noticed < least * len(own)
            print(
                f"{room or 'together':22} {noticed} of {len(own)} noticed, {noticed / len(own):.1%}"
            )
    return int(bad > 0)


def reasons() -> dict[str, str]:
    """Why a line's survivors change nothing that could be seen."""
    import yaml

    path = HERE / ".ci" / "survivors.yml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {} if path.is_file() else {}


# The faults ---------------------------------------------------------------------------------------


def every_fault(path: Path) -> list[Fault]:
    """All faults that can be put into a file and could change what it does."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names

    ignored, functions = _places(path.read_text(encoding="utf-8"))
    nodes = list(ast_nodes(get_ast_from_path(path)))
    faults = []
    for name in operator_names():
        if (kind := get_operator(name)).arguments():
            continue
        operator = kind()
        places = [place for node in nodes for place in operator.mutation_positions(node)]
        for number, (start, end) in enumerate(places):
            if not any(first <= start < last for first, last in ignored):
                function = max((f for f in functions if f[0] <= start[0] <= f[1]), default=(0, 0))
                faults.append(Fault(path, name, number, start[0], end[0], function))
    return faults


def mutant_of(fault: Fault) -> Mutant | None:
    """The file with the fault in it; None if that says the same."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    source = fault.path.read_text(encoding="utf-8")
    text = mutate_code(source, get_operator(fault.operator)(), fault.number)
    if text in (None, source):
        return None
    was = "\n".join(source.split("\n")[fault.line - 1 : fault.last])
    name = fault.operator.removeprefix("core/")
    return Mutant(str(fault.path.relative_to(HERE)), name, *fault[3:], was, text)


def _places(source: str) -> tuple[list[tuple], list[tuple[int, int]]]:
    """What is no fault: annotations, and decorators that only make faster; and where functions are."""
    ignored, functions = [], []
    for node in ast.walk(ast.parse(source)):
        own = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            functions.append((node.lineno, node.end_lineno))
            own += [
                d
                for d in node.decorator_list
                if SPEED_ONLY & set(ast.unparse(d).split("(")[0].split("."))
            ]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            own.append(node)
        ignored += [
            ((n.lineno, max(n.col_offset - 1, 0)), (n.end_lineno, n.end_col_offset))
            for n in own
            if n
        ]
    return ignored, functions


# The tests that reach them ------------------------------------------------------------------------


def tests_that_reach(files: list[Path]) -> tuple[dict[str, dict[int, set[str]]], dict[str, float]]:
    """For each file, its lines and the tests that reach them; and how long each test takes."""
    from coverage import CoverageData

    kept, times = PLACE / "coverage", PLACE / "times.xml"
    if not kept.is_file():
        settings = PLACE / "coveragerc"
        settings.write_text(f"[run]\ndata_file = {kept}\nsource = ppdm\n")
        print("all tests once, to see what they reach", flush=True)
        with (PLACE / "reach.log").open("w") as log:
            subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={times}", "-o",
                 "junit_family=xunit1", "--cov", "--cov-context=test", f"--cov-config={settings}", "--cov-report="],
                cwd=HERE, stdout=log, stderr=log, check=False,
            )  # fmt: skip
    data = CoverageData(str(kept))
    data.read()
    reach = {}
    for path in files:
        lines = data.contexts_by_lineno(str(path))
        reach[str(path.relative_to(HERE))] = {
            line: {name.partition("|")[0] for name in names if name}
            for line, names in lines.items()
        }
    seconds = {}
    for case in ElementTree.parse(times).iter("testcase"):
        name = case.get("name", "")
        seconds[f"{case.get('file')}::{name}"] = float(case.get("time", 0))
    return reach, seconds


def chosen(mutant: Mutant, reach: dict, seconds: dict[str, float]) -> list[str]:
    """The quick ones first of the tests that reach the mutant's lines, its function, its module."""
    lines, names = reach[mutant.path], []
    spans = [(mutant.line, mutant.last), mutant.function, (1, 10**6)]
    for first, last in spans:
        reached = set().union(*(tests for line, tests in lines.items() if first <= line <= last))
        names += sorted(reached - set(names), key=lambda name: (seconds.get(name, 1.0), name))
        if names:
            break
    total, few = 0.0, []
    for name in names:
        total += seconds.get(name, 1.0) + 0.005
        if few and total > BASELINE:
            break
        few.append(name)
    return few


def _outcome(mutant: Mutant, folder: Path, tests: list[str]) -> str:
    """Noticed, noticed late, or survived."""
    if not tests:
        return "survived"
    path = folder / mutant.path
    before = path.read_bytes()
    arguments = folder / "_tests.txt"
    arguments.write_text("\n".join(tests))
    try:
        path.write_text(mutant.text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", f"@{arguments}"],
            cwd=folder, env=_environment(folder), timeout=LIMIT, capture_output=True, check=False,
        )  # fmt: skip
        return "survived" if done.returncode == 0 else "noticed"
    except subprocess.TimeoutExpired:
        return "too long"
    finally:
        path.write_bytes(before)


def _environment(folder: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "_numba")}


# A Python and checkouts of their own --------------------------------------------------------------


def _own_python() -> str:
    """A Python with cosmic-ray and coverage beside what the tests need."""
    home = PLACE / "venv"
    python = home / "bin" / "python"
    if not (home / "ready").is_file():
        shutil.rmtree(home, ignore_errors=True)
        venv.create(home, with_pip=True)
        lock = HERE / ".ci" / "mutants.lock"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "--require-hashes", "-r", lock], check=True)  # fmt: skip
        [inside] = (home / "lib").glob("python3*/site-packages")
        [shared] = (HERE / ".venv" / "lib").glob("python3*/site-packages")
        (inside / "project.pth").write_text(f"import site; site.addsitedir({str(shared)!r})\n")
        (home / "ready").touch()
    return str(python)


def _in_own_python() -> bool:
    return Path(sys.prefix) == PLACE / "venv"


def _checkout(number: int) -> Path:
    """A copy of the last commit."""
    folder = PLACE / f"checkout-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(HERE), str(folder)], check=True)
    return folder


def _files(room: str) -> list[Path]:
    path = HERE / room
    return sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


if __name__ == "__main__":
    PLACE.mkdir(parents=True, exist_ok=True)
    sys.exit(main())
