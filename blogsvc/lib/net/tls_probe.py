"""Ask a server over TLS what a browser would get, and until when its certificate is valid."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPSConnection


@dataclass(frozen=True)
class Probe:
    """The answer of a server, and the end of its certificate."""

    status: int
    cookies: list[str]
    expires_at: datetime


def probe(host: str, port: int, path: str, seconds: float) -> Probe:
    """Send one GET request. Raises SSLCertVerificationError, and OSError or HTTPException without an answer."""
    connection = HTTPSConnection(host, port, timeout=seconds, context=ssl.create_default_context())
    try:
        connection.connect()
        expires_at = _expiry(connection.sock)
        connection.request("GET", path)
        answer = connection.getresponse()
        return Probe(answer.status, answer.headers.get_all("Set-Cookie", []), expires_at)
    finally:
        connection.close()


def _expiry(connection: socket.socket | ssl.SSLSocket) -> datetime:
    certificate = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(str((certificate or {})["notAfter"])), UTC)
