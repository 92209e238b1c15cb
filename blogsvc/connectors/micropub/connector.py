"""Micropub, for any site that supports it: https://www.w3.org/TR/micropub/."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from blogsvc.connectors._kit.image_uploads import uploaded
from blogsvc.connectors._kit.lookups import words_hash
from blogsvc.connectors._kit.published_page import page_parts
from blogsvc.connectors._kit.responses import require_no_page
from blogsvc.connectors._kit.untrusted_json import data, objects, text
from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Conflict,
    Connector,
    ConnectorError,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Field,
    Gone,
    HttpResponse,
    ImageFile,
    Keys,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    Rejected,
    TextPart,
    Unavailable,
    Uncertain,
    Unsupported,
)
from blogsvc.connectors.micropub.discovery import Endpoints, address, asking, endpoint_of
from blogsvc.connectors.micropub.entry import (
    CHANGED,
    FORMATS,
    MicropubEntry,
    Properties,
    has_properties,
    is_complete,
    moment,
    properties_of,
    text_of,
    with_links,
)
from blogsvc.connectors.payload_parts import visible
from blogsvc.lib.net import multipart
from blogsvc.lib.text.plain import plain, written_text

LISTED = "50"  # entries to request when searching for a copy
STATUSES = ("published", "draft")


@dataclass
class Micropub(Connector):
    """Publishes entries. A copy is identified by its URL, and found by the link to the original in its text."""

    key = "micropub"
    label = "Micropub"
    about = "Full articles on any site that supports Micropub."
    docs = "https://www.w3.org/TR/micropub/"
    checked_on = "2026-11-20"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (
        ("properties.name.0", "title"),
        ("properties.content.0.html", "html"),
        ("properties.content.0", "markdown"),
    )
    once = (
        "blogsvc finds a copy in the site's post list by its link to the original, date and text. Without a list, the "
        "author decides."
    )
    limitations = (
        "If a site doesn't return the source of its posts, blogsvc can't detect changes to a copy.",
        "The link to the original is added below the text, because Micropub has no field for it.",
    )
    fields = (
        Field(
            "url",
            "Site URL",
            help="For example https://me.example. The Micropub endpoint is detected from it.",
            address=True,
        ),
        Field(
            "token",
            "Access token",
            help="Needs the scopes create, update, delete and media. Create a token in your site's settings,"
            " under app tokens or Micropub.",
            secret=True,
        ),
        Field(
            "format",
            "Text format",
            help="markdown: for sites that store Markdown, such as Indiekit and Micro.blog. Others show its marks.",
            choices=FORMATS,
            default="html",
            required=False,
        ),
    )
    options = (
        Option(
            "status",
            "Visibility",
            choices=STATUSES,
            default="published",
            help="draft: saved on your site for you to publish, if the site supports drafts.",
        ),
    )

    _cached_endpoints: Endpoints | None = field(default=None, init=False, repr=False)

    def addresses(self) -> tuple[str, ...]:
        found = (str(self.facts.get(name) or "") for name in ("endpoint", "media"))
        return (*super().addresses(), *found)

    def verify(self) -> Account:
        endpoints = self._cached_endpoints = self._discover()
        facts = {"endpoint": endpoints.posts} | ({"media": endpoints.media} if endpoints.media else {})
        return Account(urlsplit(self.base_url()).hostname or self.label, self.base_url(), facts)

    def mint(self, article: Article) -> Keys:
        home = article.canonical_url or ""
        return {"home": home, "slug": article.slug, "title": article.title, "published": moment(article)}

    def sent_keys(self, payload: Payload) -> Keys:
        (sent,) = payload.body["properties"]["content"]
        return {"words": words_hash(plain(sent["html"]) if isinstance(sent, dict) else written_text(sent))}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        status = options.get("status") or "published"
        if status not in STATUSES:
            raise Rejected("The visibility must be published or draft.")
        images = {image.url: image.alt for image in article.images}
        if article.cover_url:
            images.setdefault(article.cover_url, "")
        is_html = (self.settings.get("format") or "html") == "html"
        text = text_of(article, is_html, self.label)
        return Payload(
            {"properties": properties_of(article, status, text, is_html), "images": list(images)}, text.warnings
        )

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        properties, images = self._with_images(payload.body, {})
        try:
            answer = self._tell({"type": ["h-entry"], "properties": properties}, safe=False)
        except Gone:
            raise Misconfigured("The Micropub endpoint no longer exists. Reconnect the site.") from None
        url = self._location(answer)
        if answer.status not in (201, 202) or url is None:
            raise Uncertain(
                "The response from your site doesn't include the post URL. Check your site before you send it again."
            )
        return Receipt(url, url, self._version(url), images)

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        properties, images = self._with_images(payload.body, receipt.extra)
        entry = self._entry(receipt.remote_id)
        if entry is not None and entry.has(properties):  # also true after an attempt whose response was lost
            return Receipt(receipt.remote_id, receipt.url, entry.version, images)
        if entry is not None and receipt.version not in (None, entry.version):
            raise Conflict("The copy was changed on your site. Review it there, or retry to overwrite the changes.")
        change: dict[str, Any] = {
            "action": "update",
            "url": receipt.remote_id,
            "replace": {name: properties[name] for name in CHANGED if name in properties},
        }
        if emptied := [name for name in CHANGED if name not in properties]:
            change["delete"] = emptied
        answer = self._tell(change, safe=True)
        url = (self._location(answer) if answer.status == 201 else None) or receipt.remote_id
        return Receipt(url, url, self._version(url), images)

    def unpublish(self, keys: Keys, receipt: Receipt) -> Receipt:
        """Set the status `draft`, on sites that store the status of an entry and return it."""
        entry = self._entry_with_status(receipt.remote_id, receipt)
        if entry.status == "draft":
            return replace(receipt, version=entry.version)
        if receipt.version not in (None, entry.version):
            raise Conflict("The copy was changed on your site. Review it there, or unpublish it all the same.")
        draft = {"action": "update", "url": receipt.remote_id, "replace": {"post-status": ["draft"]}}
        answer = self._tell(draft, safe=True)
        url = (self._location(answer) if answer.status == 201 else None) or receipt.remote_id
        entry = self._entry_with_status(url, receipt)
        if entry.status != "draft":
            raise Unsupported("This site keeps no drafts of published entries.")
        return replace(receipt, remote_id=url, version=entry.version)

    def _entry_with_status(self, url: str, receipt: Receipt) -> MicropubEntry:
        """Return the entry. Raises Unsupported on sites that return no status, Unavailable if they did return one."""
        entry = self._entry(url)
        if entry is None and receipt.version is not None:
            raise Unavailable("Your site did not return the entry. blogsvc will try again.")
        if entry is None or entry.status is None:
            raise Unsupported("This site keeps no drafts of published entries.")
        return entry

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self._tell({"action": "delete", "url": receipt.remote_id}, safe=True)

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the copy among the newest entries, on sites that list them."""
        entries = self._listed()
        if entries is None:
            return CopyUnknown()
        ours = next((one for one in entries if one.is_made_with(keys)), None)
        if ours is not None and ours.url:
            return CopyFound(Receipt(ours.url, ours.url, self._version(ours.url)))
        is_unsure = any(one.can_be_created_with(keys) for one in entries)
        return CopyUnknown() if is_unsure or not is_complete(entries, keys) else CopyNotFound()

    def find_all(self, keys: Keys) -> list[Receipt]:
        """Return all copies among the newest entries. Raises Unsupported if the site does not list them."""
        entries = self._listed()
        if entries is None:
            raise Unsupported("This site can't list its entries.")
        urls = [one.url for one in entries if one.is_made_with(keys) and one.url]
        return [Receipt(url, url, self._version(url)) for url in urls]

    def _listed(self) -> list[MicropubEntry] | None:
        """Return the newest entries, None on sites that do not list them."""
        try:
            listed = data(self._ask(q="source", limit=LISTED))
        except (Rejected, Gone, Misconfigured):
            return None
        if not isinstance(listed, dict) or not isinstance(listed.get("items"), list):
            return None
        read = (MicropubEntry(item["properties"]) for item in objects(listed, "items") if has_properties(item))
        return [entry for entry in read if not entry.is_deleted]

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        entry = self._entry(receipt.remote_id)
        if entry is None:
            raise Unsupported("This site can't report whether the copy was changed.")
        return Receipt(receipt.remote_id, receipt.url, entry.version, receipt.extra)

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        """Return the text on the page of the copy, or as the site stores it if its page can't be read."""
        try:
            return page_parts(self, receipt)
        except ConnectorError as error:
            entry = self._entry(receipt.remote_id)
            if parts := tuple(visible(self.shows, {"properties": entry.properties})) if entry else ():
                return parts
            raise error

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        code = text(data(answer), "error")
        if code == "insufficient_scope":
            detail = "The access token lacks permissions. Create one with the scopes create, update, delete and media."
            return Disconnected(detail, field="token")
        if code in ("unauthorized", "invalid_token") and answer.status == 400:
            return Disconnected("Your site rejected the access token. Reconnect with a new one.", field="token")
        return super().fault(answer, call)

    def _endpoints(self) -> Endpoints:
        """Return the endpoints that `verify` found, or discover them."""
        if self._cached_endpoints is None:
            posts, media = self.facts.get("endpoint"), self.facts.get("media")
            self._cached_endpoints = Endpoints(posts, media) if posts else self._discover()
        return self._cached_endpoints

    def _discover(self) -> Endpoints:
        """Discover the endpoints, without the token, which only the endpoint may receive."""
        page = self.call("GET", self.base_url(), headers={"Accept": "text/html"}, expect_json=False)
        posts = endpoint_of(page)
        return Endpoints(posts, self._media_endpoint(posts))

    def _media_endpoint(self, posts: str) -> str | None:
        """Return the media endpoint of the configuration, None if the response is not valid."""
        try:
            config = data(self.call("GET", asking(posts, q="config"), headers=self._bearer(), expect_json=False))
        except (Rejected, Gone, Misconfigured):
            return None
        media = address(posts, text(config, "media-endpoint"))
        is_downgrade = posts.startswith("https:") and media is not None and not media.startswith("https:")
        return None if is_downgrade else media

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.settings.get('token', '').strip()}"}

    def _ask(self, **query: str) -> HttpResponse:
        return self.call("GET", asking(self._endpoints().posts, **query), headers=self._bearer())

    def _tell(self, what: Mapping[str, Any], safe: bool) -> HttpResponse:
        posts = self._endpoints().posts
        answer = self.call("POST", posts, json=what, headers=self._bearer(), safe=safe, expect_json=False)
        if answer.status == 200:  # 201 and 202 may have a page besides the URL of the entry
            require_no_page(answer, Call(self.label, "POST", safe))
        return answer

    def _location(self, answer: HttpResponse) -> str | None:
        return address(self._endpoints().posts, answer.headers.get("location") or None)

    def _entry(self, url: str) -> MicropubEntry | None:
        """Return the entry with this URL, None if the site does not provide its source. Raises Gone."""
        try:
            source = data(self._ask(q="source", url=url))
        except (Rejected, Misconfigured):
            return None
        if not isinstance(source, dict) or not has_properties(source):
            return None
        if MicropubEntry(source["properties"]).is_deleted:
            raise Gone("The copy was deleted on your site.")
        return MicropubEntry(source["properties"])

    def _version(self, url: str) -> str | None:
        """Return the version of an entry, None if it is unavailable: the entry was written all the same."""
        with suppress(ConnectorError):
            entry = self._entry(url)
            return entry.version if entry else None
        return None

    def _with_images(self, body: Mapping[str, Any], known_urls: Mapping[str, str]) -> tuple[Properties, dict[str, str]]:
        """Upload images. Returns the properties with the new URLs, and these URLs by the old ones.

        Unavailable images keep their old URL.
        """
        links = dict(known_urls)
        if media := self._endpoints().media:
            upload = partial(self._upload, media)
            links = uploaded(body["images"], known_urls, self.images, self.uploads, upload, self.is_served)
        return with_links(body["properties"], links), links

    def _upload(self, media: str, image: ImageFile) -> str | None:
        form, content_type = multipart.encode("file", image.name, image.media_type, image.data)
        headers = {**self._bearer(), "Content-Type": content_type}
        try:
            answer = self.call("POST", media, content=form, headers=headers, safe=True, expect_json=False)
        except (Rejected, Gone, Misconfigured):
            return None
        return address(media, answer.headers.get("location") or None)
