"""POST /posts/{id}/publish: immediately, scheduled, to selected platforms, as a dry run; and unpublish."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from blogsvc.connections import disconnect
from blogsvc.models import Connection, Post
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.outside import Outside

Posts = Callable[..., Post]
Tick = Callable[[], None]


def states(post: dict[str, Any]) -> dict[str, str]:
    return {copy["platform"]: copy["state"] for copy in post["deliveries"]}


def test_publishing_returns_202_and_the_deliveries_show_progress(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick
) -> None:
    path = f"/posts/{a_post(platforms=['site', connect()]).id}"
    answer = api.post(f"{path}/publish")
    assert answer.status_code == 202
    assert answer.json["status"] == "publishing"
    assert states(answer.json) == {"site": "delivered", "hook": "queued"}
    tick()
    assert states(api.get(path).json) == {"site": "delivered", "hook": "delivered"}
    assert api.get(f"{path}/deliveries").json["data"] == api.get(path).json["deliveries"]


def test_publishing_again_creates_no_second_copy(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, outside: Outside
) -> None:
    path = f"/posts/{a_post(platforms=[connect()]).id}/publish"
    for _ in range(3):
        assert api.post(path).status_code == 202
        tick()
    assert len(outside.requests) == 1


def published_events(api: Api, path: str) -> list[bool]:
    events = api.get(f"{path}/events").json["data"]
    return [event["data"]["first"] for event in events if event["type"] == "post.published"]


def test_publishing_what_is_in_step_again_changes_nothing(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, time: Time
) -> None:
    path = f"/posts/{a_post(platforms=['site', connect()]).id}"
    api.post(f"{path}/publish")
    tick()
    before, events = api.get(path).json, api.get(f"{path}/events").json
    time.passes(hours=1)
    assert api.post(f"{path}/publish").status_code == 202
    tick()
    assert api.get(path).json == before
    assert api.get(f"{path}/events").json == events


def test_an_event_says_if_a_post_is_published_for_the_first_time(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, outside: Outside
) -> None:
    path = f"/posts/{a_post(platforms=['site', connect()]).id}"
    outside.always(status=422)
    api.post(f"{path}/publish")
    tick()
    assert (api.get(path).json["status"], published_events(api, path)) == ("partial", [])
    outside.always()
    api.post(f"{path}/publish")
    tick()
    assert published_events(api, path) == [True]
    api.put(path, content="Newer words.", publish=True)
    tick()
    assert published_events(api, path) == [True, False]


def test_only_copies_that_are_out_of_step_are_delivered_again(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, time: Time, outside: Outside
) -> None:
    path = f"/posts/{a_post(platforms=['site', connect()]).id}"
    outside.always(status=422)
    api.post(f"{path}/publish")
    tick()
    outside.always()
    time.passes(hours=1)
    api.post(f"{path}/publish")
    tick()
    delivered = {copy["platform"]: copy["deliveredAt"] for copy in api.get(path).json["deliveries"]}
    assert delivered == {"site": "2026-11-24T09:00:00.000Z", "hook": "2026-11-24T10:00:00.000Z"}


def test_a_delivery_to_a_disconnected_account_is_blocked_and_ends_the_wait(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, outside: Outside
) -> None:
    path = f"/posts/{a_post(platforms=['site', connect()]).id}"
    outside.always(status=401)
    api.post("/platforms/hook/verify")
    answer = api.post(f"{path}/publish", headers={"Prefer": "wait=30"})
    assert (answer.status_code, states(answer.json)) == (202, {"site": "delivered", "hook": "blocked"})
    hook = api.get(path).json["deliveries"][1]
    assert (hook["state"], hook["lastError"]["code"], hook["nextAttemptAt"]) == ("blocked", "disconnected", None)
    assert hook["lastError"]["detail"] == api.get("/platforms/hook").json["lastError"]
    assert api.get(f"/deliveries/{hook['id']}").json["state"] == "blocked"
    outside.always()
    api.post("/platforms/hook/verify")
    assert states(api.get(path).json)["hook"] == "queued"
    tick()
    assert states(api.get(path).json)["hook"] == "delivered"


def test_publishing_to_some_platforms_leaves_the_others(api: Api, a_post: Posts, connect: Callable[..., str]) -> None:
    connect("hook")
    path = f"/posts/{a_post(platforms=['site']).id}/publish"
    assert states(api.post(path, platforms=["hook"]).json) == {"hook": "queued"}
    assert set(states(api.post(path, platforms=["site"]).json)) == {"hook", "site"}


def test_publishing_with_a_time_schedules_the_post(api: Api, a_post: Posts, connect: Callable[..., str]) -> None:
    connect("hook")
    answer = api.post(f"/posts/{a_post().id}/publish", at="2026-12-01T10:00:00+01:00", platforms=["hook"])
    assert answer.status_code == 202
    assert (answer.json["status"], answer.json["scheduledAt"]) == ("scheduled", "2026-12-01T09:00:00.000Z")
    assert answer.json["platforms"] == ["hook"]


def test_a_scheduled_post_can_be_published_at_once(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post().id}"
    api.put(path, scheduledAt="2026-12-01T09:00:00Z")
    assert api.post(f"{path}/publish").json["status"] == "published"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"platforms": []}, {"#/platforms": "too_short"}),
        ({"platforms": ["nowhere"]}, {"#/platforms/0": "unknown_platform"}),
        ({"at": "2020-01-01T00:00:00.000Z"}, {"#/at": "in_past"}),
        ({"at": "2040-01-01T00:00:00.000Z"}, {"#/at": "too_far_ahead"}),
        ({"at": "now"}, {"#/at": "not_a_time"}),
        ({"when": "now"}, {"#/when": "unknown"}),
        ([], {"#": "wrong_type"}),
    ],
)
def test_an_invalid_publish_request_publishes_nothing(api: Api, a_post: Posts, body: Any, expected: Any) -> None:
    path = f"/posts/{a_post().id}"
    assert faults(api.post(f"{path}/publish", json=body)) == expected
    assert api.get(path).json["status"] == "draft"


def test_publishing_requires_content(api: Api, a_post: Posts) -> None:
    assert faults(api.post(f"/posts/{a_post(content='').id}/publish")) == {"#/content": "required"}
    assert api.post("/posts/post_nothing/publish").status_code == 404


def test_a_published_post_cannot_be_scheduled(api: Api, a_post: Posts) -> None:
    answer = api.post(f"/posts/{a_post(live=True).id}/publish", at="2026-12-01T09:00:00.000Z")
    assert (answer.status_code, answer.json["state"]) == (409, "published")
    assert "unpublish" in answer.json["allowed"]


def test_a_dry_run_returns_what_would_be_sent_and_sends_nothing(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, outside: Outside
) -> None:
    post = a_post(platforms=["site", connect()], overrides={"hook": {"title": "For the hook"}})
    answer = api.post(f"/posts/{post.id}/dry-run")
    assert answer.status_code == 200
    site, hook = answer.json["platforms"]
    assert (site["platform"], site["operation"]) == ("site", "create")
    assert (hook["platform"], hook["operation"], hook["error"]) == ("hook", "create", None)
    assert hook["payload"]["title"] == "For the hook"
    assert hook["payload"]["canonicalUrl"] == "https://blog.example/a-post"
    tick()
    assert outside.requests == []
    assert api.get(f"/posts/{post.id}").json["status"] == "draft"


def test_a_dry_run_distinguishes_create_update_and_none(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()

    def trial() -> dict[str, str]:
        rows = api.post(f"/posts/{post.id}/dry-run").json["platforms"]
        return {row["platform"]: row["operation"] for row in rows}

    assert trial() == {"site": "none", "hook": "none"}
    api.put(f"/posts/{post.id}", content="Newer")
    assert trial() == {"site": "update", "hook": "update"}


def test_a_dry_run_says_create_when_the_first_delivery_failed(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, outside: Outside
) -> None:
    post = a_post(live=True, platforms=[connect()])
    outside.always(status=422)
    tick()
    assert states(api.get(f"/posts/{post.id}").json) == {"hook": "failed"}
    (hook,) = api.post(f"/posts/{post.id}/dry-run").json["platforms"]
    assert (hook["platform"], hook["operation"], hook["error"]) == ("hook", "create", None)


def test_a_dry_run_reports_a_disconnected_platform(api: Api, a_post: Posts, connect: Callable[..., str]) -> None:
    post = a_post(platforms=["site", connect()])
    disconnect.disconnect(Connection.named("hook"), NOW)
    tried = api.post(f"/posts/{post.id}/dry-run").json
    assert [one["error"] for one in tried["platforms"]] == [None, None]
    (warning,) = tried["warnings"]
    assert (warning["code"], warning["platform"]) == ("not_connected", "hook")


def test_unpublishing_removes_every_copy(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, outside: Outside
) -> None:
    path = f"/posts/{a_post(live=True, platforms=['site', connect()]).id}"
    tick()
    answer = api.post(f"{path}/unpublish")
    assert (answer.status_code, answer.json["status"], answer.json["url"]) == (202, "unpublished", None)
    tick()
    assert set(states(api.get(path).json).values()) == {"withdrawn"}
    assert outside.requests[-1].json()["type"] == "post.deleted"


@pytest.mark.parametrize("take_down", ["unpublish", "discard"])
def test_a_copy_on_a_disconnected_platform_is_left_as_it_is(
    take_down: str, api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick
) -> None:
    path = f"/posts/{a_post(live=True, platforms=['site', connect()]).id}"
    tick()
    disconnect.disconnect(Connection.named("hook"), NOW)
    if take_down == "unpublish":
        api.post(f"{path}/unpublish")
    else:
        api.delete(f"{path}?withdraw=true")
    assert states(api.get(f"{path}?trashed=true" if take_down == "discard" else path).json) == {
        "site": "withdrawn",
        "hook": "delivered",
    }


def test_a_draft_cannot_be_unpublished(api: Api, a_post: Posts) -> None:
    answer = api.post(f"/posts/{a_post().id}/unpublish")
    assert (answer.status_code, answer.json["state"]) == (409, "draft")
    assert answer.json["allowed"] == ["edit", "schedule", "publish", "delete"]


def test_the_timeline_lists_events_in_order(api: Api, connect: Callable[..., str], tick: Tick, time: Time) -> None:
    post = api.post("/posts", title="x", content="y", platforms=[connect()]).json
    time.passes(seconds=1)
    api.post(f"/posts/{post['id']}/publish")
    tick()
    events = api.get(f"/posts/{post['id']}/events").json["data"]
    told = [event["type"] for event in events]
    assert told[0] == "post.created"
    assert set(told[1:]) >= {"post.publishing", "delivery.succeeded", "post.published"}
    assert all(event["postId"] == post["id"] for event in events)
    assert api.get("/posts/post_nothing/events").status_code == 404
