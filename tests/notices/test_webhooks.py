"""Webhooks and programs are told too: one event of each kind in an hour for the whole instance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blogsvc.models import Post
from tests.api_client import Api
from tests.clock import Time
from tests.mail_server import MailServer
from tests.outside import Outside

Tick = Callable[[], None]
Make = Callable[..., Post]


def told(outside: Outside) -> list[dict[str, Any]]:
    """Return the data of the events that the webhook received."""
    seen = [one.json() for one in outside.requests if one.url == "https://hook.example/told"]
    assert {one["type"] for one in seen} <= {"attention.needed"}
    return [one["data"]["event"]["data"] for one in seen]


def test_a_webhook_receives_one_event_of_each_kind_in_an_hour(
    a_post: Make, subscribe: Callable[..., Any], outside: Outside, a_minute_later: Tick, time: Time
) -> None:
    subscribe("attention.needed")
    waiting = a_post(live=True, platforms=["wordpress"])
    a_minute_later()
    url = f"https://blog.example/desk/posts/{waiting.id}/status"
    assert told(outside) == [{"kind": "waiting", "count": 1, "url": url}]
    for _ in range(2):
        a_post(live=True, platforms=["wordpress"])
        a_minute_later()
    assert len(told(outside)) == 1
    time.passes(hours=1)
    a_minute_later()
    assert told(outside)[1:] == [{"kind": "waiting", "count": 2, "url": "https://blog.example/desk#needs"}]


def test_a_copy_to_post_by_hand_is_told_at_its_time(
    a_post: Make, subscribe: Callable[..., Any], outside: Outside, a_minute_later: Tick
) -> None:
    subscribe("attention.needed")
    post = a_post(live=True, platforms=["site", "medium"])
    a_minute_later()
    url = f"https://blog.example/desk/posts/{post.id}/status"
    assert told(outside) == [{"kind": "ready", "count": 1, "url": url}]


def test_the_event_does_not_need_a_user_or_a_mail_server(
    a_failing_post: Make, api: Api, a_minute_later: Tick, server: MailServer
) -> None:
    server.stop()
    a_failing_post()
    a_minute_later()
    (event,) = (one for one in api.get("/events").json["data"] if one["type"] == "attention.needed")
    assert (event["data"]["kind"], event["data"]["count"], event["postId"]) == ("failed", 1, None)


def test_the_mail_server_delays_no_webhook(
    a_post: Make, subscribe: Callable[..., Any], outside: Outside, a_minute_later: Tick, server: MailServer,
    owner: object,
) -> None:  # fmt: skip
    server.stop()
    subscribe("attention.needed")
    a_post(live=True, platforms=["wordpress"])
    a_minute_later()
    assert len(told(outside)) == 1
