"""The built site over HTTP, on this machine only and on a free port."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".woff2": "font/woff2",
    }  # fmt: skip

    def log_message(self, *_args):
        pass

    def end_headers(self):
        # A published page is cached by its host; so that its pages share what they load.
        self.send_header("Cache-Control", "public, max-age=31536000")
        super().end_headers()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A browser that closes a connection early is no error of ours."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve `folder` on a free port of 127.0.0.1 while the block runs; gives the address.

    >>> import tempfile, urllib.request
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "index.html").write_text("hello")
    >>> with serving(folder) as address:
    ...     urllib.request.urlopen(address + "/index.html").read()
    b'hello'
    """
    with _Server(("127.0.0.1", 0), partial(_Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
