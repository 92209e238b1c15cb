"""Finished pages, kept in memory and revalidated by their readers.

A page depends on what is published (`site_version` changes with it), on its address and on our own
files (the fingerprint). So these three make its ETag, and a page asked for again costs one tiny query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from flask import Flask, Response, current_app, request

from blogsvc.config import STATIC, TEMPLATES
from blogsvc.lib.bounded_cache import BoundedCache
from blogsvc.models import Setting

CACHE_BYTES = 16 * 1024 * 1024

# What neither XML nor HTML may hold, however it is escaped.
_LAST_OF_PLANES = "".join(chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
_FORBIDDEN = re.compile(
    f"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]|[{_LAST_OF_PLANES}]"
)


@dataclass(frozen=True)
class CachedPage:
    body: bytes
    mimetype: str
    post_id: str | None = None  # whose page it is, for the count of views

    @classmethod
    def of(cls, text: str, mimetype: str = "text/html", post_id: str | None = None) -> CachedPage:
        return cls(_FORBIDDEN.sub("", text).encode(), mimetype, post_id)


class PageCache(BoundedCache[tuple[str, str], CachedPage]):
    """The pages in memory, by address and version, and what our own files add to an ETag."""

    def __init__(self, fingerprint: str, css_version: str) -> None:
        super().__init__(CACHE_BYTES, lambda page: len(page.body))
        self.fingerprint, self.css_version = fingerprint, css_version


def init(app: Flask) -> None:
    css = STATIC / "blog.css"
    ours = [css, *sorted((TEMPLATES / "blog").iterdir()), *sorted(Path(__file__).parent.glob("*.py"))]
    salt = app.extensions["toolbox"].config.public_url.encode()
    app.extensions["blog"] = PageCache(_digest(ours, salt), _digest([css]))


def _digest(files: Iterable[Path], salt: bytes = b"") -> str:
    digest = sha256(salt)
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def kept() -> PageCache:
    pages: PageCache = current_app.extensions["blog"]
    return pages


def find(address: str, make: Callable[[], CachedPage]) -> tuple[CachedPage, str]:
    """The page at an address as it is now, made where it is not at hand, and the version it shows.

    `make` aborts where there is no such page, so that nothing is kept for addresses that lead nowhere.
    """
    version: str = Setting.read("site_version")
    page = kept().get((address, version))
    if page is None:
        page = kept().put((address, version), make())
    return page, version


def answer(address: str, make: Callable[[], CachedPage]) -> tuple[Response, CachedPage]:
    """The page as a response, 304 for a reader who has it. They ask each time: a change shows at once."""
    page, version = find(address, make)
    response = Response(page.body, mimetype=page.mimetype)
    response.set_etag(sha256(f"{kept().fingerprint} {version} {address}".encode()).hexdigest()[:24])
    response.headers["Cache-Control"] = "public, no-cache"
    response.make_conditional(request)
    return response, page
