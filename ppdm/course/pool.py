"""Several checkers at work: each a process of its own, with a workshop for cells.

A checker that dies, or says nothing for too long, costs the submission it had in hand, and no
other.
"""

from __future__ import annotations

import multiprocessing
import queue
import signal
import threading
import time
from pathlib import Path
from typing import Any

from ppdm.course import mark
from ppdm.course.cell import Workshop
from ppdm.course.examine import CELLS

#: Seconds for what a checker does beside waiting for a submission.
SPARE = 240


def work(
    jobs: list[dict], workers: int, sealed: bool, base: Path, spent: dict | None = None
) -> list[dict]:
    """The results of all jobs, in their order; progress is shown. `spent` takes the seconds."""
    from tqdm import tqdm

    results: list[dict | None] = [None] * len(jobs)
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    for number in range(len(jobs)):
        waiting.put(number)
    stop, faults = threading.Event(), []
    with tqdm(total=len(jobs), desc="grading", unit="") as bar:

        def serve() -> None:
            checker = _Checker(sealed, base)
            try:
                while not stop.is_set():
                    try:
                        number = waiting.get_nowait()
                    except queue.Empty:
                        return
                    results[number], seconds = checker.result(jobs[number], stop)
                    if spent is not None:
                        whose = jobs[number]["submission"]
                        spent[whose.student, whose.assignment] = seconds
                    bar.update()
            except BaseException as error:  # noqa: BLE001 - told to whoever asked
                faults.append(error)
                stop.set()
            finally:
                checker.close()

        threads = [threading.Thread(target=serve) for _ in range(max(1, min(workers, len(jobs))))]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                threads[0].join(0.1) if threads[0].is_alive() else time.sleep(0.1)
        except BaseException:
            stop.set()
            raise
        finally:
            for thread in threads:
                thread.join()
    if faults:
        raise faults[0]
    return [result for result in results if result is not None]


class _Checker:
    """A process that grades one submission after another."""

    def __init__(self, sealed: bool, base: Path):
        self.sealed, self.base = sealed, base
        self.process: Any = None
        self.line: Any = None

    def result(self, job: dict, stop: threading.Event) -> tuple[dict | None, float]:
        """The result, and the seconds it took beside the start of a checker and its sandbox."""
        if self.process is None:
            self._start()
        begin = time.monotonic()
        until = begin + 4 * (CELLS + 1) * job["timeout"] + SPARE
        try:
            self.line.send(job)
            while not self.line.poll(0.5):
                if stop.is_set():
                    return None, 0.0
                if time.monotonic() > until:
                    raise EOFError
            answer = self.line.recv()
        except (OSError, EOFError):
            self.close()
            words = "could not be graded: the checker itself ended, or took too long"
            return mark.complete(job, mark.nothing(job["source"], words)), time.monotonic() - begin
        return answer

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(
            target=serve_jobs, args=(theirs, self.sealed, self.base), daemon=True
        )
        self.process.start()
        theirs.close()

    def close(self) -> None:
        """End the process, and with it its cells."""
        process, self.process = self.process, None
        if process is None:
            return
        self.line.close()  # it ends by itself when it notices
        process.join(2)
        if process.is_alive():
            process.kill()
            process.join()


def serve_jobs(line, sealed: bool, base: Path) -> None:
    """What a checker's process does: a result for each job."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked for the work ends it
    made: list[Workshop] = []
    begin = time.monotonic()

    def workshop() -> Workshop:
        nonlocal begin
        if not made:
            start = time.monotonic()
            made.append(Workshop(sealed, base))
            made[0].start()
            begin += time.monotonic() - start
        return made[0]

    try:
        while True:
            try:
                job = line.recv()
            except (EOFError, OSError):
                return
            begin = time.monotonic()
            try:
                result = mark.graded(job, workshop)
                line.send((result, time.monotonic() - begin))
            except OSError:
                return
    finally:
        for one in made:
            one.close()
