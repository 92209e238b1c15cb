"""How the e-mail of a post is doing, on its status page, in the attention list and in the API."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from blogsvc.connectors.base import Gone, Mailing
from blogsvc.context import Tools
from blogsvc.models import Delivery, Post, db
from blogsvc.posts import publishing
from tests.api_client import Api
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


def a_day_later(time: Time, tick: Tick) -> None:
    time.passes(days=1, minutes=1)
    tick()
    db.session.rollback()
    db.session.expire_all()


def test_the_email_is_shown_with_its_figures_which_grow(
    post: Post, tools: Tools, tick: Tick, time: Time, pages: Any, api: Api
) -> None:
    delivery = publish(post, tools, tick)
    for opened in (20, 120):
        Letters.reports.append(Mailing("sent", 312, 310, opened))
        a_day_later(time, tick)
        assert f"to 312 people: 310 delivered, {opened} opened" in pages.get(f"/desk/posts/{post.id}/status").text
    found = api.get(f"/deliveries/{delivery.id}").json
    assert found["mail"] == {"status": "sent", "recipients": 312, "delivered": 310, "opened": 120, "error": ""}
    assert found["mailedAt"] == api.get(f"/posts/{post.id}").json["deliveries"][0]["mailedAt"] != None  # noqa: E711


def test_the_publish_dialog_asks_before_subscribers_are_emailed_again(
    post: Post, tools: Tools, tick: Tick, time: Time, pages: Any
) -> None:
    publish(post, tools, tick)
    publishing.unpublish(post, tools.now())
    tick()
    time.passes(hours=1)
    dialog = f"/desk/posts/{post.id}/publish"
    page = pages.get(dialog).text
    assert "E-mail 312 subscribers again" in page
    fields = {"platforms": "letters", "when": "now", "option:letters:send": "everyone"}
    pages.post(dialog, **fields, **{"option:letters:mail_again": ""})
    time.passes(seconds=11)
    tick()
    assert Letters.mails == ["Of trees"]

    publishing.unpublish(post, tools.now())
    tick()
    answer = re.search('name="option:letters:mail_again" value="([^"]+)"', pages.get(dialog).text)
    assert answer is not None
    pages.post(dialog, **fields, **{"option:letters:mail_again": answer[1]})
    time.passes(seconds=11)
    tick()
    assert Letters.mails == ["Of trees", "Of trees"]
    assert "E-mail 312 subscribers again" not in pages.get(dialog).text


def test_a_failed_email_needs_attention_until_it_is_dismissed(
    post: Post, tools: Tools, tick: Tick, time: Time, pages: Any
) -> None:
    delivery = publish(post, tools, tick)
    Letters.reports.append(Mailing("failed", 312, error="The domain is not verified."))
    a_day_later(time, tick)
    assert "Letters couldn&#39;t send the e-mail of 1 post." in pages.get("/desk").text
    assert "It failed: The domain is not verified." in pages.get(f"/desk/posts/{post.id}/status").text
    assert pages.post(f"/desk/deliveries/{delivery.id}/leave").status_code < 400
    a_day_later(time, tick)  # it is still reported as failed
    assert "couldn&#39;t send the e-mail" not in pages.get("/desk").text


def test_a_missing_email_says_nothing_about_the_copy(post: Post, tools: Tools, tick: Tick, time: Time) -> None:
    delivery = publish(post, tools, tick)
    Letters.reports.append(Gone("There is no such e-mail."))
    a_day_later(time, tick)
    assert (delivery.state, delivery.drift, delivery.mailing) == ("delivered", None, None)
