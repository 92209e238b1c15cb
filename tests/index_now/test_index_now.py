"""IndexNow: search engines are told about changed pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import httpx2
import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.context import Tools
from blogsvc.index_now import manage, tell
from blogsvc.models import ChangedPage, Post, db, transaction
from blogsvc.posts import editing, publishing, trash
from blogsvc.transfer import importing
from blogsvc.transfer.formats import JSON_FORMAT, JSON_VERSION
from tests.clock import Time
from tests.outside import Outside, Reply, Seen

Make = Callable[..., Post]
Tick = Callable[[], None]
URL = "https://api.indexnow.org/indexnow"
BLOG = "https://blog.example"


@pytest.fixture
def engines(app: Flask, outside: Outside) -> Outside:
    """The outside world with search engines that are told, and answer 202."""
    manage.switch(on=True)
    outside.always(status=202)
    return outside


@pytest.fixture
def later(tick: Tick, time: Time) -> Callable[..., None]:
    """Return a function that runs the scheduler after some time, a minute unless told otherwise."""

    def run(**span: float) -> None:
        time.passes(**(span or {"minutes": 1}))
        tick()

    return run


class Dying(httpx2.BaseTransport):
    """The process ends while it sends a request."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        raise KeyboardInterrupt


def answers(outside: Outside, *replies: Reply) -> None:
    """Let the search engines answer one after the other, and the last one from then on."""
    outside.always()
    for reply in replies:
        outside.teach("POST", URL, lambda seen, reply=reply: reply)


def told(outside: Outside) -> list[list[str]]:
    """Return the paths of each request."""
    requests = [request.json() for request in outside.requests if request.url == URL]
    return [[url.removeprefix(BLOG) for url in request["urlList"]] for request in requests]


def report() -> manage.Report:
    db.session.rollback()
    found = manage.report(BLOG)
    assert found is not None
    return found


def test_a_published_post_is_told_with_the_key_of_the_blog(
    client: FlaskClient, engines: Outside, a_post: Make, later: Tick
) -> None:
    a_post(live=True, slug="日本")
    later()
    (request,) = engines.requests
    assert (request.method, request.headers["content-type"]) == ("POST", "application/json; charset=utf-8")
    body = request.json()
    assert body["host"] == "blog.example"
    assert body["urlList"] == [f"{BLOG}/%E6%97%A5%E6%9C%AC"]
    assert body["keyLocation"] == f"{BLOG}/{body['key']}.txt"
    answer = client.get(f"/{body['key']}.txt")
    assert (answer.text, answer.mimetype) == (body["key"], "text/plain")
    assert client.get(f"/{'a' * 32}.txt").status_code == 404


def test_the_host_has_the_port_of_the_addresses(engines: Outside, tools: Tools, a_post: Make, time: Time) -> None:
    a_post(live=True, slug="one")
    time.passes(minutes=1)
    tell.tell_next(tell.LANE, replace(tools, config=replace(tools.config, base_url=f"{BLOG}:8443")))
    body = engines.requests[0].json()
    assert (body["host"], body["urlList"]) == ("blog.example:8443", [f"{BLOG}:8443/one"])


def test_nothing_is_told_unless_an_owner_wants_it(outside: Outside, a_post: Make, later: Tick) -> None:
    a_post(live=True)
    later()
    assert outside.requests == []
    assert manage.report(BLOG) is None


def test_changes_of_a_minute_are_one_request(engines: Outside, a_post: Make, time: Time, later: Tick) -> None:
    for number in range(30):
        a_post(live=True, slug=f"post-{number}")
        time.passes(seconds=1)
    later(seconds=20)
    assert told(engines) == []
    later(seconds=10)
    assert told(engines) == [[f"/post-{number}" for number in range(30)]]
    later(hours=1)
    assert len(told(engines)) == 1


def test_changed_moved_and_removed_addresses_are_told(engines: Outside, a_post: Make, time: Time, later: Tick) -> None:
    post, page = a_post(live=True, slug="one"), a_post(live=True, slug="about", kind="page")
    later()
    editing.edit(post, {"content": "Other words."}, None, time())
    later()  # readers see the change when it is published
    assert told(engines) == [["/one", "/about"]]

    publishing.publish(post, time())
    later()
    editing.edit(post, {"slug": "two"}, None, time())
    publishing.publish(post, time())
    later()
    publishing.unpublish(page, time())
    later()
    trash.discard(post, time())
    later()
    assert told(engines)[1:] == [["/one"], ["/two", "/one"], ["/about"], ["/two"]]


def test_pages_that_strangers_may_not_find_are_never_told(
    engines: Outside, a_post: Make, time: Time, later: Tick
) -> None:
    a_post(slug="a-draft")
    secret = [
        a_post(live=True, slug="quiet", is_unlisted=True),
        a_post(live=True, slug="elsewhere", canonical_url="https://other.example/"),
        a_post(live=True, slug="404", kind="page"),
    ]
    hidden = a_post(live=True, slug="hidden")
    editing.edit(hidden, {"is_unlisted": True, "slug": "very-hidden"}, None, time())
    publishing.publish(hidden, time())  # before the minute is over
    later()
    for post in secret:
        publishing.unpublish(post, time())
        later()
        publishing.publish(post, time())
        later()
        trash.discard(post, time())
        later()
    assert told(engines) == []


def test_the_posts_of_an_import_are_one_request(
    engines: Outside, tools: Tools, tick: Tick, later: Callable[..., None]
) -> None:
    posts = [
        {"id": f"post-{number}", "slug": f"post-{number}", "title": "Old", "content": "Words.", "status": "published",
         "publishedAt": f"2020-01-0{number}T09:00:00Z"}
        for number in range(1, 4)
    ]  # fmt: skip
    file = BytesIO(json.dumps({"format": JSON_FORMAT, "version": JSON_VERSION, "posts": posts}).encode())
    import_id = importing.receive(file, "export.json", None, tools).id
    tick()
    importing.begin(import_id, tools, blog=False)
    tick()
    later(seconds=59)
    assert told(engines) == []
    later(seconds=1)
    assert told(engines) == [["/post-1", "/post-2", "/post-3"]]


@pytest.mark.parametrize("url", ["http://localhost:8000", "http://127.0.0.1", "https://nas.local", "http://10.0.0.7"])
def test_nothing_is_told_about_a_blog_that_others_cannot_reach(
    engines: Outside, tools: Tools, a_post: Make, time: Time, url: str
) -> None:
    a_post(live=True)
    time.passes(minutes=1)
    local = replace(tools, config=replace(tools.config, base_url=url))
    assert tell.tell_next(tell.LANE, local) is False
    assert engines.requests == []
    found = manage.report(url)
    assert found is not None
    assert not found.can_be_told


def test_a_request_that_fails_is_repeated_with_growing_waits(
    engines: Outside, a_post: Make, later: Callable[..., None]
) -> None:
    answers(engines, Reply(status=500), Reply(failure="lost"), Reply(status=202))
    a_post(live=True, slug="one")
    later()
    assert len(told(engines)) == 1
    assert "answered 500" in (report().problem or "")
    later(seconds=30)
    assert len(told(engines)) == 1
    later(minutes=1)
    assert len(told(engines)) == 2
    later(minutes=6)
    assert told(engines) == [["/one"]] * 3
    assert (report().problem, report().told_urls, report().told_status) == (None, 1, 202)


def test_a_server_that_asks_to_wait_is_heard(engines: Outside, a_post: Make, later: Callable[..., None]) -> None:
    answers(engines, Reply(status=429, headers={"Retry-After": "7200"}), Reply(status=200))
    a_post(live=True)
    later()
    later(hours=1)
    assert len(told(engines)) == 1
    later(hours=1)
    assert len(told(engines)) == 2


def test_changes_during_the_waits_join_the_next_request(
    engines: Outside, a_post: Make, later: Callable[..., None]
) -> None:
    answers(engines, Reply(failure="refused"), Reply(status=202))
    a_post(live=True, slug="one")
    later()
    a_post(live=True, slug="two")
    later(minutes=2)
    assert told(engines) == [["/one"], ["/one", "/two"]]


def test_a_request_is_given_up_after_some_tries(engines: Outside, a_post: Make, later: Callable[..., None]) -> None:
    answers(engines, Reply(status=503))
    a_post(live=True, slug="one")
    for _ in range(20):
        later(hours=12)
    assert len(told(engines)) == 6
    assert "answered 503" in (report().problem or "")
    assert report().not_before is None
    engines.always(status=202)
    a_post(live=True, slug="two")
    later()
    assert told(engines)[-1] == ["/two"]


def test_changes_that_were_given_up_have_no_next_try(
    engines: Outside, a_post: Make, later: Callable[..., None]
) -> None:
    seen: list[manage.Report] = []

    def answer(request: Seen) -> Reply:
        seen.append(report())  # while the request is being sent
        return Reply(status=403 if len(seen) == 1 else 503)

    engines.always(answer=answer)
    for slug in ("given-up", "tried-again"):
        a_post(live=True, slug=slug)
        later()
    assert "answered 403" in (seen[1].problem or "")
    assert seen[1].not_before is None
    assert report().not_before is not None


def test_a_request_that_was_refused_is_not_repeated(engines: Outside, a_post: Make, later: Callable[..., None]) -> None:
    answers(engines, Reply(status=403))
    a_post(live=True)
    later()
    later(days=2)
    assert len(told(engines)) == 1
    assert "did not find the key" in (report().problem or "")


def test_a_process_that_ends_during_a_request_loses_nothing(
    engines: Outside, a_post: Make, tools: Tools, time: Time, later: Callable[..., None]
) -> None:
    a_post(live=True, slug="one")
    time.passes(minutes=1)

    killed = replace(tools, http=replace(tools.http, transport=Dying()))
    with pytest.raises(KeyboardInterrupt):
        tell.tell_next(tell.LANE, killed)
    db.session.rollback()
    later(seconds=60)
    assert told(engines) == []  # the other process may still be sending
    a_post(live=True, slug="two")
    later(seconds=61)
    assert told(engines) == [["/one", "/two"]]


def test_another_process_leaves_a_running_request_alone(
    engines: Outside, a_post: Make, tools: Tools, later: Callable[..., None]
) -> None:
    has_sent: list[bool] = []

    def answer(seen: Seen) -> Reply:
        has_sent.append(tell.tell_next(tell.LANE, tools))  # as another process would
        return Reply(status=202)

    engines.always(answer=answer)
    a_post(live=True, slug="one")
    later()
    assert has_sent == [False]
    assert told(engines) == [["/one"]]


def test_one_request_has_at_most_ten_thousand_addresses(
    engines: Outside, a_post: Make, time: Time, later: Callable[..., None]
) -> None:
    with transaction():
        db.session.add_all(ChangedPage(slug=f"post-{number}", changed_at=time()) for number in range(10_005))
    later()
    assert [len(paths) for paths in told(engines)] == [10_000, 5]
    assert told(engines)[1][-1] == "/post-10004"


def test_a_blog_that_does_not_want_it_any_more_is_left_alone(
    client: FlaskClient, engines: Outside, a_post: Make, later: Callable[..., None]
) -> None:
    key = manage.public_key()
    a_post(live=True)
    manage.switch(on=False)
    later()
    manage.switch(on=True)
    later()
    assert told(engines) == []
    assert manage.public_key() == key
    manage.switch(on=False)
    assert client.get(f"/{key}.txt").status_code == 404
