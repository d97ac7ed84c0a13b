"""One submission in a kernel of its own, which may hang, die, or print without end."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute

from ppdm.course.build import KERNEL_ARGUMENTS

#: A submission as a whole may take so many times the time of one cell.
CELLS = 6


def run(notebook: NotebookNode, student: str, timeout: int) -> list[str]:
    """Execute a submission in place; say which cells had to be stopped.

    A cell that takes longer than `timeout` seconds is interrupted. One that cannot be interrupted,
    or kills its kernel, is left out, and the rest is run anew without it.
    """
    deadline = time.monotonic() + CELLS * timeout
    left_out: dict[int, str] = {}
    for _ in range(4):
        try:
            return _run_once(notebook, student, timeout, deadline, left_out)
        except _Lost as lost:
            left_out[lost.index] = lost.reason
    return _run_once(notebook, student, timeout, 0, left_out)  # records what was left out


class _Lost(Exception):
    def __init__(self, index: int, reason: str):
        self.index, self.reason = index, reason


class _Runner(Execute):
    """nbgrader's way to execute a notebook, with an environment and an end."""

    def run(self, deadline: float, left_out: dict[int, str], **how) -> list[str]:
        notes = []
        with self.setup_kernel(**how):
            self.wait_for_reply(self.kc.kernel_info())
            for index, cell in enumerate(self.nb.cells):
                if cell.cell_type != "code":
                    continue
                cell.outputs = []
                reason = left_out.get(index)
                if reason is None and time.monotonic() > deadline:
                    reason = "was not run: the submission took too long as a whole"
                if reason is None:
                    reason = self._execute(cell, index)
                if reason is not None:
                    notes.append(f"{_name(cell, index)} {reason}")
                    cell.outputs.append(new_output(
                        "error", ename="Stopped", evalue=f"This cell {reason}.", traceback=[]
                    ))  # fmt: skip
        return notes

    def _execute(self, cell, index: int) -> str | None:
        try:
            self.execute_cell(cell, index, store_history=True)
        except CellTimeoutError:
            raise _Lost(index, f"ran longer than {self.timeout} seconds, and could not be "
                               "interrupted") from None  # fmt: skip
        except DeadKernelError:
            raise _Lost(index, "ended its Python") from None
        late = any(o.output_type == "error" and o.ename == "CellTimeoutError" for o in cell.outputs)
        return f"ran longer than {self.timeout} seconds" if late else None


def _run_once(notebook, student: str, timeout: int, deadline: float, left_out) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="ppdm-course-") as scratch:
        environment = {
            **os.environ, "PPDM_STUDENT": student, "IPYTHONDIR": scratch, "MPLBACKEND": "Agg",
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1",
        }  # fmt: skip
        runner = _Runner(timeout=timeout, extra_arguments=KERNEL_ARGUMENTS, kernel_name="python3")
        runner.nb = notebook
        runner.reset_execution_trackers()
        runner.log.setLevel("CRITICAL")
        runner.resources = {"metadata": {"path": str(Path(scratch))}}
        return runner.run(deadline, left_out, env=environment, cwd=scratch)


def _name(cell, index: int) -> str:
    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
    return f"cell {grade_id!r}" if grade_id else f"cell number {index + 1}"
