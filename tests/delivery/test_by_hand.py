"""Deliveries by hand: a person posts, updates and deletes the copy, and tells blogsvc."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from blogsvc.connections.disconnect import disconnect
from blogsvc.context import Tools
from blogsvc.delivery import hand_over
from blogsvc.errors import StateConflict
from blogsvc.models import Connection, Delivery, Post, transaction
from blogsvc.models.due_deliveries import next_due_at
from blogsvc.posts import editing, trash
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside

Tick = Callable[[], None]
LINK = "https://medium.com/@ann/a-post-1"


def state_of(api: Api, post: dict[str, Any], name: str = "medium") -> str:
    return delivery_of(api, post, name)["state"]


def delivery_of(api: Api, post: dict[str, Any], name: str = "medium") -> dict[str, Any]:
    found = api.get(f"/posts/{post['id']}/deliveries").json["data"]
    (one,) = (each for each in found if each["platform"] == name)
    return one


def events(api: Api, kind: str) -> list[dict[str, Any]]:
    return [one["data"] for one in api.get("/events", query_string={"limit": 100}).json["data"] if one["type"] == kind]


@pytest.fixture
def publish(api: Api, tick: Tick) -> Callable[..., dict[str, Any]]:
    """Publish a post through the API, to this blog and Medium unless told otherwise, and run the scheduler."""

    def make(*platforms: str, **words: Any) -> dict[str, Any]:
        words = {"title": "A post", "content": "Some *words*.", **words}
        made = api.post("/posts", platforms=list(platforms or ("site", "medium")), **words)
        assert made.status_code == 201, made.json
        api.post(f"/posts/{made.json['id']}/publish")
        tick()
        return api.get(f"/posts/{made.json['id']}").json

    return make


@pytest.fixture
def report(api: Api) -> Callable[..., Any]:
    """Report through the API that the copy was posted, updated or deleted."""

    def tell(post: dict[str, Any], url: str | None = LINK, name: str = "medium") -> Any:
        words = {"outcome": "delivered"} | ({"url": url} if url else {})
        return api.post(f"/deliveries/{delivery_of(api, post, name)['id']}/resolve", json=words)

    return tell


def test_a_platform_by_hand_needs_no_account_and_gives_no_warning(api: Api) -> None:
    made = api.post("/posts", title="A post", platforms=["site", "medium"])
    assert (made.status_code, made.json["platforms"], made.json["warnings"]) == (201, ["site", "medium"], [])
    (row,) = (one for one in api.get("/platforms").json["data"] if one["name"] == "medium")
    assert (row["connector"], row["account"], row["health"]) == ("medium", "by hand", "ok")


def test_a_platform_by_hand_is_connected_once(api: Api) -> None:
    for _ in range(2):
        assert api.post("/posts", title="A post", platforms=["medium"]).status_code == 201
    assert [row.name for row in Connection.all()] == ["medium"]


def test_a_post_that_is_refused_connects_nothing(api: Api) -> None:
    assert api.post("/posts", title="A post", platforms=["medium", "nowhere"]).status_code == 422
    assert Connection.all() == []


def test_twitter_is_another_name_of_x(api: Api) -> None:
    assert api.post("/posts", title="A post", platforms=["twitter"]).json["platforms"] == ["x"]


def test_a_platform_by_hand_can_be_connected_under_another_name(api: Api) -> None:
    assert api.post("/platforms", connector="medium", name="essays").status_code == 201
    assert api.post("/posts", title="A post", platforms=["medium"]).json["platforms"] == ["essays"]


def test_a_default_destination_by_hand_is_connected_by_the_first_post(api: Api, app: Any) -> None:
    editing.choose_default_platforms(["site", "medium"])
    assert api.post("/posts", title="A post").json["platforms"] == ["site", "medium"]
    assert [row.name for row in Connection.all()] == ["medium"]


def test_publishing_leaves_a_copy_for_a_person_and_sends_nothing(api: Api, publish, outside: Outside) -> None:
    post = publish()
    assert (post["status"], post["open"]) == ("published", 1)
    assert state_of(api, post) == "awaiting_hand"
    assert outside.requests == []
    assert events(api, "delivery.ready") == [{"platform": "medium", "operation": "create"}]


def test_a_post_only_for_a_person_is_publishing_until_it_is_posted(api: Api, publish, report) -> None:
    post = publish("medium")
    assert post["status"] == "publishing"
    report(post)
    assert api.get(f"/posts/{post['id']}").json["status"] == "published"


def test_a_scheduled_post_is_ready_at_its_time(api: Api, tick: Tick, time: Time) -> None:
    post = api.post("/posts", title="A post", content="Words.", platforms=["site", "medium"]).json
    api.patch(f"/posts/{post['id']}", scheduledAt="2026-11-24T10:00:00Z")
    tick()
    assert api.get(f"/posts/{post['id']}/deliveries").json["data"] == []
    time.passes(hours=1)
    tick()
    assert state_of(api, post) == "awaiting_hand"


def test_the_link_completes_the_delivery(api: Api, publish, report) -> None:
    post = publish()
    answer = report(post)
    assert answer.status_code == 200
    assert (answer.json["state"], answer.json["url"]) == ("delivered", LINK)
    post = api.get(f"/posts/{post['id']}").json
    assert (post["status"], post["open"]) == ("published", 0)
    assert events(api, "delivery.succeeded")[-1]["resolved"] == "by hand"


@pytest.mark.parametrize(("url", "code"), [(None, "required"), ("javascript:alert(1)", "not_a_url")])
def test_a_new_copy_needs_a_link_that_can_be_shown(api: Api, publish, report, url, code) -> None:
    answer = report(publish(), url)
    assert answer.status_code == 422
    assert answer.json["errors"][0]["pointer"] == "#/url"


def test_a_copy_that_a_person_posts_is_not_sent_again(api: Api, publish) -> None:
    delivery = delivery_of(api, publish())
    answer = api.post(f"/deliveries/{delivery['id']}/resolve", outcome="retry")
    assert (answer.status_code, state_of(api, {"id": Delivery.get(delivery["id"]).post_id})) == (409, "awaiting_hand")


def test_an_update_is_done_by_hand_too(api: Api, publish, report, tick: Tick) -> None:
    post = publish()
    report(post)
    api.patch(f"/posts/{post['id']}", content="Some other *words*.")
    api.post(f"/posts/{post['id']}/publish")
    tick()
    assert state_of(api, post) == "awaiting_hand"
    assert api.get(f"/posts/{post['id']}").json["open"] == 1
    answer = report(post, None)
    assert (answer.json["state"], answer.json["url"]) == ("delivered", LINK)


def test_an_update_that_changes_nothing_there_asks_nobody(api: Api, publish, report, tick: Tick) -> None:
    post = publish("site", "hackernews", title="A post")
    report(post, "https://news.ycombinator.com/item?id=1", "hackernews")
    api.patch(f"/posts/{post['id']}", content="Some other *words*.")
    api.post(f"/posts/{post['id']}/publish")
    tick()
    assert state_of(api, post, "hackernews") == "delivered"


def test_the_changed_paragraphs_of_an_update_are_shown(api: Api, publish, report, tick: Tick, tools: Tools) -> None:
    post = publish(content="One stays.\n\nI found the sheet in April.\n\nThree stays.")
    report(post)
    api.patch(f"/posts/{post['id']}", content="One stays.\n\nI found the sheet in March.\n\nThree stays.\n\nNew.")
    api.post(f"/posts/{post['id']}/publish")
    tick()
    task = hand_over.task_of(Delivery.get(delivery_of(api, post)["id"]), tools)
    texts = [[(run.kind, run.text) for run in line.runs] for line in task.changes]
    assert texts == [
        [("same", "I found the sheet in "), ("removed", "April"), ("added", "March"), ("same", ".")],
        [("added", "New.")],
    ]


def test_a_change_after_the_text_was_copied_has_to_be_made_by_hand(api: Api, publish, tick: Tick, tools: Tools) -> None:
    post = publish()
    delivery = Delivery.get(delivery_of(api, post)["id"])
    copied = delivery.revision_id
    api.patch(f"/posts/{post['id']}", content="Changed meanwhile.")
    api.post(f"/posts/{post['id']}/publish")
    hand_over.report_posted(delivery, LINK, tools.now(), tools, revision_id=copied)
    tick()
    found = delivery_of(api, post)
    assert (found["state"], found["url"]) == ("awaiting_hand", LINK)
    assert events(api, "delivery.ready")[-1] == {"platform": "medium", "operation": "update"}


def test_unpublishing_asks_to_delete_the_copy(api: Api, publish, report, tick: Tick) -> None:
    post = publish()
    report(post)
    api.post(f"/posts/{post['id']}/unpublish")
    tick()
    assert state_of(api, post) == "awaiting_hand"
    answer = report(post, None)
    assert (answer.json["state"], answer.json["url"]) == ("withdrawn", None)
    assert events(api, "delivery.withdrawn")[-1]["platform"] == "medium"


def test_unpublishing_before_it_was_posted_asks_nothing(api: Api, publish, tick: Tick) -> None:
    post = publish()
    api.post(f"/posts/{post['id']}/unpublish")
    tick()
    assert state_of(api, post) == "withdrawn"


def test_a_copy_can_be_kept_although_the_post_is_unpublished(api: Api, publish, report, tick: Tick) -> None:
    post = publish()
    report(post)
    api.post(f"/posts/{post['id']}/unpublish")
    tick()
    delivery = delivery_of(api, post)
    assert api.post(f"/deliveries/{delivery['id']}/leave").json["state"] == "delivered"


def test_a_copy_can_stay_without_the_changes(api: Api, publish, report, tick: Tick) -> None:
    post = publish()
    report(post)
    api.patch(f"/posts/{post['id']}", content="Changed.")
    api.post(f"/posts/{post['id']}/publish")
    tick()
    delivery = delivery_of(api, post)
    assert api.post(f"/deliveries/{delivery['id']}/leave").json["state"] == "delivered"
    assert api.get(f"/posts/{post['id']}").json["platforms"] == ["site", "medium"]
    tick()
    assert state_of(api, post) == "delivered"


def test_dismissing_removes_the_destination_from_the_post(api: Api, publish) -> None:
    post = publish()
    delivery = delivery_of(api, post)
    assert api.post(f"/deliveries/{delivery['id']}/leave").json["state"] == "withdrawn"
    after = api.get(f"/posts/{post['id']}").json
    assert (after["status"], after["open"], after["platforms"]) == ("published", 0, ["site"])


def test_dismissing_can_be_undone(api: Api, publish, tick: Tick, tools: Tools) -> None:
    post = publish()
    delivery = Delivery.get(delivery_of(api, post)["id"])
    hand_over.decline(delivery, tools.now())
    hand_over.undo_decline(delivery, tools.now())
    tick()
    assert state_of(api, post) == "awaiting_hand"
    assert api.get(f"/posts/{post['id']}").json["platforms"] == ["site", "medium"]


def test_a_reminder_asks_again_at_its_time(api: Api, publish, tick: Tick, time: Time, tools: Tools) -> None:
    post = publish()
    delivery = Delivery.get(delivery_of(api, post)["id"])
    tomorrow = datetime(2026, 11, 25, 9, 0, tzinfo=UTC)
    hand_over.remind_later(delivery, tomorrow, tools.now())
    assert delivery_of(api, post)["nextAttemptAt"] == "2026-11-25T09:00:00.000Z"
    assert next_due_at() == tomorrow
    time.passes(hours=23)
    tick()
    assert len(events(api, "delivery.ready")) == 1
    time.passes(hours=1)
    tick()
    assert delivery_of(api, post)["nextAttemptAt"] is None
    assert len(events(api, "delivery.ready")) == 2


def test_a_copy_can_be_posted_before_its_reminder(api: Api, publish, report, tools: Tools) -> None:
    post = publish()
    hand_over.remind_later(Delivery.get(delivery_of(api, post)["id"]), datetime(2026, 12, 1, tzinfo=UTC), tools.now())
    assert report(post).json["state"] == "delivered"


def test_removing_the_destination_lets_what_was_not_posted_wait(api: Api, publish, tick: Tick, tools: Tools) -> None:
    post = publish()
    disconnect(Connection.named("medium"), tools.now())
    assert state_of(api, post) == "blocked"
    assert api.post("/platforms", connector="medium", name="medium").status_code == 201
    tick()
    assert state_of(api, post) == "awaiting_hand"


def test_a_removed_destination_keeps_its_links_when_it_comes_back(api: Api, publish, report, tools: Tools) -> None:
    post = publish()
    report(post)
    disconnect(Connection.named("medium"), tools.now())
    assert api.post("/platforms", connector="medium", name="medium").status_code == 201
    found = delivery_of(api, post)
    assert (found["state"], found["url"]) == ("delivered", LINK)
    assert Delivery.get(found["id"]).connection is not None


def test_discarding_with_copies_asks_to_delete_them(api: Api, publish, report, tick: Tick, app: Any) -> None:
    post = publish()
    report(post)
    assert api.delete(f"/posts/{post['id']}?withdraw=true").status_code == 202
    tick()
    assert Post.get(post["id"], trashed=True).delivery_to("medium").state == "awaiting_hand"


def test_a_link_on_hacker_news_needs_an_original(api: Api) -> None:
    answer = api.post("/posts", title="A post", content="Words.", platforms=["hackernews"])
    refused = api.post(f"/posts/{answer.json['id']}/publish")
    assert refused.status_code == 422
    assert "needs a link" in refused.json["errors"][0]["detail"]


def test_a_dry_run_shows_the_text(api: Api) -> None:
    post = api.post("/posts", title="A post", content="Some *words*.", platforms=["site", "x"]).json
    (_, found) = api.post(f"/posts/{post['id']}/dry-run").json["platforms"]
    assert found["payload"]["text"].startswith("A post\n\nhttps://blog.example/")


class TestLinks:
    """A link is opened once, when a person enters it."""

    @pytest.fixture
    def delivery(self, api: Api, publish) -> Delivery:
        return Delivery.get(delivery_of(api, publish())["id"])

    @pytest.mark.parametrize(
        ("status", "expected"), [(200, "works"), (403, "unknown"), (503, "unknown"), (404, "broken"), (410, "broken")]
    )
    def test_the_answer_of_the_platform_decides(self, delivery, outside: Outside, tools: Tools, status, expected):
        outside.teach("GET", LINK, status=status)
        assert hand_over.check_link(delivery, LINK, tools) == expected

    def test_a_server_that_does_not_answer_is_broken(self, delivery, outside: Outside, tools: Tools):
        outside.teach("GET", LINK, failure="refused")
        assert hand_over.check_link(delivery, LINK, tools) == "broken"

    def test_a_link_on_another_site_is_not_opened(self, delivery, outside: Outside, tools: Tools):
        assert hand_over.check_link(delivery, "https://medium.com.evil.example/a", tools) == "elsewhere"
        assert outside.requests == []

    def test_a_link_can_be_changed_later(self, delivery, tools: Tools, tick: Tick):
        hand_over.report_posted(delivery, LINK, tools.now(), tools)
        hand_over.report_posted(delivery, f"{LINK}2", tools.now(), tools)
        assert (delivery.state, delivery.url) == ("delivered", f"{LINK}2")
        tick()
        assert delivery.state == "delivered"


class TestWhatHappensMeanwhile:
    """A task waits for days: meanwhile, the post, its destinations and the accounts change."""

    def test_trashing_an_unpublished_post_keeps_the_task_to_delete_the_copy(
        self, api: Api, publish, report, tick: Tick, tools: Tools, time: Time
    ) -> None:
        post = publish()
        report(post)
        api.post(f"/posts/{post['id']}/unpublish")
        tick()
        time.passes(hours=1)
        api.delete(f"/posts/{post['id']}")
        delivery = Post.get(post["id"], trashed=True).delivery_to("medium")
        assert (delivery.state, delivery.needed_operation) == ("awaiting_hand", "delete")
        trash.undo_discard(delivery.post, tools.now())
        assert (delivery.post.state, delivery.state) == ("unpublished", "awaiting_hand")

    def test_an_update_that_waited_is_asked_for_again_after_the_trash(
        self, api: Api, publish, report, tick: Tick, tools: Tools
    ) -> None:
        post = publish()
        report(post)
        api.patch(f"/posts/{post['id']}", content="Changed.")
        api.post(f"/posts/{post['id']}/publish")
        tick()
        api.delete(f"/posts/{post['id']}")
        trash.undo_discard(Post.get(post["id"], trashed=True), tools.now())
        tick()
        assert state_of(api, post) == "awaiting_hand"

    def test_the_copy_of_a_trashed_post_can_be_reported_as_deleted(self, api: Api, publish, report, tick: Tick) -> None:
        post = publish()
        report(post)
        api.delete(f"/posts/{post['id']}?withdraw=true")
        tick()
        (found,) = (one for one in Post.get(post["id"], trashed=True).deliveries if one.destination == "medium")
        answer = api.post(f"/deliveries/{found.id}/resolve", outcome="delivered")
        assert (answer.status_code, answer.json["state"]) == (200, "withdrawn")

    def test_a_kill_when_a_reminder_is_due_days_later_is_no_failure(
        self, api: Api, publish, tick: Tick, time: Time, tools: Tools
    ) -> None:
        post = publish()
        delivery = Delivery.get(delivery_of(api, post)["id"])
        hand_over.remind_later(delivery, time.now + timedelta(days=3), tools.now())
        time.passes(days=3)
        with transaction():  # an attempt begins, and the process is killed
            delivery.claim(time.now, timedelta(seconds=60), "a dead process")
        time.passes(minutes=2)
        for _ in range(3):
            tick()
            time.passes(minutes=1)
        assert (state_of(api, post), events(api, "delivery.failed")) == ("awaiting_hand", [])

    def test_a_removed_destination_takes_its_task_along(self, api: Api, publish) -> None:
        post = publish()
        api.patch(f"/posts/{post['id']}", platforms=["site"])
        after = api.get(f"/posts/{post['id']}").json
        assert (after["status"], after["open"]) == ("published", 0)
        assert state_of(api, post) == "withdrawn"

    def test_a_post_only_by_hand_stays_published_while_it_waits_for_an_update(
        self, api: Api, publish, report, tick: Tick
    ) -> None:
        post = publish("medium")
        report(post)
        api.patch(f"/posts/{post['id']}", content="Changed.")
        api.post(f"/posts/{post['id']}/publish")
        tick()
        after = api.get(f"/posts/{post['id']}").json
        assert (after["status"], after["open"]) == ("published", 1)

    def test_publishing_again_without_changes_asks_nobody_again(self, api: Api, publish) -> None:
        post = publish()
        api.post(f"/posts/{post['id']}/publish")
        assert state_of(api, post) == "awaiting_hand"
        assert len(events(api, "delivery.ready")) == 1

    def test_a_copy_is_no_original_for_itself(self, api: Api, publish, report) -> None:
        post = publish("x")
        report(post, "https://x.com/ann/status/1", "x")
        (found,) = api.post(f"/posts/{post['id']}/dry-run").json["platforms"]
        assert (found["operation"], found["payload"]["link"]) == ("none", None)

    def test_the_page_on_the_blog_shows_the_link_at_once(self, api: Api, publish, report, client: Any) -> None:
        post = publish()
        page = client.get(f"/{post['slug']}")
        assert LINK not in page.text
        report(post)
        again = client.get(f"/{post['slug']}", headers={"If-None-Match": page.headers["ETag"]})
        assert again.status_code == 200
        assert LINK in again.text

    def test_a_second_report_does_not_replace_the_first_link(self, api: Api, publish, report, tools: Tools) -> None:
        post = publish()
        delivery = Delivery.get(delivery_of(api, post)["id"])
        copied = delivery.revision_id
        report(post)
        with pytest.raises(StateConflict):
            hand_over.report_posted(delivery, f"{LINK}-again", tools.now(), tools, revision_id=copied, by="Ben")
        assert delivery_of(api, post)["url"] == LINK

    def test_a_copy_can_be_reported_although_its_text_can_no_longer_be_composed(
        self, api: Api, publish, report
    ) -> None:
        post = publish("site", "hackernews")
        api.patch(f"/posts/{post['id']}", platforms=["hackernews"])
        (site,) = (one for one in Post.get(post["id"]).deliveries if one.destination == "site")
        api.post(f"/deliveries/{site.id}/withdraw")
        answer = report(post, "https://news.ycombinator.com/item?id=1", "hackernews")
        assert (answer.status_code, answer.json["state"]) == (200, "delivered")

    def test_two_destinations_by_hand_on_one_platform_stay_apart(self, api: Api, tools: Tools) -> None:
        for name in ("essays", "letters"):
            assert api.post("/platforms", connector="medium", name=name).status_code == 201
            disconnect(Connection.named(name), tools.now())
        api.post("/platforms", connector="medium", name="letters")
        assert Connection.named("letters").aliases == ["medium"]

    def test_a_removed_destination_is_not_connected_again_by_a_post(self, api: Api, publish, tools: Tools) -> None:
        publish()
        disconnect(Connection.named("medium"), tools.now())
        answer = api.post("/posts", title="A post", platforms=["medium"])
        assert [one["code"] for one in answer.json["warnings"]] == ["not_connected"]
        assert Connection.all() == []

    def test_previews_say_nothing_about_an_account_that_is_not_needed(self, api: Api, a_post) -> None:
        answer = api.post(f"/posts/{a_post().id}/dry-run", platforms=["medium"])
        assert answer.json["warnings"] == []
        assert "No account" not in str(answer.json["platforms"][0]["warnings"])
