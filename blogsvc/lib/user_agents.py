"""Describe a user agent in words: "Firefox on Linux"."""

from __future__ import annotations

# The first match counts, because most browsers also name others.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS = (
    ("iPhone", "an iPhone"),
    ("iPad", "an iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "a Mac"),
    ("Linux", "Linux"),
)


def in_words(user_agent: str) -> str:
    """Return the browser and system in words, so that users recognise their sessions."""
    browser = _first(_BROWSERS, user_agent) or "A browser"
    system = _first(_SYSTEMS, user_agent)
    return f"{browser} on {system}" if system else browser


def _first(words: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((said for mark, said in words if mark in text), None)
