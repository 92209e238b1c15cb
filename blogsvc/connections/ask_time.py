"""Ask connected servers what the time is."""

from __future__ import annotations

from contextlib import suppress

from blogsvc.connections.verify import release_database
from blogsvc.connectors import connectors
from blogsvc.context import Tools
from blogsvc.lib.net.http import HttpError, Timeout
from blogsvc.models import Connection

MAX_ASKED = 3
PATIENCE = Timeout.within(5)


def ask_time(tools: Tools) -> None:
    """Send a request without secrets to a few connected servers. Their responses have the time (`tools.http.dates`)."""
    origins = _origins()
    release_database()
    for origin in origins[:MAX_ASKED]:
        with suppress(HttpError):
            tools.http.request("HEAD", origin, timeout=PATIENCE)


def _origins() -> list[str]:
    """Return the servers of all accounts, each once."""
    kinds = connectors()
    origins = [
        origin
        for row in Connection.by_name().values()
        if (kind := kinds.get(row.connector)) is not None
        for origin in kind(settings=dict(row.settings), facts=dict(row.facts)).entered_origins()
        if origin.startswith("https://") and "*" not in origin
    ]
    return list(dict.fromkeys(origins))
