"""The `Prefer` header (RFC 7240): how long to wait for an outcome, and whether to return the changed object."""

from __future__ import annotations

import re

from flask import request

from blogsvc.api.framework.operations import Reply

# The maximum of `Prefer: wait=N`, in seconds.
MAX_WAIT_SECONDS = 30


def wait_seconds() -> int:
    """Return the seconds to wait for the outcome; 0 if the request has no valid `Prefer: wait`."""
    wait = re.search(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})", _preferences(), re.ASCII)
    return min(int(wait[1]), MAX_WAIT_SECONDS) if wait else 0


def is_minimal() -> bool:
    """Return True if the request prefers a response without the object (`Prefer: return=minimal`)."""
    return bool(re.search(r"(?:^|[,;\s])return\s*=\s*\"?minimal\b", _preferences()))


def minimal_reply() -> Reply:
    """Return the empty response that the request prefers."""
    return Reply(None, 204, {"Preference-Applied": "return=minimal"})


def _preferences() -> str:
    return ", ".join(request.headers.getlist("Prefer"))
