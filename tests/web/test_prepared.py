"""What takes time is done before the transaction: nobody else waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from flask import Flask

from blogsvc import connectors
from blogsvc.connections import manage
from blogsvc.connectors.base import Account, Article, Connector, Keys, Payload, Receipt, Rejected
from blogsvc.context import Tools
from blogsvc.lib.time import stamp
from blogsvc.models import Post, transaction
from blogsvc.models.transactions import is_writing
from blogsvc.posts import editing, prepare, publishing
from blogsvc.posts.publish_request import PublishRequest
from tests.api_client import Api
from tests.web.page_walk import Pages

DEADLINE = 60


class Slow(Connector):
    """A platform whose connector takes long to compose a post, and takes only short texts."""

    key = "slow"
    label = "Slow"
    accepts = "html"
    once = "It is only a test."
    began, may_go_on = Event(), Event()
    calls_in_transactions = 0

    def verify(self) -> Account:
        return Account("Ada")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        if is_writing():
            Slow.calls_in_transactions += 1
        self.began.set()
        assert self.may_go_on.wait(DEADLINE)
        if len(article.html) > 1000:
            raise Rejected("This is too long.")
        return Payload({"html": article.html})

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        return Receipt("1", None)


@pytest.fixture(autouse=True)
def slow(app: Flask, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Slow]]:
    monkeypatch.setitem(connectors.connectors(), "slow", Slow)
    Slow.began.clear()
    Slow.may_go_on.set()
    Slow.calls_in_transactions = 0
    manage.connect("slow", "slow", {}, tools)
    yield Slow
    Slow.may_go_on.set()


class Author:
    """Publishes a post in each way that there is."""

    def __init__(self, api: Api, pages: Pages, tools: Tools) -> None:
        self.api, self.pages, self.soon = api, pages, stamp(tools.now() + timedelta(hours=1))

    def publish(self, post_id: str) -> Any:
        return self.api.post(f"/posts/{post_id}/publish")

    def publish_once(self, post_id: str) -> Any:
        return self.api.post(f"/posts/{post_id}/publish", headers={"Idempotency-Key": "1"})

    def change_and_publish(self, post_id: str) -> Any:
        return self.api.put(f"/posts/{post_id}", json={"content": "Newer.", "slug": "new", "publish": True})

    def reschedule(self, post_id: str) -> Any:
        return self.api.patch(f"/posts/{post_id}", json={"title": "Newer", "scheduledAt": self.soon})

    def create_scheduled(self, _post_id: str) -> Any:
        new = {"title": "A post", "content": "New.", "platforms": ["slow"], "scheduledAt": self.soon}
        return self.api.post("/posts", json=new, headers={"Idempotency-Key": "2"})

    def publish_in_bulk(self, post_id: str) -> Any:
        return self.api.post("/posts/bulk", json={"operations": [{"operation": "publish", "id": post_id}]})

    def publish_in_pages(self, post_id: str) -> Any:
        return self.pages.post(f"/desk/posts/{post_id}/publish", platforms=["site", "slow"], when="now")

    def schedule_in_pages(self, post_id: str) -> Any:
        return self.pages.post("/desk/bulk/schedule", post=[post_id], how="at", at="2026-12-24T12:00")

    def move_in_calendar(self, post_id: str) -> Any:
        return self.pages.post(f"/desk/calendar/posts/{post_id}", day="2026-12-24", time="12:00")


WAYS = [name for name in vars(Author) if not name.startswith("_")]


@pytest.mark.parametrize("way", WAYS)
def test_others_write_while_a_post_is_composed(
    way: str,
    app: Flask,
    slow: type[Slow],
    api: Api,
    new_key: Callable[..., str],
    pages: Pages,
    tools: Tools,
    a_post: Callable[..., Post],
) -> None:
    post_id = a_post(platforms=["site", "slow"]).id
    author, other = Author(api, pages, tools), Api(app.test_client(), new_key())
    slow.may_go_on.clear()
    slow.began.clear()
    with ThreadPoolExecutor() as threads:
        publishing = threads.submit(getattr(author, way), post_id)
        assert slow.began.wait(DEADLINE)
        try:
            assert other.post("/posts", title="Another", content="Words.").status_code == 201
        finally:
            slow.may_go_on.set()
        assert publishing.result(DEADLINE).status_code < 400
    assert slow.calls_in_transactions == 0


def test_a_post_that_changed_meanwhile_is_prepared_again(a_post: Callable[..., Post], tools: Tools) -> None:
    post = a_post(platforms=["slow"])
    prepared = prepare.publication(post, PublishRequest(), tools)
    editing.edit(post, {"content": "Too long. " * 200}, None, tools.now())
    with pytest.raises(Exception, match="Slow: This is too long"), transaction():
        publishing.publish_request(post, PublishRequest(), tools.now(), tools, prepared)
    short = a_post(platforms=["slow"], content="Too long. " * 200)
    prepared = prepare.publication(short, PublishRequest(), tools)
    editing.edit(short, {"content": "Short."}, None, tools.now())
    with transaction():
        publishing.publish_request(short, PublishRequest(), tools.now(), tools, prepared)
    live = short.live_revision()
    assert live is not None
    assert live.html == "<p>Short.</p>\n"
