"""The life of a post, from creation to its figures, through the API."""

from __future__ import annotations

from collections.abc import Callable

from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside


def test_a_post_is_scheduled_published_updated_measured_and_withdrawn(
    api: Api, time: Time, tick: Callable[[], None], outside: Outside, connect: Callable[..., str]
) -> None:
    connect("hook")
    client, page = api.client, "/hello-world"

    # Scheduled a minute ahead: not public yet.
    post = api.post(
        "/posts",
        title="Hello, world",
        content="It *begins*.",
        platforms=["site", "hook"],
        scheduledAt="2026-11-24T09:01:00Z",
    ).json
    assert post["status"] == "scheduled"
    tick()
    assert client.get(page).status_code == 404
    assert outside.requests == []

    # Its time comes: it is on the blog, in the feed and the sitemap, and on the platform with its canonical URL.
    time.passes(minutes=1)
    tick()
    post = api.get(f"/posts/{post['id']}").json
    assert post["status"] == "published"
    assert [(d["platform"], d["state"]) for d in post["deliveries"]] == [("site", "delivered"), ("hook", "delivered")]
    assert "<em>begins</em>" in client.get(page).text
    assert "It <em>begins</em>" in client.get("/feed.xml").text.replace("&lt;", "<").replace("&gt;", ">")
    assert "https://blog.example/hello-world" in client.get("/sitemap.xml").text
    (sent,) = outside.requests
    assert sent.json()["type"] == "post.published"
    assert sent.json()["data"]["canonicalUrl"] == "https://blog.example/hello-world"

    # Running the scheduler again sends nothing.
    tick()
    assert len(outside.requests) == 1

    # An edit waits until it is published; then every copy is updated.
    api.put(f"/posts/{post['id']}", content="It *goes on*.")
    tick()
    assert "begins" in client.get(page).text
    assert len(outside.requests) == 1
    assert api.post(f"/posts/{post['id']}/publish").status_code == 202
    tick()
    assert "<em>goes on</em>" in client.get(page).text
    assert [seen.json()["type"] for seen in outside.requests] == ["post.published", "post.updated"]

    # It can be found, and has figures.
    assert [found["id"] for found in api.get("/posts?status=published&platform=hook").json["data"]] == [post["id"]]
    time.passes(minutes=1)
    figures = api.get(f"/posts/{post['id']}/analytics").json["totals"]
    assert figures["views"] == 3
    assert figures["likes"] is None
    assert figures["deliveries"]["delivered"] == 2

    # It is unpublished everywhere, and its timeline lists every event.
    assert api.delete(f"/posts/{post['id']}?withdraw=true").status_code == 202
    tick()
    assert client.get(page).status_code == 404
    assert api.get(f"/posts/{post['id']}").status_code == 404
    assert outside.requests[-1].json()["type"] == "post.deleted"
    post = api.get(f"/posts/{post['id']}?trashed=true").json
    assert {delivery["state"] for delivery in post["deliveries"]} == {"withdrawn"}
