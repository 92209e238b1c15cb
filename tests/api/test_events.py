"""GET /events: events oldest first, from where a reader left off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask.testing import FlaskClient

from blogsvc.context import Tools
from blogsvc.models import Post, db, record, transaction
from blogsvc.scheduler.maintenance import run_daily_maintenance
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import Time


def types(answer: Any) -> list[str]:
    return [event["type"] for event in answer.json["data"]]


def test_events_are_listed_oldest_first(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(live=True)
    answer = api.get("/events")
    assert types(answer)[0] == "post.created"
    assert types(answer)[-1] == "post.published"
    assert {event["postId"] for event in answer.json["data"]} == {post.id}


def test_after_returns_the_events_since_the_given_one(api: Api, a_post: Callable[..., Post]) -> None:
    a_post()
    known = api.get("/events").json["data"][-1]["id"]
    assert api.get(f"/events?after={known}").json["data"] == []
    other = a_post(title="Another")
    assert [event["postId"] for event in api.get(f"/events?after={known}").json["data"]] == [other.id]


def test_an_unknown_event_in_after_is_rejected_with_advice(api: Api) -> None:
    answer = api.get("/events?after=evt_nothing")
    assert faults(answer) == {"?after": "unknown"}
    assert "Omit `after`" in answer.json["detail"]


def test_event_pages_contain_each_event_once(api: Api, a_post: Callable[..., Post]) -> None:
    for number in range(5):
        a_post(title=f"Post {number}")
    seen, cursor = [], ""
    while cursor is not None:
        page = api.get(f"/events?limit=2{cursor}").json
        seen += [event["postId"] for event in page["data"]]
        cursor = f"&cursor={page['nextCursor']}" if page["nextCursor"] else None
        a_post(title="Meanwhile")  # sorted last, and still listed
        if len(seen) > 12:
            break
    assert len(seen) == len(set(seen))
    assert len(seen) > 5


def test_events_can_be_sorted_newest_first(api: Api, a_post: Callable[..., Post]) -> None:
    a_post(live=True)
    assert types(api.get("/events?sort=-createdAt")) == types(api.get("/events"))[::-1]


def test_a_cursor_of_the_other_sort_direction_is_rejected(api: Api, a_post: Callable[..., Post]) -> None:
    a_post(live=True)
    cursor = api.get("/events?limit=1").json["nextCursor"]
    assert faults(api.get(f"/events?limit=1&sort=-createdAt&cursor={cursor}")) == {"?cursor": "invalid"}


def test_events_can_be_filtered_by_type_and_post(api: Api, a_post: Callable[..., Post]) -> None:
    one, _other = a_post(live=True), a_post(live=True)
    assert types(api.get("/events?type=post.created,post.published")) == ["post.created", "post.published"] * 2
    assert {event["postId"] for event in api.get(f"/events?postId={one.id}").json["data"]} == {one.id}
    assert faults(api.get("/events?type=post.eaten")) == {"?type": "not_one_of"}


def test_events_are_listed_for_thirty_days_and_stay_in_the_timeline_of_their_post(
    api: Api, tools: Tools, a_post: Callable[..., Post], time: Time
) -> None:
    post = a_post()
    with transaction():
        record("connection.connected", time.now, platform="mastodon", account="ann")
    time.passes(days=31)
    assert api.get("/events").json["data"] == []
    run_daily_maintenance(tools)
    assert types(api.get(f"/posts/{post.id}/events")) == ["post.created"]
    assert db.session.execute(db.text("SELECT count(*) FROM event")).scalar() == 1


def test_a_rolled_back_change_leaves_no_event(api: Api) -> None:
    assert api.post("/posts", title="x", slug="api").status_code == 422
    assert api.get("/events").json["data"] == []


def test_a_server_that_cannot_hold_a_stream_open_returns_the_events_so_far(
    client: FlaskClient, api: Api, a_post: Callable[..., Post]
) -> None:
    first, second = a_post(), a_post(title="Second")
    ids = [event["id"] for event in api.get("/events").json["data"]]
    answer = api.get("/events/stream", headers={"Last-Event-ID": ids[0], "Accept": "text/event-stream"})
    assert answer.mimetype == "text/event-stream"
    lines = answer.text.splitlines()
    assert lines[0] == "retry: 3000"
    assert [line for line in lines if line.startswith("id: ")] == [f"id: {id_}" for id_ in ids[:2]]
    assert first.id not in answer.text
    assert second.id in answer.text


def test_an_unknown_last_event_id_returns_all_stored_events(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post()
    answer = api.get("/events/stream", headers={"Last-Event-ID": "evt_long_gone"})
    assert post.id in answer.text


def test_a_stream_without_last_event_id_starts_with_new_events_only(api: Api, a_post: Callable[..., Post]) -> None:
    a_post()
    told = api.get("/events/stream").text
    assert "data: " not in told
    # A listener that is disconnected before the first event reconnects from here without missing one.
    assert told == f"retry: 3000\nid: {api.get('/events').json['data'][-1]['id']}\n\n"


def test_a_client_that_does_not_accept_an_event_stream_gets_406(api: Api) -> None:
    assert api.get("/events/stream", headers={"Accept": "text/html"}).status_code == 406
