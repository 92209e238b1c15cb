"""Requests for addresses without a page, and uses of redirects, are counted in memory and written together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import process_time

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, select

from blogsvc.models import MissingAddress, Post, Redirect, db, transaction
from blogsvc.models.missing_address import MAX_MISSING, Requests, add_requests
from blogsvc.posts.closest_slugs import NEWEST, ClosestSlugs
from blogsvc.redirects import counting, manage, missing
from blogsvc.server.view_flusher import ViewFlusher
from tests.blog.reading import CHROME
from tests.clock import Time

Make = Callable[..., Post]
READS = {"User-Agent": CHROME}


@pytest.fixture
def flusher(app: Flask) -> Iterator[ViewFlusher]:
    """Write what was counted in the background, as a server does."""
    flusher = ViewFlusher(app)
    flusher.start()
    yield flusher
    flusher.stop()


def counted() -> dict[str, int]:
    counting.flush_counts()
    db.session.rollback()
    return {row.path: row.count for row in db.session.scalars(select(MissingAddress))}


def shown() -> list[str]:
    counting.flush_counts()
    db.session.rollback()
    return [row.path for row in missing.missing_addresses()]


def test_an_address_is_shown_once_it_was_asked_for_on_two_days(client: FlaskClient, time: Time) -> None:
    client.get("/none/", headers=READS)
    client.get("/none?utm=1", headers=READS)
    assert (counted(), shown()) == ({"/none": 2}, [])

    time.passes(days=1)
    client.get("/none", headers=READS)
    assert (counted(), shown()) == ({"/none": 3}, ["/none"])


def test_an_address_that_a_page_links_to_is_shown_at_once(client: FlaskClient) -> None:
    client.get("/linked", headers=READS | {"Referer": "https://other.example/page"})
    client.get("/own", headers=READS | {"Referer": "https://blog.example/archive"})
    client.get("/itself", headers=READS | {"Referer": "http://localhost/itself"})
    client.get("/odd", headers=READS | {"Referer": "https://[bad"})

    assert sorted(shown()) == ["/linked", "/own"]
    assert MissingAddress.get("/linked").referrer_host == "other.example"


def test_what_no_reader_asks_for_is_not_counted(client: FlaskClient) -> None:
    for path in ("/wp-login.php", "/.env", "/.git/config", "/a/b.php", "/desk/none", "/api/none", "/static/none.css"):
        client.get(path, headers=READS)
    client.head("/none", headers=READS)
    client.post("/none", headers=READS)
    client.get("/none", headers={"User-Agent": "Googlebot/2.1"})

    assert counted() == {}


def test_uses_of_a_redirect_are_counted_with_their_day(client: FlaskClient, time: Time) -> None:
    row = manage.create("/old/*", "/archive", 301, "https://blog.example")
    client.get("/old/a", headers=READS)
    time.passes(days=1)
    client.get("/old", headers=READS)
    client.head("/old", headers=READS)
    counting.flush_counts()

    stored = db.session.get_one(Redirect, row.id, populate_existing=True)
    assert (stored.hit_count, stored.last_hit_on) == (2, time.now.date())
    assert counted() == {}


def test_an_address_that_has_a_page_or_a_redirect_by_now_is_not_shown(client: FlaskClient, a_post: Make) -> None:
    for path in ("/one", "/two", "/three/four"):
        client.get(path, headers=READS | {"Referer": "https://other.example/"})
    assert len(shown()) == 3

    a_post(live=True, slug="one")
    manage.create("/two", "/archive", 301, "https://blog.example")
    manage.create("/three/*", "/archive", 301, "https://blog.example")
    assert shown() == []


def test_a_flood_of_missing_addresses_costs_no_write_each(client: FlaskClient, flusher: ViewFlusher) -> None:
    commits: list[object] = []

    def note(connection: object) -> None:
        commits.append(connection)

    event.listen(db.engine, "commit", note)
    for number in range(50):
        assert client.get(f"/none-{number}", headers=READS).status_code == 404
    flusher.stop()
    event.remove(db.engine, "commit", note)
    assert len(counted()) == 50
    assert len(commits) <= 3


def test_memory_is_bounded(client: FlaskClient, app: Flask, flusher: ViewFlusher) -> None:
    day = Time().now.date()
    for number in range(counting.MAX_WAITING + 10):
        counting.count_missing(f"/none-{number}", None, day)
    assert len(counting._buffer().waiting.requests) <= counting.MAX_WAITING


def test_the_rarest_addresses_leave_first(app: Flask, time: Time) -> None:
    day = time.now.date()
    with transaction():
        add_requests({f"/often-{number}": Requests(2, day, day, None) for number in range(MAX_MISSING - 1)})
    with transaction():
        add_requests({f"/once-{number}": Requests(1, day, day, None) for number in range(10)})
    paths = counted()
    assert len(paths) == MAX_MISSING
    assert sum(path.startswith("/often") for path in paths) == MAX_MISSING - 1

    later = time.passes(days=100).date()
    with transaction():
        add_requests({"/new": Requests(1, later, later, None)})
    assert counted() == {"/new": 1}


def test_the_closest_post_is_suggested(client: FlaskClient, a_post: Make) -> None:
    for slug in ("ferries-of-norway", "trees", "about-me"):
        a_post(live=True, slug=slug)
    paths = ("/blog/ferries-in-norway.html", "/tree", "/something/else/entirely")
    for path in paths:
        client.get(path, headers=READS | {"Referer": "https://other.example/"})
    counting.flush_counts()

    found = {one.row.path: one.suggestion for one in missing.with_suggestions(missing.missing_addresses())}
    assert found == dict(zip(paths, ("/ferries-of-norway", "/trees", None), strict=True))
    missing.ignore("/tree")
    assert "/tree" not in shown()


def test_an_unlisted_post_is_not_suggested(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="ferries-of-norway", is_unlisted=True)
    client.get("/ferries-in-norway", headers=READS | {"Referer": "https://other.example/"})
    counting.flush_counts()

    (found,) = missing.with_suggestions(missing.missing_addresses())
    assert found.suggestion is None


def test_suggestions_for_many_long_paths_take_little_time() -> None:
    words = ["ferries", "harbours", "lighthouses", "northern", "islands", "seaweed", "timetables"]
    slugs = [f"{'-of-'.join(words[number % 7 :] + words[: number % 7])}-{number}" for number in range(NEWEST)]
    paths = [f"/{'-in-'.join(words[::-1])}-{number}-{'x' * number}" for number in range(missing.MAX_SUGGESTIONS)]

    began = process_time()
    closest = ClosestSlugs(slugs)
    for path in paths:
        closest.to(path, 1)
    assert process_time() - began < 1
