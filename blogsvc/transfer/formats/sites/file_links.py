"""Resolve the addresses that only the old program knew: those of Pelican, and files with the name of another one."""

from __future__ import annotations

import re
from urllib.parse import unquote

from blogsvc.lib.markdown import image_links
from blogsvc.lib.markdown.addresses import addresses_in
from blogsvc.transfer.formats.parsed_post import url_parts
from blogsvc.transfer.formats.sites import pelican
from blogsvc.transfer.formats.sites.archive_posts import PostsBeside
from blogsvc.transfer.formats.sites.post_paths import post_path

_FILE = re.compile(r"\.(?:md|markdown|mdx)\Z", re.IGNORECASE)
_HAS_FILE = re.compile(r"\.(?:md|markdown|mdx)\b", re.IGNORECASE)


def resolved(text: str, posts: PostsBeside) -> str:
    """Return Markdown in which the addresses of a file's images and links are those of files, or paths here."""
    if not (pelican.may_have_places(text) or _HAS_FILE.search(text)):
        return text
    return image_links.replaced(text, addresses_in(text), lambda url: _of_file(pelican.without_place(url), posts))


def _of_file(url: str, posts: PostsBeside) -> str:
    parts = url_parts(url)
    if parts.scheme or parts.netloc or not _FILE.search(parts.path):
        return url
    reference = unquote(parts.path)
    address = posts.address_of(reference)
    return url if address == post_path(reference) else f"{address}{'#' + parts.fragment if parts.fragment else ''}"
