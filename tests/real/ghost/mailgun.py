"""A Mailgun on loopback that sends nothing: Ghost hands it the newsletters, and tests count them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Sent:
    """One e-mail as Ghost handed it over: one per batch of recipients."""

    subject: str
    html: str
    recipients: tuple[str, ...]
    email_id: str


@dataclass
class Mailgun:
    url: str
    sent: list[Sent] = field(default_factory=list)
    opened: bool = False  # report every e-mail as opened, not only as delivered

    def recipients(self) -> list[str]:
        """Return everybody who got an e-mail, once per e-mail."""
        return [person for sent in self.sent for person in sent.recipients]

    def events(self) -> list[dict[str, Any]]:
        kinds = ("delivered", "opened") if self.opened else ("delivered",)
        return [
            {
                "id": f"{kind}-{sent.email_id}-{person}",
                "event": kind,
                "timestamp": time.time() - 1,
                "recipient": person,
                "user-variables": {"email-id": sent.email_id},
                "message": {"headers": {"message-id": sent.email_id}},
            }
            for sent in self.sent
            for person in sent.recipients
            for kind in kinds
        ]


@contextmanager
def mailgun() -> Iterator[Mailgun]:
    """Yield a running Mailgun."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    office = Mailgun(f"http://127.0.0.1:{server.server_port}")
    server.office = office  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield office
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    @property
    def office(self) -> Mailgun:
        office: Mailgun = self.server.office  # type: ignore[attr-defined]
        return office

    def do_POST(self) -> None:
        body = self._body()
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = message_from_bytes(head + body, policy=policy.HTTP)
        fields: dict[str, list[str]] = {}
        for part in form.iter_parts():  # type: ignore[attr-defined]
            name = part.get_param("name", header="content-disposition")
            fields.setdefault(name, []).append(part.get_payload(decode=True).decode())
        self.office.sent.append(
            Sent(fields["subject"][0], fields["html"][0], tuple(fields["to"]), fields["v:email-id"][0])
        )
        self._answer({"id": f"<{len(self.office.sent)}@mail.example>", "message": "Queued. Thank you."})

    def do_GET(self) -> None:
        is_end = "/events/" in self.path
        pages = dict.fromkeys(("first", "last", "next", "previous"), f"{self.office.url}/v3/mail.example/events/end")
        self._answer({"items": [] if is_end else self.office.events(), "paging": pages})

    def _body(self) -> bytes:
        if "Content-Length" in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"]))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _answer(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass
