"""Readers of events by position miss none, although transactions commit in another order than they began."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event as Flag
from threading import Thread

from flask import Flask
from sqlalchemy import select

from blogsvc.models import Event, Post, close_connections, db, record, transaction
from blogsvc.models.event import events_after, last_position, timeline
from blogsvc.models.transactions import savepoint
from tests.api_client import Api
from tests.clock import NOW

SOON = 30  # seconds


def names(events: list[Event]) -> list[str]:
    return [str(event.data["platform"]) for event in events]


def note(noun: str, name: str) -> None:
    with transaction(noun):
        record("connection.connected", NOW, platform=name)


def test_an_event_that_is_committed_after_a_newer_one_is_read_after_it(app: Flask) -> None:
    has_recorded, may_commit = Flag(), Flag()

    def slow() -> None:
        with app.app_context(), transaction("post:1"):
            record("connection.connected", NOW, platform="slow")
            has_recorded.set()
            assert may_commit.wait(SOON)

    thread = Thread(target=slow)
    thread.start()
    assert has_recorded.wait(SOON)
    note("post:2", "fast")
    first = events_after(0, 10)
    assert names(first) == ["fast"]
    may_commit.set()
    thread.join()
    db.session.rollback()
    assert names(events_after(first[-1].position, 10)) == ["slow"]
    assert names(events_after(0, 10)) == ["fast", "slow"]


def test_events_are_numbered_in_the_order_in_which_they_were_recorded(app: Flask) -> None:
    for number in range(30):
        note("post:1", str(number))
    assert names(events_after(0, 100)) == [str(number) for number in range(30)]
    note("post:1", "later")
    assert names(events_after(last_position() - 1, 100)) == ["later"]


def test_an_event_of_a_write_that_runs_alone_follows_those_before_it_at_once(app: Flask) -> None:
    note("post:1", "one")
    with transaction():
        record("connection.connected", NOW, platform="two")
    assert min(db.session.scalars(select(Event.position))) > 0
    assert names(events_after(0, 10)) == ["one", "two"]


def test_it_follows_them_also_after_a_part_of_it_was_undone(app: Flask) -> None:
    note("post:1", "one")
    with transaction():
        with suppress(KeyError), savepoint():
            record("connection.connected", NOW, platform="undone")
            raise KeyError
        record("connection.connected", NOW, platform="two")
        record("connection.connected", NOW, platform="three")
    assert names(events_after(0, 10)) == ["one", "two", "three"]


def test_a_number_is_never_given_twice(app: Flask) -> None:
    note("post:1", "one")
    before = last_position()
    with transaction():
        db.session.delete(events_after(0, 1)[0])
    note("post:1", "two")
    assert last_position() > before


def test_a_reader_beside_many_writers_misses_no_event_and_reads_none_twice(app: Flask) -> None:
    is_over, seen = Flag(), list[str]()

    def read() -> None:
        position = 0
        while True:
            is_last = is_over.is_set()
            with app.app_context():
                events = events_after(position, 50)
            seen.extend(names(events))
            position = events[-1].position if events else position
            if is_last and not events:
                return

    def write(writer: int) -> None:
        for number in range(40):
            with app.app_context():
                note(f"post:{writer}", f"{writer}-{number}")

    reader = Thread(target=read)
    reader.start()
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    is_over.set()
    reader.join(SOON * 4)
    assert len(seen) == 6 * 40
    assert sorted(seen) == sorted(f"{writer}-{number}" for writer in range(6) for number in range(40))
    for writer in range(6):
        assert [name for name in seen if name.startswith(f"{writer}-")] == [f"{writer}-{n}" for n in range(40)]


def test_an_event_is_listed_as_soon_as_it_is_committed(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(live=True)
    listed = [event["id"] for event in api.get("/events").json["data"]]
    assert listed == [event["id"] for event in api.get(f"/posts/{post.id}/events").json["data"]]
    with transaction(f"post:{post.id}"):
        record("post.updated", NOW, post_id=post.id, fields=[])
    (unnumbered,) = [event for event in timeline(post.id) if event.position < 0]
    assert [event.id for event in timeline(post.id)] == [*listed, unnumbered.id]
    assert [event["id"] for event in api.get("/events").json["data"]] == [*listed, unnumbered.id]
    assert api.get(f"/events?after={listed[-1]}").json["data"][0]["id"] == unnumbered.id
    close_connections()
