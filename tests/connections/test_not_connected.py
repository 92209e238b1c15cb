"""Destinations that are not connected: a post names them, waits for the account, and is sent when it is connected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from blogsvc.connections.adopt import ADOPT_BATCH
from blogsvc.context import Tools
from blogsvc.models import Connection, Post, db, transaction
from blogsvc.posts import editing, publishing, trash
from blogsvc.scheduler.loop import Scheduler
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside

Tick = Callable[[], None]
Connect = Callable[..., str]
CONTENT = "Some *words*."


def delivery_of(post: dict[str, Any], name: str = "webhook") -> dict[str, Any]:
    (found,) = (one for one in post["deliveries"] if one["platform"] == name)
    return found


def sent(outside: Outside) -> list[str]:
    """Return the titles that arrived at the receivers of webhooks."""
    return [seen.json()["data"]["title"] for seen in outside.requests if seen.method == "POST"]


def statements_of(act: Callable[[], object]) -> int:
    """Return how many statements the database executes."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        seen.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        act()
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    return len(seen)


@pytest.fixture
def publish(api: Api) -> Callable[..., dict[str, Any]]:
    """Create and publish a post through the API."""

    def make(*platforms: str, title: str = "A post") -> dict[str, Any]:
        made = api.post("/posts", title=title, content=CONTENT, platforms=list(platforms))
        assert made.status_code == 201, made.json
        return api.post(f"/posts/{made.json['id']}/publish").json

    return make


def test_a_platform_that_is_not_connected_is_accepted_with_a_warning(api: Api) -> None:
    answer = api.post("/posts", title="A post", platforms=["site", "wordpress"])
    assert (answer.status_code, answer.json["platforms"]) == (201, ["site", "wordpress"])
    (warning,) = answer.json["warnings"]
    assert (warning["pointer"], warning["code"], warning["platform"]) == ("#/platforms/1", "not_connected", "wordpress")
    assert "No account is connected as 'wordpress'." in warning["detail"]
    assert "Connect a WordPress account at" in warning["remediation"]
    assert "https://blog.example/desk/settings/destinations/new/wordpress" in warning["remediation"]
    assert "POST /platforms" in warning["remediation"]
    assert api.get(f"/posts/{answer.json['id']}").json["warnings"] == [warning]
    assert api.get("/posts").json["data"][0]["warnings"] == [warning]


def test_a_post_on_this_blog_has_no_warnings(api: Api) -> None:
    assert api.post("/posts", title="A post").json["warnings"] == []


def test_the_blog_shows_a_scheduled_post_while_another_destination_waits(api: Api, tick: Tick, time: Time) -> None:
    at = "2026-11-24T09:00:05Z"
    post = api.post("/posts", title="A post", content=CONTENT, platforms=["site", "wordpress"], scheduledAt=at).json
    time.passes(seconds=6)
    tick()
    post = api.get(f"/posts/{post['id']}").json
    assert (post["status"], post["open"]) == ("published", 1)
    assert delivery_of(post, "site")["state"] == "delivered"
    blocked = delivery_of(post, "wordpress")
    assert (blocked["state"], blocked["nextAttemptAt"]) == ("blocked", None)
    assert blocked["lastError"] == {"code": "not_connected", "detail": "No account is connected as 'wordpress'."}


def test_a_post_that_waits_everywhere_is_publishing(publish: Callable[..., Any]) -> None:
    post = publish("webhook")
    assert (post["status"], post["open"]) == ("publishing", 1)


def test_the_published_event_counts_the_open_destinations(api: Api, publish: Callable[..., Any]) -> None:
    post = publish("site", "webhook")
    events = {one["type"]: one["data"] for one in api.get(f"/posts/{post['id']}/events").json["data"]}
    assert events["post.published"] == {"first": True, "open": 1}
    assert events["delivery.blocked"] == {"platform": "webhook", "code": "not_connected"}


def test_waiting_for_the_outcome_ends_at_a_destination_without_an_account(api: Api) -> None:
    post = api.post("/posts", title="A post", content=CONTENT, platforms=["site", "webhook"]).json
    answer = api.post(f"/posts/{post['id']}/publish", headers={"Prefer": "wait=20"})
    assert (answer.status_code, answer.json["status"]) == (200, "published")


def test_connecting_an_account_sends_what_waited_for_it_once(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside, time: Time
) -> None:
    post = publish("site", "webhook")
    time.passes(minutes=30)
    connect("webhook")
    tick()
    tick()
    assert sent(outside) == ["A post"]
    post = api.get(f"/posts/{post['id']}").json
    assert (post["status"], post["open"], post["warnings"]) == ("published", 0, [])
    assert delivery_of(post)["state"] == "delivered"


def test_a_cached_post_loses_its_warning_when_the_account_is_connected(api: Api, connect: Connect) -> None:
    path = f"/posts/{api.post('/posts', title='A post', platforms=['webhook']).json['id']}"
    before = api.get(path)
    connect("webhook")
    after = api.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert (len(before.json["warnings"]), after.status_code, after.json["warnings"]) == (1, 200, [])


def test_the_first_account_of_a_connector_gets_what_waited_for_the_connector(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    early = publish("site", "webhook", title="Early")
    connect("hook")
    assert api.get("/platforms/hook").json["aliases"] == ["webhook"]
    tick()
    late = publish("site", "webhook", title="Late")
    tick()
    assert sent(outside) == ["Early", "Late"]
    assert (late["platforms"], late["warnings"]) == (["site", "hook"], [])
    early = api.get(f"/posts/{early['id']}").json
    assert (early["platforms"], early["open"], delivery_of(early, "hook")["state"]) == (
        ["site", "hook"],
        0,
        "delivered",
    )
    assert len(api.get("/posts?platform=webhook").json["data"]) == 2


def test_a_post_cannot_name_one_account_twice(api: Api, connect: Connect) -> None:
    connect("hook")
    (fault,) = api.post("/posts", title="A post", platforms=["webhook", "hook"]).json["errors"]
    assert (fault["pointer"], fault["code"]) == ("#/platforms", "repeated")


def test_an_alias_and_the_name_of_a_connection_are_one_copy(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    post = publish("webhook")
    connect("hook")
    tick()
    answer = api.put(f"/posts/{post['id']}", platforms=["hook"])
    api.post(f"/posts/{post['id']}/publish")
    tick()
    assert sent(outside) == ["A post"], answer.json


def test_the_author_chooses_between_two_accounts(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    connect("first")
    connect("second")
    assert api.patch("/platforms/first", aliases=[]).json["aliases"] == []
    post = publish("webhook")
    assert [one["platform"] for one in post["warnings"]] == ["webhook"]
    tick()
    assert sent(outside) == []
    assert api.patch("/platforms/second", aliases=["webhook"]).json["aliases"] == ["webhook"]
    tick()
    assert [seen.url for seen in outside.requests] == ["https://second.example/in"]


@pytest.mark.parametrize(
    ("alias", "code"), [("site", "taken"), ("second", "taken"), ("wordpress", "invalid"), ("first", "taken")]
)
def test_an_alias_cannot_be_the_name_of_something_else(api: Api, connect: Connect, alias: str, code: str) -> None:
    connect("first")
    connect("second")
    (fault,) = api.patch("/platforms/first", aliases=[alias]).json["errors"]
    assert (fault["pointer"], fault["code"]) == ("#/aliases/0", code)


def test_a_late_post_waits_for_a_decision(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside, time: Time
) -> None:
    old = publish("site", "webhook", title="Old")
    time.passes(days=3)
    publish("site", "webhook", title="New")
    connect("webhook")
    tick()
    assert sent(outside) == ["New"]
    waiting = delivery_of(api.get(f"/posts/{old['id']}").json)
    assert (waiting["state"], waiting["lastError"]["code"]) == ("blocked", "late")
    assert api.post(f"/deliveries/{waiting['id']}/retry").status_code == 202
    tick()
    assert sent(outside) == ["New", "Old"]


def test_a_late_post_that_is_sent_is_not_given_up_after_one_failure(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside, time: Time
) -> None:
    post = publish("webhook")
    time.passes(days=9)
    connect("webhook")
    outside.always(status=503)
    api.post(f"/deliveries/{delivery_of(post)['id']}/retry")
    tick()
    assert delivery_of(api.get(f"/posts/{post['id']}").json)["state"] == "retrying"


@pytest.mark.parametrize("act", ["leave", "withdraw"])
def test_a_waiting_delivery_can_be_dismissed(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside, act: str
) -> None:
    post = publish("site", "webhook")
    assert api.post(f"/deliveries/{delivery_of(post)['id']}/{act}").json["state"] == "withdrawn"
    connect("webhook")
    tick()
    assert sent(outside) == []
    post = api.get(f"/posts/{post['id']}").json
    assert (post["status"], post["open"]) == ("published", 0)


def test_a_waiting_delivery_cannot_be_retried_without_an_account(api: Api, publish: Callable[..., Any]) -> None:
    answer = api.post(f"/deliveries/{delivery_of(publish('webhook'))['id']}/retry")
    assert answer.status_code == 422
    assert "Connect it first." in answer.json["detail"]


@pytest.mark.parametrize("end", ["unpublish", "trash"])
def test_a_post_that_is_taken_back_waits_no_more(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside, end: str
) -> None:
    post = publish("site", "webhook")
    answer = api.post(f"/posts/{post['id']}/unpublish") if end == "unpublish" else api.delete(f"/posts/{post['id']}")
    assert answer.status_code in (200, 202)
    connect("webhook")
    tick()
    assert sent(outside) == []


def test_an_edited_post_is_sent_as_it_was_published_last(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    post = publish("site", "webhook")
    api.put(f"/posts/{post['id']}", title="Edited", publish=True)
    connect("webhook")
    tick()
    assert sent(outside) == ["Edited"]


def test_what_was_not_sent_waits_for_another_account_of_the_name(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    connect("blog")
    post = publish("site", "blog")
    assert api.delete("/platforms/blog").status_code == 204
    post = api.get(f"/posts/{post['id']}").json
    assert (delivery_of(post, "blog")["state"], post["warnings"][0]["platform"]) == ("blocked", "blog")
    connect("blog")
    tick()
    assert sent(outside) == ["A post"]


@pytest.mark.parametrize(("name", "key"), [("dev.to", "devto"), ("dev", "devto"), ("bsky", "bluesky")])
def test_a_common_name_of_a_platform_means_its_connector(api: Api, name: str, key: str) -> None:
    post = api.post("/posts", title="A post", platforms=[name], overrides={name: {"title": "Another"}}).json
    assert (post["platforms"], list(post["overrides"])) == ([key], [key])
    assert [one["id"] for one in api.get(f"/posts?platform={name}").json["data"]] == [post["id"]]


def test_a_connection_cannot_take_the_name_that_posts_use_for_another_platform(api: Api) -> None:
    api.post("/posts", title="A post", platforms=["wordpress"])
    answer = api.post("/platforms", connector="sandbox", name="wordpress")
    (fault,) = answer.json["errors"]
    assert (answer.status_code, fault["pointer"], fault["code"]) == (422, "#/name", "taken")


def test_a_connection_may_have_a_common_name_of_a_platform(api: Api, connect: Connect) -> None:
    connect("dev")
    assert api.post("/posts", title="A post", platforms=["dev"]).json["platforms"] == ["dev"]


def test_options_are_checked_before_the_account_is_connected(api: Api) -> None:
    given = {"mastodon": {"options": {"visibility": "unlisted"}}}
    assert api.post("/posts", title="A post", platforms=["mastodon"], overrides=given).status_code == 201
    given["mastodon"]["options"]["visibility"] = "secret"
    answer = api.post("/posts", title="A post", platforms=["mastodon"], overrides=given)
    assert answer.json["errors"][0]["pointer"] == "#/overrides/mastodon/options"


def test_a_dry_run_shows_what_a_platform_without_an_account_would_get(api: Api) -> None:
    post = api.post("/posts", title="A post", content=CONTENT, platforms=["bluesky"]).json
    tried = api.post(f"/posts/{post['id']}/dry-run").json
    (trial,) = tried["platforms"]
    assert (trial["error"], trial["operation"], trial["limits"][0]["most"]) == (None, "create", 300)
    assert "A post" in str(trial["payload"])
    assert tried["warnings"][0]["code"] == "not_connected"


def test_a_text_that_is_too_long_is_a_warning_until_the_account_is_connected(api: Api) -> None:
    own = {"bluesky": {"content": "word " * 100}}
    post = api.post("/posts", title="A post", content=CONTENT, platforms=["bluesky"], overrides=own).json
    (trial,) = api.get(f"/posts/{post['id']}/preview").json["platforms"]
    assert trial["error"] is None
    assert "over the limit" in trial["warnings"][0]
    assert api.post(f"/posts/{post['id']}/publish").status_code == 202


def test_default_destinations_may_wait_for_an_account(
    api: Api, connect: Connect, tick: Tick, a_post: Any, outside: Outside
) -> None:
    editing.choose_default_platforms(["site", "dev.to", "webhook"])
    post = a_post(live=True)
    assert post.platforms == ["site", "devto", "webhook"]
    connect("webhook")
    tick()
    assert sent(outside) == ["A post"]


def test_an_alias_that_is_moved_leaves_copies_with_their_account(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    connect("first")
    connect("second")
    post = publish("webhook")
    tick()
    api.patch("/platforms/first", aliases=[])
    api.patch("/platforms/second", aliases=["webhook"])
    api.patch(f"/posts/{post['id']}", title="Edited", publish=True)
    tick()
    assert [seen.url for seen in outside.requests] == ["https://first.example/in"] * 2


@pytest.mark.parametrize("is_first_removed", [False, True])
def test_a_post_with_two_names_of_one_account_gets_there_once(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside, is_first_removed: bool
) -> None:
    connect("first")
    api.patch("/platforms/first", aliases=[])
    if is_first_removed:
        api.delete("/platforms/first")
    post = publish("first", "webhook")
    if is_first_removed:
        connect("first")
    else:
        tick()
    api.patch("/platforms/first", aliases=["webhook"])
    tick()
    assert sent(outside) == ["A post"]
    post = api.get(f"/posts/{post['id']}").json
    assert (post["platforms"], post["status"], post["open"]) == (["first"], "published", 0)


def test_a_name_that_a_removed_account_had_is_not_given_to_another_account(api: Api, connect: Connect) -> None:
    connect("webhook")
    api.delete("/platforms/webhook")
    connect("hook")
    assert api.get("/platforms/hook").json["aliases"] == []


def test_a_connection_that_is_renamed_to_the_awaited_name_gets_what_waited(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    connect("other")
    api.patch("/platforms/other", aliases=[])
    publish("site", "webhook")
    assert api.patch("/platforms/other", name="webhook").status_code == 200
    tick()
    assert sent(outside) == ["A post"]


def test_a_connection_can_be_renamed_to_its_alias(api: Api, connect: Connect) -> None:
    connect("hook")
    renamed = api.patch("/platforms/hook", name="webhook").json
    assert (renamed["name"], renamed["aliases"]) == ("webhook", [])


def test_overrides_follow_the_name_of_the_account(api: Api, connect: Connect, tick: Tick, outside: Outside) -> None:
    own = {"webhook": {"title": "Their title"}}
    post = api.post("/posts", title="A post", content=CONTENT, platforms=["webhook"], overrides=own).json
    api.post(f"/posts/{post['id']}/publish")
    connect("hook")
    tick()
    assert sent(outside) == ["Their title"]
    post = api.get(f"/posts/{post['id']}").json
    assert (list(post["overrides"]), post["hasUnpublishedChanges"]) == (["hook"], False)
    own = {"webhook": {"title": "Another title"}}
    assert list(api.patch(f"/posts/{post['id']}", overrides=own).json["overrides"]) == ["hook"]


def test_a_destination_that_is_removed_from_a_post_is_waited_for_no_more(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    post = publish("site", "webhook")
    changed = api.put(f"/posts/{post['id']}", platforms=["site"]).json
    assert (changed["open"], changed["status"]) == (0, "published")
    connect("webhook")
    tick()
    assert sent(outside) == []


def test_a_post_waits_again_when_it_is_taken_back_from_the_trash(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside, time: Time
) -> None:
    post = publish("site", "webhook")
    trash.discard(Post.get(post["id"]), time())
    trash.undo_discard(Post.get(post["id"], trashed=True), time())
    assert api.get(f"/posts/{post['id']}").json["open"] == 1
    connect("webhook")
    tick()
    assert sent(outside) == ["A post"]


def test_a_dry_run_knows_aliases(api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick) -> None:
    connect("hook")
    post = publish("hook")
    tick()
    (trial,) = api.post(f"/posts/{post['id']}/dry-run", platforms=["webhook"]).json["platforms"]
    assert (trial["platform"], trial["operation"]) == ("hook", "none")


def test_many_waiting_posts_are_sent_in_several_transactions(
    api: Api, connect: Connect, tools: Tools, outside: Outside, tick: Tick
) -> None:
    count = ADOPT_BATCH + 1
    with transaction():
        for number in range(count):
            post = editing.create({"title": f"Post {number}", "content": CONTENT}, ["webhook"], tools.now())
            publishing.publish(post, tools.now())
    commits: list[object] = []
    note = commits.append
    event.listen(db.engine, "commit", note)
    connect("hook")
    event.remove(db.engine, "commit", note)
    assert len(commits) >= 3, "the connection, and two batches"
    tick()
    assert sorted(sent(outside)) == sorted(f"Post {number}" for number in range(count))


def test_the_list_reads_the_destinations_once_for_all_posts(api: Api, publish: Callable[..., Any], app: Flask) -> None:
    for _ in range(5):
        publish("site", "webhook")
    few = statements_of(lambda: api.get("/posts?limit=1"))
    assert statements_of(lambda: api.get("/posts?limit=5")) <= few + 2


def account(name: str) -> dict[str, Any]:
    return {"connector": "webhook", "settings": {"url": f"https://{name}.example/in"}}


@pytest.fixture
def accounts(outside: Outside) -> None:
    """Two receivers of webhooks."""
    for name in ("a", "b"):
        outside.teach("POST", f"https://{name}.example/in", status=200)


def published_at(outside: Outside) -> list[tuple[str, str]]:
    """Return what arrived after the tests of the connections: the host and the type of each message."""
    seen = [(one.url.split(".")[0].removeprefix("https://"), one.json()["type"]) for one in outside.requests]
    return [one for one in seen if one[1] != "connection.verified"]


def test_connecting_queues_what_waited_before_the_scheduler_runs(
    api: Api, publish: Callable[..., Any], connect: Connect
) -> None:
    post = publish("site", "webhook")
    connect("hook")
    assert delivery_of(api.get(f"/posts/{post['id']}").json, "hook")["state"] == "queued"


def test_the_scheduler_adopts_what_a_killed_process_left(
    api: Api, publish: Callable[..., Any], connect: Connect, app: Flask, tools: Tools
) -> None:
    connect("other")
    api.patch("/platforms/other", aliases=[])
    post = publish("site", "webhook")
    with transaction():
        Connection.named("other").name = "webhook"  # as if the process was killed before it adopted the post
    assert delivery_of(api.get(f"/posts/{post['id']}").json)["state"] == "blocked"
    Scheduler(app, tools).tick()
    assert delivery_of(api.get(f"/posts/{post['id']}").json)["state"] != "blocked"


@pytest.mark.usefixtures("accounts")
def test_a_copy_of_a_removed_account_is_never_changed_by_another(
    api: Api, publish: Callable[..., Any], tick: Tick, outside: Outside
) -> None:
    for name, at in (("first", "a"), ("old", "b")):
        assert api.post("/platforms", name=name, **account(at)).status_code == 201
    api.delete("/platforms/first")
    api.post("/platforms", name="first", **account("a"))
    post = publish("old")
    tick()
    api.delete("/platforms/old")
    api.patch("/platforms/first", aliases=["old"])
    outside.requests.clear()
    api.patch(f"/posts/{post['id']}", title="Edited", publish=True)
    tick()
    assert published_at(outside) == [("a", "post.published")], "a new copy on the other account"


@pytest.mark.usefixtures("accounts")
def test_a_removed_account_that_returns_under_another_name_keeps_its_copies(
    api: Api, publish: Callable[..., Any], tick: Tick, outside: Outside
) -> None:
    api.post("/platforms", name="mast", **account("a"))
    post = publish("mast")
    tick()
    api.delete("/platforms/mast")
    api.patch(f"/posts/{post['id']}", title="Edited", publish=True)
    outside.requests.clear()
    assert api.post("/platforms", name="social", **account("a")).json["aliases"] == ["mast", "webhook"]
    tick()
    assert ("a", "post.updated") in published_at(outside)
    assert ("a", "post.published") not in published_at(outside)


def test_what_waits_under_a_second_name_is_sent_to_the_account(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    connect("hook")
    api.patch("/platforms/hook", aliases=[])
    post = publish("site", "hook")
    tick()
    api.post(f"/deliveries/{delivery_of(post, 'hook')['id']}/withdraw")
    tick()
    api.patch(f"/posts/{post['id']}", platforms=["site", "webhook"], publish=True)
    outside.requests.clear()
    api.patch("/platforms/hook", aliases=["webhook"])
    tick()
    assert sent(outside) == ["A post"]
    post = api.get(f"/posts/{post['id']}").json
    assert (post["platforms"], post["status"], post["open"]) == (["site", "hook"], "published", 0)


def test_a_failed_delivery_under_a_second_name_is_not_sent_to_the_same_account(
    api: Api, publish: Callable[..., Any], connect: Connect, tick: Tick, outside: Outside
) -> None:
    connect("one")
    connect("two")
    outside.always(lambda seen: "two" in seen.url, status=400)
    post = publish("one", "two")
    tick()
    api.delete("/platforms/two")
    api.patch("/platforms/one", aliases=["two"])
    failed = next(one for one in api.get(f"/posts/{post['id']}").json["deliveries"] if one["platform"] == "two")
    api.post(f"/deliveries/{failed['id']}/retry")
    tick()
    assert [seen.url for seen in outside.requests].count("https://one.example/in") == 1
    assert api.get(f"/posts/{post['id']}").json["status"] == "published"


def test_new_posts_have_the_name_of_a_default_destination_that_was_connected_under_another(
    api: Api, connect: Connect
) -> None:
    editing.choose_default_platforms(["site", "webhook"])
    connect("hook")
    assert api.post("/posts", title="A post").json["platforms"] == ["site", "hook"]


def test_overrides_for_a_destination_that_the_post_does_not_have_follow_its_name(
    api: Api, connect: Connect, tick: Tick, outside: Outside
) -> None:
    own = {"webhook": {"title": "Their title"}}
    post = api.post("/posts", title="A post", content=CONTENT, platforms=["site"], overrides=own).json
    connect("hook")
    api.post(f"/posts/{post['id']}/publish", platforms=["webhook"])
    tick()
    assert sent(outside) == ["Their title"]


def test_a_restored_revision_has_the_present_names(api: Api, connect: Connect) -> None:
    own = {"webhook": {"title": "Their title"}}
    path = f"/posts/{api.post('/posts', title='A post', content=CONTENT, overrides=own).json['id']}"
    api.put(path, overrides={})
    connect("hook")
    assert list(api.post(f"{path}/revisions/1/restore").json["overrides"]) == ["hook"]


def test_an_alias_that_is_the_name_of_an_option_is_no_endless_work(api: Api, connect: Connect) -> None:
    connect("hook")
    own = {"mastodon": {"options": {"visibility": "unlisted"}}}
    path = f"/posts/{api.post('/posts', title='A post', overrides=own).json['id']}"
    assert api.patch("/platforms/hook", aliases=["visibility"]).status_code == 200
    assert api.get(path).json["overrides"] == own


def test_only_the_name_of_a_connection_disconnects_it(api: Api, connect: Connect) -> None:
    connect("hook")
    assert api.get("/platforms/webhook").json["name"] == "hook"
    assert api.delete("/platforms/webhook").status_code == 404
