"""A WordPress site with its REST API: discovery, authentication, terms and media."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from html import unescape
from typing import Any
from urllib.parse import quote, urlencode, urljoin

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
# Paths that people copy with the URL of their site.
NOT_THE_SITE = re.compile(r"/(wp-admin|wp-json|wp-login\.php)(/.*)?$")
MEDIUM = "id,source_url,alt_text"


class NoRestApi(Misconfigured):
    """The site does not announce its API."""


@dataclass(frozen=True)
class WordPressMedia:
    """An image in the site's media library."""

    id: int
    url: str
    alt: str


@dataclass
class WordPressSite(Connector):
    """The base of WordPress connectors."""

    _root: str = field(default="", init=False, repr=False)

    def base_url(self) -> str:
        given = self.settings.get("url", "").strip()
        url = given if not given or "://" in given else f"https://{given}"
        return NOT_THE_SITE.sub("", url.rstrip("/")).rstrip("/")

    def addresses(self) -> tuple[str, ...]:
        return (*super().addresses(), str(self.facts.get("root") or ""))

    def ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        **rest: Any,
    ) -> HttpResponse:
        """Send an authenticated request to the API."""
        url = _address(self.root(), path, query or {})
        return self.call(method, url, headers={**(headers or {}), "Authorization": self._basic()}, **rest)

    def root(self) -> str:
        """Return the URL of the API, with a slash at the end: as `verify` found it, or discovered now."""
        self._root = self._root or self.facts.get("root") or self.discover()
        return self._root

    def discover(self) -> str:
        """Discover the URL of the API. Raises Misconfigured if there is none."""
        for root in self._candidate_roots():
            with suppress(Gone, Misconfigured, Rejected):
                namespaces = self._index(root).get("namespaces")
                if isinstance(namespaces, list) and "wp/v2" in namespaces:
                    self._root = root
                    return root
        raise Misconfigured(
            "No WordPress REST API found at this URL. Check the URL, and that no plugin disables the REST API.",
            field="url",
        )

    def offers_passwords(self) -> bool:
        """Return True if the site has application passwords, which require HTTPS."""
        authentication = self._index(self.root()).get("authentication")
        return isinstance(authentication, dict) and "application-passwords" in authentication

    def secrets(self) -> tuple[str, ...]:
        password = self.settings.get("password", "")
        forms = (password, "".join(password.split()), self._basic().removeprefix("Basic "))
        return tuple(dict.fromkeys(filter(None, forms))) if password else ()

    def term(self, taxonomy: str, name: str) -> int:
        """Return the id of the tag or category with this name, creating it if necessary."""
        query = {"_fields": "id"}
        try:
            return _id_of(self.ask("POST", f"wp/v2/{taxonomy}", query, json={"name": name}, safe=True, need="id"))
        except TermExists as exists:
            return exists.term_id
        except NotAllowed:
            return self._existing_term(taxonomy, name)

    def medium(self, image: ImageFile, alt: str, *, is_cover: bool) -> WordPressMedia | None:
        """Return the image in the library, uploading it if necessary. None if the site rejects it.

        Themes show the cover with the alt text of the library, so that is replaced. In texts, each image has its own.
        """
        try:
            medium = self._existing_medium(image) or self._uploaded_medium(image)
            if medium and alt and alt != medium.alt and (is_cover or not medium.alt):
                query = {"_fields": "id"}
                self.ask("POST", f"wp/v2/media/{medium.id}", query, json={"alt_text": alt}, safe=True)
        except (NotAllowed, Rejected):
            return None
        return medium

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        if call.method == "HEAD":
            return NoRestApi("The site doesn't announce its REST API.")
        return wordpress_fault(answer, self.secrets()) or super().fault(answer, call)

    def _basic(self) -> str:
        name, password = self.settings.get("username", "").strip(), "".join(self.settings.get("password", "").split())
        return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()

    def _candidate_roots(self) -> Iterator[str]:
        if (announced := self._announced()) is not None:
            yield announced
        yield f"{self.base_url()}/wp-json/"
        yield f"{self.base_url()}/?rest_route=/"

    def _announced(self) -> str | None:
        """Return the URL in the Link header."""
        try:
            answer = self.call("HEAD", f"{self.base_url()}/", expect_json=False)
        except NoRestApi:
            return None
        match = ANNOUNCED.search(answer.headers.get("link", ""))
        if match is None:
            return None
        try:
            root = urljoin(answer.url, match[1])
        except ValueError:
            return None
        if answer.url.startswith("https://"):  # behind a proxy, a site may not know that it uses HTTPS
            root = root.replace("http://", "https://", 1)
        return root if root.endswith("/") else f"{root}/"

    def _index(self, root: str) -> dict[str, Any]:
        url = _address(root, "", {"_fields": "namespaces,authentication"})
        return body_of(self.call("GET", url, headers={"Authorization": self._basic()}))

    def _existing_term(self, taxonomy: str, name: str) -> int:
        # Names are stored and searched with HTML entities.
        query = {"search": name.replace("&", "&amp;"), "per_page": "100", "_fields": "id,name"}
        for term in list_of(self.ask("GET", f"wp/v2/{taxonomy}", query)):
            if unescape(str(term.get("name"))).casefold() == name.casefold() and isinstance(term.get("id"), int):
                return int(term["id"])
        kind = "tag" if taxonomy == "tags" else "category"
        raise Rejected(
            f"This WordPress user can't create the {kind} “{name}”. Create it in WordPress first, or leave it out."
        )

    def _existing_medium(self, image: ImageFile) -> WordPressMedia | None:
        query = {"slug": image.name.partition(".")[0], "_fields": MEDIUM}
        found = list_of(self.ask("GET", "wp/v2/media", query))
        return next((medium for medium in map(_medium, found) if medium), None)

    def _uploaded_medium(self, image: ImageFile) -> WordPressMedia | None:
        """Return the image that was uploaded earlier but has another name in the library, or upload it."""
        reference = self.uploads.once(image, self._upload, self._has_medium)
        return WordPressMedia(**json.loads(reference)) if reference else None

    def _has_medium(self, reference: str) -> bool:
        try:
            self.ask("GET", f"wp/v2/media/{json.loads(reference)['id']}", {"_fields": "id"})
        except Gone:
            return False
        return True

    def _upload(self, image: ImageFile) -> str:
        """Upload the image, and return it as JSON."""
        headers = {
            "Content-Type": image.media_type,
            "Content-Disposition": f'attachment; filename="{image.name}"',
        }
        query, content = {"_fields": MEDIUM}, image.data
        answer = self.ask("POST", "wp/v2/media", query, headers=headers, content=content, safe=True, need="source_url")
        if (medium := _medium(body_of(answer))) is None:
            raise Misconfigured("WordPress returned an unexpected response to an image upload. Check the URL.")
        return json.dumps(asdict(medium))


def _address(root: str, path: str, query: Mapping[str, str]) -> str:
    """Return the URL of an endpoint. `root` may contain a query (`/?rest_route=/`) on sites without permalinks."""
    encoded_query = urlencode(query, quote_via=quote, safe=",")
    return root + path + ("&" if "?" in root else "?") * bool(encoded_query) + encoded_query


def _id_of(answer: HttpResponse) -> int:
    if not isinstance(found := body_of(answer).get("id"), int):
        raise Misconfigured("WordPress returned a response without an id. Check the URL.")
    return found


def _medium(medium: Mapping[str, Any]) -> WordPressMedia | None:
    number, url = medium.get("id"), medium.get("source_url")
    if not isinstance(number, int) or not isinstance(url, str):
        return None
    return WordPressMedia(number, url, str(medium.get("alt_text") or ""))
