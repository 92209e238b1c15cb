"""`publishedAt`: the date that a post from elsewhere brings along, until it is first published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside

Posts = Callable[..., Post]
OLD = "2019-05-04T10:00:00.000Z"


def new(api: Api, **fields: Any) -> Any:
    return api.post("/posts", title="Moved", content="Some words.", **fields)


def test_a_post_is_published_with_the_date_that_it_brings(api: Api, client: FlaskClient) -> None:
    post = new(api, publishedAt="2019-05-04T12:00+0200").json
    assert (post["status"], post["publishedAt"]) == ("draft", OLD)
    live = api.post(f"/posts/{post['id']}/publish").json
    assert (live["status"], live["publishedAt"]) == ("published", OLD)
    assert "2019-05-04" in client.get(f"/{post['slug']}").text
    assert api.get("/posts?publishedBefore=2020-01-01T00:00:00Z").json["data"][0]["id"] == post["id"]


def test_the_date_can_be_set_changed_and_cleared_until_the_first_publication(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post().id}"
    assert api.put(path, publishedAt=OLD).json["publishedAt"] == OLD
    assert api.put(path, title="New").json["publishedAt"] == OLD
    assert api.put(path, publishedAt=None).json["publishedAt"] is None
    assert api.post(f"{path}/publish").json["publishedAt"] == "2026-11-24T09:00:00.000Z"


def test_a_scheduled_post_is_published_with_the_date_that_it_brings(
    api: Api, time: Time, tick: Callable[[], None]
) -> None:
    post = new(api, publishedAt=OLD, scheduledAt="2026-11-24T10:00:00Z").json
    time.passes(hours=1)
    tick()
    found = api.get(f"/posts/{post['id']}").json
    assert (found["status"], found["publishedAt"]) == ("published", OLD)


def test_the_date_of_a_published_post_stays(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post(live=True).id}"
    read = api.get(path).json
    assert faults(api.put(path, publishedAt=OLD)) == {"#/publishedAt": "read_only"}
    for unchanged in (read["publishedAt"], read["publishedAt"].replace("Z", "+00:00"), None):
        answer = api.put(path, publishedAt=unchanged)
        assert (answer.status_code, answer.json["publishedAt"]) == (200, read["publishedAt"])
    api.post(f"{path}/unpublish")
    assert faults(api.put(path, publishedAt=OLD)) == {"#/publishedAt": "read_only"}
    assert api.post(f"{path}/publish").json["publishedAt"] == read["publishedAt"]


@pytest.mark.parametrize(
    ("at", "code"),
    [
        ("2026-11-25T00:00:00Z", "in_future"),
        ("0999-01-01T00:00:00Z", "out_of_range"),
        ("2019-05-04", "not_a_time"),
    ],
)
def test_a_date_in_the_future_or_before_all_calendars_is_rejected(api: Api, a_post: Posts, at: str, code: str) -> None:
    assert faults(new(api, publishedAt=at)) == {"#/publishedAt": code}
    assert faults(api.put(f"/posts/{a_post().id}", publishedAt=at)) == {"#/publishedAt": code}


def test_a_platform_that_takes_a_date_gets_it(
    api: Api, outside: Outside, connect: Callable[..., str], tick: Callable[[], None]
) -> None:
    hook = connect()
    post = new(api, publishedAt=OLD, platforms=["site", hook]).json
    api.post(f"/posts/{post['id']}/publish")
    tick()
    sent = next(seen.json() for seen in outside.requests if b"Moved" in seen.body)
    assert sent["data"]["publishedAt"] == "2019-05-04T10:00:00Z"


def test_a_copy_of_a_post_has_a_date_of_its_own(api: Api) -> None:
    post = new(api, publishedAt=OLD).json
    assert api.post(f"/posts/{post['id']}/duplicate").json["publishedAt"] is None
