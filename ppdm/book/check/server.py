"""The built site over HTTP, on this machine only and on a free port."""

import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

_PACKED = {".woff2", ".woff", ".png", ".zip", ".gz", ".pdf"}
_KINDS = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}


@lru_cache(maxsize=512)
def _gzipped(path: Path, _modified: float) -> bytes:
    return gzip.compress(path.read_bytes(), 6)


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | _KINDS

    def __init__(self, *args, compressed: bool, **options):
        self.compressed = compressed
        super().__init__(*args, **options)

    def log_message(self, *_args):
        pass

    def end_headers(self):
        # A published page is cached by its host; so that its pages share what they load.
        self.send_header("Cache-Control", "public, max-age=31536000")
        super().end_headers()

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        accepts = self.compressed and "gzip" in self.headers.get("Accept-Encoding", "")
        if not accepts or path.suffix in _PACKED or not path.is_file():
            super().do_GET()
            return
        body, kind = _gzipped(path, path.stat().st_mtime), self.guess_type(path)
        self.send_response(200)
        for name, value in {
            "Content-Type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
            "Content-Encoding": "gzip",
            "Vary": "Accept-Encoding",
            "Content-Length": str(len(body)),
        }.items():
            self.send_header(name, value)
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
    handler = partial(_Handler, directory=str(folder), compressed=compressed)
    with _Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
