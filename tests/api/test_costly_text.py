"""A text that would cost too much is stored, but not published: the answer names the field and what to change."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient

from blogsvc.lib.workers.text_jobs import requester
from tests.api_client import Api
from tests.siege.texts import WORST

REPEATED = WORST["open b"]()


def test_a_text_that_explodes_is_stored_and_not_published(api: Api) -> None:
    made = api.post("/posts", title="A", content=REPEATED)
    assert made.status_code == 201
    refused = api.post(f"/posts/{made.json['id']}/publish")
    assert refused.status_code == 422
    (fault,) = refused.json["errors"]
    assert (fault["pointer"], fault["code"]) == ("#/content", "too_costly")
    assert fault["detail"].startswith("`content`: Line 1 opens <b id=a0> and does not close it.")
    assert api.get(f"/posts/{made.json['id']}").json["status"] == "draft"


def test_the_line_is_counted_from_the_first_line_of_the_text(api: Api) -> None:
    made = api.post("/posts", title="A", content=f"---\ntitle: A\n---\nWords.\n\n{REPEATED}")
    refused = api.post(f"/posts/{made.json['id']}/publish")
    assert refused.json["errors"][0]["detail"].startswith("`content`: Line 6 opens")


def test_a_text_that_explodes_is_not_scheduled(api: Api) -> None:
    refused = api.post("/posts", title="A", content=REPEATED, publishAt="2036-01-01T00:00:00Z")
    assert refused.status_code == 422


def test_a_page_that_is_too_large_to_keep_in_memory_is_not_published(api: Api) -> None:
    made = api.post("/posts", title="A", content="![a](/x.png)\n\n" * 10_000)
    refused = api.post(f"/posts/{made.json['id']}/publish")
    assert refused.status_code == 422
    assert "The page of this text would have 6." in refused.json["errors"][0]["detail"]


def test_a_feed_has_as_many_posts_as_fit_in_a_mebibyte(api: Api) -> None:
    for number in range(4):
        made = api.post("/posts", title=f"Post {number}", content="Some words. " * 1_300 + "\n\n" + "word " * 80_000)
        assert api.post(f"/posts/{made.json['id']}/publish").status_code == 202
    assert api.client.get("/feed.xml").text.count("<entry>") == 2
    assert len(api.client.get("/feed.json").json["items"]) == 2


def test_a_delivery_of_a_text_that_explodes_fails_with_the_reason(
    api: Api, connect: Callable[..., str], tick: Callable[[], None]
) -> None:
    connect("hook")
    made = api.post("/posts", title="A", content="Words.", platforms=["site", "hook"])
    own = {"hook": {"content": REPEATED}}
    post = f"/posts/{made.json['id']}"
    assert api("PATCH", post, overrides=own).status_code == 200
    refused = api.post(f"{post}/publish")
    assert refused.status_code == 422
    assert "Line 1 opens <b id=a0>" in refused.json["errors"][0]["detail"]


def test_a_reader_does_not_take_the_place_of_the_key_that_the_thread_served_before(
    api: Api, client: FlaskClient
) -> None:
    api.get("/posts")
    assert requester.get().startswith("key_")
    client.get("/")
    assert requester.get() == ""
