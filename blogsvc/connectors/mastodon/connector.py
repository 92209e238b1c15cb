"""Mastodon and servers with its API (GoToSocial, Pleroma, Akkoma): a status with a link to the article."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from blogsvc.connectors._kit.announcements import Allowance, Announcement, announcement, too_long
from blogsvc.connectors._kit.images import SUFFIXES
from blogsvc.connectors._kit.lookups import Lookup, Page
from blogsvc.connectors._kit.paths import path_to
from blogsvc.connectors._kit.untrusted_json import at
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
    Figures,
    Gone,
    HttpResponse,
    Keys,
    Limit,
    Option,
    Payload,
    Receipt,
    TextPart,
    Unsupported,
)
from blogsvc.connectors.mastodon import server_api
from blogsvc.lib.text.length import length

OAUTH_SCOPES = "read:accounts, read:statuses, write:statuses and write:media"
UNBOUNDED = 10**9
PER_PAGE = 40  # the maximum
MAX_PAGES_SEARCHED = 5


@dataclass
class Mastodon(Connector):
    """Publishes statuses, and searches for a lost one before it is sent again.

    The idempotency key alone is not enough: it expires after an hour, and not all servers support it. Mastodon's access
    tokens are 32 bytes in URL-safe Base64 (`UniqueToken` in Doorkeeper), as in docs.joinmastodon.org/entities/Token.
    """

    key = "mastodon"
    label = "Mastodon"
    about = "A status that links to the article. Also works with GoToSocial, Pleroma and Akkoma."
    docs = "https://docs.joinmastodon.org/methods/statuses/"
    checked_on = "2026-11-20"
    category = "announcement"
    readers = "discussion"
    accepts = "text"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "language", "canonical_url"})
    shows = (("spoiler_text", "title"), ("status", "text"))
    repeatable = frozenset({"update", "delete"})
    once = (
        "Each status is sent with an idempotency key. After a lost response, blogsvc looks for a new status with the "
        "same link and text before it retries. If only the link is the same, it asks the author."
    )
    limitations = (
        "The visibility can't be changed after publishing.",
        "A status without a link can't be found after a lost response. The author decides.",
        "Other servers are notified of updates and deletions, but may ignore them.",
    )
    limits = (Limit("text", server_api.DEFAULT_MAX_CHARACTERS, "graphemes"),)
    fields = (
        Field(
            "url",
            "Server",
            help="The last part of your Mastodon address. For @ada@mastodon.social, enter mastodon.social.",
            address=True,
            server=True,
        ),
        Field(
            "token",
            "Access token",
            help=f"On your server: Preferences, Development, New application, with the scopes {OAUTH_SCOPES}",
            secret=True,
            length=43,
        ),
    )
    options = (
        Option(
            "visibility",
            "Visibility",
            choices=("public", "unlisted", "private"),
            default="public",
            help="Unlisted posts are public, but not in the public timelines.",
            choice_labels={"private": "Followers only"},
        ),
        Option("content_warning", "Content warning", help="Hides the text behind this warning"),
        Option(
            "image",
            "Image",
            choices=("card", "attach"),
            default="card",
            help="Mastodon shows no link card beside an attached image.",
            choice_labels={"card": "Link card", "attach": "Cover image"},
        ),
    )

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.settings.get('token', '').strip()}"}

    def verify(self) -> Account:
        me = self.call("GET", "api/v1/accounts/verify_credentials", need="id").json()
        try:
            instance = self.call("GET", "api/v2/instance").json()
        except Gone:
            instance = self.call("GET", "api/v1/instance").json()
        name = server_api.handle(str(me.get("acct") or me["id"]), self.base_url())
        return Account(name, me.get("url"), {**server_api.facts(instance), "account_id": str(me["id"])})

    def limits_here(self) -> tuple[Limit, ...]:
        return (Limit("text", self._fact("most"), "graphemes"),)

    def mint(self, article: Article) -> Keys:
        return {"link": article.canonical_url} if article.canonical_url else {}

    def sent_keys(self, payload: Payload) -> Keys:
        return {"words": server_api.words_hash_of(payload.body["status"])}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        warning = options.get("content_warning", "").strip()
        announced = self._announcement(article, self._fact("most") - length(warning, "graphemes"))
        is_attached = options.get("image") == "attach"
        image, missing = server_api.image(article, self._fact("alt_most")) if is_attached else (None, ())
        body = {
            "status": announced.text,
            "visibility": options.get("visibility") or "public",
            "spoiler_text": warning,
            "language": article.language.partition("-")[0].lower() if article.language else None,
            "image": image,
        }
        shown = server_api.counted(announced.text, self._fact("link_cost")) + length(warning, "graphemes")
        return Payload(body, (*announced.warnings, *missing), shown, announced.editable)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        body = {**self._words(payload), **self._media(payload, keys), "visibility": payload.body["visibility"]}
        # The key contains a hash of the content, because the server returns the first status whatever is sent
        # with the key.
        key = {"Idempotency-Key": f"{keys['operation']}-{payload.hash[:16]}"}
        return self._receipt(self.call("POST", "api/v1/statuses", json=body, headers=key, need="id"))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        path = path_to("api/v1/statuses", receipt.remote_id)
        status = self.call("GET", path, need="id").json()
        if receipt.version not in (None, server_api.receipt(status).version):
            if self._is_ours(payload, path):
                return server_api.receipt(status)
            raise Conflict(f"The copy was changed on {self.label}. Review it there, or retry to overwrite the changes.")
        body = {**self._words(payload), **self._media(payload, keys, server_api.attached(status))}
        try:
            return self._receipt(self.call("PUT", path, json=body, need="id"))
        except Gone:  # it existed a moment ago
            raise Unsupported("This server version doesn't support editing a published status.") from None

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self.call("DELETE", path_to("api/v1/statuses", receipt.remote_id))

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        if not keys.get("link"):
            return CopyUnknown()
        found = self._lookup(keys).first(self._newest())
        return CopyFound(server_api.receipt(found)) if isinstance(found, dict) else found

    def find_all(self, keys: Keys) -> list[Receipt]:
        return list(map(server_api.receipt, self._lookup(keys).all(self._newest()))) if keys.get("link") else []

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self._receipt(self.call("GET", path_to("api/v1/statuses", receipt.remote_id), need="id"))

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        status = self.call("GET", path_to("api/v1/statuses", receipt.remote_id), need="content").json()
        warning = str(status.get("spoiler_text") or "")
        return TextPart("title", warning), TextPart("html", str(status["content"] or ""))

    def stats(self, receipt: Receipt) -> Figures:
        one = self.call("GET", path_to("api/v1/statuses", receipt.remote_id), need="id").json()
        counted = {
            name: server_api.number(one, f"{name}_count") for name in ("favourites", "reblogs", "quotes", "replies")
        }
        shares = [count for count in (counted["reblogs"], counted["quotes"]) if count is not None]
        return Figures(likes=counted["favourites"], comments=counted["replies"], shares=sum(shares) if shares else None)

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        if answer.status == 403 and "scopes" in answer.text:
            return Disconnected(
                f"The access token lacks permissions. Create one with the scopes {OAUTH_SCOPES}.", field="token"
            )
        return super().fault(answer, call)

    def _lookup(self, keys: Keys) -> Lookup[Any]:
        return Lookup(
            keys,
            server_api.made_at,
            is_like=lambda status: server_api.links_to(status, keys["link"]),
            has_sent_text=lambda status: server_api.words_hash_of(server_api.shown_text(status)) == keys.get("words"),
        )

    def _newest(self) -> Iterator[Page[Any]]:
        """Yield the account's latest statuses. Ends early if the server returns something else."""
        account_id = self.facts.get("account_id")
        if not account_id:
            account_id = self.call("GET", "api/v1/accounts/verify_credentials", need="id").json()["id"]
        statuses = f"{path_to('api/v1/accounts', str(account_id))}/statuses"
        query = f"{statuses}?limit={PER_PAGE}&exclude_replies=true&exclude_reblogs=true"
        older = ""
        for _ in range(MAX_PAGES_SEARCHED):
            listed = self.call("GET", query + older).json()
            if not isinstance(listed, list):
                return
            yield Page(listed, is_last=not listed)  # servers may filter a page after they have read it
            if not (last := at(listed[-1], "id")):
                return
            older = f"&max_id={quote(str(last), safe='')}"

    def _receipt(self, answer: HttpResponse) -> Receipt:
        return server_api.receipt(answer.json())

    def _fact(self, name: str) -> Any:
        return self.facts.get(name) or server_api.DEFAULT_FACTS[name]

    def _announcement(self, article: Article, max_length: int) -> Announcement:
        """Return the announcement within the limit, with every link counted as the server counts it."""
        cost = self._fact("link_cost")
        room = Allowance(UNBOUNDED if article.is_own else max_length, "graphemes", cost, mentions="handles")
        announced = announcement(article, room, self.label)
        over = server_api.counted(announced.text, cost) - max_length
        if over <= 0:
            return announced
        if article.is_own:
            raise too_long(self.label, over, max_length, "graphemes")
        return announcement(article, replace(room, limit=max_length - over), self.label)

    def _words(self, payload: Payload) -> dict[str, Any]:
        """Return the text fields. On other servers, sets plain text, because accounts can have Markdown as default."""
        words = {name: payload.body[name] for name in ("status", "spoiler_text", "language")}
        plainly = {} if self._fact("server") == "mastodon" else {"content_type": "text/plain"}
        return {**words, **plainly, "sensitive": bool(words["spoiler_text"])}

    def _is_ours(self, payload: Payload, path: str) -> bool:
        """Return True if the status already has this text: our own change, whose response was lost."""
        try:
            source = self.call("GET", f"{path}/source", need="id").json()
        except Gone:  # not all servers have it
            return False
        current = source.get("text"), source.get("spoiler_text") or ""
        return current == (payload.body["status"], payload.body["spoiler_text"])

    def _media(self, payload: Payload, keys: Keys, attached: tuple[str, ...] = ()) -> dict[str, Any]:
        """Upload the image and return the fields for it. If it is unavailable, an attached image stays."""
        source = payload.body["image"]
        if source is None:
            return {"media_ids": []}
        types = set(self._fact("image_types").split()) & set(SUFFIXES)
        image = self.images.get(source["url"], max_bytes=self._fact("image_most"), types=types)
        uploads = server_api.MediaUploads(self.label, self.call, self.uploads, keys["operation"])
        id = uploads.put(image, source["alt"], attached) if image else next(iter(attached), None)
        if id is None:
            return {"media_ids": []}
        attributes = {"media_attributes": [{"id": id, "description": source["alt"]}]} if id in attached else {}
        return {"media_ids": [id], **attributes}
