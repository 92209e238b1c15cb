"""The daily maintenance deletes what is past its time, in small transactions, and nothing that is still needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, func, select

from blogsvc.auth import accounts
from blogsvc.context import Tools
from blogsvc.lib.ids import new_id
from blogsvc.models import Attempt, Event, Post, Revision, Session, User, WebhookDelivery, db, transaction
from blogsvc.models.event import IN_ORDER
from blogsvc.models.retention import MIN_REVISIONS, ROWS_PER_TRANSACTION
from blogsvc.posts import autosave
from blogsvc.scheduler.maintenance import run_daily_maintenance
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside

Make = Callable[..., Post]
Subscribe = Callable[..., dict[str, Any]]
Tick = Callable[[], None]


@pytest.fixture
def maintain(tools: Tools) -> Tick:
    def run() -> None:
        run_daily_maintenance(tools)
        db.session.rollback()
        db.session.expire_all()

    return run


def count(table: type[Any]) -> int:
    return db.session.scalar(select(func.count()).select_from(table)) or 0


def timeline(api: Api, post: Post) -> list[tuple[str, str]]:
    events = api.get(f"/posts/{post.id}/events").json["data"]
    return [(event["type"], event["createdAt"][:10]) for event in events]


def test_old_events_of_a_post_are_deleted_except_the_latest_of_each_delivery(
    api: Api, a_post: Make, connect: Callable[..., str], tick: Tick, maintain: Tick, time: Time
) -> None:
    post = a_post(live=True, platforms=["site", connect("one"), connect("two")])
    tick()
    before = timeline(api, post)
    time.passes(days=364)
    api.put(f"/posts/{post.id}", title="Edited")
    maintain()
    assert timeline(api, post) == [*before, ("post.updated", "2027-11-23")]
    time.passes(days=2)
    maintain()
    assert timeline(api, post) == [
        *[("delivery.succeeded", "2026-11-24")] * 3,
        ("post.updated", "2027-11-23"),
    ]
    time.passes(days=365)
    maintain()
    assert len(timeline(api, post)) == 4


def test_a_reader_of_events_resumes_after_a_deleted_event(api: Api, a_post: Make, maintain: Tick, time: Time) -> None:
    post = a_post(live=True)
    page = api.get(f"/events?limit=1&postId={post.id}").json
    deleted = page["data"][0]["id"]
    time.passes(days=370)
    api.put(f"/posts/{post.id}", title="Edited")
    maintain()
    assert db.session.scalars(select(Event.type).order_by(*IN_ORDER)).all() == ["delivery.succeeded", "post.updated"]
    refused = api.get(f"/events?after={deleted}")
    assert refused.status_code == 422
    assert "Omit `after` to start with the oldest event." in refused.json["errors"][0]["detail"]
    stream = api.get("/events/stream", headers={"Last-Event-ID": deleted}).get_data(as_text=True)
    assert stream.count("event: ") == 2
    following = api.get(f"/events?limit=1&postId={post.id}&cursor={page['nextCursor']}").json
    assert [event["type"] for event in following["data"]] == ["post.updated"], "older ones are not listed"


@pytest.mark.settings(give_up_after_hours=10_000)
def test_old_attempts_are_deleted_once_their_delivery_is_finished_except_the_latest(
    a_post: Make, connect: Callable[..., str], outside: Outside, tick: Tick, maintain: Tick, time: Time
) -> None:
    def attempts() -> list[tuple[int, str | None]]:
        return [(row.number, row.outcome) for row in db.session.scalars(select(Attempt).order_by(Attempt.number))]

    name = connect("one")
    outside.always(status=503)
    a_post(live=True, platforms=[name])
    for _ in range(3):
        tick()
        time.passes(days=1)
    time.passes(days=370)
    maintain()
    assert attempts() == [(1, "failed"), (2, "failed"), (3, "failed")]
    outside.always(status=200)
    tick()
    maintain()
    assert attempts() == [(4, "succeeded")]
    time.passes(days=370)
    maintain()
    assert attempts() == [(4, "succeeded")]


def test_old_revisions_are_deleted_except_the_newest_and_those_in_use(
    api: Api, a_post: Make, connect: Callable[..., str], tick: Tick, maintain: Tick, time: Time, outside: Outside
) -> None:
    post = a_post(live=True, platforms=["site", connect("one")])
    tick()
    few = a_post()
    api.put(f"/posts/{few.id}", title="Edited")

    def numbers() -> list[int]:
        return list(db.session.scalars(select(Revision.number).where(Revision.post_id == post.id).order_by("number")))

    for number in range(4):
        api.put(f"/posts/{post.id}", title=f"Edited {number}")
    outside.always(status=400)
    api.post(f"/posts/{post.id}/publish")  # revision 5 is on this blog, and revision 1 at the destination
    tick()
    for number in range(MIN_REVISIONS):
        api.put(f"/posts/{post.id}", title=f"Edited again {number}")
    time.passes(days=364)
    maintain()
    assert numbers() == list(range(1, MIN_REVISIONS + 6))
    time.passes(days=2)
    maintain()
    assert numbers() == [1, *range(5, MIN_REVISIONS + 6)]
    assert db.session.scalar(select(func.count()).where(Revision.post_id == few.id)) == 2
    outside.always()
    api.post(f"/posts/{post.id}/publish")
    tick()
    maintain()
    assert numbers() == list(range(6, MIN_REVISIONS + 6))


def test_a_text_that_was_kept_before_a_large_removal_stays(api: Api, maintain: Tick, time: Time) -> None:
    draft = autosave.begin(None, time())
    for content in ("word " * 600, ""):
        autosave.autosave(draft, {"content": content}, None, draft.rev, time())
    for number in range(MIN_REVISIONS + 5):
        api.put(f"/posts/{draft.id}", title=f"Edited {number}")
    time.passes(days=400)
    maintain()
    kept = db.session.scalars(select(Revision).order_by(Revision.number)).all()
    assert (len(kept), kept[0].number, kept[0].content) == (MIN_REVISIONS + 1, 1, "word " * 600)


def test_expired_sessions_are_deleted(api: Api, maintain: Tick, time: Time) -> None:
    with transaction():
        user = User.of("ann@blog.example", "Ann", "owner", "no password", "UTC", time())
    for days in (20, 20, 0):
        accounts.begin_session(user, "a browser", "127.0.0.1", time())
        time.passes(days=days)
    with transaction():
        Session.begin(user, "a browser", "127.0.0.1", time(), awaits_code=True)
    time.passes(minutes=11)
    maintain()
    assert count(Session) == 2


def test_old_messages_of_webhooks_are_deleted_unless_they_wait(
    a_post: Make, subscribe: Subscribe, outside: Outside, tick: Tick, maintain: Tick, time: Time
) -> None:
    subscribe("post.created", name="one")
    a_post()
    tick()
    a_post()  # is not announced yet
    time.passes(days=31)
    maintain()
    assert count(WebhookDelivery) == 0
    tick()
    assert count(WebhookDelivery) == 1


@contextmanager
def deletions() -> Iterator[list[int]]:
    """Yield the number of rows that each DELETE deletes."""
    rows: list[int] = []

    def note(_connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("DELETE"):
            rows.append(cursor.rowcount)

    event.listen(db.engine, "after_cursor_execute", note)
    yield rows
    event.remove(db.engine, "after_cursor_execute", note)


def test_many_rows_are_deleted_in_small_transactions(api: Api, maintain: Tick, time: Time) -> None:
    many = 2 * ROWS_PER_TRANSACTION + 1
    with transaction():
        for _ in range(many):
            id = new_id("evt", time())
            db.session.add(Event(id=id, type="connection.connected", data={}, created_at=time()))
    time.passes(days=31)
    with deletions() as rows:
        maintain()
    assert sum(rows) == many
    assert max(rows) == ROWS_PER_TRANSACTION
    assert count(Event) == 0
