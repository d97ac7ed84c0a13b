"""A chapter's files are the same for one worker, for two, and after a kill in the middle."""

import os
import signal
import subprocess
import sys

import pytest
import yaml

CLAIM = {
    "id": "ZD-27", "paper": "zhan-du", "where": "Section 5.3.1", "claim": "Undone shares are unbiased.",
    "rule": {"name": "near", "target": 0.0, "within": 0.02}, "refuses": ["no undoing"],
    "expect": "reproduced",
}  # fmt: skip
POINT = """
import os, pathlib, signal, sys
import pandas as pd
from ppdm import MultiGroup, count

PEOPLE = count(pd.DataFrame({"A": [1] * 700 + [0] * 300, "B": [1, 0] * 500}))

def errors(rng, reps, split, theta, here, groups=1, undo=True):
    here = pathlib.Path(here)
    name = f"{split} {theta} {groups} {undo}"
    (here / "made" / name).touch()
    if split == 6 and (here / "kill").exists():
        os.killpg(0, signal.SIGKILL)                  # everybody: the run and its workers
    scheme = MultiGroup(theta, [["A", "B"]] if groups == 1 else [["A"], ["B"]])
    told = [scheme.disguise_table(PEOPLE, rng) for _ in range(reps)]
    return {"error": [(scheme.undo(t) if undo else t).p({"A": 1}) - 0.7 for t in told]}
"""
SCRIPT = """
import functools, pathlib, sys
from mine import errors
from ppdm import study
from ppdm.papers.common import Reading

OTHER = [Reading("two groups", "", "", options={"groups": 2})]
WRONG = [Reading("no undoing", "", "", options={"undo": False})]

def mean(rows):
    return {"value": rows["value"].mean()}

if __name__ == "__main__":
    here = pathlib.Path(sys.argv[1])
    ch = study.Chapter("02_toy", seed=5, sizes={"reps": (50, 5)}, claims=here / "02_toy.yml")
    grid = [{"split": s, "theta": t} for s in range(10) for t in (0.7, 0.8)]
    point = functools.partial(errors, here=sys.argv[1])
    frame = ch.run(study.under(point, OTHER), study.points(grid, OTHER))
    wrong = ch.run(study.under(point, WRONG), study.points(grid, WRONG, ours=False))
    ch.save("errors", study.summarise(frame, cluster="split"))
    ch.ledger.decide("ZD-27", **study.cases(mean, frame, plants=wrong))
    ch.finish()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_one_worker_two_and_a_kill_write_the_same_bytes(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "mine.py").write_text(POINT, encoding="utf-8")

    def run(name, workers, kill=False):
        """What a run says of itself, its CSV files, and the names of the points that it computed."""
        here = tmp_path / name
        (here / "made").mkdir(parents=True, exist_ok=True)
        (here / "02_toy.yml").write_text(yaml.safe_dump([CLAIM]), encoding="utf-8")
        (here / "kill").touch() if kill else (here / "kill").unlink(missing_ok=True)
        for made in (here / "made").iterdir():
            made.unlink()
        env = os.environ | {
            "PPDM_WORKERS": str(workers), "PPDM_CACHE": str(here / "cache"),
            "PPDM_RESULTS": str(here / "results"), "PPDM_PROGRESS": "0",
        }  # fmt: skip
        code = subprocess.run(
            [sys.executable, tmp_path / "script.py", here],
            env=env,
            start_new_session=True,
            capture_output=True,
        ).returncode
        files = {path.name: path.read_bytes() for path in here.glob("results/**/*.csv")}
        return code, files, {made.name for made in (here / "made").iterdir()}

    code, alone, all_made = run("one", 1)
    assert code == 0 and set(alone) == {"claims.csv", "worlds.csv", "rates.csv", "errors.csv"}
    assert len(all_made) == 60  # ours, the reading, the plant
    assert b"two groups" in alone["worlds.csv"] and b"no undoing" in alone["claims.csv"]
    assert run("two", 2)[:2] == (0, alone)
    code, files, before = run("killed", 2, kill=True)
    assert code == -signal.SIGKILL and not files
    code, files, after = run("killed", 2)
    assert (code, files) == (0, alone)
    assert 0 < len(all_made - after) < 60  # what was kept is not computed again
    assert all_made - after <= before
