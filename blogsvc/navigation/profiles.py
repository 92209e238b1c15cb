"""Check if a profile on another site links back to the blog, so that the link between both is verified."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Literal, NamedTuple
from urllib.parse import urljoin, urlsplit

from blogsvc.context import Tools
from blogsvc.errors import Invalid
from blogsvc.lib.net.http import AddressRefused, HttpError, ResponseTooLarge, Timeout
from blogsvc.lib.text.elements import target_of
from blogsvc.models import db
from blogsvc.posts.rules import wrong_value

TIME_LIMIT = Timeout.within(10)
MAX_REDIRECTS = 5
MAX_PAGE_BYTES = 2 * 1024 * 1024
MAX_PAGE_SEARCHED = 256 * 1024  # characters of the page to search for links

Verdict = Literal["verified", "linked", "missing", "unreachable"]


class ProfileCheck(NamedTuple):
    """What a profile says about the blog, for programs and for people."""

    verdict: Verdict
    detail: str


def check_profile(url: str, tools: Tools) -> ProfileCheck:
    """Fetch a profile and search it for a link to the blog. May take 10 seconds. Raises Invalid for other than URLs."""
    if wrong := wrong_value("canonical_url", url):
        raise Invalid(replace(wrong, pointer="#/url"))
    db.session.rollback()  # no open read transaction during the request
    host, blog = urlsplit(url).hostname, tools.config.public_url
    try:
        answer = tools.http.anywhere.request(
            "GET",
            url,
            headers={"Accept": "text/html"},
            timeout=TIME_LIMIT,
            max_bytes=MAX_PAGE_BYTES,
            redirects=MAX_REDIRECTS,
        )
    except AddressRefused:
        return ProfileCheck("unreachable", f"{host} was not checked: its address is not public.")
    except ResponseTooLarge:
        return ProfileCheck("unreachable", f"The page at {host} is too large to check.")
    except HttpError:
        return ProfileCheck("unreachable", f"{host} could not be reached. Check the address, or try again later.")
    if answer.status != 200:
        return ProfileCheck("unreachable", f"{host} returned the status {answer.status} instead of the profile.")
    page = _Links(answer.url or url, blog)
    page.feed(answer.text[:MAX_PAGE_SEARCHED])
    if page.has_me:
        return ProfileCheck("verified", 'This profile links back to the blog with rel="me".')
    if page.has_link:
        return ProfileCheck("linked", 'This profile links back to the blog, but without rel="me".')
    return ProfileCheck("missing", f"This profile doesn't link to {blog}. Add this address to the profile.")


class _Links(HTMLParser):
    """The links of a page to the blog. A link to a page of the blog counts, too."""

    def __init__(self, url: str, blog: str) -> None:
        super().__init__()
        self._url, self._blog = url, target_of(blog)
        self.has_link = self.has_me = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in ("a", "link") or not (href := values.get("href")):
            return
        try:
            target = target_of(urljoin(self._url, href))
        except ValueError:
            return
        if target == self._blog or target.startswith(f"{self._blog}/"):
            relations = (values.get("rel") or "").lower().split()
            self.has_me |= "me" in relations
            # `alternate` and the like are about the page, not links for readers.
            self.has_link |= tag == "a"
