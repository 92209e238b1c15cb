"""A copy on WordPress: its raw fields, its version, its receipt."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from blogsvc.connectors.base import Conflict, Gone, Receipt, Rejected, dumps

POSTS = "wp/v2/posts"
# The fields to request for a copy.
COPY_FIELDS = "id,link,status,modified_gmt,title.raw,content.raw,excerpt.raw,featured_media,tags"

READ_FIELDS = "status,title.rendered,content.rendered"


def raw(copy: Mapping[str, Any], part: str) -> str:
    """Return a field as it was written, before WordPress rendered it."""
    value = copy.get(part)
    return str(value.get("raw") or "") if isinstance(value, dict) else ""


def rendered(copy: Mapping[str, Any], part: str) -> str:
    """Return the HTML of a field, as readers see it."""
    value = copy.get(part)
    return str(value.get("rendered") or "") if isinstance(value, dict) else ""


def version_of(copy: Mapping[str, Any]) -> str:
    """Return a hash of the fields that we write.

    WordPress' own time of change has only seconds, and plugins change it.
    """
    words = [raw(copy, part) for part in ("title", "content", "excerpt")]
    tags = copy.get("tags")
    rest = [copy.get("status"), copy.get("featured_media"), sorted(map(str, tags)) if isinstance(tags, list) else []]
    return hashlib.sha256(dumps([*words, *rest])).hexdigest()[:32]


def path_of(receipt: Receipt) -> str:
    """Return the path of the copy in the API.

    Sites without permalinks get it in a query, where a quoted slash is a slash. So only a number is an id.
    """
    if not re.fullmatch(r"[0-9]{1,20}", receipt.remote_id):
        raise Rejected("The id of this copy is not one of WordPress. Change or delete the copy there.")
    return f"{POSTS}/{receipt.remote_id}"


def receipt_of(copy: Mapping[str, Any]) -> Receipt:
    return Receipt(str(copy["id"]), copy.get("link"), version_of(copy))


def out_of_trash(copy: dict[str, Any]) -> dict[str, Any]:
    """Return the copy. Raises Gone if it is in the trash, where WordPress still returns and changes it."""
    if copy.get("status") == "trash":
        raise Gone("The copy is in the trash on WordPress.")
    return copy


def changed(copy: Mapping[str, Any], alternative: str) -> Conflict:
    """Return the error for a copy that was changed on WordPress, with what the author may do but review it."""
    at = str(copy.get("modified_gmt") or "")[:16].replace("T", " ")
    return Conflict(f"The copy was changed on WordPress at {at} UTC. Review it, or {alternative}.")
