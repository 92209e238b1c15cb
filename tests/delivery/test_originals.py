"""A post that is not on this blog has its first copy as its original, which the other copies link to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import ClassVar

import pytest
from flask import Flask

from blogsvc import connectors
from blogsvc.connections import manage
from blogsvc.connectors.base import Account, Article, Connector, Field, Keys, Payload, Receipt, Unavailable
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Delivery, Post, db
from blogsvc.posts import editing, publishing
from tests.clock import Time

Tick = Callable[[], None]


class Board(Connector):
    """A platform whose copies have the address of their account. `sent` are the accounts and links of all requests."""

    key = "board"
    label = "Board"
    accepts = "html"
    once = "It is only a test."
    fields = (Field("name", "Name"),)
    repeatable = frozenset({"create", "update", "delete"})
    sent: ClassVar[list[tuple[str, str | None]]] = []
    down: ClassVar[set[str]] = set()

    def verify(self) -> Account:
        return Account("Ada")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return Payload({"title": article.title, "link": article.canonical_url})

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        return self.update(payload, keys, Receipt("1", f"https://{self.settings['name']}.example/1"))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        self.sent.append((self.settings["name"], payload.body["link"]))
        if self.settings["name"] in self.down:
            raise Unavailable("Down.", 5)
        return receipt

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        pass


@pytest.fixture(autouse=True)
def boards(app: Flask, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connectors.connectors(), "board", Board)
    Board.sent.clear()
    Board.down.clear()
    for name in ("oak", "elm"):
        manage.connect("board", name, {"name": name}, tools)


@pytest.fixture
def post(a_post: Callable[..., Post], tick: Tick, time: Time) -> Post:
    """Return a post that is on oak, and a minute later on elm."""
    post = a_post(live=True, platforms=["oak"])
    tick()
    time.passes(minutes=1)
    change(post, time(), platforms=["oak", "elm"])
    tick()
    return post


def change(post: Post, now: datetime, platforms: list[str] | None = None, title: str = "A post") -> None:
    db.session.rollback()
    db.session.expire_all()
    editing.edit(post, {"title": title}, platforms, now)
    publishing.publish(post, now)


def last_links() -> dict[str, str | None]:
    return dict(Board.sent)


def delivery_to(post: Post, name: str) -> Delivery:
    db.session.expire_all()
    delivery = post.delivery_to(name)
    assert delivery is not None
    return delivery


def test_the_second_copy_links_to_the_first(post: Post) -> None:
    assert last_links() == {"oak": None, "elm": "https://oak.example/1"}


def test_updates_change_no_links(post: Post, time: Time, tick: Tick) -> None:
    for title in ("Newer", "Newest"):
        change(post, time.passes(minutes=1), title=title)
        tick()
    assert last_links() == {"oak": None, "elm": "https://oak.example/1"}


def test_all_attempts_of_an_operation_have_the_same_link(a_post: Callable[..., Post], time: Time, tick: Tick) -> None:
    """Otherwise the platform's copy is not recognized as our own."""
    Board.down |= {"elm", "oak"}  # whichever is tried first, there is no copy to link to
    a_post(live=True, platforms=["elm", "oak"])
    tick()
    for name in ("oak", "elm"):
        Board.down.remove(name)
        time.passes(hours=1)
        tick()
    assert [link for name, link in Board.sent if name == "elm"] == [None, None, None]


def test_after_the_first_copy_was_withdrawn_the_other_one_is_the_original(post: Post, time: Time, tick: Tick) -> None:
    decide.withdraw(delivery_to(post, "oak"), time())
    tick()
    change(post, time.passes(minutes=1), ["elm"], title="Newer")
    tick()
    assert last_links()["elm"] is None
