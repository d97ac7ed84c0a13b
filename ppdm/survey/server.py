"""A small server for a lecture: the form, a place to send a report to, and a live page.

It listens on this machine unless another address is named. It keeps reports in one file (see
`ppdm.survey.collect.Store`) and nothing else: no log, no address, no time. The live page moves in steps
of ten, so that nobody can watch one report arrive.
"""

from __future__ import annotations

import json
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path

import pandas as pd

from ppdm.contract import Survey
from ppdm.survey.collect import Store
from ppdm.survey.estimate import estimate
from ppdm.survey.form import form, question
from ppdm.survey.slides import invitation

#: Bytes of a report's body; a code has at most 150 letters and its dashes.
BODY = 256
#: Reports a second that are taken on average, and how many at once.
RATE, BURST = 50.0, 400
#: The live page counts in steps of so many.
STEP = 10
#: Seconds that a telephone may take for one request.
PATIENCE = 10


class Bucket:
    """So many requests at once, so many a second, whoever they come from.

    >>> bucket = Bucket(rate=1, burst=2, clock=iter([0, 0, 0, 0, 1]).__next__)
    >>> [bucket.take() for _ in range(4)]
    [True, True, False, True]
    """

    def __init__(self, rate: float = RATE, burst: float = BURST, clock=time.monotonic):
        self.rate, self.burst, self.clock = rate, burst, clock
        self.left, self.at, self.lock = float(burst), clock(), threading.Lock()

    def take(self) -> bool:
        with self.lock:
            now = self.clock()
            self.left = min(self.burst, self.left + (now - self.at) * self.rate)
            self.at = now
            if self.left < 1:
                return False
            self.left -= 1
            return True


class Lecture(ThreadingHTTPServer):
    """The server of one survey; `serve_forever` runs it."""

    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    def __init__(
        self, survey: Survey, path: Path, host: str = "127.0.0.1", port: int = 8000, **options
    ):
        self.store, self.survey = Store(survey, path), survey
        self.bucket, self.options = Bucket(), options
        self._told: tuple[int, bytes] = (-1, b"")
        super().__init__((host, port), Handler)
        self.page = form(survey, post="/report", **options).encode()
        self.invitation = invitation(survey).encode()

    @property
    def address(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def handle_error(self, request, client_address) -> None:
        """A telephone that went away is nothing to tell of."""

    def live(self) -> bytes:
        """The estimates at the last full step, as JSON."""
        number = len(self.store.collection.reports)
        step = number - number % STEP
        if self._told[0] != step:
            self._told = (step, json.dumps(self._estimates(step), ensure_ascii=False).encode())
        return self._told[1]

    def _estimates(self, step: int) -> dict:
        asked = [{"name": n, "question": question(self.survey, n)} for n in self.survey.names]
        told: dict = {
            "title": self.survey.title,
            "respondents": step,
            "questions": asked,
            "shares": [],
        }
        if step:
            frame = self.store.frame().iloc[:step]  # in the order of random numbers
            rows = estimate(frame, self.survey).to_dict("records")
            told["shares"] = [
                {
                    k: (str(v) if k in ("question", "answer") else round(float(v), 6))
                    for k, v in row.items()
                    if not pd.isna(v)
                }
                for row in rows
            ]
        return told


class Handler(BaseHTTPRequestHandler):
    """GET / and /invite, /live and /live.json, POST /report; all else is refused."""

    server: Lecture
    server_version, sys_version = "ppdm", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        pages = {
            "/": ("text/html; charset=utf-8", lambda: self.server.page),
            "/invite": ("text/html; charset=utf-8", lambda: self.server.invitation),
            "/live": (
                "text/html; charset=utf-8",
                lambda: (files("ppdm.survey") / "live.html").read_bytes(),
            ),
            "/live.json": ("application/json", self.server.live),
        }
        if self.path not in pages:
            return self._answer(HTTPStatus.NOT_FOUND, b"there is nothing here\n")
        kind, content = pages[self.path]
        return self._answer(HTTPStatus.OK, content(), kind)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        if self.path != "/report":
            return self._answer(HTTPStatus.NOT_FOUND, b"reports go to /report\n")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > BODY:
            self.close_connection = True
            return self._answer(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"a report is one short code\n"
            )
        if not self.server.bucket.take():
            self.close_connection = True
            return self._answer(
                HTTPStatus.TOO_MANY_REQUESTS, b"many are sending: try again in a moment\n"
            )
        body = self.rfile.read(int(length))
        try:
            why = self.server.store.accept(body.decode("ascii"))
        except UnicodeDecodeError:
            why = "a code has only letters and digits"
        if why is None:
            return self._answer(HTTPStatus.OK, b"received\n")
        return self._answer(HTTPStatus.BAD_REQUEST, why.encode() + b"\n")

    def _answer(
        self, status: HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_) -> None:
        """Nothing is written down about who asked for what."""
