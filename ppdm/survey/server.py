"""A small server for a lecture: the form, a place to send a report to, and a live page.

It listens on this machine unless another address is named. It keeps reports in one file (see
`ppdm.survey.collect.Store`) and nothing else: no log, no address, no time.

One telephone cannot keep the others out: connections are bounded, each has a deadline, and where there
are too many the oldest that has not yet said what it wants is closed. Reports that come together are
written together. The live page is for the browser that opens the printed link; it is drawn anew when
that browser asks, from thirty reports on and in steps of ten, so nobody's votes make it move.
"""

from __future__ import annotations

import asyncio
import http.client
import secrets
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from io import BytesIO
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pandas as pd

from ppdm.contract import Survey
from ppdm.estimate import estimate
from ppdm.survey.collect import SAME, Store, write
from ppdm.survey.form import form
from ppdm.survey.pages import render
from ppdm.survey.report import results

#: Bytes of a request's head, and of a report: a code of at most 150 letters, and those of a seat.
HEAD, BODY = 8192, 256
#: Connections that may wait at once, and seconds that one may take to ask, and to take its answer.
CONNECTIONS, PATIENCE = 100, 10
#: The live page shows so many reports at the earliest, and moves by no fewer than so many.
FIRST, STEP = 30, 10
#: How a connection ends before its answer: it broke, or took too long, or the server is stopped.
_ENDED = (OSError, EOFError, TimeoutError, asyncio.CancelledError)


class Request(NamedTuple):
    """What a browser asks."""

    what: str
    headers: http.client.HTTPMessage
    body: str


class Refused(Exception):
    """A request that gets no more than a status and a sentence."""


class Lecture:
    """The server of one survey; `serve_forever` runs it."""

    def __init__(
        self,
        survey: Survey,
        path: Path,
        host: str = "127.0.0.1",
        port: int = 8000,
        seats: Path | None = None,
        **options,
    ):
        self.survey, self.host, self.store = survey, host, Store(survey, path, seats)
        self.page = form(survey, post="/report", seats=seats is not None, **options)
        self.key, self.shares = secrets.token_urlsafe(12), pd.DataFrame()
        self.shown = 0  # reports on the live page
        self.waiting: dict[asyncio.StreamWriter, None] = {}  # the oldest first
        self.complaints: set[str] = set()
        self.socket = socket.create_server((host, port))
        self.address = f"http://{host}:{self.socket.getsockname()[1]}"

    def serve_forever(self) -> None:
        """Answer until this is interrupted."""
        asyncio.run(self.serve())

    async def serve(self) -> None:
        """The same, in a loop of one's own."""
        self.writing = asyncio.Lock()
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: self._complain(context.get("exception", context["message"]))
        )
        server = await asyncio.start_server(
            self._connect, sock=self.socket, limit=HEAD, backlog=CONNECTIONS // 4
        )
        self.socket.listen(512)  # more may stand at the door than are let in at once
        try:
            await asyncio.get_running_loop().create_future()  # until somebody interrupts
        finally:
            server.close()  # who is slow is not waited for

    def _complain(self, error: object) -> None:
        """Tell the lecturer the first error of each kind."""
        if str(error) not in self.complaints:
            self.complaints.add(str(error))
            print(f"ppdm: {error}", file=sys.stderr, flush=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: one request and one answer, each in its time."""
        try:
            try:
                async with self._patience(writer):
                    request = await _read(reader)
                answer = await self._answer(request)
            except Refused as refusal:
                answer = _response(*refusal.args)
            async with self._patience(writer):
                writer.write(answer)
                writer.close()
                await writer.wait_closed()
        except _ENDED:
            writer.transport.abort()

    @asynccontextmanager
    async def _patience(self, writer: asyncio.StreamWriter) -> AsyncIterator[None]:
        """Wait for a browser, not for ever; where too many let us wait, the oldest is closed."""
        self.waiting[writer] = None
        if len(self.waiting) > CONNECTIONS:
            oldest = next(iter(self.waiting))
            del self.waiting[oldest]
            oldest.transport.abort()
        try:
            async with asyncio.timeout(PATIENCE):
                yield
        finally:
            self.waiting.pop(writer, None)

    async def _answer(self, request: Request) -> bytes:
        host = request.headers.get("Host", "")
        if not self._is_own(host):
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, f"this server is {self.address}")
        if request.what == "GET /":
            return _response(HTTPStatus.OK, self.page, "html")
        if request.what == "GET /invite":
            page = render("invite", title=self.survey.title or "Survey", address=f"http://{host}/")
            return _response(HTTPStatus.OK, page, "html")
        if request.what == f"GET /live?key={self.key}":
            cookie = f"live={self.key}; HttpOnly; SameSite=Strict; Path=/live"
            more = f"Location: /live\r\nSet-Cookie: {cookie}"
            return _response(HTTPStatus.SEE_OTHER, "this way", more=more)
        if request.what == "GET /live":
            if f"live={self.key}" not in request.headers.get("Cookie", "").split("; "):
                raise Refused(
                    HTTPStatus.FORBIDDEN, "the live page opens by the link on the console"
                )
            return _response(HTTPStatus.OK, await self._live(), "html")
        if request.what != "POST /report":
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
        if request.headers.get("Origin", f"http://{host}") != f"http://{host}":
            raise Refused(HTTPStatus.FORBIDDEN, "reports come from the form of this server only")
        await self._take(*request.body.partition("\n")[::2])
        return _response(HTTPStatus.OK, "received")

    def _is_own(self, host: str) -> bool:
        """Whether a browser asked by a number or by our name: a name of somebody else may lead here, too."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
            return name in ("localhost", self.host) or bool(ip_address(name))
        except ValueError:
            return False

    async def _take(self, code: str, seat: str) -> None:
        """Take a report; it is on the disk before it is confirmed, with all that came meanwhile."""
        why = self.store.take(code, seat)
        if why not in (None, SAME):
            raise Refused(HTTPStatus.BAD_REQUEST, why)
        async with self.writing:
            if not self.store.changed:
                return
            self.store.changed = False
            try:
                await asyncio.to_thread(write, self.store.files())
            except OSError as error:
                self.store.changed = True
                path = self.store.paths[0]
                self._complain(f"{path} cannot be written ({error.strerror}): reports are refused")
                raise Refused(
                    HTTPStatus.INSUFFICIENT_STORAGE,
                    f"the report could not be kept ({error.strerror}): try again",
                ) from None

    async def _live(self) -> str:
        number = len(self.store.reports)
        if number >= FIRST and number - self.shown >= STEP:
            self.shares = await asyncio.to_thread(estimate, self.store.frame, self.survey)
            self.shown = number
        shown = results(self.survey, self.shares) if self.shown else []
        title = self.survey.title or "Survey"
        return render("live", title=title, number=self.shown, first=FIRST, step=STEP, results=shown)


async def _read(reader: asyncio.StreamReader) -> Request:
    try:
        line, _, rest = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
        what, _ = line.decode("ascii").rsplit(" ", 1)
        headers = http.client.parse_headers(BytesIO(rest))
    except (ValueError, asyncio.LimitOverrunError, http.client.HTTPException):
        raise Refused(HTTPStatus.BAD_REQUEST, "this is no request") from None
    length = headers.get("Content-Length", "0")
    if not (length.isascii() and length.isdecimal() and len(length) < 5 and int(length) <= BODY):
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a report is one short code")
    return Request(what, headers, (await reader.readexactly(int(length))).decode("latin-1"))


def _response(status: HTTPStatus, text: str, kind: str = "plain", more: str = "") -> bytes:
    body = f"{text}\n".encode()
    head = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: text/{kind}; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
        *([more] if more else []),
    ]
    return "\r\n".join([*head, "", ""]).encode() + body
