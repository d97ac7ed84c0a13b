"""A Python that has imported what submissions need. For each one it makes a child, locks it in,
and watches it; the child begins where others would still be importing.

    python -m ppdm.course.inside.zygote SOCKET JSON   (in the sandbox that `ppdm.course.cell` makes)

Over the socket come {"new": limits} with the pipe of a cell, {"interrupt": 1} and {"end": 1}.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time


def prepare():
    """Import, and raise the fence that says what cannot be imported in an assignment."""
    import numpy  # noqa: F401
    import pandas
    import scipy.optimize
    import scipy.stats  # noqa: F401

    import ppdm.data
    import ppdm.table  # noqa: F401
    from ppdm.course import guard
    from ppdm.course.inside import runner

    pandas.DataFrame({"a": [1, 2]}).groupby("a").mean()  # what pandas imports when first used
    guard.close()
    shell = runner.make_shell()
    shell.run_cell("pass", store_history=False)
    return shell


def main() -> None:
    """Serve until the other side hangs up."""
    from ppdm.course.inside import lock

    control = socket.socket(fileno=int(sys.argv[1]))
    options = json.loads(sys.argv[2])
    lock.prctl(lock.SUBREAPER, 1)
    _first()
    shell = prepare()
    control.send(b'{"ready": true}')
    cell = reason = None
    while True:
        control.settimeout(options["watch"] if cell else None)
        try:
            data, files, _, _ = socket.recv_fds(control, 4096, 1)
        except TimeoutError:
            reason = reason or watch(cell, options)
            continue
        if not data:
            os._exit(0)
        message = json.loads(data)
        if "new" in message:
            cell, reason = make_cell(files[0], message["new"], shell, control), None
            os.close(files[0])
            control.send(json.dumps({"pid": cell}).encode())
        elif "interrupt" in message:
            _kill(cell, signal.SIGINT)
        elif "end" in message:
            reason = reason or (watch(cell, options) if cell else None)
            _kill(cell, signal.SIGKILL)
            _reap()
            cell = None
            control.send(json.dumps({"why": reason}).encode())


def _first(back: bool = False) -> None:
    """Be served before the cell, where we may: who watches must not wait for whom it watches."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, 0 if back else -10)
    except OSError:
        pass


def serve_alone() -> None:
    """Without a sandbox: one Python for one submission, over its input and its output."""
    from ppdm.course.inside import runner

    reading, writing = os.dup(0), os.dup(1)
    runner.hush()
    shell = prepare()
    pipe = runner.Pipe(reading, writing)
    pipe.send(b'{"ready": true}')
    runner.Runner(pipe, shell).serve()


def make_cell(pipe: int, limits: dict, shell, control) -> int | None:
    """A child of a child, in rooms of its own; its number here."""
    reading, writing = os.pipe()
    middle = os.fork()
    if middle == 0:
        _be_the_middle(pipe, limits, shell, control, writing)
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.read()
    os.waitpid(middle, 0)
    return int(number) if number else None


def _be_the_middle(pipe: int, limits: dict, shell, control, writing: int) -> None:
    from ppdm.course.inside import lock

    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # where memory ends, the cell ends, not the zygote
        _first(back=True)
        lock.own_rooms()
        child = os.fork()  # the first process of its own space
        if child == 0:
            _be_the_cell(pipe, limits, shell)
        os.write(writing, str(child).encode())
    finally:
        os._exit(0)


def _be_the_cell(pipe: int, limits: dict, shell) -> None:
    from ppdm.course.inside import lock, runner

    try:
        os.setsid()
        if pipe != 3:
            os.dup2(pipe, 3)
        os.closerange(4, 4096)
        runner.hush()
        lock.furnish(limits["user"], limits["scratch"])
        lock.limit(limits)
        lock.give_up_rights(limits["user"])
        forbidden = lock.forbid()
        connection = runner.Pipe(3, 3)
        connection.send(json.dumps({"ready": True, "forbidden": forbidden}).encode())
    except BaseException as error:  # noqa: BLE001
        os.write(3, _failed(error))
        os._exit(1)
    try:
        runner.Runner(connection, shell).serve()
    finally:
        os._exit(1)


def _failed(error: BaseException) -> bytes:
    text = json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode()
    return len(text).to_bytes(8, "big") + text


def watch(cell: int | None, options: dict) -> str | None:
    """Kill a cell that takes more memory or processes than allowed, together; say which.

    This holds also where no control group can be made, and for root, whom RLIMIT_NPROC does not
    bind.
    """
    mine, pages, number = os.getpid(), 0, 0
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in (1, mine):
            continue
        try:
            with open(f"/proc/{name}/statm") as file:
                resident, shared = (int(word) for word in file.read().split()[1:3])
        except (OSError, ValueError):
            continue
        number += 1
        pages += resident - shared
    scratch = _used(f"/proc/{cell}/root/tmp") if cell else 0
    reason = None
    if pages * os.sysconf("SC_PAGE_SIZE") + scratch > options["memory"]:
        reason = "memory"
    elif number > options["processes"]:
        reason = "processes"
    if reason:
        _kill(cell, signal.SIGKILL)
    return reason


def _used(folder: str) -> int:
    try:
        about = os.statvfs(folder)
    except OSError:
        return 0
    return (about.f_blocks - about.f_bfree) * about.f_frsize


def _kill(cell: int | None, number: int) -> None:
    if cell:
        try:
            os.kill(cell, number)
        except ProcessLookupError:
            pass


def _reap(seconds: float = 5.0) -> None:
    """Wait for the cell's end, and whatever it has left."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            number, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if number == 0:
            time.sleep(0.002)


if __name__ == "__main__":
    main()
