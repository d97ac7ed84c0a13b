"""The workflows: read by zizmor, every job with an end, every action by the hash of its commit."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).resolve().parents[1] / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))


def test_zizmor_finds_nothing():
    tool = shutil.which("zizmor", path=Path(sys.executable).parent) or shutil.which("zizmor")
    if tool is None:
        pytest.skip("zizmor is not installed")
    job = [tool, "--offline", "--no-progress", "--color=never", FOLDER]
    done = subprocess.run(job, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_job_has_an_end(path):
    jobs = yaml.safe_load(path.read_text())["jobs"]
    assert jobs and all(5 <= job["timeout-minutes"] <= 120 for job in jobs.values())


def test_another_python_and_another_numpy_verify_what_is_published():
    job = yaml.safe_load((FOLDER / "weekly.yml").read_text())["jobs"]["verify"]
    asked = job["strategy"]["matrix"]["include"]
    assert len({row["python"] for row in asked}) == len({row["numpy"] for row in asked}) == 2
    assert any("ppdm verify" in step.get("run", "") for step in job["steps"])
