"""An import takes over what the old blog is called and looks like, where nobody has chosen it here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from blogsvc.auth import setup
from blogsvc.context import Tools
from blogsvc.models import ImportJob, Post, transaction
from tests.images import png
from tests.outside import Outside
from tests.web.page_walk import Pages
from tests.web.test_import_export import send

OLD_BLOG = {
    "title": "Harbour notes",
    "description": "Boats and ropes.",
    "language": "de-AT",
    "look": {"color": "#7a1f5c", "width": "wide", "css": ".lead { color: teal }"},
    "navigation": {"header": [{"label": "Tides", "to": "https://tides.example/"}], "footer": []},
    "social": [{"label": "Me", "url": "https://social.example/@ada", "isMe": True}],
}
POST = {"id": "post_1", "title": "Ferry", "slug": "ferry", "content": "Words.", "status": "draft"}
PASSWORD = "a ferry in the fog"


@pytest.fixture
def new_blog(app: Flask, visitor: Pages, tools: Tools) -> Pages:
    """The browser of an owner who has just set up the blog with the title "My blog"."""
    form = {"name": "Ada", "email": "ada@blog.example", "password": PASSWORD, "title": "My blog", "time_zone": "UTC"}
    assert visitor.post(f"/setup/{setup.setup_link(tools.vault)}", **form).status_code == 303
    return visitor


@pytest.fixture
def review(tick: Callable[[], None]) -> Callable[..., str]:
    """Return a function that uploads an export of a blog, and returns the path of its review."""

    def upload(pages: Pages, **blog: Any) -> str:
        export = {"format": "blogsvc-export", "version": 1, "blog": {**OLD_BLOG, **blog}, "posts": [POST]}
        page = send(pages, json.dumps(export).encode(), "blog.json").location
        tick()
        return str(page)

    return upload


Review = Callable[..., str]


def is_checked(page: str) -> bool:
    tag = re.search(r'<input[^>]*name="blog"[^>]*>', page)
    assert tag, "the page does not offer to take over what the blog is called"
    return "checked" in tag[0]


def lines(page: str) -> list[str]:
    """Return the list of what is or was taken over, as text."""
    listed = re.search(r'<ul class="parts">(.*?)</ul>', page, re.DOTALL) or re.search(
        r'id="blog-parts">.*?<ul class="rows">(.*?)</ul>', page, re.DOTALL
    )
    rows = re.findall(r"<li>(.*?)</li>", listed[1], re.DOTALL) if listed else []
    return [re.sub(r"<[^>]+>", "", row) for row in rows]


def begin(pages: Pages, page: str, tick: Callable[[], None], **chosen: str) -> str:
    """Start an import, and return the page that it ends with."""
    assert pages.post(f"{page}/begin", drafts="y", images="y", taken="skip", **chosen).status_code == 303
    tick()
    return pages.get(page).text


def test_a_new_blog_becomes_the_old_one(new_blog: Pages, review: Review, tick: Callable[[], None]) -> None:
    page = review(new_blog)
    plan = new_blog.get(page).text
    assert is_checked(plan)
    expected = [
        "Title: My blog → Harbour notes",
        "Description: Boats and ropes.",
        "Language: en → de-AT",
        "Look: #7a1f5c, wide, custom CSS",
        "Menus: 1 link",
        "Social links: 1 link",
    ]
    assert lines(plan) == expected
    assert lines(begin(new_blog, page, tick, blog="y")) == expected
    home = new_blog.get("/").text
    assert '<html lang="de-AT"' in home
    assert "<title>Harbour notes</title>" in home
    assert "Boats and ropes." in home
    with new_blog.get("/theme.css") as sheet:
        assert all(part in sheet.text for part in ("--sea: light-dark(#7a1f5c, ", "--measure: 38rem", ".lead {"))
    assert "https://tides.example/" in home
    assert "https://social.example/@ada" in home


def test_what_an_owner_has_chosen_stays(new_blog: Pages, review: Review, tick: Callable[[], None]) -> None:
    settings = "/desk/settings/blog"
    form = dict(re.findall(r'<input[^>]*name="(\w+)"[^>]*value="([^"]*)"', new_blog.get(settings).text))
    more = {"undo": "10", "slug_script": "latin", "ai_preference": "unset"}
    look = {"color": "#0b5c80", "scheme": "dark", "face": "harbour", "width": "normal", "layout": "list"}
    assert new_blog.post("/desk/settings/look", **look, css="").status_code == 303
    assert new_blog.post(settings, **{**form, **more, "title": "Ropes"}).status_code == 303
    page = review(new_blog)
    stays = "Title: Harbour notes Not taken over, because you chose your own."
    assert lines(new_blog.get(page).text)[:2] == [stays, "Description: Boats and ropes."]
    done = lines(begin(new_blog, page, tick, blog="y"))
    assert done[0] == stays
    assert "Look: #7a1f5c, wide, custom CSS Not taken over, because you chose your own." in done
    home = new_blog.get("/").text
    assert "<title>Ropes</title>" in home
    assert "Boats and ropes." in home


def test_a_blog_with_posts_stays_as_it_is_unless_its_owner_says_so(
    pages: Pages, review: Review, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    a_post(True, title="Published")
    page = review(pages)
    assert not is_checked(pages.get(page).text)
    assert lines(begin(pages, page, tick)) == []
    home = pages.get("/").text
    assert "Harbour notes" not in home
    assert "https://tides.example/" not in home


def test_the_icon_and_the_logo_come_along(
    new_blog: Pages, review: Review, outside: Outside, tick: Callable[[], None]
) -> None:
    urls = {"icon": "https://old.example/media/icon.png", "logo": "https://old.example/media/logo.png"}
    for url, body in zip(urls.values(), (png(512, 512), png(300, 100)), strict=True):
        outside.teach("GET", url, status=200, body=body, headers={"Content-Type": "image/png"})
    done = begin(new_blog, review(new_blog, **urls), tick, blog="y")
    assert {"Icon: icon.png", "Logo: logo.png"} <= set(lines(done))
    home = new_blog.get("/").text
    assert 'rel="icon"' in home
    assert re.search(r'<img[^>]*src="/media/logo-[^"]+"', home)


def test_an_icon_that_cannot_be_used_is_reported(
    new_blog: Pages, review: Review, outside: Outside, tick: Callable[[], None]
) -> None:
    small, lost = "https://old.example/media/icon.png", "https://old.example/media/logo.png"
    outside.teach("GET", small, status=200, body=png(48, 48), headers={"Content-Type": "image/png"})
    outside.teach("GET", lost, status=404)
    done = "\n".join(lines(begin(new_blog, review(new_blog, icon=small, logo=lost), tick, blog="y")))
    assert "Icon: icon.png Not taken over. An icon must be at least 512 pixels wide and high." in done
    assert f"Logo: logo.png Not taken over. {lost}: old.example answered 404." in done
    assert "Title: My blog → Harbour notes\n" in done


def test_without_images_the_icon_is_not_taken_over(new_blog: Pages, review: Review, tick: Callable[[], None]) -> None:
    page = review(new_blog, icon="https://old.example/media/icon.png")
    new_blog.post(f"{page}/begin", drafts="y", taken="skip", blog="y")
    tick()
    assert "Icon: icon.png Not taken over. Images are not imported." in lines(new_blog.get(page).text)


def test_the_alt_text_of_an_icon_is_cut_to_what_an_image_can_have(
    new_blog: Pages, outside: Outside, tick: Callable[[], None]
) -> None:
    url = "https://old.example/media/icon.png"
    outside.teach("GET", url, status=200, body=png(512, 512), headers={"Content-Type": "image/png"})
    alts = [{"url": url, "alt": "x" * 5000}]
    export = {"format": "blogsvc-export", "version": 1, "blog": {"icon": url}, "posts": [POST], "media": alts}
    page = send(new_blog, json.dumps(export).encode(), "blog.json").location
    tick()
    assert lines(begin(new_blog, page, tick, blog="y")) == ["Icon: icon.png"]


@pytest.mark.parametrize(
    "url",
    [
        "http://[",
        "//[",
        f"https://old.example/{'x' * 2000}",
        "data:image/png;base64,aGVsbG8=",
        "javascript:x",
        "a\ud800.png",
    ],
    ids=["no host", "no host or scheme", "too long", "data", "script", "no character"],
)
def test_an_icon_without_a_readable_address_is_left_out(
    new_blog: Pages, review: Review, tick: Callable[[], None], url: str
) -> None:
    page = review(new_blog, icon=url)
    assert lines(new_blog.get(page).text)[0] == "Title: My blog → Harbour notes"
    done = begin(new_blog, page, tick, blog="y")
    assert "1 imported" in done
    assert [line for line in lines(done) if line.startswith("Icon")] == []


def test_a_part_that_cannot_be_taken_over_is_reported_and_the_import_ends(
    new_blog: Pages, review: Review, tick: Callable[[], None]
) -> None:
    page = review(new_blog)
    with transaction():  # a link that no rule for files has caught
        job = ImportJob.get(page.rpartition("/")[2])
        job.old_addresses = {**(job.old_addresses or {}), "links": {"header": [["Tides", None, False]]}}
    done = begin(new_blog, page, tick, blog="y")
    assert "1 imported" in done
    assert lines(done)[-1] == "Menus: 1 link Not taken over. See the server log."
    assert "<title>Harbour notes</title>" in new_blog.get("/").text


def test_an_import_says_how_many_links_were_usable(new_blog: Pages, review: Review, tick: Callable[[], None]) -> None:
    menus = {"header": [{"label": "Call", "to": "tel:1234"}], "footer": [{"label": "Tides", "to": "/tides"}]}
    social = [{"label": "Call", "url": "tel:1234", "isMe": True}]
    page = review(new_blog, navigation=menus, social=social)
    assert lines(new_blog.get(page).text)[-2:] == ["Menus: 2 links", "Social links: 1 link"]
    assert lines(begin(new_blog, page, tick, blog="y"))[-2:] == [
        "Menus: 1 of 2 links",
        "Social links: 1 link Not taken over. None of these links can be used here.",
    ]


@pytest.mark.parametrize(
    ("look", "reason"),
    [
        ({"css": "a { }\nb { background: url(//other.example) }"}, "Line 2: “//other.example”"),
        ({"color": "red", "face": "comic"}, "Choose one of: harbour, charter"),
    ],
)
def test_a_look_that_this_blog_cannot_have_is_reported(
    look: dict[str, str], reason: str, new_blog: Pages, review: Review, tick: Callable[[], None]
) -> None:
    (line,) = [line for line in lines(begin(new_blog, review(new_blog, look=look), tick, blog="y")) if "Look" in line]
    assert "Not taken over. " in line
    assert reason in line
    assert "/static/blog.css" in new_blog.get("/").text


@pytest.mark.parametrize(
    "look", [None, [], "dark", {}, {"css": 5}, {"css": "a" * 300_000}, {"other": "x"}], ids=lambda look: repr(look)[:20]
)
def test_an_unreadable_look_is_left_out(look: Any, new_blog: Pages, review: Review) -> None:
    assert [line for line in lines(new_blog.get(review(new_blog, look=look)).text) if "Look" in line] == []


def of_ghost(**settings: str) -> bytes:
    post = {"id": "5", "uuid": "u", "title": "Ferry", "slug": "ferry", "status": "draft", "html": "<p>Words.</p>"}
    rows = [{"key": key, "value": value} for key, value in settings.items()]
    return json.dumps({"db": [{"meta": {"version": "5.0.0"}, "data": {"posts": [post], "settings": rows}}]}).encode()


def test_a_blog_of_ghost_keeps_its_name_and_profiles(
    new_blog: Pages, outside: Outside, tick: Callable[[], None]
) -> None:
    icon = "https://old.example/content/images/2024/icon.png"
    outside.teach("GET", icon, status=200, body=png(512, 512), headers={"Content-Type": "image/png"})
    described = {"title": "Harbour notes", "description": "Boats of __GHOST_URL__/about/", "locale": "de"}
    profiles = {"twitter": "@harbour", "facebook": "ghost"}
    file = of_ghost(**described, **profiles, icon="__GHOST_URL__/content/images/2024/icon.png")
    page = send(new_blog, file, "ghost.json").location
    tick()
    assert "Description: Boats of /about/" in lines(new_blog.get(page).text)
    done = lines(begin(new_blog, page, tick, blog="y", site="https://old.example"))
    named = ["Title: My blog → Harbour notes", "Description: Boats of https://old.example/about/", "Language: en → de"]
    assert done == [*named, "Icon: icon.png", "Social links: 1 link"]
    home = new_blog.get("/").text
    assert "https://x.com/harbour" in home
    assert "facebook.com" not in home  # a new blog of Ghost has the profile of Ghost


def of_wordpress(head: str) -> bytes:
    item = (
        "<item><title>Ferry</title><guid>https://old.example/?p=1</guid><wp:post_id>1</wp:post_id>"
        "<wp:post_name>ferry</wp:post_name><wp:status>draft</wp:status><wp:post_type>post</wp:post_type></item>"
    )
    spaces = 'xmlns:wp="http://wordpress.org/export/1.2/"'
    return f'<?xml version="1.0"?><rss version="2.0" {spaces}><channel>{head}{item}</channel></rss>'.encode()


def test_a_blog_of_wordpress_keeps_its_name_and_icon(
    new_blog: Pages, outside: Outside, tick: Callable[[], None]
) -> None:
    icon = "https://old.example/wp-content/uploads/2024/01/cropped-icon.png"
    outside.teach("GET", icon, status=200, body=png(512, 512), headers={"Content-Type": "image/png"})
    named = "<title>Harbour &amp;amp; notes</title><description>Boats.</description><language>en-GB</language>"
    size = icon.replace(".png", "-32x32.png")
    page = send(new_blog, of_wordpress(f"{named}<image><url>{size}</url><title>x</title></image>"), "wp.xml").location
    tick()
    done = lines(begin(new_blog, page, tick, blog="y"))
    assert done == [
        "Title: My blog → Harbour &amp; notes",
        "Description: Boats.",
        "Language: en → en-GB",
        "Icon: cropped-icon.png",
    ]
    assert 'rel="icon"' in new_blog.get("/").text


def test_imported_posts_have_the_quotation_marks_of_the_language_that_is_taken_over(
    new_blog: Pages, tick: Callable[[], None]
) -> None:
    live = {**POST, "content": 'Er rief: "So."', "status": "published", "publishedAt": "2020-01-02T00:00:00Z"}
    export = {"format": "blogsvc-export", "version": 1, "blog": OLD_BLOG, "posts": [live]}
    page = str(send(new_blog, json.dumps(export).encode(), "blog.json").location)
    tick()

    assert any("Language" in line and "de-AT" in line for line in lines(begin(new_blog, page, tick, blog="y")))
    assert "„So.“" in new_blog.get("/ferry").text


@pytest.mark.parametrize("wrong", [{"language": "no language"}, {"aiPreference": "maybe"}, {"title": ["maybe"]}])
def test_a_value_that_is_none_here_is_left_out(
    new_blog: Pages, review: Review, wrong: dict[str, Any], tick: Callable[[], None]
) -> None:
    done = begin(new_blog, review(new_blog, **wrong), tick, blog="y")
    assert "1 imported" in done
    assert "no language" not in done
    assert "maybe" not in done
