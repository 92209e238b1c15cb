"""DELETE /posts/{id} and the trash."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.connections import manage
from blogsvc.connectors.sandbox import LOSES
from blogsvc.context import Tools
from blogsvc.models import Post
from blogsvc.posts import trash
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside, Reply, Seen

Posts = Callable[..., Post]


def test_a_deleted_post_is_found_in_the_trash_only(api: Api, a_post: Posts, time: Time) -> None:
    path = f"/posts/{a_post().id}"
    answer = api.delete(path)
    assert (answer.status_code, answer.json["deletedAt"]) == (200, "2026-11-24T09:00:00.000Z")
    assert answer.json == api.get(f"{path}?trashed=true").json
    assert api.get(path).status_code == 404


@pytest.mark.parametrize("preference", ["return=minimal", "respond-async, return=minimal", 'return="minimal"; x=1'])
def test_a_client_that_prefers_a_minimal_answer_gets_no_document(api: Api, a_post: Posts, preference: str) -> None:
    answer = api.delete(f"/posts/{a_post().id}", headers={"Prefer": preference})
    assert (answer.status_code, answer.data) == (204, b"")
    assert answer.headers["Preference-Applied"] == "return=minimal"
    assert "Content-Type" not in answer.headers


def test_another_preference_is_ignored(api: Api, a_post: Posts) -> None:
    answer = api.delete(f"/posts/{a_post().id}", headers={"Prefer": "return=representation"})
    assert answer.status_code == 200
    assert "Preference-Applied" not in answer.headers


def test_a_permanently_deleted_post_has_no_document(api: Api, a_post: Posts) -> None:
    answer = api.delete(f"/posts/{a_post().id}?permanent=true")
    assert (answer.status_code, answer.data) == (204, b"")


@pytest.mark.parametrize("rest", ["", "/publish", "/unpublish", "/events", "/analytics"])
def test_a_post_in_the_trash_cannot_be_changed(api: Api, a_post: Posts, rest: str) -> None:
    path = f"/posts/{a_post(live=True).id}"
    api.delete(path)
    method = "POST" if rest.endswith("publish") else "GET"
    assert api(method, path + rest).status_code == 404
    assert api.put(path, title="x").status_code == 404
    assert api.delete(path).status_code == 404


def test_unsent_deliveries_of_a_deleted_post_are_not_sent(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Callable[[], None], outside: Outside
) -> None:
    post = a_post(live=True, platforms=[connect()])
    api.delete(f"/posts/{post.id}")
    tick()
    assert outside.requests == []


def test_delete_with_withdraw_removes_the_copies(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Callable[[], None], outside: Outside
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()
    answer = api.delete(f"/posts/{post.id}?withdraw=true")
    assert answer.status_code == 202
    assert {copy["platform"]: copy["state"] for copy in answer.json["deliveries"]} == {
        "site": "withdrawn",
        "hook": "queued",
    }
    tick()
    assert outside.requests[-1].json()["type"] == "post.deleted"


def test_delete_without_withdraw_keeps_the_copies(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Callable[[], None], outside: Outside
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()
    api.delete(f"/posts/{post.id}")
    tick()
    assert [seen.json()["type"] for seen in outside.requests] == ["post.published"]


@pytest.mark.parametrize(("live", "status"), [(False, "draft"), (True, "unpublished")])
def test_a_restored_post_is_not_public(api: Api, a_post: Posts, live: bool, status: str) -> None:
    path = f"/posts/{a_post(live=live).id}"
    api.delete(path)
    answer = api.post(f"{path}/restore")
    assert answer.status_code == 200
    assert (answer.json["status"], answer.json["deletedAt"]) == (status, None)
    assert api.get(path).json == answer.json


def test_a_scheduled_post_in_the_trash_is_not_published(
    api: Api, a_post: Posts, time: Time, tick: Callable[[], None]
) -> None:
    path = f"/posts/{a_post().id}"
    api.put(path, scheduledAt="2026-11-24T10:00:00Z")
    api.delete(path)
    trashed, events = api.get(f"{path}?trashed=true").json, api.get("/events").json["data"]
    time.passes(hours=1)
    tick()
    assert api.get(f"{path}?trashed=true").json == trashed
    assert api.get("/events").json["data"] == events


def test_a_restored_post_is_no_longer_scheduled(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post().id}"
    api.put(path, scheduledAt="2026-12-01T09:00:00Z")
    api.delete(path)
    assert api.post(f"{path}/restore").json["scheduledAt"] is None


def test_only_posts_in_the_trash_can_be_restored(api: Api, a_post: Posts) -> None:
    answer = api.post(f"/posts/{a_post().id}/restore")
    assert (answer.status_code, answer.json["state"]) == (409, "draft")
    assert api.post("/posts/post_nothing/restore").status_code == 404


def test_invalid_parameters_delete_nothing(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post().id}"
    assert faults(api.delete(f"{path}?withdraw=maybe")) == {"?withdraw": "wrong_type"}
    assert faults(api.delete(f"{path}?force=1")) == {"?force": "unknown"}
    assert api.get(path).status_code == 200


def test_the_deliveries_of_a_deleted_post_stay_readable(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Callable[[], None]
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()
    api.delete(f"/posts/{post.id}?withdraw=true")
    tick()

    copies = api.get(f"/posts/{post.id}/deliveries").json["data"]
    assert {copy["state"] for copy in copies} == {"withdrawn"}
    assert api.get(f"/deliveries/{copies[0]['id']}").json["state"] == "withdrawn"


def test_the_trash_is_emptied_after_thirty_days_except_posts_with_copies_to_remove(
    api: Api, a_post: Posts, connect: Callable[..., str], outside: Outside, tick: Callable[[], None], time: Time
) -> None:
    gone = a_post(live=True, title="Gone")
    stays = a_post(live=True, title="Stays", platforms=[connect()])
    tick()
    outside.always(status=503)
    for post in (gone, stays):
        api.delete(f"/posts/{post.id}?withdraw=true")
    time.passes(days=29)
    assert trash.empty_trash(time()) == 0

    time.passes(days=2)
    assert trash.empty_trash(time()) == 1
    assert api.get(f"/posts/{gone.id}?trashed=true").status_code == 404
    assert api.get(f"/posts/{stays.id}?trashed=true").status_code == 200
    assert api.post("/posts", title="Gone").json["slug"] == "gone"


class TestCopies:
    """After the trash, the status of a post agrees with its copies, whatever they were doing."""

    @pytest.fixture
    def post(self, a_post: Posts, connect: Callable[..., str]) -> str:
        """Return the path of a post that was published on this blog, and waits to be sent to a platform."""
        return f"/posts/{a_post(live=True, platforms=['site', connect()]).id}"

    def seen(self, api: Api, path: str) -> dict[str, str]:
        found = api.get(f"{path}?trashed=true").json
        return {copy["platform"]: copy["state"] for copy in found["deliveries"]} | {"post": found["status"]}

    def events(self, api: Api) -> list[str]:
        return [one["type"] for one in api.get("/events?limit=100").json["data"]]

    @pytest.mark.parametrize(
        ("reply", "copy", "status"),
        [
            ({}, "delivered", "published"),
            ({"status": 400}, "withdrawn", "unpublished"),  # rejected
            ({"status": 429}, "withdrawn", "unpublished"),  # would be retried
            ({"status": 503}, "failed", "failed"),  # may have arrived
            ({"status": 401}, "withdrawn", "unpublished"),  # waits for the account
        ],
    )
    def test_discarding_and_restoring_shows_the_copies_that_remain(
        self,
        api: Api,
        post: str,
        tick: Callable[[], None],
        outside: Outside,
        time: Time,
        reply: dict[str, int],
        copy: str,
        status: str,
    ) -> None:
        outside.always(**reply)
        tick()
        api.delete(post)
        remaining = {"site": "withdrawn", "hook": copy, "post": status}
        assert self.seen(api, post) == remaining
        api.post(f"{post}/restore")
        assert self.seen(api, post) == remaining
        sent = len(outside.requests)
        time.passes(days=2)
        tick()
        assert len(outside.requests) == sent
        assert self.seen(api, post) == remaining

    def test_a_copy_that_was_never_sent_leaves_nothing(self, api: Api, post: str, tick: Callable[[], None]) -> None:
        api.delete(post)
        api.post(f"{post}/restore")
        tick()
        assert self.seen(api, post) == {"site": "withdrawn", "hook": "withdrawn", "post": "unpublished"}

    def test_a_copy_in_doubt_is_still_in_doubt(
        self, api: Api, a_post: Posts, tools: Tools, tick: Callable[[], None]
    ) -> None:
        manage.connect("sandbox", "sandbox", {"outcome": LOSES}, tools)
        post = f"/posts/{a_post(live=True, platforms=['sandbox']).id}"
        tick()
        assert self.seen(api, post) == {"sandbox": "uncertain", "post": "partial"}
        api.delete(post)
        api.post(f"{post}/restore")
        assert self.seen(api, post) == {"sandbox": "failed", "post": "failed"}
        (copy,) = api.get(post).json["deliveries"]
        assert "before it was known whether the copy arrived" in copy["lastError"]["detail"]

    def test_copies_that_are_withdrawn_from_the_trash_leave_an_unpublished_post(
        self, api: Api, post: str, tick: Callable[[], None]
    ) -> None:
        tick()
        api.delete(f"{post}?withdraw=true")
        api.post(f"{post}/restore")
        assert self.seen(api, post) == {"site": "withdrawn", "hook": "queued", "post": "unpublished"}
        tick()
        assert self.seen(api, post) == {"site": "withdrawn", "hook": "withdrawn", "post": "unpublished"}

    def test_a_restored_post_with_copies_can_be_unpublished_and_published(
        self, api: Api, post: str, tick: Callable[[], None]
    ) -> None:
        tick()
        api.delete(post)
        api.post(f"{post}/restore")
        assert api.post(f"{post}/publish").status_code == 202
        tick()
        assert self.seen(api, post) == {"site": "delivered", "hook": "delivered", "post": "published"}
        api.delete(post)
        api.post(f"{post}/restore")
        assert api.post(f"{post}/unpublish").status_code == 202
        tick()
        assert self.seen(api, post)["hook"] == "withdrawn"

    def test_a_post_scheduled_again_is_restored_without_a_time(
        self, api: Api, post: str, tick: Callable[[], None]
    ) -> None:
        tick()
        api.post(f"{post}/unpublish")
        tick()
        api.put(post, scheduledAt="2026-12-01T09:00:00Z")
        api.delete(post)
        found = api.post(f"{post}/restore").json
        assert (found["status"], found["scheduledAt"]) == ("unpublished", None)

    def test_a_new_copy_that_arrives_meanwhile_is_removed(
        self, api: Api, post: str, tick: Callable[[], None], outside: Outside
    ) -> None:
        outside.teach("POST", "https://hook.example/in", self.discarding(api, post, Reply(200)))
        api.post("/platforms/hook/verify")  # with the response set up by `connect`
        outside.requests.clear()
        tick()
        tick()
        assert [seen.json()["type"] for seen in outside.requests] == ["post.published", "post.deleted"]
        api.post(f"{post}/restore")
        assert self.seen(api, post) == {"site": "withdrawn", "hook": "withdrawn", "post": "unpublished"}

    @pytest.mark.parametrize("status", [200, 429])
    def test_a_copy_that_is_updated_meanwhile_stays(
        self, api: Api, post: str, tick: Callable[[], None], outside: Outside, time: Time, status: int
    ) -> None:
        outside.teach("POST", "https://hook.example/in", self.discarding(api, post, Reply(status)))
        tick()  # with the response set up by `connect`
        api.put(post, title="New")
        api.post(f"{post}/publish")
        tick()
        time.passes(days=2)
        tick()
        assert [seen.json()["type"] for seen in outside.requests] == ["post.published", "post.updated"]
        assert self.events(api).count("post.published") == 1, "no event of a post in the trash"
        api.post(f"{post}/restore")
        assert self.seen(api, post) == {"site": "withdrawn", "hook": "delivered", "post": "published"}

    def discarding(self, api: Api, path: str, reply: Reply) -> Callable[[Seen], Reply]:
        """Return a platform that answers after the post was discarded, the first time."""
        todo = [path]

        def answer(_seen: Seen) -> Reply:
            if todo:
                assert api.delete(todo.pop()).status_code == 200
            return reply

        return answer
