"""A survey with every protection, codes of it, and a lecture's server that runs beside a test."""

import asyncio
import http.client
import threading
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import numpy as np

from ppdm.contract import Survey
from ppdm.survey.codes import ALPHABET, Codes
from ppdm.survey.server import BODY, Lecture

YESNO = ["no", "yes"]
SURVEY = Survey(
    {"cheated": YESNO, "dose": ["never", "once", "often"], "a": YESNO, "b": YESNO, "c": YESNO, "d": YESNO,
     "m": ["x", "y"], "drunk": [*YESNO, "I'd rather not say"], "year": ["first", "second", "later"]},
    [
        {"mechanism": "warner", "p": 0.75, "attributes": ["cheated"]},
        {"mechanism": "k-rr", "p": 0.6, "attributes": ["dose"]},
        {"mechanism": "multi-group", "theta": 0.8, "groups": [["a", "b"]]},
        {"mechanism": "unrelated-question", "q": 0.7, "groups": [["c"]], "personal": {"c": [0.3, 0.7]}},
        {"mechanism": "forced-response", "truth": 4 / 6, "forced": [1 / 6, 1 / 6], "attributes": ["d"]},
        {"mechanism": "matrix", "matrix": [[0.7, 0.1], [0.1, 0.6], [0.2, 0.3]], "outputs": ["x", "y", "?"],
         "attributes": ["m"]},
        {"mechanism": "matrix", "matrix": [[0.7, 0.3, 0], [0.3, 0.7, 0], [0, 0, 1]], "attributes": ["drunk"]},
    ],
    title="A survey",
    questions={"cheated": "Have you ever <cheated> in an exam?"},
)  # fmt: skip
CODES = Codes(SURVEY)
#: Lengths of a body that are none.
LIES = [str(10**9), str(2**63), str(BODY + 1), "-5", "1e3", "", "0x10", "\xb2", "9" * 5000]


def some_codes(number: int, seed: int = 1) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        CODES.write([levels[rng.integers(len(levels))] for levels in CODES.levels])
        for _ in range(number)
    ]


def hostile(kind: int, rng, good: str) -> tuple[bytes, dict]:
    """What may be sent in place of a code, and with which headers: lengths that lie, bytes of chance, a damaged
    code, a word like a code, another form, and what leads elsewhere."""
    if kind == 0:
        return b"x", {"Content-Length": str(rng.choice(LIES))}
    at = rng.integers(len(good))
    wrong = "U" if good[at] == "-" else ALPHABET[ALPHABET.index(good[at]) - 1]
    return [
        rng.bytes(rng.integers(0, BODY)),
        f"{good[:at]}{wrong}{good[at + 1 :]}".encode(),
        "".join(rng.choice(list(ALPHABET), CODES.whole)).encode(),
        b'{"code": "%s"}' % good.encode(),
        rng.choice(
            [b"../../codes.txt", b"%2e%2e%2f", b"=cmd|' /C calc'!A0", b"\0\0", good.encode() * 2]
        ),
    ][kind - 1], {}


@contextmanager
def running(folder, **options):
    """A server of SURVEY that keeps its files in a folder."""
    lecture = Lecture(SURVEY, folder / "codes.txt", port=0, **options)
    began, stops = threading.Event(), []

    async def serve():
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        stops.append(lambda: loop.call_soon_threadsafe(task.cancel))
        began.set()
        with suppress(asyncio.CancelledError):
            await lecture.serve()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    began.wait()
    try:
        yield lecture
    finally:
        stops[0]()
        thread.join()


def ask(address, method, path, body=None, headers=()):
    """The status and the text of an answer."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def report(lecture, code, **headers) -> int:
    """Send a report; the status of the answer."""
    return ask(lecture.address, "POST", "/report", code, headers)[0]
