"""Discover a site's Micropub endpoint in its headers or its page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from blogsvc.connectors._kit.untrusted_json import MAX_TEXT_LENGTH
from blogsvc.connectors.base import Misconfigured
from blogsvc.lib.net.http import HttpResponse

REL = "micropub"
MAX_PAGE_SEARCHED = 256 * 1024  # characters of the page to search for a link
# One link of a Link header with its parameters (RFC 8288).
LINK = re.compile(r"<(?P<url>[^<>]*)>(?P<about>[^<]*)")
RELATIONS = re.compile(r""";\s*rel\s*=\s*(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s;,"]+))""", re.IGNORECASE)


def endpoint_of(answer: HttpResponse) -> str:
    """Return the endpoint that a site announces. Raises Misconfigured if there is none, or it is not secure."""
    link = _endpoint_in_header(answer.headers.get("link", ""))
    if link is None:
        page = _Page()
        page.feed(answer.text[:MAX_PAGE_SEARCHED])
        link = page.link
    endpoint = None if link is None else address(answer.url, link)
    if endpoint is None:
        raise Misconfigured("No Micropub endpoint found on this site. Check the URL.", field="url")
    if urlsplit(answer.url).scheme == "https" and urlsplit(endpoint).scheme != "https":
        raise Misconfigured(
            "The site's Micropub endpoint isn't encrypted. Configure the site to announce an https:// endpoint.",
            field="url",
        )
    return endpoint


def address(base: str, value: Any) -> str | None:
    """Return the value as an absolute web URL, None if it is not one."""
    if not isinstance(value, str):
        return None
    try:
        url = urljoin(base, value.strip())
        is_address = urlsplit(url).scheme in ("https", "http") and bool(urlsplit(url).hostname)
    except ValueError:
        return None
    return url if is_address and len(url) <= MAX_TEXT_LENGTH and url.isprintable() else None


def asking(endpoint: str, **query: str) -> str:
    """Return the endpoint with additional query parameters."""
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"


def _endpoint_in_header(value: str) -> str | None:
    for link in LINK.finditer(value):
        relations = RELATIONS.search(link["about"])
        if relations and REL in (relations["quoted"] or relations["bare"] or "").lower().split():
            return link["url"]
    return None


class _Page(HTMLParser):
    """Finds the first `<link rel="micropub">`."""

    link: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        is_it = tag == "link" and REL in (attributes.get("rel") or "").lower().split()
        if is_it and self.link is None and "href" in attributes:
            self.link = attributes["href"] or ""


@dataclass(frozen=True)
class Endpoints:
    """The URLs that accept posts and, if supported, images."""

    posts: str
    media: str | None
