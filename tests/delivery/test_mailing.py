"""Newsletters: subscribers are e-mailed at most once for each post, whatever happens to the copies."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from blogsvc.connectors.base import Gone, Rejected, Uncertain
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.delivery.mailing import RepeatedMail
from blogsvc.delivery.preview import previews
from blogsvc.lib.time import stamp
from blogsvc.models import Connection, Delivery, Post, db
from blogsvc.posts import editing, publishing
from tests.clock import Time
from tests.letters import MAILED, Letters, connect_letters

Tick = Callable[[], None]


@pytest.fixture
def post(app: Flask, tools: Tools, monkeypatch: pytest.MonkeyPatch, a_post: Callable[..., Post]) -> Post:
    connect_letters(monkeypatch, tools)
    return a_post(platforms=["letters"], title="Of trees", overrides=MAILED)


def publish(post: Post, tools: Tools, tick: Tick) -> Delivery:
    publishing.publish(post, tools.now())
    tick()
    return post.deliveries[0]


def test_a_post_that_was_unpublished_is_not_mailed_again(post: Post, tools: Tools, tick: Tick) -> None:
    publish(post, tools, tick)
    publishing.unpublish(post, tools.now())
    tick()
    assert publish(post, tools, tick).state == "delivered"
    assert Letters.mails == ["Of trees"]


def test_a_copy_that_was_deleted_there_is_made_anew_without_mail(post: Post, tools: Tools, tick: Tick) -> None:
    delivery = publish(post, tools, tick)
    Letters.outcomes.append(Gone("It is gone."))
    editing.edit(post, {"title": "Of bushes"}, None, tools.now())
    publish(post, tools, tick)
    assert delivery.error_code == "gone"
    decide.retry(delivery, tools.now())
    tick()
    assert (delivery.state, Letters.mails) == ("delivered", ["Of trees"])


def test_the_preview_says_that_it_is_not_mailed_again(post: Post, tools: Tools, tick: Tick) -> None:
    publish(post, tools, tick)
    publishing.unpublish(post, tools.now())
    tick()
    (preview,) = previews(post, ["letters"], tools)
    assert preview.payload is not None
    assert preview.payload.body["send"] == "draft"
    assert "is not e-mailed again" in preview.payload.warnings[0]


def mail_again(post: Post, delivery: Delivery, tools: Tools) -> None:
    """Ask to e-mail subscribers again, as an author who has seen when they were e-mailed."""
    assert delivery.mailed_at is not None
    answer = {"letters": {"options": {"send": "everyone", "mail_again": stamp(delivery.mailed_at)}}}
    editing.edit(post, {"overrides": answer}, None, tools.now())


def unpublished(post: Post, tools: Tools, tick: Tick, time: Time) -> Delivery:
    delivery = publish(post, tools, tick)
    time.passes(hours=1)
    publishing.unpublish(post, tools.now())
    tick()
    return delivery


def test_a_new_copy_is_mailed_again_once_if_the_author_asks_for_it(
    post: Post, tools: Tools, tick: Tick, time: Time
) -> None:
    delivery = unpublished(post, tools, tick, time)
    (preview,) = previews(post, ["letters"], tools)
    assert preview.repeated_mail == RepeatedMail(delivery.mailed_at, 312)
    mail_again(post, delivery, tools)
    (preview,) = previews(post, ["letters"], tools)
    assert preview.payload is not None
    assert (preview.payload.body["send"], preview.payload.warnings) == ("everyone", ())
    publish(post, tools, tick)
    assert (Letters.mails, delivery.mailed_at) == (["Of trees", "Of trees"], tools.now())

    unpublished(post, tools, tick, time)
    publish(post, tools, tick)
    assert Letters.mails == ["Of trees", "Of trees"], "the answer was for the first question only"


def test_the_wish_to_mail_again_survives_a_rejection(post: Post, tools: Tools, tick: Tick, time: Time) -> None:
    delivery = unpublished(post, tools, tick, time)
    first = delivery.mailed_at
    mail_again(post, delivery, tools)
    Letters.outcomes.append(Rejected("Shorten the title."))
    publish(post, tools, tick)
    assert (delivery.state, delivery.mailed_at, delivery.is_mail_spent) == ("failed", first, True)
    decide.retry(delivery, tools.now())
    tick()
    assert (delivery.state, Letters.mails) == ("delivered", ["Of trees", "Of trees"])


def test_a_copy_that_was_mailed_again_and_is_deleted_there_is_not_mailed_a_third_time(
    post: Post, tools: Tools, tick: Tick, time: Time
) -> None:
    delivery = unpublished(post, tools, tick, time)
    mail_again(post, delivery, tools)
    publish(post, tools, tick)
    Letters.outcomes.append(Gone("It is gone."))
    editing.edit(post, {"title": "Of bushes"}, None, tools.now())
    publish(post, tools, tick)
    decide.retry(delivery, tools.now())
    tick()
    assert (delivery.state, Letters.mails) == ("delivered", ["Of trees", "Of trees"])


def test_a_mailed_copy_is_up_to_date(post: Post, tools: Tools, tick: Tick) -> None:
    publish(post, tools, tick)
    (preview,) = previews(post, ["letters"], tools)
    assert (preview.operation, preview.payload and preview.payload.warnings) == ("none", ())


def test_a_rejected_post_is_mailed_after_it_was_corrected(post: Post, tools: Tools, tick: Tick) -> None:
    Letters.outcomes.append(Rejected("Shorten the title."))
    delivery = publish(post, tools, tick)
    assert (delivery.state, delivery.mailed_at) == ("failed", None)
    editing.edit(post, {"title": "Trees"}, None, tools.now())
    publish(post, tools, tick)
    assert Letters.mails == ["Trees"]


def test_a_request_that_never_arrived_is_mailed_by_the_next_attempt(
    post: Post, tools: Tools, tick: Tick, time: Time
) -> None:
    Letters.outcomes.append(Uncertain("The response was lost."))
    delivery = publish(post, tools, tick)
    assert delivery.mailed_at is not None
    time.passes(minutes=1)
    tick()
    db.session.expire_all()
    assert (delivery.state, Letters.mails) == ("delivered", ["Of trees"])


def test_the_number_of_subscribers_is_read_again_each_day(
    post: Post, tools: Tools, tick: Tick, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(post, tools, tick)
    monkeypatch.setattr(Letters, "subscribers", 400)
    time.passes(days=1, minutes=1)
    tick()
    db.session.expire_all()
    assert Connection.named("letters").facts == {"subscribers": 400}
