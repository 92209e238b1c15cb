"""One WordPress site as its REST API shows it: where that is, who asks, its terms, its media."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from blogsvc.connectors.base import (
    Call,
    Connector,
    ConnectorError,
    Gone,
    HttpResponse,
    ImageFile,
    Misconfigured,
    Rejected,
)
from blogsvc.connectors.wordpress.errors import NotAllowed, TermExists, body_of, list_of, wordpress_fault

ANNOUNCED = re.compile(r'<([^<>\s]+)>\s*;\s*rel="?https://api\.w\.org/"?')
# What people copy from the address bar, when they are asked where their site is.
NOT_THE_SITE = re.compile(r"/(wp-admin|wp-json|wp-login\.php)(/.*)?$")
MEDIUM = "id,source_url,alt_text"


class NoRestApi(Misconfigured):
    """The site does not say where its API is."""


@dataclass(frozen=True)
class WordPressMedia:
    """A picture in the site's library."""

    id: int
    url: str
    alt: str


@dataclass
class WordPressSite(Connector):
    """What a connector to WordPress stands on."""

    _root: str = field(default="", init=False, repr=False)

    def base_url(self) -> str:
        given = self.settings.get("url", "").strip()
        url = given if not given or "://" in given else f"https://{given}"
        return NOT_THE_SITE.sub("", url.rstrip("/")).rstrip("/")

    def ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        **rest: Any,
    ) -> HttpResponse:
        """One request to the API, in the name of the user."""
        url = _address(self.root(), path, query or {})
        return self.call(method, url, headers={**(headers or {}), "Authorization": self._basic()}, **rest)

    def root(self) -> str:
        """Where the API is, ending in a slash: as `verify` found it, else found now."""
        self._root = self._root or self.facts.get("root") or self.discover()
        return self._root

    def discover(self) -> str:
        """Ask the site where its API is. Raises Misconfigured where there is none."""
        for root in self._roots():
            with suppress(Gone, Misconfigured, Rejected):
                namespaces = self._index(root).get("namespaces")
                if isinstance(namespaces, list) and "wp/v2" in namespaces:
                    self._root = root
                    return root
        raise Misconfigured(
            "There is no WordPress with a REST API at this address: check it, and that no plugin switches it off.",
            field="url",
        )

    def offers_passwords(self) -> bool:
        """Whether the site has application passwords at all: it needs https for them."""
        authentication = self._index(self.root()).get("authentication")
        return isinstance(authentication, dict) and "application-passwords" in authentication

    def secrets(self) -> tuple[str, ...]:
        password = self.settings.get("password", "")
        forms = (password, "".join(password.split()), self._basic().removeprefix("Basic "))
        return tuple(dict.fromkeys(filter(None, forms))) if password else ()

    def term(self, taxonomy: str, name: str) -> int:
        """The id of a tag or category of this name, made where there is none."""
        query = {"_fields": "id"}
        try:
            return _id(self.ask("POST", f"wp/v2/{taxonomy}", query, json={"name": name}, safe=True, need="id"))
        except TermExists as exists:
            return exists.term_id
        except NotAllowed:
            return self._term_there(taxonomy, name)

    def medium(self, picture: ImageFile, alt: str) -> WordPressMedia | None:
        """This picture in the library, uploaded where it is not there yet; None where the site does not take it."""
        try:
            medium = self._medium_there(picture) or self._upload(picture)
            if alt and not medium.alt:
                query = {"_fields": "id"}
                self.ask("POST", f"wp/v2/media/{medium.id}", query, json={"alt_text": alt}, safe=True)
        except (NotAllowed, Rejected):
            return None
        return medium

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        if call.method == "HEAD":
            return NoRestApi("The site does not say where its API is.")
        return wordpress_fault(answer, self.secrets()) or super().fault(answer, call)

    def _basic(self) -> str:
        name, password = self.settings.get("username", "").strip(), "".join(self.settings.get("password", "").split())
        return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()

    def _roots(self) -> Iterator[str]:
        if (announced := self._announced()) is not None:
            yield announced
        yield f"{self.base_url()}/wp-json/"
        yield f"{self.base_url()}/?rest_route=/"

    def _announced(self) -> str | None:
        """By the Link header. It leads to the host that the author named, or not at all: a credential goes there."""
        try:
            answer = self.call("HEAD", f"{self.base_url()}/", expect_json=False)
        except NoRestApi:
            return None
        found = ANNOUNCED.search(answer.headers.get("link", ""))
        if found is None:
            return None
        root = urljoin(answer.url, found[1])
        if _host(root) != _host(self.base_url()):
            raise Misconfigured(f"This WordPress says that it is at {_host(root)}: give that address.", field="url")
        if answer.url.startswith("https://"):  # a site behind a proxy may not know that it is encrypted
            root = root.replace("http://", "https://", 1)
        return root if root.endswith("/") else f"{root}/"

    def _index(self, root: str) -> dict[str, Any]:
        url = _address(root, "", {"_fields": "namespaces,authentication"})
        return body_of(self.call("GET", url, headers={"Authorization": self._basic()}))

    def _term_there(self, taxonomy: str, name: str) -> int:
        # Names are kept with their entities, and so must be searched with them.
        query = {"search": name.replace("&", "&amp;"), "per_page": "100", "_fields": "id,name"}
        for term in list_of(self.ask("GET", f"wp/v2/{taxonomy}", query)):
            if unescape(str(term.get("name"))).casefold() == name.casefold() and isinstance(term.get("id"), int):
                return int(term["id"])
        kind = "tag" if taxonomy == "tags" else "category"
        raise Rejected(f"This WordPress user may not make the {kind} “{name}”: make it there first, or leave it out.")

    def _medium_there(self, picture: ImageFile) -> WordPressMedia | None:
        query = {"slug": picture.name.partition(".")[0], "_fields": MEDIUM}
        found = list_of(self.ask("GET", "wp/v2/media", query))
        return next((medium for medium in map(_medium, found) if medium), None)

    def _upload(self, picture: ImageFile) -> WordPressMedia:
        headers = {
            "Content-Type": picture.media_type,
            "Content-Disposition": f'attachment; filename="{picture.name}"',
        }
        query, content = {"_fields": MEDIUM}, picture.data
        answer = self.ask("POST", "wp/v2/media", query, headers=headers, content=content, safe=True, need="source_url")
        if (medium := _medium(body_of(answer))) is None:
            raise Misconfigured("WordPress answered to a picture with something else: check the address.")
        return medium


def _address(root: str, path: str, query: Mapping[str, str]) -> str:
    """`root` may be a query itself (`/?rest_route=/`), where a site has no pretty addresses."""
    asked = urlencode(query, quote_via=quote, safe=",")
    return root + path + ("&" if "?" in root else "?") * bool(asked) + asked


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _id(answer: HttpResponse) -> int:
    if not isinstance(found := body_of(answer).get("id"), int):
        raise Misconfigured("WordPress answered with something else than an id: check the address.")
    return found


def _medium(said: Mapping[str, Any]) -> WordPressMedia | None:
    number, url = said.get("id"), said.get("source_url")
    if not isinstance(number, int) or not isinstance(url, str):
        return None
    return WordPressMedia(number, url, str(said.get("alt_text") or ""))
