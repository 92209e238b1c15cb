"""The paths of pages on the blog."""

from __future__ import annotations

from urllib.parse import quote


def of_post(slug: str) -> str:
    return f"/{quote(slug, safe='')}"


def of_tag(tag: str) -> str:
    return f"/tag/{quote(tag, safe='')}"
