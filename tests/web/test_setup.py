"""The first run: the setup link can be used once and creates the owner."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.auth import setup
from blogsvc.context import Tools
from blogsvc.models import Post, Setting, User, db
from blogsvc.posts import sample_draft
from blogsvc.transfer.formats import FORMAT_LABELS
from tests.conftest import Visitor
from tests.web.page_walk import Pages

ANN = {
    "title": "Ink and paper",
    "name": "Ann",
    "email": "ann@blog.example",
    "password": "a ferry in the fog",
    "time_zone": "Europe/Berlin",
}


@pytest.fixture
def link(app: Flask, tools: Tools) -> str:
    return f"/setup/{setup.setup_link(tools.vault)}"


def test_without_any_account_the_dashboard_redirects_to_setup(visitor: Pages) -> None:
    answer = visitor.get("/desk", follow_redirects=True)
    assert answer.request.path == "/setup"
    assert "blogsvc user setup-link" in answer.text


def test_setup_creates_the_owner_and_names_the_blog(visitor: Pages, link: str) -> None:
    assert "Set up your blog" in visitor.get(link).text
    answer = visitor.post(link, **ANN)
    assert answer.status_code == 303
    (ann,) = User.all()
    assert (ann.name, ann.email, ann.role, ann.time_zone) == ("Ann", "ann@blog.example", "owner", "Europe/Berlin")
    assert [Setting.read(name) for name in ("blog_title", "blog_author", "time_zone")] == [
        "Ink and paper",
        "Ann",
        "Europe/Berlin",
    ]
    assert 'rel="home" dir="auto">Ink and paper</a></h1>' in visitor.get("/").text


def test_setup_signs_in_and_offers_three_ways_to_start(visitor: Pages, link: str) -> None:
    answer = visitor.post(link, follow=True, **ANN)
    assert answer.request.path == "/desk/welcome"
    page = answer.text
    assert 'It is at <a href="https://blog.example">blog.example</a>.' in page
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Write your first post", "Connect a destination", "Import your blog"]
    assert '<form method="post" action="/desk/posts"' in page
    assert '<a class="btn" href="/desk/settings/destinations">' in page
    assert '<a class="btn" href="/desk/settings/import">' in page


def test_the_first_page_names_each_format_of_an_import(pages: Pages) -> None:
    offer = pages.get("/desk/welcome").text.partition("Import your blog")[2]
    assert [label for label in FORMAT_LABELS.values() if label.split()[0] not in offer] == []


def test_only_an_owner_is_welcomed_with_what_an_owner_may_do(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    assert browser_of(somebody("editor", name="Bo")).get("/desk/welcome").status_code == 403


def test_setup_creates_a_sample_draft(visitor: Pages, link: str) -> None:
    visitor.post(link, **ANN)
    post_id = re.search(r'href="/desk/posts/(post_\w+)"', visitor.get("/desk").text)
    assert post_id is not None
    sample = Post.get(post_id[1])
    assert (sample.state, sample.author_id) == ("draft", User.all()[0].id)
    assert "TK" in sample.content
    assert "alt text" in sample.content


def test_the_setup_link_can_be_used_once(visitor: Pages, link: str, app: Flask) -> None:
    visitor.post(link, **ANN)
    again = Pages(Visitor(app))
    answer = again.get(link)
    assert answer.status_code == 409
    assert "already set up" in answer.text
    assert visitor.post(link, **ANN | {"email": "eve@blog.example"}).status_code == 409
    assert User.count() == 1


def test_only_the_newest_setup_link_is_valid(visitor: Pages, link: str, tools: Tools) -> None:
    newest = f"/setup/{setup.replace_setup_link(tools.vault)}"
    for stale in (link, f"{newest}x", "/setup/nothing"):
        answer = visitor.get(stale)
        assert answer.status_code == 404
        assert "blogsvc user setup-link" in answer.text
    assert visitor.get(newest).status_code == 200


@pytest.mark.parametrize("token", ["no link", "None", "%00", "x"])
def test_before_there_is_a_setup_link_none_is_valid(visitor: Pages, token: str) -> None:
    assert visitor.get(f"/setup/{token}").status_code == 404


def test_the_setup_link_stays_the_same_until_it_is_replaced(visitor: Pages, link: str, tools: Tools) -> None:
    assert link == f"/setup/{setup.setup_link(tools.vault)}"
    setup.replace_setup_link(tools.vault)
    assert link != f"/setup/{setup.setup_link(tools.vault)}"


def test_of_concurrent_setups_only_one_creates_the_owner(app: Flask, link: str) -> None:
    browsers = [Pages(Visitor(app)) for _ in range(4)]
    tokens = [browser.token(link) for browser in browsers]

    def begin(number: int) -> int:
        said = ANN | {"email": f"{number}@blog.example"}
        return browsers[number].client.post(link, data=said, headers={"X-CSRFToken": tokens[number]}).status_code

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(begin, range(4))) == [303, 409, 409, 409]
    db.session.rollback()
    assert User.count() == 1
    assert db.session.query(Post).count() == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"password": "short"}, "10 to 200 characters"),
        ({"password": "aaaaaaaaaaaa"}, "easy to guess"),
        ({"password": "Ann@blog.example"}, "easy to guess"),
        ({"password": "Ink and paper 1"}, "easy to guess"),
        ({"password": "password2026!"}, "easy to guess"),
        ({"email": "ann"}, "Enter an e-mail address"),
        ({"time_zone": "Mars/Olympus"}, "is not a time zone"),
        ({"title": "x" * 101}, "at most 100 characters"),
        ({"name": "A\u202eB"}, "single line of 1 to 100 characters"),
        ({"name": ""}, "Enter your name"),
    ],
)
def test_an_invalid_setup_field_shows_the_error_and_creates_nothing(
    visitor: Pages, link: str, said: dict[str, Any], told: str
) -> None:
    answer = visitor.post(link, **ANN | said)
    assert answer.status_code == 422
    assert told in answer.text
    assert ANN["password"] not in answer.text, "a password is not sent back"
    assert (User.count(), db.session.query(Post).count(), Setting.read("blog_title")) == (0, 0, "A blog")
    assert visitor.post(link, **ANN).status_code == 303, "the link is still good"


def test_all_setup_errors_are_shown_at_once(visitor: Pages, link: str) -> None:
    text = visitor.post(link, **ANN | {"password": "short", "email": "ann", "title": "\x00"}).text
    assert text.count('aria-invalid="true"') == 3


def test_several_wrong_fields_are_linked_above_the_form(visitor: Pages, link: str) -> None:
    page = visitor.post(link, **ANN | {"password": "short", "email": "ann", "title": ""}).text
    (summary,) = re.findall(r'<div class="err" role="alert">(.*?)</div>', page, re.DOTALL)
    assert "3 fields need a change:" in summary
    assert re.findall(r'<a href="#([^"]+)">([^<]+)</a>', summary) == [
        ("title", "Blog title"),
        ("email", "E-mail"),
        ("password", "Password"),
    ]
    assert page.count(" autofocus") == 1


def test_one_wrong_field_needs_no_summary(visitor: Pages, link: str) -> None:
    assert 'role="alert"' not in visitor.post(link, **ANN | {"email": "ann"}).text


def test_the_setup_token_appears_neither_in_the_log_nor_in_the_database(
    visitor: Pages, link: str, app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    token = link.rpartition("/")[2]
    with caplog.at_level(logging.INFO):
        answer = visitor.get(link)
    assert token not in caplog.text
    assert "GET /setup/... 200" in caplog.text
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert token not in str(Setting.read("setup_link"))


@pytest.mark.parametrize("kind", ["/setup/", "/setup//", "/SETUP/", "/login/invite/", "//login//invite//", "/invite/"])
def test_no_request_for_a_link_logs_its_token(client: FlaskClient, caplog: pytest.LogCaptureFixture, kind: str) -> None:
    token = "q8Zt-1_vWkq8Zt1vWkq8Zt1vWkq8Zt1v"
    caplog.set_level(logging.DEBUG)
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "NONE"):
        for form in ("{}", "{}/", "{}//", "{}.", "/{}", "{}/more/parts", "/api/v1{}", "/desk{}"):
            path = form.format(kind + token)
            answer = client.open("/", method=method, environ_overrides={"PATH_INFO": path})
            assert answer.headers["Referrer-Policy"] == "no-referrer", path
    assert "blogsvc.access" in {record.name for record in caplog.records}
    assert token not in caplog.text


def test_the_log_keeps_the_paths_of_other_pages(client: FlaskClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        for path in ("/setup", "/setup/", "/invite-friends", "/tag/setup"):
            client.get(path)
    assert [record.getMessage().split()[1] for record in caplog.records if record.name == "blogsvc.access"] == [
        *("/setup", "/setup/", "/invite-friends", "/tag/setup")
    ]


def test_a_blog_with_accounts_cannot_be_set_up_again(visitor: Pages, owner: User) -> None:
    assert visitor.get("/setup").headers["Location"] == "/login"


def test_setup_suggests_the_existing_blog_title(
    visitor: Pages, link: str, app: Flask, a_post: Callable[..., Post]
) -> None:
    from blogsvc.models import transaction
    from blogsvc.models.setting import describe_blog

    a_post(title=sample_draft.TITLE)  # its slug is taken, then
    with transaction():
        describe_blog({"title": "Named before"})
    assert 'value="Named before"' in visitor.get(link).text
    assert visitor.post(link, **ANN).status_code == 303


def test_all_errors_of_the_form_are_shown_at_once_and_the_first_field_is_focused(visitor: Pages, link: str) -> None:
    page = visitor.post(link, **(ANN | {"title": " ", "name": "", "email": "ann", "password": "short"})).text
    faults = dict(re.findall(r'<p class="err" id="(\w+)-fault">(.*?)</p>', page))
    assert list(faults) == ["title", "name", "email", "password"]
    assert faults["title"] == "Enter a title for your blog."
    assert faults["email"] == "Enter an e-mail address such as ada@example.org."
    assert "10 to 200 characters" in faults["password"]
    assert re.findall(r'autofocus[^>]* name="(\w+)"', page) == ["title"]
