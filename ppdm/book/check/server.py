"""The built site over HTTP, on this machine only and on a free port."""

import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

_COMPRESSIBLE = {
    ".html",
    ".css",
    ".js",
    ".mjs",
    ".wasm",
    ".json",
    ".svg",
    ".txt",
    ".csv",
    ".xml",
    ".map",
    ".inv",
}


@lru_cache(maxsize=512)
def _gzipped(path: str, _modified: float) -> bytes:
    return gzip.compress(Path(path).read_bytes(), 6)


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".woff2": "font/woff2",
        ".woff": "font/woff",
        ".ipynb": "application/x-ipynb+json",
    }
    compressed = False

    def log_message(self, *_args):
        pass

    def end_headers(self):
        # A published page is cached by its host; without this, Lighthouse marks the lack of it.
        self.send_header("Cache-Control", "public, max-age=31536000")
        super().end_headers()

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path = path / "index.html"
        accepts = "gzip" in self.headers.get("Accept-Encoding", "")
        if not (self.compressed and accepts and path.suffix in _COMPRESSIBLE and path.is_file()):
            super().do_GET()
            return
        body = _gzipped(str(path), path.stat().st_mtime)
        kind = self.guess_type(str(path))
        charset = "; charset=utf-8" if kind.startswith("text/") else ""
        self.send_response(200)
        self.send_header("Content-Type", kind + charset)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A browser that closes a connection early is no error of ours."""


@contextmanager
def serving(folder: Path, compressed: bool = False) -> Iterator[str]:
    """Serve `folder` on a free port of 127.0.0.1 while the block runs; gives the address.

    >>> import tempfile, urllib.request
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "index.html").write_text("hello")
    >>> with serving(folder) as address:
    ...     urllib.request.urlopen(address + "/index.html").read()
    b'hello'
    """

    class Handler(_Handler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

    Handler.compressed = compressed
    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
