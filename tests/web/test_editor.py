"""The editor: autosave without overwriting, and previews."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from blogsvc.connections import disconnect, manage
from blogsvc.context import Tools
from blogsvc.models import Connection, Post, Revision, User, db
from blogsvc.posts import autosave, publishing
from tests.clock import Time
from tests.outside import Outside
from tests.web.page_walk import Pages

MakePost = Callable[..., Post]


@pytest.fixture
def draft(pages: Pages) -> str:
    """Return the path of a new post."""
    return pages.post("/desk/posts").headers["Location"]


def put(pages: Pages, path: str, **words: Any) -> TestResponse:
    headers = {"X-CSRFToken": pages.token(), "HX-Request": "true"}
    return pages.client.put(f"{path}/draft", json=words, headers=headers)


def words(pages: Pages, path: str) -> dict[str, Any]:
    return pages.get(f"{path}/draft").json  # type: ignore[return-value]


def stored(path: str) -> Post:
    db.session.rollback()
    db.session.expire_all()
    return Post.get(path.rpartition("/")[2])


def test_a_new_post_exists_before_anything_is_typed(pages: Pages, owner: User) -> None:
    answer = pages.post("/desk/posts")
    assert answer.status_code == 303
    post = stored(answer.headers["Location"])
    assert (post.state, post.title, post.author_id) == ("draft", "", owner.id)
    page = pages.get(answer.headers["Location"]).text
    assert "<title>Untitled" in page
    assert re.search(r'<textarea[^>]+id="title"[^>]+autofocus', page)


def test_the_editor_saves_automatically(pages: Pages, draft: str) -> None:
    seen = words(pages, draft)["rev"]
    answer = put(pages, draft, title=" On  paper ", content="Some *words*.\r\nMore", rev=seen)
    assert (answer.status_code, answer.json["saved"]) == (200, "10:00")  # Berlin
    post = stored(draft)
    assert (post.title, post.content, post.slug) == ("On paper", "Some *words*.\nMore", "on-paper")
    assert answer.json["rev"] == post.rev


def test_the_form_saves_without_javascript(pages: Pages, draft: str) -> None:
    seen = words(pages, draft)["rev"]
    answer = pages.post(f"{draft}/draft", title="Paper", content="Words.", rev=seen)
    assert (answer.status_code, answer.headers["Location"]) == (303, draft)
    assert "Saved 10:00." in pages.get(draft).text
    assert stored(draft).content == "Words."


def test_saving_from_an_outdated_page_returns_a_conflict_with_both_versions(pages: Pages, draft: str) -> None:
    seen = words(pages, draft)["rev"]
    put(pages, draft, title="T", content="One line.\n\nTheirs.", rev=seen)
    answer = put(pages, draft, title="T", content="One line.\n\nMine <b>.", rev=seen)
    assert answer.status_code == 409
    assert (answer.json["content"], answer.json["rev"]) == ("One line.\n\nTheirs.", stored(draft).rev)
    assert "Theirs" in answer.json["html"]
    assert "&lt;" in answer.json["html"]
    assert "<b>" not in answer.json["html"]
    assert stored(draft).content == "One line.\n\nTheirs."


def test_saving_the_same_content_twice_is_no_conflict(pages: Pages, draft: str) -> None:
    seen = words(pages, draft)["rev"]
    for _ in range(2):
        assert put(pages, draft, title="T", content="Once.", rev=seen).status_code == 200


@pytest.mark.parametrize(("keep", "stands", "aside"), [("mine", "Mine.", "Theirs."), ("theirs", "Theirs.", "Mine.")])
def test_a_conflict_in_the_form_asks_which_version_to_keep_and_stores_the_other(
    keep: str, stands: str, aside: str, pages: Pages, draft: str
) -> None:
    seen = words(pages, draft)["rev"]
    put(pages, draft, title="T", content="Theirs.", rev=seen)
    answer = pages.post(f"{draft}/draft", title="T", content="Mine.", rev=seen)
    assert answer.status_code == 409
    assert "Theirs" in answer.text
    assert "Mine.</textarea>" in answer.text
    now = re.search(r'name="rev" value="([^"]+)"', answer.text)
    assert now is not None
    answer = pages.post(f"{draft}/settle", title="T", content="Mine.", rev=now[1], keep=keep)
    assert answer.status_code == 303
    post = stored(draft)
    assert post.content == stands
    kept = db.session.query(Revision.content).where(Revision.post_id == post.id).all()
    assert (aside,) in kept


def test_an_overlong_title_shows_an_error_and_keeps_the_input(pages: Pages, draft: str) -> None:
    seen = words(pages, draft)["rev"]
    answer = put(pages, draft, title="x" * 301, content="", rev=seen)
    assert (answer.status_code, answer.json["error"]) == (422, "A title must have 1 to 300 characters.")
    answer = pages.post(f"{draft}/draft", title="x" * 301, content="Mine.", rev=seen)
    assert answer.status_code == 422
    assert "Mine.</textarea>" in answer.text


@pytest.mark.parametrize("body", [[], "x", None, {}, {"title": 3}, {"title": "only"}])
def test_invalid_autosave_bodies_are_rejected(body: Any, pages: Pages, draft: str) -> None:
    headers = {"X-CSRFToken": pages.token(), "Content-Type": "application/json", "HX-Request": "true"}
    answer = pages.client.put(f"{draft}/draft", data=json.dumps(body), headers=headers)
    assert answer.status_code == 422


def test_invalid_characters_are_removed(pages: Pages, draft: str) -> None:
    seen = words(pages, draft)["rev"]
    assert put(pages, draft, title="a\0b", content="half \ud83d of it\0", rev=seen).status_code == 200
    assert stored(draft).content == "half ? of it"


def test_autosave_with_an_expired_session_returns_401(visitor: Pages, a_post: MakePost, owner: User) -> None:
    path = f"/desk/posts/{a_post().id}"
    answer = visitor.client.put(f"{path}/draft", json={"title": "x"}, headers={"HX-Request": "true"})
    assert answer.status_code == 401


def test_an_author_cannot_edit_posts_of_other_authors(
    a_post: MakePost, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    stranger = browser_of(somebody("author", name="Sam"))
    path = f"/desk/posts/{a_post().id}"
    assert stranger.get(path).status_code == 404
    assert stranger.get(f"{path}/draft").status_code == 404
    assert put(stranger, path, title="x", content="y", rev="").status_code == 404
    for part in ("draft", "settle", "preview", "update"):
        assert stranger.post(f"{path}/{part}", title="x", content="y", rev="").status_code == 404


def test_a_stale_editor_page_cannot_unpublish_a_post(pages: Pages, draft: str, tools: Tools) -> None:
    seen = put(pages, draft, title="T", content="Words.", rev=words(pages, draft)["rev"]).json["rev"]
    publishing.publish(stored(draft), tools.now())
    assert put(pages, draft, title="T", content="Words, later.", rev=seen).status_code == 200
    post = stored(draft)
    assert (post.state, post.has_unpublished_changes) == ("published", True)
    assert "Words, later" not in pages.get(f"/{post.slug}").text
    assert "Readers see version 1. 1 newer edit" in re.sub(r"\s+", " ", pages.get(draft).text)


def test_edits_of_a_scheduled_post_wait_for_an_update_of_the_schedule(
    pages: Pages, draft: str, time: Time, tools: Tools, tick: Callable[[], None]
) -> None:
    seen = put(pages, draft, title="T", content="As planned.", rev=words(pages, draft)["rev"]).json["rev"]
    at = tools.now().replace(hour=12)
    publishing.schedule(stored(draft), at, tools.now())
    answer = put(pages, draft, title="T", content="Newer.", rev=seen)
    assert (answer.json["state"], answer.json["newer"]) == ("scheduled", 1)
    line = pages.fragment(f"{draft}/schedule-status").text
    assert "Version 1 is scheduled" in line
    assert "1 newer edit isn" in line
    assert "Update scheduled version</button>" in line
    assert pages.post(f"{draft}/update").headers["Location"] == draft
    assert "newer edit" not in pages.fragment(f"{draft}/schedule-status").text
    put(pages, draft, title="T", content="Newest.", rev=answer.json["rev"])
    time.passes(hours=4)
    tick()
    assert "Newer." in pages.get("/t").text
    assert stored(draft).content == "Newest."
    assert pages.post(f"{draft}/update").status_code == 409


def test_the_preview_is_rendered_and_sanitized(pages: Pages, draft: str) -> None:
    text = "Some *words*.\n\n<script>alert(1)</script>\n\n- [ ] a task"
    put(pages, draft, title="A <b>", content=text, rev=words(pages, draft)["rev"])
    page = pages.get(f"{draft}/page").text
    assert "<em>words</em>" in page
    assert "A &lt;b&gt;" in page
    assert "alert(" not in page


def test_the_preview_of_unsaved_text_saves_nothing(pages: Pages, draft: str) -> None:
    headers = {"X-CSRFToken": pages.token(), "HX-Request": "true", "HX-Request-Type": "partial"}
    form = {"title": "New", "content": "## Part\n\nSome *words* TK"}
    answer = pages.client.post(f"{draft}/preview", data=form, headers=headers)
    assert "&lt;em&gt;words&lt;/em&gt;" in answer.text
    assert answer.text.lstrip().startswith('<div id="preview"')
    assert "4 words" in answer.text
    assert "1 TK" in answer.text
    assert 'data-line="0"' in answer.text
    assert stored(draft).content == ""


def test_each_destination_has_a_preview(
    pages: Pages, draft: str, tools: Tools, outside: Outside, connect: Callable[..., str]
) -> None:
    outside.teach("GET", "https://social.example/api/v1/accounts/verify_credentials", json={"id": "1", "acct": "ann"})
    outside.teach("GET", "https://social.example/api/v2/instance", json={"version": "4.5.0"})
    settings = {"url": "https://social.example", "token": "t"}
    manage.connect("mastodon", "mastodon", settings, tools)
    connect("gone")
    post = stored(draft)
    autosave.autosave(
        post, {"title": "On paper", "content": "Words."}, ["mastodon", "site", "gone"], post.rev, tools.now()
    )
    disconnect.disconnect(Connection.named("gone"), tools.now())
    page = pages.get(draft).text
    assert re.findall(r'\?as=[a-z]+"[^>]*>([^<]+)</a>', page) == ["This blog", "Mastodon", "gone"]
    said = pages.get(f"{draft}/preview?as=mastodon").text
    assert "On paper" in said
    assert "https://blog.example/on-paper" in said
    assert re.search(r"\d+ / 500 characters", said)
    assert "No account is connected" in pages.get(f"{draft}/preview?as=gone").text
    assert "<iframe" in pages.get(f"{draft}/preview?as=nonsense").text


def test_pasted_html_is_converted_to_markdown(pages: Pages) -> None:
    headers = {"X-CSRFToken": pages.token()}
    answer = pages.client.post("/desk/paste", json={"html": "<p>a <b>b</b></p>"}, headers=headers)
    assert answer.json == {"markdown": "a **b**", "lostImages": 0}
    assert pages.client.post("/desk/paste", json={"html": 3}, headers=headers).status_code == 422
    assert pages.client.post("/desk/paste", json={"html": "x" * 1_100_000}, headers=headers).status_code == 413


def test_the_answer_to_pasted_html_says_how_many_images_were_lost(pages: Pages) -> None:
    html = '<p>Seen <b>here</b>: <img src="file:///C:/Users/ann/AppData/Local/Temp/clip_image001.png"></p>'
    answer = pages.client.post("/desk/paste", json={"html": html}, headers={"X-CSRFToken": pages.token()})
    assert answer.json == {"markdown": "Seen **here**:", "lostImages": 1}


def test_a_draft_can_be_started_with_a_title_and_text(pages: Pages) -> None:
    answer = pages.post("/desk/posts", title="Fog", content="Seen from the pier.\r\n\r\nAnd a gull.")
    post = stored(answer.headers["Location"])
    assert (post.title, post.content, post.slug) == ("Fog", "Seen from the pier.\n\nAnd a gull.", "fog")


def test_a_title_that_is_too_long_starts_no_draft_and_says_why(pages: Pages) -> None:
    answer = pages.post("/desk/posts", title="x" * 301)
    assert answer.status_code == 422
    assert "300" in answer.text
    assert db.session.scalars(select(Post)).all() == []
