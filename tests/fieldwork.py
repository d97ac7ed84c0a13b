"""A survey with every protection, codes of it, and a lecture's server that runs beside a test."""

import asyncio
import http.client
import json
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


def some_codes(number: int, seed: int = 1) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        CODES.write([levels[rng.integers(len(levels))] for levels in CODES.levels])
        for _ in range(number)
    ]


def hostile(kind: int, rng, good: str) -> tuple[bytes, dict]:
    """Bytes of chance, lengths that lie, damaged codes, words like codes, another form, paths: what may be
    sent in place of a code, and with which headers."""
    if kind == 0:
        return bytes(rng.integers(0, 256, rng.integers(0, BODY))), {}
    if kind == 1:
        return b"x", {"Content-Length": str(rng.choice([10**9, 2**63, BODY + 1]))}
    if kind == 2:
        return b"", {
            "Content-Length": str(rng.choice(["-5", "1e3", "", "0x10", "\xb2", "9" * 5000]))
        }
    if kind == 3:
        at = int(rng.choice([i for i, letter in enumerate(good) if letter != "-"]))
        other = rng.choice(list(ALPHABET.replace(good[at], "")))
        return f"{good[:at]}{other}{good[at + 1 :]}".encode(), {}
    if kind == 4:
        return "".join(rng.choice(list(ALPHABET), CODES.whole)).encode(), {}
    if kind == 5:
        return json.dumps({"code": good, "n": int(rng.integers(9**9))}).encode(), {}
    end = bytes(rng.integers(32, 127, 8))
    start = [b"../../codes.txt", b"%2e%2e%2f", b"=cmd|", b"\x00\x00", good.encode() * 2]
    return (start[rng.integers(len(start))] + end)[:BODY], {}


@contextmanager
def running(folder, **options):
    """A server of SURVEY that keeps its files in a folder."""
    lecture = Lecture(SURVEY, folder / "codes.txt", port=0, **options)
    loop = asyncio.new_event_loop()
    task = loop.create_task(lecture.serve())

    def serve():
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield lecture
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        loop.close()


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
