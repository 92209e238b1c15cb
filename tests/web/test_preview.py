"""The preview of the built-in blog: the page that readers will see, in a frame of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from flask import Flask

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.models import PageView, Post, Setting, User, db, transaction
from blogsvc.models.theme import Theme, save_theme
from blogsvc.posts import publishing, trash
from tests.blog.contexts import faults, rendered
from tests.connectors.fake_wordpress import PASSWORD, SITE, USERNAME, FakeWordPress
from tests.outside import Outside
from tests.web.page_walk import Pages

Make = Callable[..., Post]


def article(html: str) -> str:
    found = re.search(r'<article class="post h-entry".*</article>', html, re.DOTALL)
    assert found is not None
    return found[0]


def test_the_preview_is_the_page_that_readers_will_see(pages: Pages, a_post: Make, tools: Tools) -> None:
    with transaction():
        Setting.write("blog_author", "Ann Example")
        save_theme(Theme("#7a1f5c", "sans", "wide", css=".lead { color: teal }"), tools.now())
    a_post(title="Earlier", live=True)
    a_post(title="Another draft", tags=["ink"])
    cover = "https://images.example/cover.jpg"
    text = "## Part\n\nA note.[^1]\n\n[^1]: A foot.\n\n| a |\n|---|\n| 1 |"
    post = a_post(title="On paper", content=text, tags=["ink"], summary="In short", cover_image=cover)
    preview = pages.get(f"/desk/posts/{post.id}/page").text
    publishing.publish(post, tools.now())
    assert article(preview).replace('target="_self" ', "") == article(pages.get("/on-paper").text)
    for part in (
        "Ann Example",
        "1 min read",
        cover,
        "In short",
        'href="/earlier"',
        "--measure: 38rem",
        "@layer owner { .lead { color: teal } }",
    ):
        assert part in preview, part
    assert "Another draft" not in preview


def test_the_preview_keeps_the_scheme_of_a_look_that_is_always_dark(pages: Pages, a_post: Make, tools: Tools) -> None:
    post = a_post(title="At night")
    address = f"/desk/posts/{post.id}/page?width=desktop&scheme=light"
    assert ":root { color-scheme: light }" in pages.get(address).text
    with transaction():
        save_theme(Theme(scheme="dark"), tools.now())
    assert ":root { color-scheme: light }" not in pages.get(address).text


def test_the_preview_changes_links_within_the_page_alone(pages: Pages, a_post: Make) -> None:
    post = a_post(title="Parts", content='A note.[^1]\n\n[^1]: A foot.\n\n`x href="#code"`')
    shown = pages.get(f"/desk/posts/{post.id}/page").text
    assert 'target="_self" href="#in-fn' in shown
    assert 'target="_self" href="#code"' not in shown


def test_the_preview_gets_objects_of_the_contract(app: Flask, pages: Pages, a_post: Make) -> None:
    a_post(title="Earlier", live=True, tags=["ink"])
    post = a_post(title="On paper", tags=["ink"])
    with rendered(app) as templates:
        pages.get(f"/desk/posts/{post.id}/page")
        pages.post(f"/desk/posts/{post.id}/preview?as=site", title="On ink", content="Unsaved")
    assert [name for name, _ in templates] == ["preview", "_article"]
    assert [fault for name, context in templates for fault in faults(name, context)] == []


def test_a_wide_table_can_be_scrolled_by_keyboard_in_the_preview_of_a_destination(
    pages: Pages, a_post: Make, tools: Tools, outside: Outside
) -> None:
    FakeWordPress(outside)
    settings = {"url": SITE, "username": USERNAME, "password": PASSWORD}
    manage.connect("wordpress", "wordpress", settings, tools)
    post = a_post(title="Of tables", platforms=["site", "wordpress"], content="| a |\n|---|\n| 1 |")
    preview = pages.get(f"/desk/posts/{post.id}/preview?as=wordpress").text
    assert '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table' in preview


def test_a_scheduled_post_has_the_date_of_its_publication(pages: Pages, a_post: Make, tools: Tools) -> None:
    post = a_post(title="Soon")
    then = tools.now() + timedelta(days=40)
    publishing.schedule(post, then, tools.now())
    shown = article(pages.get(f"/desk/posts/{post.id}/page").text)
    assert f"{then.day} {then:%B %Y}" in shown
    assert "Updated" not in shown


def test_the_page_can_be_framed_only_by_the_preview(pages: Pages, a_post: Make) -> None:
    post = a_post()
    answer = pages.get(f"/desk/posts/{post.id}/page?scheme=dark")
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert "frame-ancestors 'self'" in policy
    assert "default-src 'none'" in policy
    assert not any(rule.startswith("script-src") for rule in policy)
    assert "unsafe" not in "".join(policy)
    assert answer.headers["Cache-Control"] == "no-store"
    assert "noindex" in answer.text
    assert ":root { color-scheme: dark }" in answer.text
    assert db.session.query(PageView).count() == 0
    assert "frame-ancestors 'none'" in pages.get(f"/desk/posts/{post.id}/preview").headers["Content-Security-Policy"]


def test_only_users_who_may_see_the_post_get_its_page(
    a_post: Make, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    post, author = a_post(), somebody("author", "Cleo")
    assert browser_of(author).get(f"/desk/posts/{post.id}/page").status_code == 404
    trash.discard(post, author.created_at)
    assert browser_of(somebody("owner", "Dora")).get(f"/desk/posts/{post.id}/page").status_code == 404


def test_the_look_is_remembered(pages: Pages, a_post: Make) -> None:
    address = f"/desk/posts/{a_post().id}/preview"
    assert "checked" not in pages.get(address).text
    pages.client.set_cookie("preview", "phone-dark", path="/desk")
    page = pages.get(address).text
    assert re.findall(r'value="(\w+)" checked', page) == ["phone", "dark"]
    assert "/page?scheme=dark" in page
    chosen = pages.get(f"{address}?width=desktop&scheme=light").text
    assert re.findall(r'value="(\w+)" checked', chosen) == ["desktop", "light"]
    pages.client.set_cookie("preview", '"><script>-', path="/desk")
    assert "checked" not in pages.get(address).text
