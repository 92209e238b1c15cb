"""A website with images: a real server."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from zlib import crc32

from tests.images import png


class Website:
    """Each path is another image. /slow.png comes only when `go_on` is set, /private.png is refused until `is_open`."""

    def __init__(self) -> None:
        self.go_on, self.is_open = Event(), Event()
        website = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/slow.png":
                    website.go_on.wait(15)
                is_refused = self.path == "/private.png" and not website.is_open.is_set()
                self.send_response(403 if is_refused else 200)
                self.end_headers()
                self.wfile.write(b"" if is_refused else png(20 + crc32(self.path.encode()) % 1000))

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, daemon=True).start()
