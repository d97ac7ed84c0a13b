"""The wall: the code of one submission runs behind it, in a sandbox, and says what it says as JSON.

    with Sandbox() as sandbox:
        sandbox.allow(seconds=30)
        sandbox.run("def f(x): return x + 1")
        sandbox.value("f")(2)               # 3

The code is a stranger's program, and nothing that it says is believed. It is asked questions, a line
of JSON each, and answers with a line of JSON: numbers, text, lists, and nothing else. The tests and
the right answers stay on this side.

What keeps it in, and what it keeps out (bubblewrap makes 1 to 3 before the first line of the
submission runs; 4 to 6 cannot be undone from inside):

1. *The network.* The sandbox has one of its own, with nothing in it; and of sockets only the local kind
   can be made (6), so that AF_VSOCK and AF_NETLINK, which a network of one's own does not hold, are out.
2. *Files.* It sees the system's programs, Python with its packages, and those few files of this package
   that a student may use, all read-only: no home, no checkout, no solution, no other submission, no
   /proc, no /sys, and of /dev four harmless devices. It can write to /tmp alone, 64 MB in memory.
3. *Processes.* It sees none but its own, and all of them end when the line is closed.
4. *Rights.* A user of its own and no capability: where we are root another user's number, else a
   namespace in which we are nobody's root. No program can win rights.
5. *Memory, threads, files.* 3 GB of addresses, shared maps among them, 64 threads, 64 open files, by
   rlimits; they bind the whole submission, because it is one process: the filter (6) lets it make
   threads, and no second process. So they hold without control groups.
6. *The kernel.* A list of the system calls that Python and its libraries need (`CALLS`); every other one
   is refused: namespaces, mounts, ptrace, keys, BPF, io_uring, System V's shared memory, inotify ...
   A call by another processor's table (int 0x80, x32) ends the submission.
7. *Time.* Each question has a deadline, and so has the submission (`ppdm.course.checker`). The sandbox
   interrupts itself after so many seconds of work; who does not let himself be interrupted is ended.

What it does not keep out. The kernel is shared: a fault in one of the calls that are allowed, or in
bubblewrap, opens it, and so does a processor that leaks. A submission sees which packages are
installed, where they lie on the disk (and so perhaps the name of whoever grades), the kernel's release
and how fast the machine is. For its time it may keep all cores busy. Files of the packages can be
locked for reading by it, not changed. Two submissions that run at a time share nothing but the machine.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cloudpickle

from ppdm.course import guard
from ppdm.places import PACKAGE

#: Bytes of memory and of scratch, threads, open files and seconds of work of one submission.
MEMORY, SCRATCH, THREADS, FILES, WORK = 3 << 30, 64 << 20, 64, 64, 3600
#: Bytes of one answer, and how deep lists may lie in lists. The largest right answer has 60 KB.
LARGEST, DEEPEST = 1 << 20, 12
#: Seconds to start in, and to answer in after an interrupt.
START, GRACE = 60, 3
SETTINGS = {
    "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/tmp", "IPYTHONDIR": "/tmp/.ipython",
    "MPLCONFIGDIR": "/tmp/.matplotlib", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1",
    "NUMBA_CACHE_DIR": "/tmp/.numba", "PPDM_CACHE": "/tmp/.ppdm",
}  # fmt: skip

#: The system calls that are allowed, by what they are for.
CALLS = """
    read write readv writev pread64 pwrite64 lseek open openat close close_range fstat stat lstat
    newfstatat statx access faccessat faccessat2 readlink readlinkat getdents64 getcwd chdir fchdir
    dup dup2 dup3 pipe pipe2 fcntl mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2
    symlink symlinkat chmod fchmod fchmodat ftruncate truncate fsync fdatasync fallocate utimensat
    umask statfs fstatfs fadvise64 copy_file_range sendfile
    mmap munmap mremap mprotect madvise brk membarrier
    poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2
    sendto recvfrom sendmsg recvmsg shutdown bind listen accept accept4 connect getsockname
    getpeername getsockopt setsockopt
    execve exit exit_group futex set_robust_list get_robust_list set_tid_address rseq sched_yield
    sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max
    sched_get_priority_min gettid getpid getppid getpgrp getpgid getsid getuid geteuid getgid
    getegid getresuid getresgid getgroups setuid setgid setresuid setresgid setgroups prlimit64
    getrlimit setrlimit getrusage times arch_prctl kill tkill tgkill wait4 waitid
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack
    restart_syscall setitimer getitimer alarm pause
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time
    uname sysinfo getrandom getcpu
""".split()  # noqa: SIM905 - read as words
#: Those that are allowed with these arguments only: (call, argument, comparison, values).
EQUAL, MASKED = 4, 7
LOCAL, A_THREAD = socket.AF_UNIX, 0x10000  # CLONE_THREAD
CALLS_WITH = [
    ("socket", 0, EQUAL, LOCAL, 0), ("socketpair", 0, EQUAL, LOCAL, 0),
    ("clone", 0, MASKED, A_THREAD, A_THREAD),
    *(("ioctl", 1, EQUAL, request, 0) for request in (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)),
]  # fmt: skip
#: clone3 hides its arguments from a filter: where it is not there, threads are made with clone.
NOT_THERE = ["clone3"]


class LateError(BaseException):
    """The time for a question is over; `lost` if the sandbox had to be ended."""

    def __init__(self, lost: bool):
        self.lost = lost


class EndedError(BaseException):
    """The sandbox has ended, or says nothing any more that can be understood."""


class NoSandboxError(OSError):
    """There can be no sandbox here, and why."""


class RemoteError(Exception):
    """What a student's code stopped with: only its name and its text have come."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


def why_no_wall() -> str | None:
    """None if a sandbox can be made here, else the reason, in a few words."""
    try:
        with Sandbox():
            return None
    except NoSandboxError as error:
        return str(error)


class Sandbox:
    """One submission's Python, and the line to it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with _filter() as rules, tempfile.TemporaryFile() as log:
            with theirs:
                self.process = subprocess.Popen(
                    [*_bubblewrap(), "--seccomp", str(rules), *_python()],
                    stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=log,
                    env=SETTINGS, cwd="/", pass_fds=[rules],
                )  # fmt: skip
            self.line, self.rest = ours, b""
            self.allow(START)
            try:
                self._ask({"limits": _limits()})
            except (EndedError, LateError, RemoteError):
                self.close()
                log.seek(0)
                words = log.read(5000).decode("utf-8", "replace").strip().rpartition("\n")[2]
                raise NoSandboxError(words or "it did not start") from None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """End it, with whatever it has started."""
        self.line.close()
        self.process.kill()
        self.process.wait()

    def allow(self, seconds: float) -> None:
        """What follows may work so long, together, and take four times as long by the clock."""
        self.seconds: float | None = seconds
        self.until = time.monotonic() + 4 * seconds + GRACE

    def give(self, data: dict) -> None:
        """What `begin` returns in there."""
        self._ask({"data": _packed(data)})

    def run(self, source: str) -> None:
        """Run a piece of the submission; what stops it there is no error here."""
        self._ask({"run": source})

    def value(self, name: str) -> object:
        """What a name stands for: plain data, or a function that is called in there."""
        answer = self._ask({"value": name})
        if answer.get("function") is True:
            return Function(self, name)
        if "value" not in answer:
            raise NameError(f"name {name!r} is not defined")
        return plain(answer["value"])

    def _ask(self, question: dict) -> dict:
        """One line there, one line back."""
        seconds, self.seconds = self.seconds, None  # once: the clock in there runs on
        try:
            self.line.settimeout(max(self.until - time.monotonic(), 0.001))
            self.line.sendall(json.dumps({"seconds": seconds, **question}).encode() + b"\n")
            answer = json.loads(self._line())
        except TimeoutError:
            self.close()
            raise LateError(lost=True) from None
        except (OSError, ValueError, RecursionError):
            raise EndedError from None
        if not isinstance(answer, dict):
            raise EndedError
        if answer.get("late") is True:
            raise LateError(lost=False)
        if isinstance(error := answer.get("error"), list):
            raise RemoteError(*(str(part)[:300] for part in [*error, "", ""][:2]))
        return answer

    def _line(self) -> bytes:
        parts = [self.rest]
        size = len(self.rest)
        while b"\n" not in parts[-1]:
            self.line.settimeout(max(self.until - time.monotonic(), 0.001))
            parts.append(self.line.recv(1 << 16))
            size += len(parts[-1])
            if not parts[-1] or size > 2 * LARGEST:
                raise EndedError
        line, _, self.rest = b"".join(parts).partition(b"\n")
        return line


class Function:
    """A student's function, as a test calls it: with copies of its arguments, behind the wall."""

    def __init__(self, sandbox: Sandbox, name: str):
        self._sandbox, self.__name__ = sandbox, name

    def __call__(self, *args):
        question = {"call": self.__name__, "args": _packed(args)}
        return plain(self._sandbox._ask(question).get("value"))


class NotPlain:
    """Stands for an answer that is no plain data; equal to nothing."""

    def __init__(self, words: str):
        self.words = words

    def __repr__(self) -> str:
        return f"<{self.words}>"


def plain(value, deep: int = DEEPEST):
    """An answer whose shape is judged after it was read: numbers and texts in lists, not too deep.

    >>> plain([1.5, ["yes"]]), plain({"not plain": "a set"})
    ([1.5, ['yes']], <a set>)
    """
    if isinstance(value, dict):
        return NotPlain(str(value.get("not plain"))[:80])
    if not isinstance(value, list):
        return value
    return (
        [plain(part, deep - 1) for part in value] if deep else NotPlain("lists in lists in lists")
    )


def _packed(value) -> str:
    """What goes in is ours, and may be anything; what comes out is JSON."""
    return base64.b64encode(cloudpickle.dumps(value)).decode()


# -- bubblewrap ------------------------------------------------------------------------------------


def _limits() -> dict:
    """What the sandbox lays upon itself before it runs a line of the submission."""
    user = 2_000_000_000 + os.getpid() if os.geteuid() == 0 else None  # whom no file belongs to
    return {"memory": MEMORY, "scratch": SCRATCH, "threads": THREADS, "files": FILES,
            "work": WORK, "user": user}  # fmt: skip


def _bubblewrap() -> list[str]:
    program = shutil.which("bwrap")
    if program is None:
        raise NoSandboxError("bubblewrap (the command `bwrap`) is not installed")
    rooms = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
             "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]  # fmt: skip
    if os.geteuid() == 0:  # real rights, which the runner gives up for a user's of its own
        rooms += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        rooms += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    rooms += ["--perms", "1777", "--size", str(SCRATCH), "--tmpfs", "/tmp"]
    for name in ("null", "zero", "random", "urandom"):
        rooms += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    return [program, *rooms, *_system(), *_packages(), "--remount-ro", "/", "--chdir", "/tmp"]


def _system() -> list[str]:
    """The system's programs and libraries, and what these look for in /etc."""
    seen = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            seen += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            seen += ["--ro-bind", name, name]
    for name in ("ld.so.cache", "alternatives", "localtime", "fonts"):
        seen += _bind(f"/etc/{name}")
    return seen


def _bind(path: str, target: str = "") -> list[str]:
    """Show a file or a folder, if it is there, in folders that every user can enter."""
    parents = [str(folder) for folder in reversed(Path(target or path).parents)]
    words = [word for folder in parents for word in ("--perms", "0755", "--dir", folder)]
    return [*words, "--ro-bind-try", path, target or path]


def _packages() -> list[str]:
    """Python, its packages, and of this one what a student may use, with `begin` in the course's place."""
    seen = []
    for folder in [os.path.realpath(sys.base_prefix), *_sites()]:
        if not folder.startswith("/usr/"):
            seen += _bind(folder)
        if os.path.isdir(f"{folder}/ppdm"):
            seen += ["--tmpfs", f"{folder}/ppdm"]
    inside = PACKAGE / "course" / "inside.py"
    files = {"__init__.py": PACKAGE / "__init__.py", "course/__init__.py": inside,
             "course/guard.py": PACKAGE / "course" / "guard.py"}  # fmt: skip
    for name in (module.removeprefix("ppdm.") for module in guard.MODULES):
        if name != "course":
            file = name if (PACKAGE / name).is_dir() else f"{name}.py"
            files[file] = PACKAGE / file
    for name, path in files.items():
        seen += _bind(str(path), f"/open/ppdm/{name}")
    return seen


def _sites() -> list[str]:
    """Where Python's packages are."""
    places = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    return [*dict.fromkeys(os.path.realpath(path) for path in places if os.path.isdir(path))]


def _python() -> list[str]:
    path = ["/open", *_sites()]
    first = f"import sys; sys.path[:0] = {path!r}; from ppdm import course; course.serve()"
    program = Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    return [os.path.realpath(program), "-I", "-S", "-B", "-c", first]


# -- the filter of system calls --------------------------------------------------------------------


class _Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operation", ctypes.c_int),
                ("first", ctypes.c_uint64), ("second", ctypes.c_uint64)]  # fmt: skip


@contextlib.contextmanager
def _filter():
    """A file that holds the filter, as libseccomp writes it for this processor."""
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        raise NoSandboxError("libseccomp (the package libseccomp2) is not installed") from None
    library.seccomp_init.restype = ctypes.c_void_p
    allow, refuse = 0x7FFF0000, 0x00050000
    rules = ctypes.c_void_p(library.seccomp_init(refuse | errno.EPERM))

    def add(action: int, name: str, *compared: _Comparison) -> None:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number == -1:  # a newer call, or another processor's
            return
        some = (_Comparison * len(compared))(*compared)
        if library.seccomp_rule_add_array(rules, action, number, len(compared), some):
            raise NoSandboxError(f"libseccomp takes no rule for {name}")

    for name in CALLS:
        add(allow, name)
    for name, *comparison in CALLS_WITH:
        add(allow, name, _Comparison(*comparison))
    for name in NOT_THERE:
        add(refuse | errno.ENOSYS, name)
    try:
        with tempfile.TemporaryFile() as file:
            if library.seccomp_export_bpf(rules, file.fileno()):
                raise NoSandboxError("libseccomp could not write its filter")
            file.seek(0)
            yield file.fileno()
    finally:
        library.seccomp_release(rules)
