"""The hostile class: a line an attack. What it must not reach is the same for all, and test_course_hostile.py looks
at it: no point that is not earned, no file, process, port or secret of the lecturer's, nobody else's marks, and no more
time than a submission has.

(name, whether the other answers are right, what stands in the answer to the first task)
"""

ANSWERS = """
def estimate(*a): return (0.0, 0.0)
def averaged(*a): return 0.0
def survey_plan(*a): return None
def simulate(*a): return [0.0] * 400
def decide(*a): return "reproduced"
my_plan = None
"""

#: @MARK@ a file that must not come into being, @SECRET@ one of the lecturer's, @FOLDER@ the submissions,
#: @SOURCES@ the solutions, @PACKAGE@ this package, @PORT@ where somebody listens.
BLANK, RIGHT = False, True
CODE = [
    ("writes to the checkout", BLANK, ANSWERS + "import glob\nfor p in glob.glob('@PACKAGE@/*.py'): open(p, 'a').write('x')"),
    ("leaves a daemon", RIGHT, "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(9999)', 'ppdm-daemon'], start_new_session=True)"),
    ("forks", RIGHT, "import os\nwhile True:\n    if os.fork() == 0: open('@MARK@', 'w')"),
    ("executes the solutions", BLANK, "import glob, json\nfor p in glob.glob('@SOURCES@/*.ipynb') + glob.glob('/**/00_primer.ipynb', recursive=True):\n    for c in json.load(open(p))['cells']: exec(''.join(c['source']))"),
    ("reads what others handed in", BLANK, "import glob, json\np = glob.glob('@FOLDER@/*/*/*.ipynb')[0]\nfor c in json.load(open(p))['cells']:\n    if c['cell_type'] == 'code': exec(''.join(c['source']))"),
    ("transforms the input", BLANK, ANSWERS + "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass'])"),
    ("fakes the checks", BLANK, ANSWERS + "import sys, types\nfor n in ('primer', 'tell'): sys.modules[f'ppdm.course.{n}'] = types.ModuleType(n)"),
    ("climbs the frames", BLANK, "import sys\ndef right(*a):\n    f = sys._getframe()\n    while f:\n        for n in ('right', 'good', 'spread'):\n            if n in f.f_locals: return f.f_locals[n]\n        f = f.f_back\n    return 0.0\ndef estimate(*a): return right(), right()"),
    ("patches numpy and abs", BLANK, ANSWERS + "import numpy as np, builtins\nnp.allclose = lambda *a, **k: True\nbuiltins.abs = lambda x: 0"),
    ("searches all objects", BLANK, "import gc\ntexts = [str(o)[:200] for o in gc.get_objects() if isinstance(o, dict) and ('right' in o or 'mistakes' in o)]\ndef estimate(*a): return texts"),
    ("says a file", BLANK, "def estimate(*a): raise Exception(open('@SECRET@').read())"),
    ("says the environment", BLANK, "import os\ndef estimate(*a): raise Exception(' '.join(os.environ.values()) + open('/proc/1/environ').read())"),
    ("runs a shell", BLANK, "%%bash\ncat @SECRET@ /etc/shadow > @MARK@"),
    ("calls the network", RIGHT, "import socket\nfor a in (('127.0.0.1', @PORT@), ('192.0.2.1', 80)):\n    try: socket.create_connection(a, 0.5).send(b'x')\n    except OSError: pass"),
    ("opens AF_VSOCK, AF_NETLINK and the rest", BLANK, "import socket\nopened = []\nfor family in range(2, 46):\n    for kind in (1, 2, 3, 5):\n        try: opened.append(socket.socket(family, kind).family)\n        except OSError: pass\ndef estimate(*a): raise Exception(f'OPENED {opened}')"),
    ("prints without end", RIGHT, "while True: print('x' * 10**6)"),
    ("loops", RIGHT, "while True: pass"),
    ("loops in an answer", RIGHT, "def estimate(*a):\n    while True: pass"),
    ("catches whatever ends it", RIGHT, "while True:\n    try:\n        while True: pass\n    except BaseException: pass"),
    ("cannot be interrupted", RIGHT, "import signal\nsignal.signal(signal.SIGPROF, signal.SIG_IGN)\nwhile True: pass"),
    ("sleeps", RIGHT, "import time; time.sleep(10**6)"),
    ("stops itself", RIGHT, "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"),
    ("hangs in a name", RIGHT, "class F:\n    def __call__(self, *a): return 0, 0\n    @property\n    def __name__(self):\n        while True: pass\nestimate = F()"),
    ("hangs in a text", RIGHT, "class E(Exception):\n    def __str__(self):\n        while True: pass\ndef estimate(*a): raise E"),
    ("takes 300 GB", RIGHT, "import numpy as np\nx = np.ones(40_000_000_000)"),
    ("maps shared memory", BLANK, "import mmap\nmaps, size = [], 0\ntry:\n    while size < 6000:\n        maps.append(mmap.mmap(-1, 256 << 20)); size += 256\n        for i in range(0, 256 << 20, 1 << 20): maps[-1][i] = 1\nexcept OSError: pass\ndef estimate(*a): raise Exception(f'MAPPED {size}')"),
    ("hides memory in files without a name", BLANK, "import os, ctypes\nn = 0\ntry:\n    while n < 60: f = os.memfd_create('x'); os.write(f, bytes(100 << 20)); n += 1\nexcept OSError: pass\nshm = ctypes.CDLL(None).shmget(0, 6 << 30, 0o1600)\ndef estimate(*a): raise Exception(f'HIDDEN {n} {shm}')"),
    ("a bomb of threads", RIGHT, "import threading, time\ndef more():\n    while True:\n        try: threading.Thread(target=more).start()\n        except RuntimeError: time.sleep(0.01)\nmore()"),
    ("fills the disk", RIGHT, "for folder in ('.', '/tmp', '/dev/shm', '/var/tmp', '/open', '/'):\n    for n in range(20):\n        try: open(f'{folder}/f{n}', 'wb').write(bytes(20 << 20))\n        except OSError: pass"),
    ("makes a million files", RIGHT, "for i in range(1_000_000):\n    try: open(f'/tmp/f{i}', 'w').close()\n    except OSError: break"),
    ("writes to proc and sys", RIGHT, "for p in ('/proc/sys/kernel/core_pattern', '/proc/self/mem', '/sys/kernel/uevent_helper'):\n    try: open(p, 'w').write('|@MARK@')\n    except OSError: pass"),
    ("kills everything", RIGHT, "import os, signal\nos.kill(-1, signal.SIGKILL)\nos.kill(os.getppid(), 9)"),
    ("makes rooms, mounts, traces, keeps keys", BLANK, "import ctypes\nc = ctypes.CDLL(None)\nr = [c.unshare(0x10000000), c.unshare(0x20000), c.mount(b'none', b'/tmp', b'tmpfs', 0, 0), c.chroot(b'/tmp'), c.setuid(0), c.ptrace(0, 0, 0, 0), c.personality(0), c.inotify_init1(0), c.syscall(425, 1, 0), c.syscall(321, 0, 0, 0), c.syscall(250, 0, 0)]\ndef estimate(*a): raise Exception(f'ALLOWED {[i for i, x in enumerate(r) if x >= 0]}')"),
    ("calls by another table", RIGHT, "import ctypes\nctypes.CDLL(None).syscall(0x40000000 | 39)"),
    ("says that the answer has no end", RIGHT, "import os\ndef estimate(*a):\n    while True: os.write(@LINE@, b'x' * 10**6)"),
    ("answers in the runner's place", BLANK, ANSWERS + "import os\nfor t in (b'{}', b'{\"function\": true}', b'{\"value\": [0.0, 0.0]}', b'{\"value\": true}') * 50: os.write(@LINE@, t + b'\\n')"),
    ("lists within lists", RIGHT, "import os\ndef estimate(*a):\n    os.write(@LINE@, b'{\"value\": ' + b'[' * 100_000 + b']' * 100_000 + b'}\\n')"),
    ("half a million lists", RIGHT, "import os\ndef estimate(*a):\n    os.write(@LINE@, b'{\"value\": [' + b'[],' * 500_000 + b'[]]}\\n')"),
    ("an array of nothing, ten million rows", RIGHT, "import numpy as np\ndef estimate(*a): return np.empty((10_000_000, 0)), 0.0"),
    ("a dictionary of colliding hashes", RIGHT, "def estimate(*a): return {k * (2**61 - 1): 0 for k in range(20_000)}"),
    ("a number of a million digits", RIGHT, "import os\ndef estimate(*a): os.write(@LINE@, b'{\"value\": ' + b'9' * 10**6 + b'}\\n')"),
    ("a number too large for any other", RIGHT, "import os\ndef estimate(*a): os.write(@LINE@, b'{\"value\": [' + b'9' * 4000 + b', 0]}\\n')"),
    ("a poisoned ==", BLANK, "class Yes(float):\n    def __eq__(s, o): return True\n    def __sub__(s, o): return Yes(0)\n    def __abs__(s): return s\n    __rsub__ = __le__ = __lt__ = __eq__\n    __hash__ = float.__hash__\ndef estimate(*a): return Yes(0), Yes(0)"),
    ("something that pickles into a program", BLANK, "import os\nclass P:\n    def __reduce__(self): return os.system, ('touch @MARK@',)\ndef estimate(*a): return P()"),
    ("nan", BLANK, ANSWERS.replace("0.0", "float('nan')")),
    ("hard-coded visible results", BLANK, "def estimate(reports, theta):\n    if len(reports) == 1000: return 0.325, 0.03914\n    return 0.0, 0.0"),
    ("changes what begin gives", BLANK, ANSWERS + "my.theta = 0.5\nmy.share = my.people = my.se = my.belief = 0"),
    ("changes the runner", BLANK, ANSWERS + "import ppdm.course\nppdm.course.Runner.value = lambda self, value: {'value': [0.0, 0.0]}\nppdm.course.plain = lambda v: True"),
    ("markup in a message", BLANK, "def estimate(*a): raise Exception('<script>alert(1)</script><img src=x onerror=alert(1)>\\u202e\\x00\\x1b[2J')"),
    ("says that it is somebody else", BLANK, "student = 'aaa-honest'\nimport os\nos.environ['PPDM_STUDENT'] = 'aaa-honest'"),
]  # fmt: skip

#: The file that the line to the checker has behind the wall (test_what_a_sandbox_sees looks whether it is still so).
LINE = 3
ESSAYS = [
    ("blank lines", "x" + "\n" * 200_000 + "x"),
    ("tabs", "x" + "\t" * 200_000 + "x"),
    ("formulas", "=cmd|' calc'!A1\n" * 10_000),
    ("brackets", "![[](" * 40_000),
    ("markup", "<script>alert(1)</script><iframe src='file:///etc/passwd'>" * 3_000),
    ("quotes", "student = '" * 20_000),
]
