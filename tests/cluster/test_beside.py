"""What is done often waits only for what changes the same: another process may write something else meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select

from blogsvc import create_app
from blogsvc.analytics import page_views
from blogsvc.config import Config
from blogsvc.connections import manage
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Article, Keys
from blogsvc.connectors.webhook import WebhookConnector
from blogsvc.context import Tools
from blogsvc.delivery.deliver import deliver_lane
from blogsvc.models import Attempt, Connection, Delivery, PageView, Post, WebhookDelivery, close_connections, db
from blogsvc.models.database import Write
from blogsvc.models.setting import last_heartbeat
from blogsvc.posts import autosave
from blogsvc.scheduler.clock import beat
from blogsvc.webhooks.announce import announce
from blogsvc.webhooks.deliver import send_next
from tests.clock import NOW
from tests.databases import engine_of
from tests.outside import Outside

pytestmark = pytest.mark.settings(busy_timeout_seconds=0.5)
SOON = 60  # seconds


@pytest.fixture
def elsewhere(app: Flask, config: Config) -> Iterator[Callable[[], None]]:
    """Yield a function after which another process writes something else, to the end of the test."""
    with engine_of(config.rows_url).connect() as connection:
        yield (
            lambda: (
                connection.execution_options(
                    **Write(("post:another", "lane:another", "webhook:another")).options
                ).begin()
                and None
            )
        )


def reload_rows() -> None:
    db.session.rollback()
    db.session.expire_all()


def test_a_delivery_is_sent_and_settled(
    elsewhere: Callable[[], None], a_post: Callable[..., Post], connect: Callable[..., str], tools: Tools
) -> None:
    post = a_post(live=True, platforms=[connect(), connect("two")])
    elsewhere()
    for connection in Connection.all():
        deliver_lane(connection.id, tools, lambda: False)
    reload_rows()
    assert [delivery.state for delivery in post.deliveries] == ["delivered", "delivered"]
    assert post.state == "published"


class Brittle(WebhookConnector):
    """Crashes while it chooses its keys."""

    key = "brittle"

    def mint(self, article: Article) -> Keys:
        raise RuntimeError("nobody thought of this")


def test_a_delivery_that_cannot_be_sent_fails(
    elsewhere: Callable[[], None], a_post: Callable[..., Post], outside: Outside, tools: Tools
) -> None:
    connectors()["brittle"] = Brittle
    outside.teach("POST", "https://brittle.example/in", status=200)
    manage.connect("brittle", "brittle", {"url": "https://brittle.example/in"}, tools)
    post = a_post(live=True, platforms=["brittle"])
    elsewhere()
    deliver_lane(Connection.named("brittle").id, tools, lambda: False)
    connectors.cache_clear()
    reload_rows()
    assert [(delivery.state, delivery.error_code) for delivery in post.deliveries] == [("failed", "internal")]
    assert post.state == "failed"


def test_a_webhook_message_is_sent_and_settled(
    elsewhere: Callable[[], None],
    a_post: Callable[..., Post],
    subscribe: Callable[..., dict[str, Any]],
    tools: Tools,
) -> None:
    webhook_id = subscribe("post.created")["id"]
    a_post()
    announce(tools)
    elsewhere()
    assert send_next(webhook_id, tools)
    reload_rows()
    assert [message.state for message in db.session.scalars(select(WebhookDelivery))] == ["delivered"]


def test_the_text_is_saved_while_somebody_writes(elsewhere: Callable[[], None], a_post: Callable[..., Post]) -> None:
    post = a_post()
    elsewhere()
    fields = autosave.tidied("Another title", "Other words.")
    autosave.autosave(post, fields, None, post.rev, NOW)
    reload_rows()
    assert (post.title, post.content, post.slug) == ("Another title", "Other words.", "another-title")


def test_views_and_the_heartbeat_are_stored(
    elsewhere: Callable[[], None], a_post: Callable[..., Post], tools: Tools, app: Flask
) -> None:
    a_post(live=True, slug="one")
    close_connections()
    elsewhere()
    app.test_client().get("/one", headers={"User-Agent": "A person"})
    page_views.flush_views()
    beat(tools)
    assert last_heartbeat() == NOW
    assert db.session.scalar(select(func.count()).select_from(PageView)) == 1


@pytest.mark.settings(busy_timeout_seconds=20)
def test_two_processes_deliver_posts_with_many_destinations_once_and_no_post_stays_on_its_way(
    app: Flask, tools: Tools, a_post: Callable[..., Post], connect: Callable[..., str], outside: Outside
) -> None:
    names = [connect(f"hook-{number}") for number in range(6)]
    posts = [a_post(live=True, platforms=names, title=f"Post {number}").id for number in range(8)]
    lanes = [connection.id for connection in Connection.all()]
    close_connections()
    other = create_app(tools=replace(tools))

    def work(of: Flask, lane: str) -> None:
        with of.app_context():
            for _ in posts:
                deliver_lane(lane, of.extensions["tools"], lambda: False)

    with ThreadPoolExecutor(12) as pool:
        for task in [pool.submit(work, of, lane) for lane in lanes for of in (app, other)]:
            task.result(SOON)
    with other.app_context():
        close_connections()
    reload_rows()
    assert {db.session.get_one(Post, post_id).state for post_id in posts} == {"published"}
    assert set(db.session.scalars(select(Delivery.state))) == {"delivered"}
    assert db.session.scalar(select(func.count()).select_from(Attempt)) == 6 * 8
    assert len(outside.requests) == 6 * 8


def test_two_texts_that_want_the_same_slug_both_get_one(app: Flask, a_post: Callable[..., Post]) -> None:
    posts = [(post.id, post.rev) for post in (a_post(title=f"Draft {number}") for number in range(6))]

    def save(post_id: str, rev: str) -> None:
        with app.app_context():
            post = Post.get(post_id)
            autosave.autosave(post, autosave.tidied("The same", "Words."), None, rev, NOW)

    close_connections()
    with ThreadPoolExecutor(6) as pool:
        for task in [pool.submit(save, *post) for post in posts]:
            task.result(SOON)
    reload_rows()
    slugs = sorted(Post.get(post_id).slug for post_id, _ in posts)
    assert slugs == ["the-same", *(f"the-same-{number}" for number in range(2, 7))]
