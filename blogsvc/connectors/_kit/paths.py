"""Paths of requests that contain ids of the platform, which may be anything."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

from blogsvc.connectors.errors import Rejected


def path_to(collection: str, remote_id: str) -> str:
    """Return the path of something with an id: the id is one segment, whatever it contains. Raises Rejected."""
    if not remote_id:
        raise Rejected("The platform's id of this copy is empty. Change or delete the copy there.")
    return f"{collection}/{quote(remote_id, safe='')}"


def require_plain_path(path_or_url: str) -> None:
    """Raise Rejected for a path with `.` or `..`, which leads elsewhere, also if it is encoded: proxies decode it."""
    path = unquote(urlsplit(path_or_url).path)
    if any(segment in (".", "..") for segment in re.split(r"[/\\]", path)):
        raise Rejected("The platform's id of this copy can't be part of a URL. Change or delete the copy there.")
