"""Publishing: waiting for the outcome, previews, duplicates and erasing."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from flask import Flask

from blogsvc.context import Tools
from blogsvc.models import Post, db
from blogsvc.scheduler.one_pass import one_pass
from tests.api.faults import faults
from tests.api_client import Api
from tests.outside import Outside, Seen
from tests.outside import Reply as ReplyFromOutside


def wait(seconds: int) -> dict[str, str]:
    return {"Prefer": f"respond-async, wait={seconds}"}


def test_publishing_with_prefer_wait_returns_the_outcome(
    api: Api, app: Flask, tools: Tools, a_post: Callable[..., Post], connect: Callable[..., str]
) -> None:
    post = a_post(platforms=["site", connect()])
    ticking = Thread(target=_tick_until_sent, args=(app, tools))
    ticking.start()
    answer = api.post(f"/posts/{post.id}/publish", headers=wait(20))
    ticking.join()
    assert answer.status_code == 200
    assert answer.json["status"] == "published"
    assert answer.headers["Preference-Applied"] == "wait=20"


def _tick_until_sent(app: Flask, tools: Tools) -> None:
    with app.app_context():
        while not db.session.execute(db.text("SELECT 1 FROM delivery WHERE state = 'delivered' AND url IS NULL")).all():
            db.session.rollback()
            one_pass(app, tools)
        db.session.remove()


def test_prefer_wait_returns_the_current_status_after_the_timeout(
    api: Api, a_post: Callable[..., Post], connect: Callable[..., str]
) -> None:
    post = a_post(platforms=[connect()])
    answer = api.post(f"/posts/{post.id}/publish", headers=wait(1))
    assert (answer.status_code, answer.json["status"]) == (202, "publishing")


def test_more_requests_than_threads_can_wait_one_after_another(
    api: Api, tools: Tools, a_post: Callable[..., Post]
) -> None:
    post = a_post(platforms=["site"])
    answers = [api.post(f"/posts/{post.id}/publish", headers=wait(1)) for _ in range(tools.config.threads + 1)]
    assert {(answer.status_code, answer.headers.get("Preference-Applied")) for answer in answers} == {(200, "wait=1")}


@pytest.mark.parametrize("prefer", ["wait=0", "wait=soon", "handling=lenient", ""])
def test_an_unknown_preference_is_ignored(api: Api, a_post: Callable[..., Post], prefer: str) -> None:
    answer = api.post(f"/posts/{a_post().id}/publish", headers={"Prefer": prefer})
    assert answer.status_code == 202
    assert "Preference-Applied" not in answer.headers


def test_a_preview_shows_the_payload_and_limits_of_each_destination(
    api: Api, a_post: Callable[..., Post], connect: Callable[..., str], outside: Outside
) -> None:
    post = a_post(title="Seen", platforms=["site", connect()])
    found = {trial["platform"]: trial for trial in api.get(f"/posts/{post.id}/preview").json["platforms"]}
    assert found["site"]["operation"] == "create"
    assert "Seen" in str(found["hook"]["payload"])
    assert isinstance(found["hook"]["limits"], list)
    assert outside.requests == []


def test_a_preview_works_for_one_destination_and_for_an_empty_draft(
    api: Api, a_post: Callable[..., Post], connect: Callable[..., str]
) -> None:
    post = a_post(content="", platforms=["site"])
    connect()
    answer = api.get(f"/posts/{post.id}/preview?platform=hook")
    assert [trial["platform"] for trial in answer.json["platforms"]] == ["hook"]
    assert faults(api.get(f"/posts/{post.id}/preview?platform=nowhere")) == {"?platform": "unknown_platform"}


def test_a_duplicate_is_a_new_draft(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(live=True, title="Original", tags=["a"], summary="s", canonical_url="https://elsewhere.example/x")
    answer = api.post(f"/posts/{post.id}/duplicate")
    assert answer.status_code == 201
    copy = answer.json
    assert copy["id"] != post.id
    assert copy["id"] in answer.headers["Location"]
    assert (copy["title"], copy["status"], copy["slug"]) == ("Original (copy)", "draft", "original-copy")
    assert (copy["tags"], copy["summary"], copy["content"]) == (["a"], "s", post.content)
    assert (copy["canonicalUrl"], copy["url"], copy["deliveries"]) == (None, None, [])


def test_the_title_of_a_duplicate_is_shortened_to_the_limit(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(title="x" * 300)
    copy = api.post(f"/posts/{post.id}/duplicate").json
    assert len(copy["title"]) == 300
    assert copy["title"].endswith(" (copy)")


@pytest.fixture
def assert_erased(api: Api) -> Callable[[str], None]:
    def check(post_id: str) -> None:
        for trashed in ("", "?trashed=true"):
            assert api.get(f"/posts/{post_id}{trashed}").status_code == 404
        assert api.get("/posts?trashed=true").json["data"] == []
        assert api.get(f"/events?postId={post_id}").json["data"] == []

    return check


def test_erasing_a_post_removes_everything_that_belongs_to_it(
    api: Api, a_post: Callable[..., Post], assert_erased: Callable[[str], None]
) -> None:
    post = a_post(live=True, title="Bye")
    assert api.client.get("/bye").status_code == 200
    assert api.delete(f"/posts/{post.id}?permanent=true").status_code == 204
    assert_erased(post.id)
    assert api.client.get("/bye").status_code == 404
    assert api.get("/events?type=post.erased").json["data"][0]["data"] == {"postId": post.id}
    again = a_post(title="Bye")
    assert again.slug == "bye"


def test_a_post_in_the_trash_can_be_erased(
    api: Api, a_post: Callable[..., Post], assert_erased: Callable[[str], None]
) -> None:
    post = a_post()
    api.delete(f"/posts/{post.id}")
    assert api.delete(f"/posts/{post.id}").status_code == 404
    assert api.delete(f"/posts/{post.id}?permanent=true").status_code == 204
    assert_erased(post.id)


def test_a_post_that_is_being_delivered_cannot_be_erased(
    api: Api,
    a_post: Callable[..., Post],
    connect: Callable[..., str],
    outside: Outside,
    tick: Callable[[], None],
) -> None:
    post = a_post(live=True, platforms=[connect()])
    answers: list[Any] = []

    def meanwhile(_seen: Seen) -> ReplyFromOutside:
        answers.append(api.delete(f"/posts/{post.id}?permanent=true"))
        return ReplyFromOutside(200)

    outside.teach("POST", "https://hook.example/in", meanwhile)
    tick()  # with the response set up by `connect`
    api.put(f"/posts/{post.id}", content="Other words.", publish=True)
    tick()
    assert [answer.status_code for answer in answers] == [409]
    assert api.delete(f"/posts/{post.id}?permanent=true").status_code == 204


def test_erasing_with_an_outdated_if_match_returns_412(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post()
    etag = api.get(f"/posts/{post.id}").headers["ETag"]
    api.put(f"/posts/{post.id}", title="Changed")
    path = f"/posts/{post.id}?permanent=true"
    assert api.delete(path, headers={"If-Match": etag}).status_code == 412


def test_withdraw_and_permanent_together_are_rejected(api: Api, a_post: Callable[..., Post]) -> None:
    assert api.delete(f"/posts/{a_post().id}?permanent=true&withdraw=true").status_code == 422
