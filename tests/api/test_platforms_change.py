"""Connections through the API: change, verify and remove."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.models import Connection, Post, db
from tests.api.faults import faults
from tests.api.hooks import HOOK, OTHER, SECRET, URL, connect_hook, secret_of
from tests.api_client import Api
from tests.outside import Outside, Reply, Seen


@pytest.fixture
def hook(api: Api, outside: Outside) -> dict[str, Any]:
    return connect_hook(api, outside)


def test_patching_settings_keeps_absent_ones_and_null_clears(
    api: Api, hook: dict[str, Any], outside: Outside, tools: Tools
) -> None:
    outside.teach("POST", f"{URL}/new", status=200)
    changed = api.patch("/platforms/hook", settings={"url": f"{URL}/new", "headers": "X-Pass: sesame"})
    assert (changed.status_code, changed.json["settings"]["url"], changed.json["generated"]) == (200, f"{URL}/new", {})
    assert secret_of("hook", tools) == SECRET
    assert outside.requests[-1].headers["X-Pass"] == "sesame"
    assert changed.headers["ETag"] == api.get("/platforms/hook").headers["ETag"]
    api.patch("/platforms/hook", settings={"headers": None})
    assert "X-Pass" not in outside.requests[-1].headers
    assert faults(api.patch("/platforms/hook", settings={"url": None})) == {"#/settings/url": "required"}


def test_another_server_gets_the_secret_that_is_entered_for_it(
    api: Api, hook: dict[str, Any], outside: Outside, tools: Tools
) -> None:
    outside.teach("POST", "https://new.example/in", status=200)
    changed = api.patch("/platforms/hook", settings={"url": "https://new.example/in", "secret": OTHER})
    assert (changed.status_code, changed.json["account"]) == (200, "new.example")
    assert api.post("/platforms/hook/verify").status_code == 200
    assert faults(api.patch("/platforms/hook", settings={"url": URL})) == {"#/settings/secret": "required"}
    assert secret_of("hook", tools) == OTHER


def test_a_secret_can_be_replaced_or_generated_again(api: Api, hook: dict[str, Any], tools: Tools) -> None:
    assert api.patch("/platforms/hook", settings={"secret": OTHER}).json["generated"] == {}
    assert secret_of("hook", tools) == OTHER
    generated = api.patch("/platforms/hook", settings={"secret": None}).json["generated"]
    assert generated == {"secret": secret_of("hook", tools)}
    assert generated["secret"] not in (SECRET, OTHER)


def test_settings_that_the_platform_rejects_are_not_stored(
    api: Api, hook: dict[str, Any], outside: Outside, tools: Tools
) -> None:
    before = api.get("/platforms/hook").json
    outside.always(status=410)
    assert api.patch("/platforms/hook", name="other", settings={"secret": OTHER}).status_code == 422
    outside.always(status=503)
    assert api.patch("/platforms/hook", name="other", settings={"secret": OTHER}).status_code == 502
    assert api.get("/platforms/hook").json == before
    assert secret_of("hook", tools) == SECRET


def test_new_settings_reconnect_a_disconnected_connection(
    api: Api, hook: dict[str, Any], outside: Outside, tools: Tools
) -> None:
    outside.always(status=410)
    api.post("/platforms/hook/verify")
    assert api.get("/platforms/hook").json["health"] == "disconnected"
    outside.always()
    back = api.patch("/platforms/hook", settings={"secret": OTHER}).json
    assert (back["health"], back["lastError"]) == ("ok", None)


def test_a_change_overtaken_by_another_one_returns_412(
    api: Api, hook: dict[str, Any], outside: Outside, tools: Tools
) -> None:
    """Another request renames the connection while the platform is being asked."""
    slow = "https://slow.example/in"

    def meanwhile(seen: Seen) -> Reply:
        with api.client.application.app_context():
            manage.change(Connection.named("hook"), "other", None, tools)
        return Reply(200)

    outside.teach("POST", slow, meanwhile)
    assert api.patch("/platforms/hook", settings={"url": slow, "secret": OTHER}).status_code == 412
    assert api.get("/platforms/other").json["settings"]["url"] == URL


def test_a_stale_change_is_rejected_without_a_request_to_the_platform(
    api: Api, hook: dict[str, Any], outside: Outside
) -> None:
    old = {"If-Match": api.get("/platforms/hook").headers["ETag"]}
    outside.teach("POST", f"{URL}/new", status=200)
    assert api.patch("/platforms/hook", settings={"url": f"{URL}/new"}, headers=old).status_code == 200
    outside.requests.clear()
    assert api.patch("/platforms/hook", settings={"url": URL}, headers=old).status_code == 412
    assert api.delete("/platforms/hook", headers=old).status_code == 412
    assert outside.requests == []


def test_a_connection_that_no_post_uses_can_be_renamed(api: Api, hook: dict[str, Any], outside: Outside) -> None:
    assert api.patch("/platforms/hook", name="blog-hook").json["name"] == "blog-hook"
    assert outside.requests == [], "its settings are unchanged"
    assert api.get("/platforms/hook").status_code == 404
    assert faults(api.post("/posts", title="x", platforms=["hook"])) == {"#/platforms/0": "unknown_platform"}
    assert api.post("/posts", title="x", platforms=["blog-hook"]).status_code == 201
    assert faults(api.patch("/platforms/blog-hook", name="site")) == {"#/name": "taken"}


@pytest.mark.parametrize("use", ["platforms", "overrides", "a copy", "an old override", "the trash"])
def test_a_connection_used_by_a_post_cannot_be_renamed(
    api: Api, hook: dict[str, Any], a_post: Callable[..., Post], use: str
) -> None:
    match use:
        case "platforms":
            a_post(platforms=["hook"])
        case "overrides":
            a_post(overrides={"hook": {"title": "Other words"}})
        case "a copy":
            post = a_post(live=True, platforms=["hook"])
            api.put(f"/posts/{post.id}", platforms=["site"])
        case "an old override":
            post = a_post(overrides={"hook": {"title": "Other words"}})
            api.put(f"/posts/{post.id}", overrides=None)
        case "the trash":
            api.delete(f"/posts/{a_post(platforms=['hook']).id}")
    answer = api.patch("/platforms/hook", name="other")
    assert (answer.status_code, answer.json["state"]) == (409, "in use")
    assert api.patch("/platforms/hook", name="hook").status_code == 200, "the same name is no change"


# --- verify ---


def test_waiting_deliveries_continue_once_the_connection_works_again(
    api: Api, hook: dict[str, Any], outside: Outside, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    outside.always(status=410)
    post = a_post(live=True, platforms=["hook"])
    tick()
    refused = api.post("/platforms/hook/verify")
    assert (refused.status_code, refused.json["code"]) == (502, "disconnected")
    assert refused.json["type"].endswith("/platform-refused")
    assert "has disabled this webhook" in api.get("/platforms/hook").json["lastError"]
    outside.always()
    answer = api.post("/platforms/hook/verify")
    assert (answer.status_code, answer.json["health"]) == (200, "ok")
    tick()
    assert api.get(f"/posts/{post.id}").json["status"] == "published"


# --- remove ---


def test_removing_a_connection_blocks_its_unsent_deliveries_and_keeps_the_sent_ones(
    api: Api, hook: dict[str, Any], a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    sent = a_post(live=True, platforms=["hook"])
    tick()
    waiting = a_post(live=True, platforms=["site", "hook"])
    assert api.delete("/platforms/hook").status_code == 204
    assert [api.get("/platforms/hook").status_code, api.delete("/platforms/hook").status_code] == [404, 404]
    assert api.get(f"/posts/{sent.id}").json["status"] == "published"
    left = api.get(f"/posts/{waiting.id}").json
    assert (left["status"], left["open"], left["platforms"]) == ("published", 1, ["site", "hook"])
    (blocked,) = (row for row in left["deliveries"] if row["platform"] == "hook")
    assert (blocked["state"], blocked["lastError"]["code"]) == ("blocked", "not_connected")
    events = [event["type"] for event in api.get(f"/posts/{waiting.id}/events").json["data"]]
    assert {"delivery.blocked", "post.published"} <= set(events)
    assert db.session.query(Connection).count() == 0


def test_a_removed_connection_that_is_added_again_delivers_its_posts(
    api: Api, hook: dict[str, Any], a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    post = a_post(live=True, platforms=["hook"])
    api.delete("/platforms/hook")
    assert api.post("/platforms", json=HOOK).status_code == 201
    tick()
    assert api.get(f"/posts/{post.id}").json["status"] == "published"


def test_the_built_in_blog_is_read_only(api: Api) -> None:
    (site,) = api.get("/platforms").json["data"]
    assert api.get("/platforms/site").json == site
    assert api.post("/platforms/site/verify").json == site
    for answer in (
        api.patch("/platforms/site", name="home"),
        api.patch("/platforms/site", settings={}),
        api.delete("/platforms/site"),
    ):
        assert (answer.status_code, answer.json["state"]) == (409, "built-in")
        assert "the built-in blog" in answer.json["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body"), [("GET", "", None), ("PATCH", "", {}), ("DELETE", "", None), ("POST", "/verify", None)]
)
def test_an_unknown_connection_returns_404(api: Api, method: str, path: str, body: Any) -> None:
    assert api(method, f"/platforms/nowhere{path}", json=body).status_code == 404
