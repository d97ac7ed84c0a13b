"""A cell: where the code of one submission runs, and how one talks to it.

Sealed, with bubblewrap: no network; processes of its own, which end with it; of the disk only the
system, Python and its packages, and the part of this package that a student may use, all read-only;
a scratch folder, memory, processes and time with bounds; a user of its own where we are root. The
cells of one `Workshop` come one after another from a Python that has imported already.

Unsealed, where there is no bubblewrap: a plain process, with the rights of whoever grades.

    with Workshop() as workshop, workshop.cell() as cell:
        cell.allow(seconds=30)
        cell.run("def f(x): return x + 1")
        cell.find(["f"])["f"](1)
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ppdm.course.inside import plain
from ppdm.places import PACKAGE

INSIDE = Path(plain.__file__).parent
#: What a cell may take: bytes of memory and of scratch, processes, and threads of them all.
MEMORY, SCRATCH, PROCESSES, THREADS = 3 << 30, 64 << 20, 32, 96
#: So often may an answer call a function that it was given.
CALLS_BACK = 10_000
#: Parts of the package that a student may use; what they import comes along.
OPEN = ("moved", "files", "plot", "table", "data")
#: Seconds to start in, and to answer an interrupt in.
START, GRACE = 120, 2.0
_LENGTH = struct.Struct(">Q")
HOW_UNSEALED = "without a sandbox a submission runs with your rights; if you know your students, say --unsealed"


class LateError(BaseException):
    """The time of a cell is over; `lost` if it had to be ended."""

    def __init__(self, lost: bool):
        self.lost = lost


class EndedError(BaseException):
    """A cell has ended, or no longer says anything that can be understood."""


class RemoteError(Exception):
    """What a student's code stopped with: only its name and its text have come."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


class Workshop:
    """Makes cells, one at a time."""

    def __init__(self, sealed: bool = True, base: Path | None = None):
        self.sealed = sealed
        self.folder = Path(tempfile.mkdtemp(prefix="ppdm-cells-", dir=base))
        self.count = 0
        self.process: Any = None
        self.control: Any = None  # a socket, while there is a sandbox
        self.group: _Group | None = None
        furnish(self.folder)

    def __enter__(self) -> Workshop:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """End everything."""
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Be ready for the first cell; without this, it waits."""
        if self.sealed and (self.process is None or self.process.poll() is not None):
            self._stop()
            self._start()

    @contextlib.contextmanager
    def cell(self) -> Iterator[Cell]:
        """A new cell, which is gone in the end."""
        cell = self._sealed_cell() if self.sealed else self._plain_cell()
        try:
            yield cell
        finally:
            cell.close()

    # -- sealed ----------------------------------------------------------------------------

    def _sealed_cell(self) -> Cell:
        for attempt in range(2):
            try:
                self.start()
                return self._ask_for_cell()
            except (OSError, EndedError, LateError):
                self._stop()
                if attempt:
                    raise
        raise AssertionError("unreachable")

    def _start(self) -> None:
        problems = []
        for arguments in _ways():
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            options = {"memory": MEMORY, "processes": PROCESSES, "watch": 0.1}
            command = [
                *arguments,
                *_view(self.folder),
                *_python(),
                str(theirs.fileno()),
                json.dumps(options),
            ]
            log = tempfile.TemporaryFile()  # noqa: SIM115
            self.process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={},
                cwd="/",
            )
            theirs.close()
            ours.settimeout(START)
            self.control = ours
            with contextlib.suppress(OSError):
                if ours.recv(1000):
                    self.group = _Group.around(self.process.pid)
                    return
            log.seek(0)
            said = log.read(5000).decode("utf-8", "replace").strip().splitlines()
            problems.append(said[-1] if said else "it said nothing")
            self._stop()
        raise OSError(f"no sandbox could be made: {'; '.join(dict.fromkeys(problems))}")

    def _ask_for_cell(self) -> Cell:
        ours, theirs = socket.socketpair()
        self.count += 1
        user = 1000
        if os.geteuid() == 0:  # a user of its own, whom no file belongs to
            user = 1_000_000_000 + (os.getpid() % 1_000_000) * 1000 + self.count % 1000
        limits = {"memory": MEMORY, "threads": THREADS, "scratch": SCRATCH, "user": user}
        message = json.dumps({"new": limits}).encode()
        socket.send_fds(self.control, [message], [theirs.fileno()])
        theirs.close()
        self._hear()
        cell = Cell(_Socket(ours), self)
        cell.greet()
        return cell

    def tell(self, what: str) -> dict:
        """Ask the zygote to interrupt or to end its cell."""
        try:
            self.control.send(json.dumps({what: 1}).encode())
            return self._hear() if what == "end" else {}
        except OSError:
            self._stop()
            return {}

    def _hear(self) -> dict:
        self.control.settimeout(START)
        data = self.control.recv(4096)
        if not data:
            raise OSError("the sandbox has ended")
        return json.loads(data)

    def _stop(self) -> None:
        if self.control is not None:
            self.control.close()  # the zygote notices, and ends
        if self.process is not None:
            try:
                self.process.wait(GRACE)
            except subprocess.TimeoutExpired:
                self.process.kill()  # with all that is in it: --die-with-parent
                self.process.wait()
        if self.group is not None:
            self.group.remove()
        self.process = self.control = self.group = None

    # -- unsealed --------------------------------------------------------------------------

    def _plain_cell(self) -> Cell:
        paths = [str(self.folder), *_site_folders()]
        code = (
            f"import sys; sys.path[:0] = {paths!r}; "
            "from ppdm.course.inside import zygote; zygote.serve_alone()"
        )
        kept = ("SYSTEMROOT", "TEMP", "TMP", "PATH", "LANG", "LD_LIBRARY_PATH")
        home = tempfile.mkdtemp(prefix="home-", dir=self.folder)
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {**_ENVIRONMENT, "HOME": home, "IPYTHONDIR": home}
        process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-S", "-B", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=home,
            start_new_session=True,
        )
        cell = Cell(_Files(process), None)
        try:
            cell.greet()
        except BaseException:
            cell.close()
            raise
        return cell


# -- what is in a cell ---------------------------------------------------------------------------


def furnish(folder: Path) -> None:
    """Put into `folder` what is to be /cell: the runner, and the open part of the package."""
    package = folder / "ppdm"
    package.mkdir()
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copy(PACKAGE / "__init__.py", package)
    for name in open_parts():
        if (PACKAGE / name).is_dir():
            shutil.copytree(PACKAGE / name, package / name, ignore=skip)
        else:
            shutil.copy(PACKAGE / f"{name}.py", package)
    (package / "course").mkdir()
    shutil.copy(INSIDE / "stub.py", package / "course" / "__init__.py")
    shutil.copy(PACKAGE / "course" / "guard.py", package / "course")
    (package / "course" / "inside").mkdir()
    for name in ("__init__", "plain", "runner", "zygote", "lock"):
        shutil.copy(INSIDE / f"{name}.py", package / "course" / "inside")
    (folder / "empty").mkdir()
    (folder / "passwd").write_text("student:x:1000:1000::/tmp/home:/bin/sh\n")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def open_parts() -> list[str]:
    """The modules and rooms of the package that lie in a cell.

    >>> {"table", "data", "moved"} <= set(open_parts())
    True
    >>> {"disguise", "estimate", "course", "papers"} & set(open_parts())
    set()
    """
    parts, following = [], list(OPEN)
    while following:
        name = following.pop()
        if name not in parts:
            parts.append(name)
            following += _imports_of(name)
    return sorted(parts)


def _imports_of(name: str) -> list[str]:
    """What one part of the package imports of the others."""
    place = PACKAGE / name
    found = []
    for path in sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "ppdm" and not node.level:
                found += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ppdm."):
                found.append(str(node.module).split(".")[1])
            elif isinstance(node, ast.Import):
                found += [
                    alias.name.split(".")[1]
                    for alias in node.names
                    if alias.name.startswith("ppdm.")
                ]
    return [
        part for part in found if (PACKAGE / part).is_dir() or (PACKAGE / f"{part}.py").is_file()
    ]


_ENVIRONMENT = {
    "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
}  # fmt: skip


def _ways() -> list[list[str]]:
    """How bubblewrap is called: as root with real rights, which a cell gives up; else, or where
    that is not allowed, within a user namespace."""
    program = shutil.which("bwrap")
    if program is None:
        raise OSError("bubblewrap (the command `bwrap`) is not installed")
    rooms = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
             "--unshare-cgroup-try", "--die-with-parent", "--new-session"]  # fmt: skip
    user = ["--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-add", "ALL"]
    ways = [[program, *rooms, *user]]
    return [[program, *rooms], *ways] if os.geteuid() == 0 else ways


def _view(cell: Path) -> list[str]:
    """What a cell sees of the disk, as options of bubblewrap."""
    seen = [word for name in ("/etc", "/opt") for word in ("--perms", "0755", "--dir", name)]
    seen += ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            seen += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            seen += ["--ro-bind", name, name]
    for name in ("ld.so.cache", "alternatives", "localtime", "fonts"):
        seen += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    base = Path(sys.base_prefix)
    if not _below(str(base), "/usr"):
        seen += ["--ro-bind", str(base), "/opt/python"]
        own = Path("lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
        if (base / own).is_dir():  # the packages come by themselves, if they are used
            seen += ["--ro-bind", str(cell / "empty"), f"/opt/python/{own}"]
    for number, folder in enumerate(_site_folders()):
        place = folder if _below(folder, "/usr") else f"/opt/site{number}"
        if place != folder:
            seen += ["--ro-bind", folder, place]
        for path in sorted(Path(folder).iterdir()):  # whatever tells of the checkout
            if path.name.startswith(("ppdm", "_editable", "__editable__")) or path.suffix == ".pth":
                nothing = str(cell / "empty") if path.is_dir() else "/dev/null"
                seen += ["--ro-bind", nothing, f"{place}/{path.name}"]
    seen += ["--ro-bind", str(cell), "/cell", "--ro-bind", str(cell / "passwd"), "/etc/passwd",
             "--proc", "/proc", "--dev", "/dev", "--size", str(SCRATCH), "--tmpfs", "/tmp",
             "--dir", "/tmp/home", "--chdir", "/tmp/home", "--remount-ro", "/dev",
             "--remount-ro", "/"]  # fmt: skip
    settings = {**_ENVIRONMENT, "PATH": "/usr/bin:/bin", "HOME": "/tmp/home",
                "IPYTHONDIR": "/tmp/home/.ipython", "PPDM_CACHE": "/tmp/home/cache",
                "LD_LIBRARY_PATH": "/opt/python/lib"}  # fmt: skip
    for name, value in settings.items():
        seen += ["--setenv", name, value]
    return seen


def _python() -> list[str]:
    """How the zygote is started in a sandbox."""
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    inside = (
        f"{sys.base_prefix}/bin/{name}"
        if _below(sys.base_prefix, "/usr")
        else f"/opt/python/bin/{name}"
    )
    sites = [
        folder if _below(folder, "/usr") else f"/opt/site{number}"
        for number, folder in enumerate(_site_folders())
    ]
    first = (
        f"import sys, runpy; sys.path[:0] = {['/cell', *sites]!r}; "
        "runpy.run_module('ppdm.course.inside.zygote', run_name='__main__')"
    )
    return [inside, "-s", "-P", "-S", "-B", "-c", first]


def _site_folders() -> list[str]:
    """Where Python's packages are."""
    paths = sysconfig.get_paths()
    folders = [paths["purelib"], paths["platlib"], *sys.path]
    real = [
        os.path.realpath(folder)
        for folder in folders
        if Path(folder).name in ("site-packages", "dist-packages")
    ]
    return [folder for folder in dict.fromkeys(real) if os.path.isdir(folder)]


def _below(path: str, folder: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(folder)


class _Group:
    """A control group around a sandbox, where one may be made: memory and threads in sum, and no
    more of the processors than another process has."""

    def __init__(self, folders: list[Path]):
        self.folders = folders

    @classmethod
    def around(cls, pid: int) -> _Group | None:
        memory, threads = MEMORY + (1 << 30), 2 * THREADS  # the zygote is in there as well
        root, name = Path("/sys/fs/cgroup"), f"ppdm-{os.getpid()}-{pid}"
        wanted = {
            root / "memory": {"memory.limit_in_bytes": memory},
            root / "pids": {"pids.max": threads},
            root / "cpu": {"cpu.shares": 1024},
        }
        if (root / "cgroup.controllers").is_file():  # one tree for all
            wanted = {root: {"memory.max": memory, "memory.swap.max": 0, "pids.max": threads}}
        folders = []
        for above, settings in wanted.items():
            for left in above.glob("ppdm-*-*"):  # of a grading that was killed
                with contextlib.suppress(OSError):
                    left.rmdir()
            with contextlib.suppress(OSError):
                (above / name).mkdir()
                folders.append(above / name)
                for child in (pid, *_descendants(pid)):
                    (above / name / "cgroup.procs").write_text(str(child))
            for file, value in settings.items():
                with contextlib.suppress(OSError):
                    (above / name / file).write_text(str(value))
        return cls(folders) if folders else None

    def remove(self) -> None:
        """Take the group away; its processes may need a moment to end."""
        for folder in self.folders:
            for _ in range(50):
                try:
                    folder.rmdir()
                    break
                except OSError:
                    time.sleep(0.01)


def _descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [number for child in map(int, children) for number in (child, *_descendants(child))]


def why_not_sealed() -> str | None:
    """None if a sealed cell can be made here, else the reason, in a few words."""
    if not sys.platform.startswith("linux"):
        return "sandboxes are made with bubblewrap, which exists on Linux only"
    try:
        with Workshop() as workshop, workshop.cell():
            return None
    except (OSError, EndedError, LateError) as error:
        return str(error) or "the sandbox did not start"


# -- talking to a cell -----------------------------------------------------------------------------


class Cell:
    """One submission's code, running elsewhere. Answers are plain data, or an error that says so."""

    def __init__(self, line, workshop: Workshop | None):
        self.line, self.workshop = line, workshop
        self.until = time.monotonic() + START
        self.why: str | None = None
        self.open = True

    def greet(self) -> None:
        """Wait until it is locked in."""
        self.until = time.monotonic() + START
        words = self._receive()
        if "failed" in words:
            raise OSError(f"a cell could not be locked in: {words['failed']!s:.200}")

    def give(self, data) -> None:
        """What `begin` is to return in there."""
        self._send({"data": json.loads(plain.pack(data, []))})

    def allow(self, seconds: float) -> None:
        """What follows may take so long, together."""
        self.until = time.monotonic() + seconds

    def run(self, source: str) -> tuple[str, str] | None:
        """Run code; the name and the text of the error that stopped it."""
        return self._error(self._ask({"run": source}).get("error"))

    def find(self, names: Iterable[str]) -> dict[str, object]:
        """The values of names that there are; functions as a `Function`."""
        names = list(names)
        found = self._ask({"find": names}).get("found")
        if not isinstance(found, dict):
            raise EndedError
        return {name: self._value(name, found[name]) for name in names if found.get(name)}

    def call(self, number: int, args) -> object:
        """Call a function in there with copies of plain arguments."""
        functions: list = []
        message = {"call": number, "args": [json.loads(plain.pack(a, functions)) for a in args]}
        answer = self._ask(message)
        for _ in range(CALLS_BACK):
            if "back" not in answer:
                break
            answer = self._ask(self._call_back(answer, functions))
        else:
            raise EndedError
        error = self._error(answer.get("error"))
        if error is not None:
            raise RemoteError(*error)
        return self._up(answer.get("value"))

    def close(self) -> str | None:
        """End it; the reason if it was ended before."""
        if self.open:
            self.open = False
            self.line.close()
            if self.workshop is not None:
                self.why = self.workshop.tell("end").get("why")
        return self.why

    def _value(self, name: str, node):
        if not isinstance(node, dict):
            raise EndedError
        if "function" in node and isinstance(node["function"], int):
            return Function(self, node["function"], str(node.get("name", name))[:80])
        return self._up(node.get("value"))

    def _call_back(self, answer: dict, functions: list) -> dict:
        try:
            function = functions[answer["back"]]
            value = function(*(plain.raise_up(arg) for arg in answer["args"]))
            return {"value": json.loads(plain.pack(value))}
        except Exception as error:  # noqa: BLE001 - the arguments are a student's
            return {"error": f"{type(error).__name__}: {error!s:.200}"}

    @staticmethod
    def _up(node):
        try:
            return plain.raise_up(node)
        except plain.NotPlainError as error:
            return plain.Unplain(f"<{error}>")

    def _error(self, error) -> tuple[str, str] | None:
        if error is None:
            return None
        if not (isinstance(error, list) and len(error) == 2):
            raise EndedError
        if error[0] == "Late":
            raise LateError(lost=False)
        return str(error[0])[:80], str(error[1])[:300]

    def _ask(self, message: dict) -> dict:
        self._send(message)
        try:
            return self._receive()
        except TimeoutError:
            return self._interrupt()

    def _interrupt(self) -> dict:
        self.line.interrupt(self.workshop)
        self.until = time.monotonic() + GRACE
        try:
            stopped = self._receive().get("error") == ["Late", ""]
        except (TimeoutError, EndedError):
            stopped = False
        if not stopped:
            self.close()
        raise LateError(lost=not stopped)

    def _send(self, message: dict) -> None:
        data = json.dumps(message).encode("ascii")
        try:
            self.line.send(_LENGTH.pack(len(data)) + data, self.until)
        except TimeoutError:
            self._interrupt()
        except OSError:
            raise EndedError from None

    def _receive(self) -> dict:
        try:
            length = _LENGTH.unpack(self.line.receive(_LENGTH.size, self.until))[0]
            if length > plain.LARGEST + (1 << 16):
                raise EndedError
            answer = json.loads(self.line.receive(length, self.until))
        except TimeoutError:
            raise
        except (OSError, ValueError, RecursionError):
            raise EndedError from None
        if not isinstance(answer, dict):
            raise EndedError
        return answer


class Function:
    """A student's function, for a check: takes and returns plain data, and runs in its cell."""

    def __init__(self, cell: Cell, number: int, name: str):
        self._cell, self._number, self.__name__ = cell, number, name

    def __call__(self, *args):
        return self._cell.call(self._number, args)

    def __deepcopy__(self, memo):
        return self


class _Socket:
    """The line to a sealed cell."""

    def __init__(self, connection: socket.socket):
        self.connection = connection

    def send(self, data: bytes, until: float) -> None:
        self.connection.settimeout(max(until - time.monotonic(), 0.001))
        self.connection.sendall(data)

    def receive(self, number: int, until: float) -> bytes:
        parts = []
        while number:
            self.connection.settimeout(max(until - time.monotonic(), 0.001))
            part = self.connection.recv(min(number, 1 << 20))
            if not part:
                raise EndedError
            parts.append(part)
            number -= len(part)
        return b"".join(parts)

    def interrupt(self, workshop: Workshop) -> None:
        workshop.tell("interrupt")

    def close(self) -> None:
        self.connection.close()


class _Files:
    """The line to a plain process; a thread reads, so that waiting can end everywhere."""

    def __init__(self, process: subprocess.Popen):
        import queue
        import threading

        self.process: Any = process
        self.parts: queue.Queue = queue.Queue(maxsize=64)
        self.rest = b""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while part := os.read(self.process.stdout.fileno(), 1 << 16):
            self.parts.put(part)
        self.parts.put(b"")

    def send(self, data: bytes, until: float) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self, number: int, until: float) -> bytes:
        import queue

        while len(self.rest) < number:
            try:
                part = self.parts.get(timeout=max(until - time.monotonic(), 0.001))
            except queue.Empty:
                raise TimeoutError from None
            if not part:
                raise EndedError
            self.rest += part
        data, self.rest = self.rest[:number], self.rest[number:]
        return data

    def interrupt(self, workshop: None) -> None:
        if hasattr(signal, "SIGKILL"):  # not Windows, where only the end is left
            self.process.send_signal(signal.SIGINT)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL) if hasattr(os, "killpg") else None
        self.process.kill()
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                file.close()
