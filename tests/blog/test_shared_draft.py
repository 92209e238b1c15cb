"""The page behind a share link: who reads it, what it keeps from others, and comments."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import DraftComment, PageView, Post, ShareLink, db
from blogsvc.posts import editing, publishing, sharing, trash
from tests.clock import NOW, Time
from tests.images import png

SCRIPT = '"><script>alert(1)</script>'
Share = Callable[[], str]


@pytest.fixture
def draft(app: Flask) -> Post:
    words = {"title": "The blue pencil", "content": "What readers *never* see.\n\n[Out](https://other.example)"}
    return editing.create(words, None, NOW)


@pytest.fixture
def address(draft: Post) -> str:
    return f"/draft/{sharing.share(draft, 'Anna', 7, NOW)[1]}"


def the_link() -> ShareLink:
    db.session.rollback()
    db.session.expire_all()
    return db.session.query(ShareLink).one()


def comments() -> list[DraftComment]:
    db.session.rollback()
    return list(db.session.query(DraftComment))


def test_a_reader_sees_the_working_copy_as_a_page_of_the_blog(client: FlaskClient, address: str) -> None:
    page = client.get(address)
    assert page.status_code == 200
    assert "What readers <em>never</em> see." in page.text
    assert "Draft shared with you" in page.text
    assert "Link ends on" in page.text
    assert "<script" not in page.text
    assert 'property="og:' not in page.text
    assert the_link().open_count == 1


def test_images_of_the_draft_load_for_the_reader(client: FlaskClient, tools: Tools) -> None:
    image = images.add(png(), "pic.png", "A ferry", tools)
    words = {
        "title": "Fog",
        "content": f"![A ferry]({image.path})",
        "cover_image": tools.config.public_url + image.path,
    }
    draft = editing.create(words, None, NOW)
    page = client.get(f"/draft/{sharing.share(draft, '', 7, NOW)[1]}")
    assert page.text.count(f'src="{image.path}"') >= 1
    assert 'class="over u-featured"' in page.text
    with client.get(image.path) as file:
        assert file.status_code == 200


def test_nobody_else_learns_of_the_page(client: FlaskClient, address: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        page = client.get(address)
    assert page.headers["Cache-Control"] == "private, no-store"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "noindex" in page.headers["X-Robots-Tag"]
    assert '<meta name="robots" content="noindex">' in page.text
    assert "Set-Cookie" not in page.headers
    assert "ETag" not in page.headers
    assert "default-src 'none'; script-src 'self'; " in page.headers["Content-Security-Policy"]
    assert "/draft/..." in caplog.text
    assert address.removeprefix("/draft/") not in caplog.text
    assert db.session.query(PageView).count() == 0
    for path in ("/", "/archive", "/feed.xml", "/rss.xml", "/feed.json", "/sitemap.xml"):
        assert "blue pencil" not in client.get(path).text


def test_unknown_expired_and_revoked_links_are_answered_alike(
    client: FlaskClient, draft: Post, address: str, time: Time
) -> None:
    unknown = client.get("/draft/" + "x" * 32)
    assert unknown.status_code == 404
    revoked, token = sharing.share(draft, "", 30, NOW)
    sharing.revoke(revoked, NOW)
    time.passes(days=8)
    for path in (address, f"/draft/{token}", "/draft/%00"):
        answer = client.get(path)
        assert (answer.status_code, answer.text) == (404, unknown.text)
        assert answer.headers["Cache-Control"] == "private, no-store"


def test_a_link_shows_its_own_post_only(client: FlaskClient, draft: Post, address: str) -> None:
    other = editing.create({"title": "Secret plans", "content": "Of another author."}, None, NOW)
    assert "Secret plans" not in client.get(address).text
    assert client.get(f"/draft/{other.id}").status_code == 404
    assert client.get(f"{address}/{other.id}").status_code == 404


def test_a_published_or_deleted_post_says_what_happened(client: FlaskClient, draft: Post, address: str) -> None:
    publishing.publish(draft, NOW)
    page = client.get(address)
    assert "This post is published" in page.text
    assert "This post is no longer a draft. Read it here:" in page.text
    assert '/the-blue-pencil"' in page.text
    trash.discard(Post.get(draft.id), NOW)
    gone = client.get(address)
    assert (gone.status_code, "This draft was deleted" in gone.text) == (410, True)
    assert "never" not in gone.text


def test_a_comment_that_comes_too_late_is_shown_again(client: FlaskClient, address: str) -> None:
    sharing.revoke(the_link(), NOW)
    late = client.post(address, data={"name": "Anna", "text": f"Cut this. {SCRIPT}"})
    assert late.status_code == 404
    assert "Your comment was not sent" in late.text
    assert "Cut this." in late.text
    assert "<script" not in late.text
    assert comments() == []


def test_a_reader_comments_on_a_paragraph(client: FlaskClient, address: str) -> None:
    page = client.get(address)
    assert "<option>What readers never see.</option>" in page.text
    sent = client.post(address, data={"name": "Anna", "text": "Really?\n\nCut it.", "quote": "What readers never see."})
    assert (sent.status_code, sent.headers["Location"]) == (303, f"{address}?sent=1#comments")
    assert sent.headers["Referrer-Policy"] == "no-referrer"
    page = client.get(f"{address}?sent=1")
    assert "Your comment was sent" in page.text
    assert "Cut it." in page.text
    assert the_link().open_count == 1
    again = client.post(f"{address}?sent=1", data={"name": "Anna", "text": ""})
    assert ("Enter a comment" in again.text, "was sent" in again.text) == (True, False)
    (comment,) = comments()
    assert (comment.name, comment.text, comment.quote) == ("Anna", "Really?\n\nCut it.", "What readers never see.")


def test_html_in_comments_is_shown_as_text(client: FlaskClient, address: str) -> None:
    client.post(address, data={"name": SCRIPT, "text": SCRIPT, "quote": SCRIPT})
    page = client.get(address)
    assert page.text.count("&lt;script&gt;alert(1)") == 3
    assert "<script" not in page.text
    refused = client.post(address, data={"name": "", "text": "</textarea>" + SCRIPT})
    assert (refused.status_code, "<script" in refused.text) == (422, False)
    assert "&lt;/textarea&gt;" in refused.text, "what was typed stays"
    assert "Enter your name" in refused.text


def test_comments_from_other_sites_are_refused(client: FlaskClient, address: str) -> None:
    form = {"name": "Eve", "text": "Buy"}
    refused = client.post(address, data=form, headers={"Sec-Fetch-Site": "cross-site"})
    assert (refused.status_code, comments()) == (403, [])
    assert client.post(address, data=form, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303


def test_comment_spam_is_limited_by_network_and_by_link(client: FlaskClient, address: str, time: Time) -> None:
    def send(network: int) -> int:
        form = {"name": "Eve", "text": "Buy"}
        return client.post(address, data=form, environ_base={"REMOTE_ADDR": f"192.0.2.{network}"}).status_code

    assert [send(1) for _ in range(6)] == [303] * 5 + [429]
    assert [send(network) for network in range(2, 40)].count(303) == 25, "30 an hour for one link"
    assert len(comments()) == 30
    time.passes(minutes=61)
    assert send(1) == 303


def test_guessing_is_limited(client: FlaskClient, address: str, time: Time) -> None:
    answers = []
    for number in range(70):
        time.passes(seconds=2)
        answers.append(client.get(f"/draft/guess-{number}").status_code)
    assert answers[0] == 404
    assert answers[-1] == 429
    assert client.get(address).status_code == 429
    assert client.get(address, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 200


def test_bots_are_not_counted_as_readers(client: FlaskClient, address: str) -> None:
    client.get(address, headers={"User-Agent": "Slackbot-LinkExpanding 1.0"})
    assert the_link().open_count == 0
