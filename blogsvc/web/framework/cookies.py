"""The names and attributes of cookies."""

from __future__ import annotations

from blogsvc import context
from blogsvc.config import Config


def is_secure(config: Config | None = None) -> bool:
    """Return True if the blog is served over HTTPS. Its cookies are then not sent over plain HTTP."""
    return (config or context.tools().config).public_url.startswith("https://")


def cookie_name(name: str, config: Config | None = None) -> str:
    """Return the name of a cookie. Over HTTPS, its prefix makes browsers accept it from this host only."""
    return f"__Host-{name}" if is_secure(config) else name
