"""Publication: waiting for the outcome, previews, copies of a draft, and the end of a post."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from flask import Flask

from blogsvc import scheduler
from blogsvc.context import Tools
from blogsvc.models import Post, db
from tests.api.faults import faults
from tests.api_client import Api
from tests.outside import Outside, Seen
from tests.outside import Reply as ReplyFromOutside


def wait(seconds: int) -> dict[str, str]:
    return {"Prefer": f"respond-async, wait={seconds}"}


def test_who_waits_is_answered_with_the_outcome(
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
            scheduler.one_pass(app, tools)
        db.session.remove()


def test_an_outcome_that_takes_longer_is_answered_as_it_stands(
    api: Api, a_post: Callable[..., Post], connect: Callable[..., str]
) -> None:
    post = a_post(platforms=[connect()])
    answer = api.post(f"/posts/{post.id}/publish", headers=wait(1))
    assert (answer.status_code, answer.json["status"]) == (202, "publishing")


def test_more_requests_than_there_are_places_may_wait_one_after_another(
    api: Api, tools: Tools, a_post: Callable[..., Post]
) -> None:
    post = a_post(platforms=["site"])
    answers = [api.post(f"/posts/{post.id}/publish", headers=wait(1)) for _ in range(tools.config.threads + 1)]
    assert {(answer.status_code, answer.headers.get("Preference-Applied")) for answer in answers} == {(200, "wait=1")}


@pytest.mark.parametrize("prefer", ["wait=0", "wait=soon", "handling=lenient", ""])
def test_a_preference_that_nobody_knows_is_passed_over(api: Api, a_post: Callable[..., Post], prefer: str) -> None:
    answer = api.post(f"/posts/{a_post().id}/publish", headers={"Prefer": prefer})
    assert answer.status_code == 202
    assert "Preference-Applied" not in answer.headers


def test_a_preview_says_what_each_destination_would_get_and_allows(
    api: Api, a_post: Callable[..., Post], connect: Callable[..., str], outside: Outside
) -> None:
    post = a_post(title="Seen", platforms=["site", connect()])
    found = {trial["platform"]: trial for trial in api.get(f"/posts/{post.id}/preview").json["platforms"]}
    assert found["site"]["operation"] == "create"
    assert "Seen" in str(found["hook"]["payload"])
    assert isinstance(found["hook"]["limits"], list)
    assert outside.requests == []


def test_a_preview_can_be_of_one_place_and_of_a_draft_without_words(
    api: Api, a_post: Callable[..., Post], connect: Callable[..., str]
) -> None:
    post = a_post(content="", platforms=["site"])
    connect()
    answer = api.get(f"/posts/{post.id}/preview?platform=hook")
    assert [trial["platform"] for trial in answer.json["platforms"]] == ["hook"]
    assert faults(api.get(f"/posts/{post.id}/preview?platform=nowhere")) == {"?platform": "unknown_platform"}


def test_a_duplicate_is_a_draft_of_its_own(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(live=True, title="Original", tags=["a"], summary="s", canonical_url="https://elsewhere.example/x")
    answer = api.post(f"/posts/{post.id}/duplicate")
    assert answer.status_code == 201
    copy = answer.json
    assert copy["id"] != post.id
    assert copy["id"] in answer.headers["Location"]
    assert (copy["title"], copy["status"], copy["slug"]) == ("Original (copy)", "draft", "original-copy")
    assert (copy["tags"], copy["summary"], copy["content"]) == (["a"], "s", post.content)
    assert (copy["canonicalUrl"], copy["url"], copy["deliveries"]) == (None, None, [])


def test_a_duplicate_of_the_longest_title_fits(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(title="x" * 300)
    copy = api.post(f"/posts/{post.id}/duplicate").json
    assert len(copy["title"]) == 300
    assert copy["title"].endswith(" (copy)")


@pytest.fixture
def gone(api: Api) -> Callable[[str], None]:
    def check(post_id: str) -> None:
        for trashed in ("", "?trashed=true"):
            assert api.get(f"/posts/{post_id}{trashed}").status_code == 404
        assert api.get("/posts?trashed=true").json["data"] == []
        assert api.get(f"/events?postId={post_id}").json["data"] == []

    return check


def test_a_post_is_erased_with_all_that_belongs_to_it(
    api: Api, a_post: Callable[..., Post], gone: Callable[[str], None]
) -> None:
    post = a_post(live=True, title="Bye")
    assert api.client.get("/bye").status_code == 200
    assert api.delete(f"/posts/{post.id}?permanent=true").status_code == 204
    gone(post.id)
    assert api.client.get("/bye").status_code == 404
    assert api.get("/events?type=post.erased").json["data"][0]["data"] == {"postId": post.id}
    again = a_post(title="Bye")
    assert again.slug == "bye"


def test_a_post_in_the_trash_is_erased(api: Api, a_post: Callable[..., Post], gone: Callable[[str], None]) -> None:
    post = a_post()
    api.delete(f"/posts/{post.id}")
    assert api.delete(f"/posts/{post.id}").status_code == 404
    assert api.delete(f"/posts/{post.id}?permanent=true").status_code == 204
    gone(post.id)


def test_what_is_on_its_way_is_not_erased(
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
    tick()  # answered as `connect` taught it
    api.put(f"/posts/{post.id}", content="Other words.", publish=True)
    tick()
    assert [answer.status_code for answer in answers] == [409]
    assert api.delete(f"/posts/{post.id}?permanent=true").status_code == 204


def test_who_changed_it_meanwhile_keeps_it(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post()
    etag = api.get(f"/posts/{post.id}").headers["ETag"]
    api.put(f"/posts/{post.id}", title="Changed")
    path = f"/posts/{post.id}?permanent=true"
    assert api.delete(path, headers={"If-Match": etag}).status_code == 412


def test_withdrawing_and_erasing_are_two_wishes(api: Api, a_post: Callable[..., Post]) -> None:
    assert api.delete(f"/posts/{a_post().id}?permanent=true&withdraw=true").status_code == 422
