"""The contract of all connectors: the test of each connector subclasses `Contract`.

Define `make`, which returns a connected connector whose requests are answered by a fake, and
`copies`, which counts the copies on the fake. `HTTPContract` adds failures of requests,
for connectors that use HTTP. `BaseContract` is the part that needs no `publish`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from blogsvc.connectors.base import (
    Article,
    ArticleImage,
    Conflict,
    Connector,
    ConnectorError,
    CopyFound,
    CopyNotFound,
    Disconnected,
    Figures,
    Gone,
    Misconfigured,
    Payload,
    RateLimited,
    Receipt,
    Rejected,
    TextTooLong,
    Unavailable,
    Uncertain,
    Unsupported,
    by_part,
)
from blogsvc.connectors.payload_parts import parts
from blogsvc.lib.net.http import origin_of
from blogsvc.lib.text import losses
from tests.images import png
from tests.outside import Outside, Reply, Seen
from tests.tiers import matrix

DATE = "Fri, 20 Nov 2026 10:00:00 GMT"
RATE_LIMITS: dict[str, tuple[dict[str, str], Any, float]] = {
    "Retry-After in seconds": ({"Retry-After": "30"}, None, 30),
    "Retry-After as a date": ({"Retry-After": "Fri, 20 Nov 2026 10:00:30 GMT", "Date": DATE}, None, 30),
    "Mastodon: ISO time": ({"X-RateLimit-Reset": "2026-11-20T10:00:30.000Z", "Date": DATE}, None, 30),
    "X: epoch": ({"x-rate-limit-reset": "1795168830", "Date": DATE}, None, 30),
    "Bluesky: epoch": ({"RateLimit-Reset": "1795168830", "Date": DATE}, None, 30),
    "IETF draft: seconds from now": ({"RateLimit-Reset": "30"}, None, 30),
    "Discord: float in the body": ({}, {"retry_after": 30.5, "global": False}, 30.5),
    "Discord: float in a header": ({"X-RateLimit-Reset-After": "30.5"}, None, 30.5),
    "Telegram: parameters": ({}, {"ok": False, "parameters": {"retry_after": 30}}, 30),
    "Matrix: milliseconds": ({}, {"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 30500}, 30.5),
}
# All notations are read by the same code; test_call.py has one connector read each of them.
USUAL_LIMITS = ("Retry-After in seconds", "Telegram: parameters")
# Successes whose body says nothing about the copy: the media type and the body.
UNREADABLE: dict[str, tuple[str, bytes]] = {
    "a web page": ("text/html", b"<!doctype html>"),
    "text": ("text/plain", b"Welcome"),
    "nothing": ("", b""),
    "JSON that was cut off": ("application/json", b'{"id": "7'),
    "JSON without an id": ("application/json", b"{}"),
    "a list": ("application/json", b"[]"),
}
USUAL_UNREADABLE = ("a web page", "JSON without an id", "a list")
# Ids that a hostile platform returns, to have the token used for something else. Requests must not reach `elsewhere`.
HOSTILE_IDS = (
    "../../../../elsewhere/7",
    "7/../elsewhere",
    "7/elsewhere",
    "7?elsewhere=1",
    "7&elsewhere=1",
    "7#elsewhere",
    "..",
    ".",
    "%2e%2e/elsewhere",
    "..\\elsewhere",
    "//elsewhere/7",
    "https://elsewhere/7",
    "",
)
# Ids that a hostile platform returns, which can't be stored, or lead elsewhere.
UNUSABLE_IDS = {"too long": "x" * 2001, "NUL": "a\0b", "a surrogate": "\ud800", "a dot segment": ".."}
# Where a hostile server of https://own.example wants the secrets to go.
TARGETS: dict[str, Callable[[str], str]] = {
    "another host": lambda host: "https://thief.example",
    "another port": lambda host: f"https://{host}:8443",
    "plain HTTP": lambda host: f"http://{host}",
    "a subdomain": lambda host: f"https://thief.{host}",
    "a host behind a user name": lambda host: f"https://{host}@thief.example",
}
ID_FIELDS = {"id", "ts", "event_id", "message_id"}
# When the operations of these tests were chosen, on the clock of the fakes.
CHOSEN_AT = "2026-11-20T10:00:00Z"
AN_IMAGE = "https://blog.example/media/tree.png"
AN_ARTICLE = Article(
    id="01JD0000000000000000000001",
    title="Of trees",
    slug="of-trees",
    markdown=f"A *tree*.\n\n![A tree]({AN_IMAGE})\n",
    html=f'<p>A <em>tree</em>.</p><p><img src="{AN_IMAGE}" alt="A tree"></p>',
    summary="About trees.",
    canonical_url="https://blog.example/posts/of-trees",
    tags=("nature", "trees"),
    images=(ArticleImage(AN_IMAGE, "A tree"),),
    language="en",
    published_at=datetime(2026, 11, 20, 10, 0, tzinfo=UTC),
    updated_at=datetime(2026, 11, 20, 10, 0, tzinfo=UTC),
)
ANOTHER_ID = "01JD0000000000000000000002"
FAMILY = "👩‍👩‍👧‍👦"


def keys_of(connector: Connector, article: Article = AN_ARTICLE) -> dict[str, str]:
    """Return the keys of a lookup, as the engine has them."""
    sent = connector.sent_keys(connector.compose(article, {}))
    return {**connector.mint(article), **sent, "operation": "op-1", "armed_at": CHOSEN_AT}


def with_own_text(article: Article, text: str, **changes: Any) -> Article:
    """Return the article with a text that the author wrote for its destination."""
    return replace(article, own_text=text, markdown=text, **changes)


def with_id(reply: Reply, remote_id: str) -> Reply:
    """Return a response that names a copy by this id. A header can hold only printable text."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(one) for one in value]
        if isinstance(value, dict):
            return {name: remote_id if name in ID_FIELDS else changed(one) for name, one in value.items()}
        return value

    location = {"Location": remote_id} if "Location" in reply.headers and remote_id.isprintable() else {}
    return replace(reply, json=changed(reply.json), headers={**reply.headers, **location})


def hostile_reply(target: str) -> Reply:
    """Return a response that pleases every connector, and names the target in each place where one may look."""
    link = f'<{target}/wp-json/>; rel="https://api.w.org/", <{target}/micropub>; rel="micropub"'
    names = ("media-endpoint", "next", "url", "endpoint", "serviceEndpoint", "upload_url", "location", "source_url")
    return Reply(
        json={
            **dict.fromkeys(names, f"{target}/in"),
            **dict.fromkeys(("id", "name", "username"), "x"),
            **dict.fromkeys(("jwt", "accessJwt", "refreshJwt"), "a-token-of-the-server"),
            "did": "did:plc:x",
            "user_id": "@x:own.example",
            "room_id": "!x:own.example",
            "event_id": "$x",
            "version": "0.19.0",
            "namespaces": ["wp/v2"],
            "capabilities": {"publish_posts": True, "upload_files": True},
            "m.homeserver": {"base_url": target},
            "service": [{"id": "#atproto_pds", "serviceEndpoint": target}],
            "site": {"title": "x", "version": "5", "url": target},
            "_links": {"self": [{"href": f"{target}/in"}], "wp:attachment": [{"href": f"{target}/in"}]},
            "posts": [],
        },
        headers={"Link": link, "Location": f"{target}/in"},
    )


def redirect_to(target: str) -> Callable[[Seen], Reply]:
    """Return a server that redirects all reads to the target, where it names the target."""

    def answer(seen: Seen) -> Reply:
        is_there = origin_of(seen.url) == origin_of(target)
        return hostile_reply(target) if is_there else Reply(302, headers={"Location": f"{target}/in"})

    return answer


HOSTILE_SERVERS: dict[str, Callable[[str], Callable[[Seen], Reply]]] = {
    "names": lambda target: lambda seen: hostile_reply(target),
    "redirects to": redirect_to,
}


class BaseContract:
    """What all connectors share, also those that send nothing, because a person posts the copies.

    `too_long` is an article over a limit of the platform, if it has one.
    """

    article = AN_ARTICLE
    too_long: Article | None = None

    def make(self, outside: Outside) -> Connector:
        raise NotImplementedError

    @pytest.fixture
    def outside(self) -> Outside:
        return Outside()

    @pytest.fixture
    def connector(self, outside: Outside) -> Connector:
        return self.make(outside)

    @pytest.fixture
    def payload(self, connector: Connector) -> Payload:
        return connector.compose(self.article, {})

    def test_the_connector_has_key_label_and_repeatable_operations(self, connector):
        assert connector.key
        assert connector.label
        assert connector.repeatable <= {"create", "update", "delete"}

    def test_the_account_has_a_name(self, connector):
        assert connector.verify().name

    def test_composing_needs_no_network_and_is_deterministic(self, connector, outside):
        before = len(outside.requests)
        first, second = (connector.compose(self.article, {}) for _ in range(2))
        assert first.hash == second.hash
        assert len(outside.requests) == before

    def test_a_changed_title_changes_the_hash(self, connector, payload):
        other = connector.compose(replace(self.article, title="Of bushes"), {})
        assert other.hash != payload.hash

    def test_the_copy_links_to_the_canonical_url(self, connector, payload):
        if "canonical_url" not in connector.carries:
            pytest.skip("the payload has no canonical URL")
        assert self.article.canonical_url in json.dumps(payload.body)

    def test_too_long_content_is_rejected_before_sending(self, connector, outside):
        if self.too_long is None:
            pytest.skip("the platform has no limit")
        with pytest.raises(Rejected) as refused:
            connector.compose(self.too_long, {})
        assert isinstance(refused.value, TextTooLong) == self.too_long.is_own

    def test_the_text_of_an_announcement_can_be_changed_and_keeps_its_link(self, connector, payload):
        if payload.announcement is None:
            assert connector.category != "announcement" or "text" not in by_part(connector.limits)
            pytest.skip("the payload is no announcement")
        assert self.article.canonical_url not in payload.announcement
        typed = f"{payload.announcement}\n\n- As *typed* 1 < 2"
        changed = connector.compose(with_own_text(self.article, typed), {})
        assert changed.announcement == typed
        assert changed.hash != payload.hash
        assert self.article.canonical_url in json.dumps(changed.body)

    def test_the_length_of_an_announcement_is_counted_up_to_its_limit(self, connector, payload):
        if payload.announcement is None:
            pytest.skip("the payload is no announcement")
        limit = by_part(connector.limits_here())["text"]

        def compose(size):
            return connector.compose(with_own_text(self.article, "x" * size), {})

        with pytest.raises(TextTooLong) as refused:
            compose(2 * limit.most)
        most = 2 * limit.most - refused.value.over
        assert compose(most).length == limit.most
        with pytest.raises(TextTooLong) as refused:
            compose(most + 1)
        assert (refused.value.over, refused.value.unit) == (1, limit.unit)

    def test_secrets_do_not_appear_in_the_repr(self, connector):
        for value in filter(None, connector.secrets()):
            assert value not in repr(connector)

    def first_settings(self, connector: Connector) -> dict[str, str]:
        """Return settings with which the connector looks the server up, if it can."""
        return dict(connector.settings)

    @pytest.mark.parametrize("target", TARGETS)
    @pytest.mark.parametrize("server", HOSTILE_SERVERS)
    def test_secrets_go_only_to_the_origin_that_was_entered(self, connector, outside, server, target):
        """On a first connection, and later, a server can't have them sent to another host, port or scheme."""
        settings = self.first_settings(connector)
        first = replace(connector, settings=settings, http=outside.http(), facts={}, session={})
        entered = first.origins()
        hosts = [host for host in (urlsplit(origin).hostname for origin in sorted(entered)) if host]
        outside.always(answer=HOSTILE_SERVERS[server](TARGETS[target]((hosts or ["own.example"])[0])))
        before = len(outside.requests)
        self.use(first)
        for seen in outside.requests[before:]:
            assert origin_of(seen.url) in entered or not self.secrets_in(seen, first), seen.url

    def secrets_in(self, seen: Seen, connector: Connector) -> list[str]:
        """Return the secrets of a connector that a request contains."""
        told = f"{seen.url} {seen.headers} {seen.body.decode(errors='replace')}"
        derived = [seen.headers["authorization"]] if "authorization" in seen.headers else []
        return [*derived, *(secret for secret in connector.secrets() if secret in told)]

    def use(self, connector: Connector) -> None:
        """Connect, and use every ability, whatever the platform responds."""
        with suppress(ConnectorError):
            connector = replace(connector, facts=dict(connector.verify().facts))
        if connector.can("hand_over"):
            return
        payload = connector.compose(self.article, {})
        keys, receipt = keys_of(connector), Receipt("7", "https://own.example/7")
        uses: tuple[Callable[[], Any], ...] = (
            lambda: connector.publish(payload, keys),
            lambda: connector.update(payload, keys, receipt),
            lambda: connector.unpublish(keys, receipt),
            lambda: connector.find(keys),
            lambda: connector.find_all(keys),
            lambda: connector.fetch_version(keys, receipt),
            lambda: connector.read_back(keys, receipt),
            lambda: connector.stats(receipt),
            lambda: connector.mailing("7"),
            lambda: connector.stage(payload, keys, None),
            lambda: connector.delete(keys, receipt),
        )
        for one in uses:
            with suppress(ConnectorError):
                one()

    def test_the_connector_explains_how_it_avoids_a_second_copy(self, connector):
        assert connector.once


class Contract(BaseContract):
    """Connectors that publish.

    A connector with `look` defines `edit_on_platform`, one with `stats` defines `add_readers`, and one whose `find`
    reads a list of posts defines `bury`: what people do on the platform itself.
    """

    # `find` asks for the copy by its key, not for a list of posts.
    finds_by_key = False
    chosen_at = CHOSEN_AT

    def copies(self, outside: Outside) -> int:
        raise NotImplementedError

    def readable(self, outside: Outside) -> int:
        """Return the number of copies that readers see: all, unless the platform has drafts."""
        return self.copies(outside)

    def edit_on_platform(self, outside: Outside) -> None:
        """Edit the only copy on the platform itself."""
        raise NotImplementedError

    def add_readers(self, outside: Outside) -> Figures:
        """Add readers to the only copy, and return the figures that the platform should report."""
        raise NotImplementedError

    def bury(self, outside: Outside) -> None:
        """Add more newer posts of the same account than a lookup reads."""
        raise NotImplementedError

    def keys(self, connector: Connector, operation: str = "op-1", article: Article | None = None) -> dict[str, str]:
        return {**keys_of(connector, article or self.article), "operation": operation, "armed_at": self.chosen_at}

    def test_publishing_returns_a_receipt(self, connector, payload, outside):
        receipt = connector.publish(payload, self.keys(connector))
        assert receipt.remote_id
        assert self.copies(outside) == 1

    def test_an_emoji_of_seven_code_points_is_kept(self, connector, outside):
        article = replace(self.article, title=f"Of families {FAMILY}")
        connector.publish(connector.compose(article, {}), self.keys(connector))
        assert self.copies(outside) == 1

    def test_a_copy_can_be_created_updated_and_deleted(self, connector, payload, outside):
        keys = self.keys(connector)
        receipt = connector.publish(payload, keys)
        self.check_found(connector, keys, CopyFound)
        if connector.can("update"):
            changed = connector.compose(replace(self.article, title="Of bushes"), {})
            receipt = connector.update(changed, {**keys, "operation": "op-2"}, receipt)
            assert receipt.remote_id
            assert self.copies(outside) == 1
        if connector.can("delete"):
            connector.delete({**keys, "operation": "op-3"}, receipt)
            assert self.copies(outside) == 0
            self.check_found(connector, keys, CopyNotFound)
            self.delete_again(connector, {**keys, "operation": "op-4"}, receipt)

    def test_an_unpublished_copy_is_a_draft_and_published_again_as_the_same_copy(self, connector, payload, outside):
        if not connector.can("unpublish"):
            pytest.skip("the connector has no such ability")
        keys = self.keys(connector)
        receipt = connector.publish(payload, keys)
        try:
            draft = connector.unpublish({**keys, "operation": "op-2"}, receipt)
        except Unsupported:
            pytest.skip("this server has no drafts")
        assert (draft.remote_id, self.readable(outside)) == (receipt.remote_id, 0)
        again = connector.unpublish({**keys, "operation": "op-2"}, receipt)  # its response was lost
        assert again.remote_id == receipt.remote_id
        there = connector.update(payload, {**keys, "operation": "op-3"}, draft)
        assert (there.remote_id, self.readable(outside), self.copies(outside)) == (receipt.remote_id, 1, 1)

    def test_a_copy_that_was_edited_on_the_platform_does_not_become_a_draft(self, connector, payload, outside):
        if not (connector.can("unpublish") and connector.can("fetch_version")):
            pytest.skip("the connector has no such ability")
        keys = self.keys(connector)
        receipt = connector.publish(payload, keys)
        self.edit_on_platform(outside)
        with pytest.raises((Conflict, Unsupported)):
            connector.unpublish({**keys, "operation": "op-2"}, receipt)
        assert self.readable(outside) == 1

    def test_an_edit_on_the_platform_changes_the_version(self, connector, payload, outside):
        if not connector.can("fetch_version"):
            pytest.skip("the connector has no such ability")
        keys = self.keys(connector)
        receipt = connector.publish(payload, keys)
        assert connector.fetch_version(keys, receipt).version == receipt.version
        if connector.can("update"):
            changed = connector.compose(replace(self.article, title="Of bushes"), {})
            receipt = connector.update(changed, {**keys, "operation": "op-2"}, receipt)
            assert connector.fetch_version(keys, receipt).version == receipt.version
        self.edit_on_platform(outside)
        assert connector.fetch_version(keys, receipt).version != receipt.version

    def test_look_raises_gone_for_a_deleted_copy(self, connector, payload, outside):
        if not (connector.can("fetch_version") and connector.can("delete")):
            pytest.skip("the connector has no such ability")
        keys = self.keys(connector)
        receipt = connector.publish(payload, keys)
        connector.delete({**keys, "operation": "op-2"}, receipt)
        with pytest.raises(Gone):
            connector.fetch_version(keys, receipt)

    def test_an_edit_on_the_platform_is_overwritten_only_without_a_known_version(self, connector, payload, outside):
        if not (connector.can("fetch_version") and connector.can("update")):
            pytest.skip("the connector has no look or no update")
        keys = self.keys(connector)
        receipt = connector.publish(payload, keys)
        self.edit_on_platform(outside)
        changed = connector.compose(replace(self.article, title="Of bushes"), {})
        with pytest.raises(Conflict):
            connector.update(changed, {**keys, "operation": "op-2"}, receipt)
        on_my_word = replace(receipt, version=None)
        receipt = connector.update(changed, {**keys, "operation": "op-3"}, on_my_word)
        assert connector.fetch_version(keys, receipt).version == receipt.version

    def test_a_copy_reads_as_it_was_sent(self, connector, payload, outside):
        if not connector.can("read_back"):
            pytest.skip("the connector has no such ability")
        keys = self.keys(connector)
        receipt = connector.publish(payload, keys)
        assert self.losses(connector, payload, keys, receipt) == []
        if connector.can("update"):
            words = {"markdown": "A *bush*.", "html": "<p>A <em>bush</em>.</p>", "images": ()}
            another = replace(self.article, title="Of bushes", summary="About bushes.", **words)
            changed = connector.compose(another, {})
            keys = {**keys, "operation": "op-2"}
            receipt = connector.update(changed, keys, receipt)
            assert self.losses(connector, changed, keys, receipt) == []
            assert self.losses(connector, payload, keys, receipt) != []

    def losses(self, connector, payload, keys, receipt):
        """Return what readers miss of a payload."""
        sent, shown = parts(connector, payload), connector.read_back(keys, receipt)
        pairs = ([(part.form, part.text) for part in side] for side in (sent, shown))
        return losses.compare(*pairs).losses

    def test_reading_a_deleted_copy_raises_gone(self, connector, payload, outside):
        if not (connector.can("read_back") and connector.can("delete")):
            pytest.skip("the connector has no such ability")
        keys = self.keys(connector)
        receipt = connector.publish(payload, keys)
        connector.delete({**keys, "operation": "op-2"}, receipt)
        with pytest.raises(Gone):
            connector.read_back(keys, receipt)

    def test_stats_return_the_figures_of_the_platform(self, connector, payload, outside):
        if not connector.can("stats"):
            pytest.skip("the connector has no such ability")
        receipt = connector.publish(payload, self.keys(connector))
        assert isinstance(connector.stats(receipt), Figures)
        expected = self.add_readers(outside)
        assert expected != Figures()
        assert connector.stats(receipt) == expected

    def test_repeating_an_operation_creates_one_copy(self, connector, payload, outside):
        if "create" not in connector.repeatable:
            pytest.skip("the engine looks the copy up first")
        keys = self.keys(connector)
        first, second = connector.publish(payload, keys), connector.publish(payload, keys)
        assert first.remote_id == second.remote_id
        assert self.copies(outside) == 1

    def test_all_copies_of_a_post_are_found(self, connector, payload, outside):
        """A request that arrives late creates a second copy, where the platform allows it."""
        if not connector.can("find_all"):
            pytest.skip("the platform accepts each key once, or lists no posts")
        keys = self.keys(connector)
        made = {connector.publish(payload, keys).remote_id for _ in range(2)}
        try:
            found = connector.find_all(keys)
        except Unsupported:
            pytest.skip("this server lists no posts")
        assert {copy.remote_id for copy in found} == made
        assert len(found) == self.copies(outside)
        for copy in found:
            connector.delete(keys, copy)
        assert connector.find_all(keys) == []

    @pytest.fixture
    def staging(self, connector):
        """The connector, if it has drafts."""
        if not connector.can("stage"):
            pytest.skip("the connector has no drafts")
        return connector

    def test_readers_see_a_staged_draft_once_it_is_published(self, staging, payload, outside):
        keys = self.keys(staging)
        draft = staging.stage(payload, keys, None)
        assert (self.copies(outside), self.readable(outside)) == (1, 0)
        receipt = staging.publish_draft(payload, keys, draft, is_same=True)
        assert (self.copies(outside), self.readable(outside)) == (1, 1)
        assert receipt.remote_id == draft.remote_id
        assert staging.fetch_version(keys, receipt).version == receipt.version

    def test_publishing_a_draft_twice_returns_the_same_copy(self, staging, payload, outside):
        keys = self.keys(staging)
        draft = staging.stage(payload, keys, None)
        first, second = (staging.publish_draft(payload, keys, draft, is_same=True) for _ in range(2))
        assert first == second
        assert self.copies(outside) == 1

    def test_a_staged_draft_can_be_updated_and_published_with_another_text(self, staging, payload, outside):
        keys = self.keys(staging)
        draft = staging.stage(payload, keys, None)
        bushes = staging.compose(replace(self.article, title="Of bushes"), {})
        draft = staging.stage(bushes, keys, draft)
        assert (self.copies(outside), self.readable(outside)) == (1, 0)
        hedges = staging.compose(replace(self.article, title="Of hedges"), {})
        receipt = staging.publish_draft(hedges, keys, draft, is_same=False)
        assert (self.copies(outside), self.readable(outside)) == (1, 1)
        staging.update(bushes, {**keys, "operation": "op-2"}, receipt)

    def test_only_a_draft_is_found_as_a_draft(self, staging, payload, outside):
        keys = self.keys(staging)
        assert not isinstance(staging.find_draft(keys), CopyFound)
        draft = staging.stage(payload, keys, None)
        found = staging.find_draft(keys)
        assert isinstance(found, CopyFound)
        assert found.receipt.remote_id == draft.remote_id
        staging.publish_draft(payload, keys, draft, is_same=True)
        assert isinstance(staging.find_draft(keys), CopyNotFound)

    def test_a_discarded_draft_is_gone(self, staging, payload, outside):
        keys = self.keys(staging)
        draft = staging.stage(payload, keys, None)
        staging.discard_draft(keys, draft)
        assert self.copies(outside) == 0
        for use in (
            lambda: staging.publish_draft(payload, keys, draft, is_same=True),
            lambda: staging.stage(payload, keys, draft),
        ):
            with pytest.raises(Gone):
                use()

    def test_a_draft_that_was_changed_on_the_platform_stays_as_it_is(self, staging, payload, outside):
        keys = self.keys(staging)
        draft = staging.stage(payload, keys, None)
        self.edit_on_platform(outside)
        for use in (
            lambda: staging.stage(payload, keys, draft),
            lambda: staging.publish_draft(payload, keys, draft, is_same=True),
            lambda: staging.discard_draft(keys, draft),
        ):
            with pytest.raises(Conflict):
                use()
        assert (self.copies(outside), self.readable(outside)) == (1, 0)
        staging.publish_draft(payload, keys, replace(draft, version=None), is_same=False)
        assert self.readable(outside) == 1

    def test_a_published_copy_is_never_discarded_as_a_draft(self, staging, payload, outside):
        keys = self.keys(staging)
        receipt = staging.publish(payload, keys)
        with pytest.raises(Conflict):
            staging.discard_draft(keys, receipt)
        assert self.copies(outside) == 1

    def test_two_concurrent_posts_create_two_copies(self, connector, outside):
        articles = [replace(self.article, id=f"id-{n}", slug=f"slug-{n}") for n in (1, 2)]

        def publish(article: Article) -> str:
            keys = {**connector.mint(article), "operation": f"op-{article.id}"}
            return connector.publish(connector.compose(article, {}), keys).remote_id

        with ThreadPoolExecutor(2) as pool:
            ids = list(pool.map(publish, articles))
        assert len(set(ids)) == 2
        assert self.copies(outside) == 2

    def test_a_copy_behind_newer_posts_is_not_missing(self, connector, payload, outside):
        """`CopyNotFound` means that the copy is sent again."""
        if self.finds_by_key or not connector.can("find"):
            pytest.skip("the connector reads no list of posts")
        keys = self.keys(connector)
        connector.publish(payload, keys)
        self.bury(outside)
        assert not isinstance(connector.find(keys), CopyNotFound)
        assert not isinstance(connector.find({**keys, "armed_at": ""}), CopyNotFound)

    def test_an_older_post_of_others_with_the_same_text_is_not_the_copy(self, connector, outside):
        """Others write with the same account, and what is found may be changed or deleted."""
        earlier = self.article.published_at - timedelta(days=1)
        by_others = replace(self.article, id=ANOTHER_ID, published_at=earlier)
        connector.publish(connector.compose(by_others, {}), self.keys(connector, article=by_others))
        later = (datetime.fromisoformat(self.chosen_at) + timedelta(days=30)).isoformat()
        self.check_not_adopted(connector, {**self.keys(connector, "op-2"), "armed_at": later})

    def test_a_new_post_of_others_with_the_same_link_and_title_is_not_the_copy(self, connector, outside):
        words = {"summary": "About oaks.", "markdown": "An oak.", "html": "<p>An oak.</p>", "images": ()}
        by_others = replace(self.article, id=ANOTHER_ID, **words)
        connector.publish(connector.compose(by_others, {}), self.keys(connector, article=by_others))
        self.check_not_adopted(connector, self.keys(connector, "op-2"))

    def check_not_adopted(self, connector: Connector, keys: dict[str, str]) -> None:
        if not (connector.can("find") or connector.can("find_all")):
            pytest.skip("the connector looks nothing up")
        assert not isinstance(connector.find(keys), CopyFound)
        with suppress(Unsupported):
            assert connector.find_all(keys) == []

    def check_found(self, connector: Connector, keys: dict[str, str], expected: type) -> None:
        if connector.can("find"):
            assert isinstance(connector.find(keys), expected)

    def delete_again(self, connector: Connector, keys: dict[str, str], receipt: Any) -> None:
        """Deleting a deleted copy is a success for the engine."""
        with suppress(Gone):
            connector.delete(keys, receipt)


class HTTPContract(Contract):
    """Failures of HTTP requests.

    `takes_any_answer`: the platform promises no JSON, so an HTML page proves nothing. `is_creation` selects the
    request that creates the copy, if others come before it.
    """

    takes_any_answer = False

    def live(self, now: datetime) -> None:
        """Set the clock of the fake to that of the engine."""

    def finish_sending(self) -> None:
        """Let the fake finish what takes the platform some time, such as sending an e-mail."""

    def is_creation(self, seen: Seen) -> bool:
        return seen.method not in ("GET", "HEAD")

    @pytest.fixture
    def outside(self) -> Outside:
        world = Outside()
        world.teach("GET", AN_IMAGE, body=png(), headers={"Content-Type": "image/png"})
        return world

    def publish(self, connector: Connector) -> Receipt:
        return connector.publish(connector.compose(self.article, {}), self.keys(connector))

    def test_its_secrets_are_sent_to_its_own_addresses_only(self, connector, payload, outside):
        """Stored settings work with a client that refuses all other origins."""
        known = replace(connector, facts=dict(connector.verify().facts))
        bound = replace(known, http=known.http.only_to(known.origins()))
        assert bound.verify().name
        receipt = bound.publish(payload, self.keys(bound))
        if bound.can("stats"):
            bound.stats(receipt)
        assert self.copies(outside) == 1

    @pytest.mark.parametrize("hostile", HOSTILE_IDS)
    def test_an_id_of_the_platform_cannot_lead_a_request_elsewhere(self, connector, payload, outside, hostile):
        keys = self.keys(connector)
        receipt = replace(connector.publish(payload, keys), remote_id=hostile, version=None)
        before = len(outside.requests)
        outside.always(status=404, json={})
        uses = {
            "update": lambda: connector.update(payload, {**keys, "operation": "op-2"}, receipt),
            "delete": lambda: connector.delete({**keys, "operation": "op-3"}, receipt),
            "unpublish": lambda: connector.unpublish({**keys, "operation": "op-4"}, receipt),
            "fetch_version": lambda: connector.fetch_version(keys, receipt),
            "read_back": lambda: connector.read_back(keys, receipt),
            "stats": lambda: connector.stats(receipt),
            "mailing": lambda: connector.mailing(hostile),
            "stage": lambda: connector.stage(payload, keys, receipt),
            "publish_draft": lambda: connector.publish_draft(payload, keys, receipt, is_same=True),
            "discard_draft": lambda: connector.discard_draft(keys, receipt),
        }
        for use in uses.values():
            with suppress(ConnectorError):
                use()
        for seen in outside.requests[before:]:
            self.check_goes_nowhere_else(seen)

    @pytest.mark.parametrize("name", UNUSABLE_IDS)
    def test_an_unusable_id_of_a_new_copy_is_a_question_to_a_person(self, connector, payload, outside, name):
        """The copy exists, so another error would have it sent again."""
        outside.change_next(self.is_creation, lambda reply: with_id(reply, UNUSABLE_IDS[name]))
        with suppress(Uncertain):  # other connectors use no id of the platform, or quote it
            connector.publish(payload, self.keys(connector))
        for seen in outside.requests:
            self.check_goes_nowhere_else(seen)

    def check_goes_nowhere_else(self, seen: Seen) -> None:
        parts = urlsplit(seen.url)
        assert parts.hostname != "elsewhere", seen.url
        assert not {"elsewhere", "..", "."} & set(parts.path.split("/")), seen.url
        assert "//" not in parts.path, seen.url
        assert "elsewhere" not in dict(parse_qsl(parts.query, keep_blank_values=True)), seen.url
        assert not parts.fragment, seen.url

    @matrix("notation", RATE_LIMITS, default=lambda notation: notation in USUAL_LIMITS)
    def test_a_rate_limit_is_respected(self, connector, outside, notation):
        headers, body, seconds = RATE_LIMITS[notation]
        outside.always(self.is_creation, status=429, headers=headers, json=body)
        with pytest.raises(RateLimited) as caught:
            self.publish(connector)
        assert caught.value.retry_after == seconds

    def test_an_expired_credential_raises_disconnected(self, connector, outside):
        outside.always(self.is_creation, status=401, json={"error": "invalid_token"})
        with pytest.raises(Disconnected):
            self.publish(connector)

    def test_content_that_the_platform_rejects_raises_rejected(self, connector, outside):
        outside.always(self.is_creation, status=422, json={"error": "Title is too dull"})
        with pytest.raises(Rejected, match="Title is too dull"):
            self.publish(connector)

    @matrix("status", [301, 302, 303, 307], default=lambda status: status in (302, 307))
    def test_a_redirect_is_not_followed(self, connector, outside, status):
        """A 302 or 303 may follow a request that was executed."""
        outside.always(self.is_creation, status=status, headers={"Location": "https://elsewhere.example/"})
        with pytest.raises(self.unknown(connector) if status in (302, 303) else Misconfigured):
            self.publish(connector)
        assert not any(seen.url.startswith("https://elsewhere.example") for seen in outside.requests)

    @matrix("answer", UNREADABLE, default=lambda answer: answer in USUAL_UNREADABLE)
    def test_an_unreadable_success_leaves_the_outcome_unknown(self, connector, outside, answer):
        """The platform may have created the copy before a plugin or a firewall replaced its response."""
        if self.takes_any_answer:
            pytest.skip("the platform accepts any response")
        media_type, body = UNREADABLE[answer]
        outside.always(self.is_creation, status=200, body=body, headers={"Content-Type": media_type})
        with pytest.raises(self.unknown(connector)):
            self.publish(connector)

    def unknown(self, connector: Connector) -> type[ConnectorError]:
        """Return the error for a creation with an unknown outcome."""
        return Unavailable if "create" in connector.repeatable else Uncertain

    @pytest.mark.parametrize("failure", ["refused", "unreachable"])
    def test_a_request_that_was_never_sent_is_retried_later(self, connector, outside, failure):
        outside.always(self.is_creation, failure=failure)
        with pytest.raises(Unavailable):
            self.publish(connector)

    @pytest.mark.parametrize("reply", [{"failure": "lost"}, {"failure": "hangs"}, {"status": 502}])
    def test_an_unknown_outcome_is_uncertain_unless_the_operation_is_repeatable(self, connector, outside, reply):
        outside.always(self.is_creation, **reply)
        with pytest.raises(self.unknown(connector)):
            self.publish(connector)

    @matrix(
        "status",
        [302, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503],
        default=lambda status: status in (302, 401, 404, 422, 429, 500),
    )
    def test_no_error_contains_a_secret(self, connector, outside, status):
        told = " ".join(connector.secrets())
        outside.always(status=status, json={"error": f"bad credential {told}"})
        with pytest.raises(ConnectorError) as caught:
            self.publish(connector)
        for secret in connector.secrets():
            assert secret not in f"{caught.value!r} {caught.value}"

    def test_a_response_lost_while_publishing_a_draft_is_uncertain_and_it_is_published_once(self, connector, outside):
        if not connector.can("stage"):
            pytest.skip("the connector has no drafts")
        keys, payload = self.keys(connector), connector.compose(self.article, {})
        draft = connector.stage(payload, keys, None)
        outside.lose_next(lambda seen: seen.method in ("POST", "PUT"))
        with pytest.raises(Uncertain):
            connector.publish_draft(payload, keys, draft, is_same=True)
        assert connector.publish_draft(payload, keys, draft, is_same=True).remote_id == draft.remote_id
        assert (self.copies(outside), self.readable(outside)) == (1, 1)

    def test_an_image_that_cannot_be_fetched_does_not_block_the_post(self, connector, outside):
        outside.always(lambda seen: seen.url == AN_IMAGE, status=404)
        self.publish(connector)
        assert self.copies(outside) == 1

    def test_a_response_lost_after_the_commit_creates_no_second_copy(self, connector, outside):
        if "create" not in connector.repeatable and not connector.can("find"):
            pytest.skip("the author resolves uncertain deliveries")
        outside.lose_next(self.is_creation)
        keys = self.keys(connector)
        payload = connector.compose(self.article, {})
        with pytest.raises((Unavailable, Uncertain)):
            connector.publish(payload, keys)
        if "create" in connector.repeatable:
            connector.publish(payload, keys)
        else:
            assert isinstance(connector.find(keys), CopyFound)
        assert self.copies(outside) == 1
