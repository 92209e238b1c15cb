"""Where a site takes posts: its Micropub endpoint, as its headers or its page announce it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from blogsvc.connectors._kit.untrusted_json import MAX_TEXT_LENGTH
from blogsvc.connectors.base import Misconfigured
from blogsvc.lib.net.http import HttpResponse

REL = "micropub"
MOST_PAGE = 256 * 1024  # characters in which a link is looked for
# One link of a Link header, and what is said of it up to the next one (RFC 8288).
LINK = re.compile(r"<(?P<url>[^<>]*)>(?P<about>[^<]*)")
RELATIONS = re.compile(r""";\s*rel\s*=\s*(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s;,"]+))""", re.IGNORECASE)


def endpoint_of(answer: HttpResponse) -> str:
    """The address that the answer of a site announces. Raises Misconfigured where there is none to be trusted."""
    found = _in_header(answer.headers.get("link", ""))
    found = _in_page(answer.text[:MOST_PAGE]) if found is None else found
    endpoint = None if found is None else address(answer.url, found)
    if endpoint is None:
        raise Misconfigured("This site announces no Micropub endpoint: check its address.", field="url")
    if urlsplit(answer.url).scheme == "https" and urlsplit(endpoint).scheme != "https":
        raise Misconfigured("This site would have the token sent unencrypted: let it announce https.", field="url")
    return endpoint


def address(base: str, value: Any) -> str | None:
    """The web address that this is, seen from `base`; None where it is none."""
    if not isinstance(value, str):
        return None
    try:
        url = urljoin(base, value.strip())
        is_address = urlsplit(url).scheme in ("https", "http") and bool(urlsplit(url).hostname)
    except ValueError:
        return None
    return url if is_address and len(url) <= MAX_TEXT_LENGTH and url.isprintable() else None


def asking(endpoint: str, **query: str) -> str:
    """The endpoint with a question, beside those that its own address may ask."""
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"


def _in_header(value: str) -> str | None:
    for link in LINK.finditer(value):
        relations = RELATIONS.search(link["about"])
        if relations and REL in (relations["quoted"] or relations["bare"] or "").lower().split():
            return link["url"]
    return None


class _Page(HTMLParser):
    """Finds the first `<link rel="micropub">`."""

    found: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        is_it = tag == "link" and REL in (attributes.get("rel") or "").lower().split()
        if is_it and self.found is None and "href" in attributes:
            self.found = attributes["href"] or ""


def _in_page(html: str) -> str | None:
    page = _Page()
    page.feed(html)
    return page.found
