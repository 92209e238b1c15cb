"""The page cache: rendered pages in memory, revalidated by browsers with ETags.

A page depends on the published content (`site_version`), its URL, and the release, our own
templates and code (the fingerprint). These three make up its ETag, so serving a cached page needs no query while the
process knows the version.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from flask import Response, request

from blogsvc.blog.markup import SCRIPTS
from blogsvc.config import PACKAGE, STATIC, TEMPLATES
from blogsvc.context import InMemory, Tools
from blogsvc.lib.bounded_cache import VersionedCache
from blogsvc.lib.content_usage import CONTENT_USAGE
from blogsvc.lib.response_cache import CACHEABLE, Cacheable, OnHit
from blogsvc.models import Setting, db
from blogsvc.models.site_version import SiteVersion

CACHE_BYTES = 16 * 1024 * 1024

# Characters that neither XML nor HTML allows, even when escaped.
_LAST_OF_PLANES = "".join(chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
_FORBIDDEN = re.compile(
    f"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]|[{_LAST_OF_PLANES}]"
)


@dataclass(frozen=True)
class CachedPage:
    body: bytes
    mimetype: str
    post_id: str | None = None  # the post on this page, for counting views
    content_usage: str = ""  # see lib/content_usage.py

    @classmethod
    def of(cls, text: str, mimetype: str = "text/html", post_id: str | None = None) -> CachedPage:
        return cls(_FORBIDDEN.sub("", text).encode(), mimetype, post_id)


class PageCache(VersionedCache[str, CachedPage]):
    """Rendered pages by path, and the fingerprints of our own files."""

    def __init__(self, fingerprint: str, css_version: str) -> None:
        super().__init__(CACHE_BYTES, lambda path, page: len(path) + len(page.body))
        self.fingerprint, self.css_version = fingerprint, css_version


def _digest(files: Iterable[Path], salt: bytes = b"") -> str:
    digest = sha256(salt)
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def page_code(package: Path) -> list[Path]:
    """Return the modules of the package that decide how pages look. The others change with the release."""
    folders = (package / "blog", package / "lib" / "markdown")
    return [package / "models" / "theme.py", *(file for folder in folders for file in sorted(folder.rglob("*.py")))]


def _make(tools: Tools) -> PageCache:
    assets = [STATIC / "blog.css", *(STATIC / script for script in SCRIPTS.values())]
    ours = [*assets, *sorted((TEMPLATES / "blog").iterdir()), *page_code(PACKAGE)]
    salt = f"{metadata.version('blogsvc')} {tools.config.public_url}"
    return PageCache(_digest(ours, salt.encode()), _digest(assets))


pages = InMemory(_make)
known_version = InMemory(lambda _tools: SiteVersion(db.engine))


def find(address: str, make: Callable[[], CachedPage]) -> tuple[CachedPage, str]:
    """Return the page at a path, from the cache or rendered with `make`, and the version it shows.

    `make` aborts with 404 if the page does not exist, so such paths are not cached.
    """
    version = known_version().current()
    page = pages().get(address, version)
    if page is None:
        page = pages().put(address, version, make())
    return page, version


def answer(
    address: str,
    make: Callable[[], CachedPage],
    parameters: frozenset[str] = frozenset(),
    on_hit: Callable[[CachedPage], OnHit] | None = None,
) -> tuple[Response, CachedPage]:
    """Return the page as a response that may be stored. Browsers revalidate it, so changes show at once.

    `parameters` names the query parameters that change the page, and `on_hit` makes the function that is called each
    time that the stored response is sent.
    """
    page, version = find(address, lambda: _with_content_usage(make()))
    response = Response(page.body, mimetype=page.mimetype)
    response.set_etag(sha256(f"{pages().fingerprint} {version} {address}".encode()).hexdigest()[:24])
    response.headers["Cache-Control"] = "public, no-cache"
    if page.content_usage:
        response.headers["Content-Usage"] = page.content_usage
    allow_storing(version, parameters, on_hit(page) if on_hit is not None else None)
    return response, page


def _with_content_usage(page: CachedPage) -> CachedPage:
    return replace(page, content_usage=CONTENT_USAGE[Setting.read("blog_ai_preference")])


def allow_storing(version: str, parameters: frozenset[str] = frozenset(), on_hit: OnHit | None = None) -> None:
    """Let the server store the response to this request for as long as the site has this version."""
    is_current = partial(known_version().is_current, version)
    request.environ[CACHEABLE] = Cacheable(is_current, parameters, on_hit)
