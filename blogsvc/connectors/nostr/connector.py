"""Nostr: articles as NIP-23 events, signed here and stored by relays."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from blogsvc.connectors._kit.portable import markdown
from blogsvc.connectors.base import (
    Account,
    Article,
    Connector,
    ConnectorError,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Field,
    Figures,
    Gone,
    Keys,
    Limit,
    Misconfigured,
    Payload,
    Receipt,
    Rejected,
    TextPart,
    Unavailable,
    Unsupported,
)
from blogsvc.connectors.nostr import events as words
from blogsvc.connectors.nostr.copies import (
    ARTICLE,
    DELETION,
    NostrAddress,
    RelayCopies,
    copy_made_at,
    known_ids,
    latest,
    number,
    require_own_version,
)
from blogsvc.connectors.nostr.identity import Event, Identity, Tags, values
from blogsvc.connectors.nostr.relays import Relay, each, worst
from blogsvc.lib.ids import made_at
from blogsvc.lib.text.plain import slugify

RELAY = re.compile(r"wss?://[^\s/?#@]+[^\s@]*")
RELAYS_MOST = 10
REACTIONS_MOST = 500  # per request; relays may return fewer
# The limit of a whole event, if a relay does not state its own (NIP-11).
BYTES_MOST = 64 * 1024
VIEWER_URL = "https://njump.me/{naddr}"


@dataclass
class Nostr(Connector):
    """Sends an article to every relay, at a permanent address (kind, key, `d`).

    The same text with the same time is the same event, so it can be sent again. Therefore the time comes from
    the operation or the previous version, never from the clock.
    """

    key = "nostr"
    label = "Nostr"
    about = "Full articles, signed with your key and stored on the relays you choose."
    docs = "https://github.com/nostr-protocol/nips/blob/master/23.md"
    checked_on = "2026-11-20"
    category = "article"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("tags.0.1", "title"), ("content", "markdown"))
    limits = (Limit("text", BYTES_MOST, "bytes"),)
    repeatable = frozenset({"create", "update", "delete"})
    once = (
        "blogsvc chooses the article's address before the first attempt, and each attempt sends the same signed event."
    )
    limitations = (
        "An article counts as published or updated once one relay accepts it. Offline relays get the next update.",
        "Deleting sends a request to every relay. Relays may ignore it, and other relays may keep copies.",
        "Likes, comments and shares only include those on your relays.",
    )
    fields = (
        Field(
            "secret_key",
            "Secret key",
            help="Starts with nsec1. Most apps show it under Settings, Keys. It controls your whole Nostr identity. "
            "Use a separate key for the blog.",
            secret=True,
        ),
        Field(
            "relays",
            "Relays",
            help="Up to ten, one per line, such as wss://relay.example.com. Use relays that your readers use.",
            lines=True,
        ),
        Field(
            "viewer",
            "Viewer URL",
            help="A website that shows Nostr articles. {naddr} is replaced with the article's address.",
            required=False,
            default=VIEWER_URL,
        ),
    )

    clock: Callable[[], float] = field(default=time.time, repr=False)

    def verify(self) -> Account:
        """Return the account if at least one relay responds. Raises an error for relays that are misconfigured."""
        identity = self._identity()
        profile = {"kinds": [words.PROFILE], "authors": [identity.public_key], "limit": 1}
        replies = each(self._relays(), lambda relay: (relay.ask(profile), self._max_message_length(relay)))
        replies.require_success()
        for error in replies.failed.values():
            if not isinstance(error, Unavailable):
                raise error
        profiles = [event for events, _ in replies.done.values() for event in events]
        facts = {f"most {relay.url}": most for relay, (_, most) in replies.done.items() if most}
        return Account(words.name_in(profiles, identity), f"https://njump.me/{identity.npub}", facts)

    def limits_here(self) -> tuple[Limit, ...]:
        return (replace(self.limits[0], most=max(map(self._size_limit, self._urls()), default=BYTES_MOST)),)

    def mint(self, article: Article) -> Keys:
        """Return the keys. `d` is unique to the post, so that another post with the same slug never replaces it."""
        mark = hashlib.sha256(article.id.encode()).hexdigest()[:8]
        return {"d": f"{slugify(article.slug)}-{mark}".lstrip("-"), "at": str(int(self.clock()))}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        form = markdown(article.markdown, keeps={"tables", "strikethrough"}, label=self.label)
        body = {"tags": words.tags(article), "content": words.content(form.text, article.canonical_url)}
        return Payload(body, (*form.warnings, *self._size_warnings(words.size(body))))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        address = self._place(keys)
        # A deletion request covers all versions that are not newer than the request.
        deleted_at = RelayCopies.at(address, self._relays()).deleted_at
        return self._put(payload, address, max(_asked_at(keys), deleted_at + 1), [])

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        address = self._place(keys, receipt)
        copies = RelayCopies.at(address, self._relays())
        newest, earlier_ids = copies.newest(), [*known_ids(receipt), *copies.ids]
        if self._event(payload, address, newest["created_at"])["id"] == newest["id"]:
            # An earlier attempt succeeded. Send it to the relays that it did not reach.
            return self._put(payload, address, newest["created_at"], earlier_ids)
        last = max(newest["created_at"], copy_made_at(receipt))
        require_own_version(newest, receipt)
        return self._put(payload, address, max(_asked_at(keys), last + 1), earlier_ids)

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        """Ask all relays to delete the article. Succeeds once every relay that may have it accepted the request."""
        address, relays = self._place(keys, receipt), self._relays()
        copies = RelayCopies.at(address, relays)
        copies.replies.require_success()
        concerned = set(relays) - copies.without_it
        if not concerned:
            raise Gone("The article no longer exists on any relay.")
        ids = latest([*known_ids(receipt), *copies.ids])
        tags = [["a", str(address)], *(["e", one] for one in ids), ["k", str(ARTICLE)]]
        request = self._identity().sign(DELETION, max(_asked_at(keys), copies.last_at), tags, "")
        replies = each(relays, lambda relay: relay.tell(request))
        if left := [error for relay, error in replies.failed.items() if relay in concerned]:
            raise worst(left)

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the copy. If a relay does not respond, the result is unknown, and a person decides."""
        address = self._place(keys)
        copies = RelayCopies.at(address, self._relays())
        copies.replies.require_success()
        if copies.living:
            return CopyFound(self._receipt(address, copies.living[0], copies.ids))
        return CopyUnknown() if copies.replies.failed else CopyNotFound()

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        address = self._place(keys, receipt)
        copies = RelayCopies.at(address, self._relays())
        return self._receipt(address, copies.newest(), [*known_ids(receipt), *copies.ids])

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        """Return the newest version on the relays. Apps render the Markdown in their own way."""
        newest = RelayCopies.at(self._place(keys, receipt), self._relays()).newest()
        titles = values(newest, "title")
        return *(TextPart("title", title) for title in titles[:1]), TextPart("markdown", str(newest["content"]))

    def stats(self, receipt: Receipt) -> Figures:
        address = NostrAddress.of(receipt.remote_id)
        if address is None:
            raise Unsupported("blogsvc can't tell where this copy is on Nostr, so it can't read its statistics.")
        kinds = {"kinds": [words.LIKE, *words.COMMENTS, *words.SHARES], "limit": REACTIONS_MOST}
        root = {"kinds": [1111], "#A": [str(address)], "limit": REACTIONS_MOST}  # includes replies to comments
        replies = each(self._relays(), lambda relay: relay.ask({**kinds, "#a": [str(address)]}, root))
        replies.require_success()
        return words.figures([event for events in replies.done.values() for event in events], str(address))

    def secrets(self) -> tuple[str, ...]:
        """Return the key in all formats."""
        try:
            return (*super().secrets(), *self._identity().spellings)
        except ConnectorError:
            return super().secrets()

    def _put(self, payload: Payload, address: NostrAddress, created_at: int, earlier_ids: Sequence[str]) -> Receipt:
        """Send the article to all relays. Succeeds if at least one accepts it."""
        event = self._event(payload, address, created_at)
        replies = each(self._relays(), lambda relay: self._send(relay, event))
        replies.require_success()
        receipt = self._receipt(address, event, earlier_ids)
        missing = " ".join(relay.host for relay in replies.failed)
        return replace(receipt, extra={**receipt.extra, "missing": missing}) if missing else receipt

    def _send(self, relay: Relay, event: Event) -> None:
        """Send an event to a relay. Checks the size first, because relays may ignore events that are too long."""
        if words.size(event) > self._size_limit(relay.url):
            raise Rejected(f"The article is too long for {relay.host}. Shorten it, or use another relay.")
        relay.tell(event)

    def _event(self, payload: Payload, address: NostrAddress, created_at: int) -> Event:
        tags: Tags = [["d", address.name], *payload.body["tags"]]
        return self._identity().sign(ARTICLE, created_at, tags, payload.body["content"])

    def _receipt(self, address: NostrAddress, event: Event, earlier_ids: Sequence[str]) -> Receipt:
        pattern = self.settings.get("viewer", "").strip() or VIEWER_URL
        url = pattern.replace("{naddr}", address.naddr(self._relays()))
        extra = {"created_at": str(event["created_at"]), "ids": " ".join(latest([*earlier_ids, event["id"]]))}
        return Receipt(str(address), url, event["id"], extra)

    def _place(self, keys: Keys, receipt: Receipt | None = None) -> NostrAddress:
        public_key = self._identity().public_key
        address = NostrAddress.of(receipt.remote_id) if receipt else None
        if address is not None and address.public_key != public_key:
            raise Rejected("This copy was signed with another key. To change it, reconnect with that key.")
        if address is None and "d" not in keys:
            raise Rejected("blogsvc can't tell where this copy is on Nostr. Change it in a Nostr app.")
        return address or NostrAddress(public_key, keys["d"])

    def _identity(self) -> Identity:
        try:
            return Identity.of(self.settings.get("secret_key", ""))
        except ValueError as error:
            raise Disconnected(str(error), field="secret_key") from None

    def _urls(self) -> list[str]:
        return list(
            dict.fromkeys(url.rstrip("/") for url in re.split(r"[\s,]+", self.settings.get("relays", "")) if url)
        )

    def _relays(self) -> list[Relay]:
        urls, identity = self._urls(), self._identity()
        if not 0 < len(urls) <= RELAYS_MOST or not all(map(RELAY.fullmatch, urls)):
            detail = f"Enter 1 to {RELAYS_MOST} relays, one per line, each starting with wss://."
            raise Misconfigured(detail, field="relays")
        return [
            Relay(url, self.http.anywhere, identity, self.clock) for url in urls
        ]  # the key signs, and is never sent

    def _max_message_length(self, relay: Relay) -> int | None:
        """Return the relay's maximum message length (NIP-11), None if it does not state one."""
        try:
            page = "http" + relay.url.removeprefix("ws")
            replies = self.call("GET", page, headers={"Accept": "application/nostr+json"}, anonymous=True).json()
            max_length = replies["limitation"]["max_message_length"]
        except (ConnectorError, ValueError, KeyError, TypeError):
            return None
        return max_length if type(max_length) is int and max_length > 0 else None

    def _size_limit(self, url: str) -> int:
        max_bytes = self.facts.get(f"most {url}")
        return max_bytes if isinstance(max_bytes, int) else BYTES_MOST

    def _size_warnings(self, size: int) -> list[str]:
        """Return warnings for the relays that would reject the article. Raises Rejected if all would."""
        short = [url for url in self._urls() if size > self._size_limit(url)]
        if short and len(short) == len(self._urls()):
            limit = self.limits_here()[0].most
            raise Rejected(f"The article has about {size} bytes. Your relays allow up to {limit}. Shorten it.")
        return [f"The article is too long for {urlsplit(url).netloc} and won't be published there." for url in short]


def _asked_at(keys: Keys) -> int:
    """Return the Unix timestamp of the operation, the same for all attempts."""
    asked_at = made_at(keys.get("operation", ""))
    return int(asked_at.timestamp()) if asked_at else number(keys.get("at"))
