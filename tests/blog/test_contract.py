"""The contract with the templates of the blog: they get frozen objects with plain values, and keep what they know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.media.site_images import choose_site_images
from blogsvc.models import Post, Setting, transaction
from blogsvc.models.setting import site_changed
from blogsvc.navigation.social_links import save_social_links
from blogsvc.posts import authors, publishing, series, sharing, tag_pages, trash
from blogsvc.redirects import manage
from tests.blog.contexts import faults, rendered
from tests.blog.stored_contract import broken, current, stored
from tests.clock import Time
from tests.images import png

Make = Callable[..., Post]
POSTS = 22  # more than fit on a page
PAGES = {
    "/": "home",
    "/?before=ferry-3": "home",
    "/ferry-2": "post",
    "/about": "post",
    "/tag/sea": "tag",
    "/tag/sea?before=ferry-3": "tag",
    "/tags": "tags",
    "/author/ada": "author",
    "/series/boats": "series",
    "/archive": "archive",
    "/archive/2026": "archive",
    "/search": "search",
    "/search?q=ferry": "search",
    "/search?q=ferry&page=2": "search",
    "/search?q=nothing": "search",
    "/subscribe": "subscribe",
    "/gone": "gone",
    "/draft/unknown": "draft_message",
}


@pytest.fixture
def blog(app: Flask, a_post: Make, tools: Tools, time: Time) -> None:
    """A blog that has everything: a logo, social links, an author, a series, a tag page, covers and a redirect."""
    image = images.add(png(1200, 800), "ferry.png", "A ferry", tools)
    cover = tools.config.public_url + image.path
    choose_site_images({"logo": image.id}, tools)
    link = {"label": "Elsewhere", "url": "https://social.example/@ada", "is_me": True}
    save_social_links([link])
    authors.create(
        {"name": "Ada", "bio": "Sails.", "picture_id": image.id, "links": [link], "fediverse": "a@social.example"},
        time(),
    )
    series.create({"title": "Boats", "description": "All of *them*.", "cover_image": cover}, time())
    tag_pages.write("sea", {"title": "The sea", "description": "Salt.", "cover_image": cover})
    words = {"tags": ["sea"], "authors": ["ada"], "series": "boats", "cover_image": cover, "cover_caption": "At *sea*"}
    for number in range(1, POSTS + 1):
        a_post(live=True, title=f"Ferry {number}", slug=f"ferry-{number}", **words)
        time.passes(hours=1)
    a_post(live=True, title="عبّارة", language="ar", is_pinned=True, slug="arabic")
    a_post(live=True, title="About", kind="page", slug="about")
    manage.create("/gone", None, 410, tools.config.public_url)
    with transaction():
        Setting.write("blog_author", "The editors")
        site_changed()


def test_every_page_gets_objects_of_the_contract(app: Flask, client: FlaskClient, blog: None) -> None:
    with rendered(app) as templates:
        for path in PAGES:
            client.get(path)
    assert [name for name, _ in templates] == list(PAGES.values())
    assert [fault for name, context in templates for fault in faults(name, context)] == []


@pytest.mark.parametrize("has_text", [False, True])
def test_the_page_for_missing_addresses_gets_objects_of_the_contract(
    app: Flask, client: FlaskClient, blog: None, a_post: Make, has_text: bool
) -> None:
    if has_text:
        a_post(live=True, title="Adrift", kind="page", slug="404")
    with rendered(app) as templates:
        client.get("/ferry-2x")
    assert [name for name, _ in templates] == ["404", "_closest_posts"]
    assert [fault for name, context in templates for fault in faults(name, context)] == []


def test_a_shared_draft_and_its_messages_get_objects_of_the_contract(
    app: Flask, client: FlaskClient, blog: None, a_post: Make, time: Time
) -> None:
    draft = a_post(title="Fog", content="One.\n\nTwo.", authors=["ada"])
    link, token = sharing.share(draft, "Anna", 7, time())
    sharing.comment(link, "Bo", "Good.", "One.", time())
    with rendered(app) as templates:
        client.get(f"/draft/{token}")
        client.post(f"/draft/{token}", data={"name": "", "text": "", "quote": ""})
        publishing.publish(draft, time())
        client.get(f"/draft/{token}")
        trash.discard(draft, time())
        client.post(f"/draft/{token}", data={"text": "Too late"})
    assert [name for name, _ in templates] == ["shared_draft", "shared_draft", "draft_message", "draft_message"]
    assert [fault for name, context in templates for fault in faults(name, context)] == []


def test_a_template_cannot_change_what_it_gets(app: Flask, client: FlaskClient, blog: None) -> None:
    with rendered(app) as templates:
        client.get("/ferry-2")
    [(_, context)] = templates
    with pytest.raises(FrozenInstanceError):
        context["entry"].title = "Another"


def test_every_page_contains_its_metadata_once(app: Flask, client: FlaskClient, blog: None) -> None:
    with rendered(app) as templates:
        pages = [client.get(path).get_data(as_text=True) for path in PAGES]
    heads = [context["page"].head for _, context in templates]
    assert [page.count(head) for page, head in zip(pages, heads, strict=True)] == [1] * len(PAGES)
    assert [page.count("<title>") for page in pages] == [1] * len(PAGES)


def test_the_contract_is_as_it_is_stored() -> None:
    before = stored()
    now = current(before)
    assert broken(before, now) == [], "themes may use these: keep them, or raise CONTRACT"
    assert before == now, "if you mean the change, run `.venv/bin/python -m tests.blog.stored_contract`"


FIELDS = {"Site.title": "str", "Site.url": "str"}


@pytest.mark.parametrize(
    ("changed", "number", "expected"),
    [
        ({"Site.title": "str", "Site.url": "str", "Site.motto": "str"}, 1, []),
        ({"Site.title": "str"}, 1, ["Site.url"]),
        ({"Site.title": "str | None", "Site.url": "str"}, 1, ["Site.title"]),
        ({"Site.title": "str"}, 2, []),
    ],
)
def test_a_field_goes_or_changes_only_with_another_number(
    changed: dict[str, str], number: int, expected: list[str]
) -> None:
    before, now = (
        {"contract": contract, "fields": {name: {"type": kind} for name, kind in fields.items()}}
        for contract, fields in ((1, FIELDS), (number, changed))
    )
    assert broken(before, now) == expected
