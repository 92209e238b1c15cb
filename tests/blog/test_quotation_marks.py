"""Straight quotation marks become those of the language of a post, and without one, of the blog."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient

from blogsvc.context import Tools
from blogsvc.models import Post, Revision, db, transaction
from blogsvc.models.setting import describe_blog
from blogsvc.posts import authors, tag_pages
from blogsvc.scheduler.maintenance import run_daily_maintenance
from tests.clock import Time

Make = Callable[..., Post]
SAID = 'She said: "So."'


def set_language(language: str) -> None:
    with transaction():
        describe_blog({"language": language})


def test_a_post_has_the_marks_of_its_language(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="so", content=SAID, language="de")

    assert all("„So.“" in client.get(page).text for page in ("/so", "/", "/feed.json"))


def test_a_post_without_a_language_has_the_marks_of_the_blog(client: FlaskClient, a_post: Make) -> None:
    set_language("sv")
    a_post(live=True, slug="so", content=SAID)
    a_post(live=True, slug="it-is-so", content=SAID, language="en")

    assert "”So.”" in client.get("/so").text
    assert "“So.”" in client.get("/it-is-so").text


def test_captions_descriptions_and_biographies_have_the_marks_of_the_blog(
    client: FlaskClient, a_post: Make, time: Time
) -> None:
    set_language("pl")
    with transaction():
        authors.create({"name": "Ada", "bio": SAID}, time())
        tag_pages.write("ink", {"title": "Ink", "description": SAID})
    cover = {"cover_image": "https://images.example/a.png", "cover_caption": SAID}
    a_post(live=True, slug="so", tags=["ink"], authors=["ada"], **cover)

    assert all("„So.”" in client.get(page).text for page in ("/so", "/author/ada", "/tag/ink"))


def test_live_posts_follow_when_the_language_of_the_blog_changes(
    client: FlaskClient, a_post: Make, tools: Tools
) -> None:
    a_post(live=True, slug="so", content=SAID)
    a_post(live=True, slug="it-is-so", content=SAID, language="en")
    assert "“So.”" in client.get("/so").text

    set_language("de")
    assert all("„So.“" in client.get(page).text for page in ("/so", "/", "/feed.json"))
    assert "“So.”" in client.get("/it-is-so").text

    run_daily_maintenance(tools)
    db.session.rollback()
    assert "„So.“" in str(db.session.query(Revision.html).filter(Revision.slug == "so").scalar())


def test_a_text_that_cannot_be_rendered_any_more_does_not_keep_the_others_from_it(a_post: Make, tools: Tools) -> None:
    bad = a_post(live=True, slug="bad", content=SAID)
    a_post(live=True, slug="good", content=SAID)
    with transaction():  # as a version before stricter limits could store it
        content = SAID + "\n\n<p><b id=1>" + "".join(f"<b title={n}>" for n in range(2_000)) + "<p>x" * 3_000
        db.session.query(Revision).filter(Revision.id == bad.site_revision_id).update({"content": content})
    set_language("de")
    run_daily_maintenance(tools)
    db.session.rollback()
    assert "„So.“" in str(db.session.query(Revision.html).filter(Revision.slug == "good").scalar())
