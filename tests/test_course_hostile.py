"""The hostile class, graded with honest students beside it; and what each finding of a review was, by itself."""

import contextlib
import ctypes
import hashlib
import json
import os
import re
import socket
import sys
import threading
import time
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("nbgrader")

from course_answers import PRIMER, SOURCES, answered, course_of, grade_id, nbgrader, student_version
from course_hostile import CODE, ESSAYS, LINE

from ppdm.course import checker, grade
from ppdm.course.wall import MEMORY, Sandbox
from ppdm.places import PACKAGE

HONEST = ("aaa-honest", "mmm-honest", "zzz-honest")
TIMEOUT = 3
#: Seconds beyond its time limit that a submission may take on a busy machine: starting twice, and ending.
SLACK = 120


@pytest.fixture(scope="module")
def ask(wall):
    """What `answer` is after some code has run behind the wall: a function."""
    with Sandbox() as sandbox:

        def answer(source, seconds=20):
            sandbox.allow(seconds)
            sandbox.run(source)
            return sandbox.value("answer")

        yield answer


def with_answer(text, right, task="estimate"):
    notebook = answered(PRIMER) if right else student_version(SOURCES / f"{PRIMER}.ipynb")
    for cell in notebook.cells:
        if grade_id(cell) in (f"{task}-answer", task) and cell.metadata["nbgrader"]["solution"]:
            cell.source = text
    return notebook


# -- the findings ----------------------------------------------------------------------------------


@pytest.mark.parametrize("essay", [text for _, text in ESSAYS])
def test_no_essay_takes_longer_than_its_length(essay):
    """H1: a quadratic expression met an essay of blank lines in the main process, after all grading."""
    piece = checker.Piece("markdown", essay, "verdict", {"locked": False, "grade": True})
    begin = time.process_time()
    written = checker._written(piece, {})
    checker._typed_id([piece, piece._replace(source="student = '" + essay)], "ada")
    assert time.process_time() - begin < 2
    assert len(written["source"]) < 5 * checker.LONGEST and "<" not in written["source"]


def test_an_array_of_nothing_is_judged_by_what_it_takes(ask):
    """H2: (10_000_000, 0) was 61 bytes on the wire and gigabytes in the checker."""
    answer = ask("import numpy as np\nanswer = np.empty((10_000_000, 0)), 0.0")
    assert "not plain" not in str(answer) and len(str(answer)) < 1000


def test_colliding_hashes_do_not_come_out(ask):
    """M3: a dictionary of integers with one hash was quadratic in the checker."""
    begin = time.process_time()
    assert repr(ask("answer = {k * (2**61 - 1): 0 for k in range(20_000)}")) == "<a dict>"
    assert time.process_time() - begin < 1


def test_shared_memory_counts(ask):
    """M1: mmap(-1, n) was in no account but a control group's."""
    source = (
        "import mmap\nanswer = []\ntry:\n"
        "    while len(answer) < 40: answer.append(mmap.mmap(-1, 128 << 20))\n"
        "except OSError: pass\nanswer = len(answer)"
    )
    assert 0 < ask(source) * (128 << 20) < MEMORY


def test_of_sockets_only_the_local_kind_is_there(ask):
    """M2: AF_VSOCK is shared with the machine, whatever the network."""
    source = (
        "import socket\nanswer = []\nfor family in range(60):\n    for make in (socket.socket, socket.socketpair):\n"
        "        for kind in (1, 2, 3, 5):\n            try: answer += [make(family, kind)] and [family]\n"
        "            except (OSError, ValueError): pass\nanswer = sorted(set(answer))"
    )
    assert ask(source) == [int(socket.AF_UNIX)]


def test_the_filter_is_a_list_of_what_is_allowed(ask):
    """Every call with a number of its own is refused unless it is on the list."""
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nanswer = {}\n"
        "for name, number in CALLS.items():\n"
        "    ctypes.set_errno(0)\n    libc.syscall(number, *[ctypes.c_long(-1)] * 6)\n"
        "    answer[name] = ctypes.get_errno()\nanswer = sorted(answer.items())"
    )
    library = ctypes.CDLL("libseccomp.so.2")
    names = """
        unshare setns mount umount2 chroot pivot_root ptrace process_vm_readv bpf keyctl add_key
        io_uring_setup userfaultfd perf_event_open memfd_create shmget msgget mq_open personality
        modify_ldt pidfd_open kcmp inotify_init1 flock vfork open_by_handle_at init_module
    """.split()  # noqa: SIM905 - read as words
    numbers = {name: library.seccomp_syscall_resolve_name(name.encode()) for name in names}
    numbers = {name: number for name, number in numbers.items() if number >= 0}
    errors = dict(map(tuple, ask(source.replace("CALLS", repr(numbers)))))
    assert errors == dict.fromkeys(numbers, 1)  # EPERM


#: Folders that no sandbox has, but for the one that this Python lies in.
OUTSIDE = {"home", "work", "mnt", "srv", "var", "run", "sys", "proc"} - {Path(sys.prefix).parts[1]}


def test_what_a_sandbox_sees(ask, monkeypatch):
    monkeypatch.setenv("PPDM_SECRET", "swordfish")
    source = f"""
import os, socket, glob
def can(act):
    try: act(); return True
    except OSError: return False
answer = [
    [p for p in {[str(Path.home() / ".ssh"), str(SOURCES), str(SOURCES.parents[1]) + "/tests", str(PACKAGE / "course" / "primer.py")]} if os.path.isfile(p) or os.path.isdir(p) and os.listdir(p)],
    [k for k in os.environ if "SECRET" in k],
    [p for p in ("/", "/usr", "/etc", "/open", "/open/ppdm", "/dev", "/tmp") if can(lambda: open(p + "/x", "w"))],
    sorted({OUTSIDE} & set(os.listdir("/"))),
    can(lambda: os.setuid(0)), can(os.fork), os.getuid() in (0, {os.getuid()}) and os.getuid() != 1000,
    os.statvfs("/tmp").f_blocks * os.statvfs("/tmp").f_frsize, os.path.exists("/proc/self"), stat_of({LINE}),
]"""
    source = f"import os, stat\ndef stat_of(n): return stat.S_ISSOCK(os.fstat(n).st_mode)\n{source}"
    assert ask(source) == [[], [], ["/tmp"], [], False, False, False, 64 << 20, False, True]


# -- the class -------------------------------------------------------------------------------------


@contextlib.contextmanager
def listener():
    """A port of this machine that hears whoever calls it."""
    heard: list = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=lambda: heard.append(server.accept()), daemon=True)
        thread.start()
        yield server.getsockname()[1], heard


def digests():
    folders = (PACKAGE / "course", SOURCES)
    files = [
        path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".ipynb")
    ]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def processes():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_bytes()


@pytest.mark.slow
def test_the_hostile_class(wall, tmp_path, monkeypatch):
    course, seconds = course_of(tmp_path, [PRIMER]), {}
    token, mark, secret = "swordfish-7731", tmp_path / "mark", tmp_path / "secret.txt"
    secret.write_text(token)
    monkeypatch.setenv("PPDM_SECRET", token)

    def hand_in(student, notebook):
        path = course / "submitted" / student / PRIMER / f"{PRIMER}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(notebook))

    def timed(job, result_of=grade.result_of):
        begin = time.monotonic()
        result = result_of(job)
        seconds[job["student"]] = time.monotonic() - begin
        return result

    monkeypatch.setattr(grade, "result_of", timed)
    with listener() as (port, heard):
        words = {"MARK": mark, "SECRET": secret, "FOLDER": course / "submitted", "SOURCES": SOURCES,
                 "PACKAGE": PACKAGE / "course", "PORT": port, "LINE": LINE}  # fmt: skip
        for student in HONEST:
            hand_in(student, answered(PRIMER))
        for name, right, text in CODE:
            code = re.sub("@([A-Z]+)@", lambda found: str(words[found[1]]), text)
            hand_in(name, with_answer(code, right))
        for name, text in ESSAYS:
            hand_in(f"essay of {name}", with_answer(text, True, "verdict"))
        before = digests()
        remarks = list(grade.grade(course, TIMEOUT))
        assert not heard
    assert before == digests() and not mark.exists()
    assert not any(b"ppdm-daemon" in line for line in processes())
    for path in course.rglob("*"):
        if path.is_file() and "submitted" not in path.parts:
            assert token.encode() not in path.read_bytes(), path
    points = points_of(course)
    for student in HONEST:
        assert points[student] == {"estimate": 4, "average": 3, "plan": 4, "claim": 4}, remarks
    unearned = {  # a submission may lose what it has answered rightly, if it took all of its time
        name: points[name]
        for name, right, _ in CODE
        if points[name]["estimate"] or any(points[name].values()) > right
    }
    assert unearned == {}, remarks
    limit = checker.TIMES * TIMEOUT + SLACK
    assert {name: taken for name, taken in seconds.items() if taken > limit} == {}
    nbgrader(course, "generate_feedback", PRIMER)  # within ten minutes, whatever the essays
    pages = list(course.glob("feedback/*/*/*.html"))
    assert len(pages) == len(CODE) + len(ESSAYS) + len(HONEST)
    for path in pages:
        page = path.read_text()
        assert not re.search(r"<script>alert|<i?frame src=.file|<img src=x|\x1b|\u202e", page), path
    said = messages_of(course)
    for words in ("OPENED []", "HIDDEN 0 -1", "ALLOWED []"):
        assert words in said, words
    assert 0 < int(re.search(r"MAPPED (\d+)", said)[1]) < 3072


def points_of(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        return {
            s.student.id: {
                g.name: g.auto_score for n in s.notebooks for g in n.grades if g.cell_type == "code"
            }
            for s in book.assignment_submissions(PRIMER)
        }


def messages_of(course):
    texts = [json.loads(path.read_text()) for path in course.glob("autograded/*/*/*.ipynb")]
    return " ".join(
        o["evalue"] for text in texts for c in text["cells"] for o in c.get("outputs", [])
    )
