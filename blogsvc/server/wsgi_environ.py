"""The WSGI environment of a request that came by RSGI."""

from __future__ import annotations

import sys
from typing import IO, Any

from blogsvc.http.streams import STREAM


def address_of(scope: Any) -> str:
    address: str = scope.client.rpartition(":")[0].strip("[]")
    return address


def environ_of(scope: Any, body: IO[bytes]) -> dict[str, Any]:
    """Return the WSGI environment (PEP 3333) of a request."""
    server, _, port = scope.server.rpartition(":")
    environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),  # percent-decoded, as PEP 3333 requires
        "QUERY_STRING": scope.query_string.encode().decode("latin-1"),  # may have bytes that are not percent-encoded
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": address_of(scope),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": body,
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        STREAM: None,
    }
    for name, value in scope.headers.items():
        # Otherwise `X_Real_Ip` would look like `X-Real-Ip`, which a reverse proxy may have removed.
        if "_" in name:
            continue
        key = name.upper().replace("-", "_")
        key = key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
        glue = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{glue}{value}" if key in environ else value
    if scope.authority:  # HTTP/2 has no Host header
        environ.setdefault("HTTP_HOST", scope.authority)
    return environ
