"""The paths of pages on the blog, and of the API beside them."""

from __future__ import annotations

from urllib.parse import quote


def of_post(slug: str) -> str:
    return f"/{quote(slug, safe='')}"


def of_tag(tag: str) -> str:
    return f"/tag/{quote(tag, safe='')}"


def is_api(path: str) -> bool:
    """Return True for /api and every path under it, where every answer is JSON or empty, never a page."""
    return f"{path}/".startswith("/api/")
