"""Requests of the command line, which runs the application without a server: who can run it owns the data directory."""

from __future__ import annotations

from blogsvc.models import ApiKey
from blogsvc.models.key import ALL

# The name in the WSGI environment under which the command line passes its key. No request from outside can set it:
# what clients send has names that begin with HTTP_.
COMMAND_LINE_KEY = "blogsvc.command_line_key"
UNLIMITED = 10**9  # requests per minute


def command_line_key() -> ApiKey:
    """Return a key for every operation that is not stored. What is made with it has no creator."""
    return ApiKey(
        id="",
        name="Command line",
        prefix="",
        hash=b"",
        scopes=[ALL],
        limits=dict.fromkeys(("read", "write", "publish"), UNLIMITED),
    )
