"""DEV (dev.to) and other Forem communities: articles as Markdown, with API v1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from blogsvc.connectors._kit.lookups import Lookup, Page
from blogsvc.connectors._kit.mentions import without_strangers
from blogsvc.connectors._kit.paths import path_to
from blogsvc.connectors._kit.untrusted_json import whole
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
    Duplicate,
    Field,
    Figures,
    Gone,
    HttpResponse,
    Keys,
    Limit,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    Rejected,
    TextPart,
    web_url,
)
from blogsvc.connectors.devto import forem

HOME = "https://dev.to"
MAX_TITLE_LENGTH = 128
# The list contains whole texts, so small pages keep responses below the size limit.
PER_PAGE = 30
MAX_PAGES_SEARCHED = 20
COUNTED_PAGES = 4  # for figures, which are requested often; older articles lack the number of views


@dataclass
class Devto(Connector):
    """Publishes articles. Forem rejects a canonical URL, and a text with the same title, that it already has.

    API keys have 24 characters: `has_secure_token` of Rails makes them (`app/models/api_secret.rb` in Forem).
    """

    key = "devto"
    label = "DEV (Forem)"
    about = "Full articles on DEV or another Forem community, with your blog as the original."
    docs = "https://developers.forem.com/api/v1"
    checked_on = "2026-11-20"
    category = "article"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("title", "title"), ("body_markdown", "markdown"))
    repeatable = frozenset({"update", "delete"})
    once = (
        "Forem rejects an original link, and a title with the same text, that it already has. "
        "After a lost response, blogsvc looks for a new article with the same link and text."
    )
    limitations = (
        "Deleting only unpublishes the article. The draft stays, and is used again if you publish again.",
        "If somebody unpublishes the article on the platform, blogsvc treats the copy as deleted.",
        "Forem rejects publication dates in the past, so a copy has the date of its delivery.",
    )
    limits = (
        Limit("title", MAX_TITLE_LENGTH, "characters"),
        Limit("tags", forem.MAX_TAGS, "items"),
        Limit("tag", forem.TAG_MOST, "characters"),
    )
    fields = (
        Field(
            "api_key", "API key", help="On DEV: Settings, Extensions, DEV Community API Keys", secret=True, length=24
        ),
        Field(
            "url",
            "Instance URL",
            help="Change it to use another Forem community",
            required=False,
            default=HOME,
            address=True,
        ),
        Field(
            "organization",
            "Organization ID",
            help="To publish under an organization, enter its number. You must be a member.",
            required=False,
        ),
    )
    options = (Option("series", "Series", help="The name of a series. A new series is created if it doesn't exist."),)

    def base_url(self) -> str:
        return f"{self._home()}/api"

    def headers(self) -> dict[str, str]:
        return {"api-key": self.settings.get("api_key", "").strip(), "Accept": "application/vnd.forem.api-v1+json"}

    def verify(self) -> Account:
        self._organization()
        name = str(_object(self.call("GET", "users/me", need="username"))["username"])
        return Account(name, f"{self._home()}/{name}")

    def mint(self, article: Article) -> Keys:
        return {"canonical_url": article.canonical_url} if article.canonical_url else {}

    def sent_keys(self, payload: Payload) -> Keys:
        return {"text": forem.version(payload.body)}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        over = len(article.title) - MAX_TITLE_LENGTH
        if over > 0:
            raise Rejected(
                f"{self.label} titles can have up to {MAX_TITLE_LENGTH} characters. Shorten the title by {over}."
            )
        text = forem.markdown(without_strangers(article.markdown, article), self.label)
        tags, warnings = forem.tags(article.tags, self.label)
        body = {
            "title": article.title,
            "body_markdown": text.text,
            "published": True,
            "description": article.summary,
            "canonical_url": article.canonical_url,
            "main_image": web_url(article.cover_url),
            "tags": tags,
        }
        return Payload({**body, **self._placement(options)}, (*text.warnings, *warnings))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        """Create the article, or publish the former one of this post again, because Forem accepts no second one."""
        if former_id := keys.get("former_id"):
            with suppress(Gone):
                return self._put(former_id, payload.body)
        return self._receipt(self.call("POST", "articles", json={"article": payload.body}, need="id"))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        if receipt.version is not None and (current := self.fetch_version(keys, receipt)).version != receipt.version:
            if current.version == forem.version(payload.body):  # our own change, whose response was lost
                return current
            raise Conflict(f"The copy was changed on {self.label}. Review it there, or retry to overwrite the changes.")
        return self._put(receipt.remote_id, payload.body)

    def unpublish(self, keys: Keys, receipt: Receipt) -> Receipt:
        """Make the article a draft. Forem shows drafts only in lists, so the receipt has no version of the draft."""
        with suppress(Gone):  # it is a draft already
            if receipt.version not in (None, self.fetch_version(keys, receipt).version):
                raise Conflict(f"The copy was changed on {self.label}. Review it there, or unpublish it all the same.")
        return replace(self._put(receipt.remote_id, {"published": False}), version=None)

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self._put(receipt.remote_id, {"published": False})

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the copy among the account's published articles. An unpublished one is not a copy."""
        if not keys.get("text"):
            return CopyUnknown()
        lookup = Lookup(
            keys, forem.published_at, is_like=forem.looks_like(keys), has_sent_text=lambda one: forem.is_sent(one, keys)
        )
        found = lookup.first(self._published())
        return CopyFound(self._receipt_of(found)) if isinstance(found, dict) else found

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self._receipt(self.call("GET", path_to("articles", receipt.remote_id), need="id"))

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        article = _object(self.call("GET", path_to("articles", receipt.remote_id), need="body_html"))
        return TextPart("title", str(article.get("title") or "")), TextPart("html", str(article["body_html"] or ""))

    def stats(self, receipt: Receipt) -> Figures:
        """Return the figures. Only the account's own list contains views, which older articles therefore lack."""
        newest = (article for page in self._published(COUNTED_PAGES) for article in page.posts)
        article = next((article for article in newest if str(article["id"]) == receipt.remote_id), None)
        if article is None:
            article = _object(self.call("GET", path_to("articles", receipt.remote_id), need="id"))
        return Figures(
            views=whole(article.get("page_views_count")),
            likes=whole(article.get("public_reactions_count")),
            comments=whole(article.get("comments_count")),
        )

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        if answer.status == 422 and "already been taken" in answer.text:
            return Duplicate(
                f"{self.label} already has an article or a draft with this original link or the same text."
                " Change one of them."
            )
        if answer.status == 401:
            return Disconnected(
                f"{self.label} rejected the API key. Create a new one on {self.label}.", field="api_key"
            )
        return super().fault(answer, call)

    def _put(self, remote_id: str, body: Mapping[str, Any]) -> Receipt:
        return self._receipt(self.call("PUT", path_to("articles", remote_id), json={"article": body}, need="id"))

    def _published(self, max_pages: int = MAX_PAGES_SEARCHED) -> Iterator[Page[forem.OwnArticle]]:
        """Yield the account's published articles, the newest first, in up to `max_pages` pages."""
        for number in range(1, max_pages + 1):
            listed = self.call("GET", f"articles/me/published?page={number}&per_page={PER_PAGE}").json()
            if not isinstance(listed, list):
                raise Misconfigured(f"{self.label} didn't return a list of articles. Check the URL.", field="url")
            is_last = len(listed) < PER_PAGE
            yield Page([one for one in listed if isinstance(one, dict) and one.get("id")], is_last)
            if is_last:
                return

    def _receipt(self, answer: HttpResponse) -> Receipt:
        return self._receipt_of(_object(answer))

    def _receipt_of(self, article: forem.OwnArticle) -> Receipt:
        return Receipt(str(article["id"]), article.get("url"), forem.version(article))

    def _home(self) -> str:
        return (self.settings.get("url", "").strip() or HOME).rstrip("/").removesuffix("/api")

    def _placement(self, options: Mapping[str, str]) -> dict[str, str | int]:
        """Return series and organization, without empty ones, so that choices made on the platform stay."""
        series, organization = options.get("series", "").strip(), self._organization()
        named = {"series": series, "organization_id": organization}
        return {name: value for name, value in named.items() if value}

    def _organization(self) -> int | None:
        number = self.settings.get("organization", "").strip()
        if number and not re.fullmatch(r"[0-9]{1,12}", number):
            raise Misconfigured("Enter the organization's number.", field="organization")
        return int(number) if number else None


def _object(answer: HttpResponse) -> forem.OwnArticle:
    value = answer.json()
    return value if isinstance(value, dict) else {}
