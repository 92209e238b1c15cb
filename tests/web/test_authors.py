"""The settings pages of authors, and the authors of a post in its details."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from blogsvc.errors import Invalid, NotFound
from blogsvc.models import Author, Media, Post, User, db
from blogsvc.navigation.social_links import save_social_links
from blogsvc.posts import authors
from tests.api_client import BOUNDARY, File, encoded_form
from tests.clock import Time
from tests.images import png
from tests.web.page_walk import Pages
from tests.web.test_post_details import reload_post, save

Make = Callable[..., Post]
PAGE = "/desk/settings/authors"


def author(slug: str) -> Author:
    db.session.rollback()
    db.session.expire_all()
    return Author.named(slug)


def test_an_author_is_added_and_changed(pages: Pages) -> None:
    answer = pages.post(f"{PAGE}/new", name="Ada Lovelace", slug="", bio="Wrote.", fediverse="@ada@social.example")
    assert (answer.status_code, answer.location) == (303, PAGE)
    assert author("ada-lovelace").fediverse == "ada@social.example"
    assert "Ada Lovelace" in pages.get(PAGE).text

    links = {"link_label": ["Home", "Mastodon", ""], "link_url": ["https://a.example", "https://b.example/@ada", ""]}
    pages.post(f"{PAGE}/ada-lovelace", name="Ada", slug="ada", bio="", fediverse="", **links, link_is_me=["1"])
    row = author("ada")
    assert (row.name, row.bio, row.fediverse) == ("Ada", "", None)
    assert row.links == [
        {"label": "Home", "url": "https://a.example", "is_me": False},
        {"label": "Mastodon", "url": "https://b.example/@ada", "is_me": True},
    ]
    page = pages.get(f"{PAGE}/ada").text
    assert page.count('name="link_label"') == 4, "two empty ones for more"
    assert 'value="https://b.example/@ada"' in page


def test_faults_are_shown_and_nothing_is_lost(pages: Pages) -> None:
    answer = pages.post(f"{PAGE}/new", name="", slug="A b", link_label=["x"], link_url=["nowhere"])
    assert answer.status_code == 422
    for words in ("A name must have 1 to 100 characters.", "must be a URL", 'value="nowhere"', 'value="A b"'):
        assert words in answer.text


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ({"label": "H\x00me"}, [("#/links/0/label", "control_character")]),
        ({"label": "H\x1b[1mme"}, [("#/links/0/label", "control_character")]),
        ({"label": " \n"}, [("#/links/0/label", "required")]),
        ({"label": "x" * 51}, [("#/links/0/label", "too_long")]),
        ({"url": "ftp://a.example"}, [("#/links/0/url", "not_a_url")]),
    ],
)
def test_the_links_of_authors_have_the_rules_of_those_of_the_blog(
    app: Flask, time: Time, link: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    links = [{"label": "Home", "url": "https://a.example", "is_me": True} | link]
    with pytest.raises(Invalid) as refused:
        authors.create({"name": "Ada", "links": links}, time.now)
    assert [(fault.pointer, fault.code) for fault in refused.value.faults] == expected
    with pytest.raises(Invalid) as refused:
        save_social_links(links)
    assert [(f"#/links{fault.pointer[1:]}", fault.code) for fault in refused.value.faults] == expected


def test_an_author_has_no_control_characters(pages: Pages) -> None:
    pages.post(f"{PAGE}/new", name="Ada\x00 \u202eLove\x1blace", bio="One.\n\n* Two.")
    assert author("ada-love-lace").name == "Ada Love lace"

    for name, bio in (("Bo", "A NUL\x00 character."), ("\x00\x1b", "")):
        assert pages.post(f"{PAGE}/new", name=name, slug="bo", bio=bio).status_code == 422
    assert Author.find("bo") is None


def test_a_link_of_an_author_is_stored_in_one_line(app: Flask, time: Time) -> None:
    links = [{"label": " My \n home", "url": " https://a.example ", "is_me": True}]
    authors.create({"name": "Ada", "links": links}, time.now)
    assert author("ada").links == [{"label": "My home", "url": "https://a.example", "is_me": True}]


def test_a_picture_is_uploaded_and_removed(pages: Pages) -> None:
    pages.post(f"{PAGE}/new", name="Ada")
    form = {"name": "Ada", "slug": "ada", "csrf_token": pages.token(), "file": File(png(300, 200), "ada.png")}
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    answer = pages.client.post(f"{PAGE}/ada", data=encoded_form(form), content_type=kind)
    assert answer.status_code == 303
    picture = db.session.get(Media, author("ada").picture_id)
    assert picture is not None
    assert picture.path in pages.get(f"{PAGE}/ada").text
    pages.post(f"{PAGE}/ada", name="Ada", slug="ada", no_picture="y")
    assert author("ada").picture_id is None


def test_an_author_is_merged_and_removed(pages: Pages, a_post: Make) -> None:
    for name in ("Ada", "Bo", "Kim"):
        pages.post(f"{PAGE}/new", name=name)
    post = a_post(authors=["ada"])
    assert "Merge it into another author" in pages.post(f"{PAGE}/ada/remove", follow=True).text
    pages.post(f"{PAGE}/ada/merge", into="bo")
    assert reload_post(post).authors == ["bo"]
    pages.post(f"{PAGE}/kim/remove")
    with pytest.raises(NotFound):
        author("kim")


def test_users_who_are_no_editors_change_only_their_own(
    browser_of: Callable[[User], Pages], somebody: Callable[..., User], pages: Pages
) -> None:
    ben = browser_of(somebody("author", name="Ben"))
    assert ben.get(PAGE).status_code == 403
    assert ben.get(f"{PAGE}/ann").status_code == 403
    assert f"{PAGE}/ben" in ben.get("/desk/settings/profile").text
    answer = ben.post(f"{PAGE}/ben", name="Benjamin", slug="ben", bio="Writes.")
    assert answer.location == f"{PAGE}/ben"
    assert author("ben").bio == "Writes."
    assert "Merge" not in ben.get(f"{PAGE}/ben").text


def test_the_authors_of_a_post_are_chosen_in_its_details(pages: Pages, a_post: Make) -> None:
    for name in ("Ada", "Bo"):
        pages.post(f"{PAGE}/new", name=name)
    post = a_post(authors=["bo"])
    save(pages, post, asks_authors="1", authors=["ada", "bo"])
    assert reload_post(post).authors == ["bo", "ada"], "those that were there come first"
    page = pages.get(f"/desk/posts/{post.id}/details").text
    assert len(re.findall(r'<input [^>]*checked[^>]*name="authors"', page)) == 2
    save(pages, post, summary="Short")
    assert reload_post(post).authors == ["bo", "ada"]
    save(pages, post, asks_authors="1")
    assert reload_post(post).authors == []


def test_who_is_no_editor_can_name_nobody_else(
    browser_of: Callable[[User], Pages], somebody: Callable[..., User], pages: Pages
) -> None:
    ben = browser_of(somebody("author", name="Ben"))
    post_id = ben.post("/desk/posts").location.rpartition("/")[2]
    post = reload_post(Post.get(post_id))
    assert post.authors == ["ben"]
    assert 'name="authors"' not in ben.get(f"/desk/posts/{post_id}/details").text
    save(ben, post, asks_authors="1", authors=["ann"])
    assert reload_post(post).authors == ["ben"]


def test_the_author_has_the_new_name_of_a_user(pages: Pages, owner: User, time: Time) -> None:
    profile = {"time_zone": "Europe/Berlin", "scheme": "", "shortcuts": "y"}
    pages.post("/desk/settings/profile", name="Anna", **profile)
    assert author("ann").name == "Anna"
    pages.post(f"{PAGE}/ann", name="A. Writer", slug="ann")
    pages.post("/desk/settings/profile", name="Ann", **profile)
    assert author("ann").name == "A. Writer", "readers see the name that was chosen for them"


def test_a_picture_may_be_as_large_as_any_image(pages: Pages) -> None:
    pages.post(f"{PAGE}/new", name="Ada")
    large = png(100, 100) + b"\0" * (3 * 1024 * 1024)  # as a photograph of a phone; what follows a PNG is ignored
    form = {"name": "Ada", "slug": "ada", "csrf_token": pages.token(), "file": File(large, "ada.png")}
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    answer = pages.client.post(f"{PAGE}/ada", data=encoded_form(form), content_type=kind)
    assert answer.status_code == 303
    assert author("ada").picture_id is not None
