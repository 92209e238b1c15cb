"""A website with images: a real server."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

from tests.images import png


class Website:
    """Answers /slow.png only when `go_on` is set, and refuses /private.png until `is_open` is set."""

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
                self.wfile.write(b"" if is_refused else png())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, daemon=True).start()
