"""Lookups: what an attempt with an unknown outcome did, and when the author is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import ClassVar

import pytest
from flask import Flask

from blogsvc import connectors
from blogsvc.connections import manage
from blogsvc.connectors.base import (
    Account,
    Article,
    Connector,
    ConnectorError,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Keys,
    Payload,
    RateLimited,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
)
from blogsvc.context import Tools
from blogsvc.lib.time import stamp
from blogsvc.models import Delivery, Post, db
from tests.clock import NOW, Time

Posts = Callable[..., Post]
Tick = Callable[[], None]
Reload = Callable[[], Delivery]


class Cellar(Connector):
    """A platform whose responses to new copies are lost. `answers` are those of `find`, the last one repeated."""

    key = "cellar"
    label = "Cellar"
    accepts = "html"
    once = "It is only a test."
    copies: ClassVar[list[Keys]] = []
    answers: ClassVar[list[CopyFound | CopyNotFound | CopyUnknown | ConnectorError]] = []
    limit: ClassVar[list[str]] = []

    def verify(self) -> Account:
        return Account("Ada")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        if self.limit:
            raise Rejected(self.limit[0])
        return Payload({"title": article.title})

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        self.copies.append(keys)
        raise Uncertain("The response was lost.")

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, ConnectorError):
            raise answer
        return answer


FOUND = CopyFound(Receipt("1", "https://cellar.example/1", "v1"))


@pytest.fixture(autouse=True)
def cellar(app: Flask, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connectors.connectors(), "cellar", Cellar)
    for kept in (Cellar.copies, Cellar.answers, Cellar.limit):
        kept.clear()
    manage.connect("cellar", "cellar", {}, tools)


@pytest.fixture
def delivery(a_post: Posts, tick: Tick) -> Reload:
    """Publish a post, whose response is lost, and return a function that loads its delivery."""
    post_id = a_post(live=True, platforms=["cellar"], title="Of trees").id
    tick()

    def read() -> Delivery:
        db.session.rollback()
        db.session.expire_all()
        return db.session.get_one(Post, post_id).deliveries[0]

    return read


def test_a_lookup_knows_when_its_operation_was_chosen(delivery: Reload, time: Time, tick: Tick) -> None:
    Cellar.answers.append(CopyNotFound())
    time.passes(minutes=1)
    tick()
    assert [keys["armed_at"] for keys in Cellar.copies] == [stamp(NOW)] * 2


def look(time: Time, tick: Tick, **span: float) -> None:
    time.passes(**span)
    tick()


def test_the_author_is_asked_after_two_lookups_that_cannot_tell(delivery: Reload, time: Time, tick: Tick) -> None:
    Cellar.answers.append(CopyUnknown())
    look(time, tick, seconds=15)
    assert (delivery().state, delivery().next_attempt_at) == ("uncertain", time() + timedelta(minutes=1))
    look(time, tick, minutes=1)
    assert (delivery().state, delivery().next_attempt_at) == ("uncertain", None)
    assert "Check the platform" in (delivery().error_detail or "")
    assert len(delivery().attempts) == 3


def test_a_copy_that_appears_late_is_found(delivery: Reload, time: Time, tick: Tick) -> None:
    Cellar.answers.extend([CopyUnknown(), FOUND])
    look(time, tick, seconds=15)
    look(time, tick, minutes=1)
    assert (delivery().state, len(Cellar.copies)) == ("delivered", 1)


@pytest.mark.parametrize("error", [Unavailable("Down."), RateLimited("Slow down.", 30), Rejected("Not now.")])
def test_a_lookup_that_fails_is_repeated(delivery: Reload, time: Time, tick: Tick, error: ConnectorError) -> None:
    """A failure says nothing about what the next lookup will find."""
    Cellar.answers.append(error)
    for _ in range(5):
        look(time, tick, minutes=31)
        assert delivery().next_attempt_at is not None
    Cellar.answers[:] = [CopyUnknown(), Unavailable("Down."), CopyUnknown(), FOUND]
    while Cellar.answers[0] is not FOUND:
        look(time, tick, hours=3)
    look(time, tick, hours=3)
    assert (delivery().state, len(Cellar.copies)) == ("delivered", 1)


def test_a_copy_that_was_found_is_delivered_even_if_its_text_is_no_longer_allowed(
    delivery: Reload, time: Time, tick: Tick
) -> None:
    Cellar.answers.append(FOUND)
    Cellar.limit.append("Shorten the text.")
    time.passes(minutes=1)
    tick()
    assert (delivery().state, delivery().url) == ("delivered", "https://cellar.example/1")
    assert len(Cellar.copies) == 1
