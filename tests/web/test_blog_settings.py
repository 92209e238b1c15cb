"""The blog settings: changes are public at once."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from blogsvc.models import Post
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside
from tests.web.page_walk import Pages

FORM = {
    "title": "Ink and paper",
    "description": "Of ferries.",
    "author": "Ann",
    "language": "en",
    "slug_script": "latin",
    "security_contact": "",
    "ai_preference": "unset",
}


def test_blog_settings_show_on_the_public_pages(pages: Pages, client: FlaskClient) -> None:
    assert pages.post("/desk/settings/blog", **FORM).status_code == 303
    home = client.get("/").text
    assert "Ink and paper" in home
    assert "Of ferries." in home


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("title", " ", "Enter a title."),
        ("language", "x_y", "anguage tag such as en"),
        ("slug_script", "runes", "Not a valid choice"),
        ("security_contact", "me", "Enter an e-mail address"),
        ("ai_preference", "never", "Not a valid choice"),
    ],
)
def test_an_invalid_setting_shows_the_error_at_its_field(field: str, value: str, words: str, pages: Pages) -> None:
    answer = pages.post("/desk/settings/blog", **{**FORM, field: value})
    assert answer.status_code == 422
    assert re.search(rf'id="{field}-fault">[^<]*{words}', answer.text)


def test_the_contact_and_the_preference_about_ai_are_settings(pages: Pages, client: FlaskClient) -> None:
    form = {**FORM, "security_contact": "a@blog.example", "ai_preference": "no-ai-use"}
    assert pages.post("/desk/settings/blog", **form).status_code == 303
    assert "Contact: mailto:a@blog.example" in client.get("/.well-known/security.txt").text
    assert client.get("/").headers["Content-Usage"] == "train-ai=n, ai-use=n"
    page = pages.get("/desk/settings/blog").text
    assert 'value="mailto:a@blog.example"' in page
    assert '<option selected value="no-ai-use">' in page


def test_the_settings_say_how_search_engines_were_told(
    pages: Pages, outside: Outside, a_post: Callable[..., Post], time: Time, tick: Callable[[], None]
) -> None:
    page = pages.get("/desk/settings/blog").text
    assert "Sends to api.indexnow.org" in page
    assert "index-now" not in page
    pages.post("/desk/settings/blog", **FORM, index_now="y")
    assert "Nothing was told yet." in pages.get("/desk/settings/blog").text

    a_post(live=True)
    outside.always(status=503)
    time.passes(minutes=1)
    tick()
    page = pages.get("/desk/settings/blog").text
    assert "IndexNow answered 503. Next try:" in page
    outside.always(status=202)
    time.passes(minutes=2)
    tick()
    page = pages.get("/desk/settings/blog").text
    assert "Last told:" in page
    assert "1 address, answer 202." in page
    assert "Last failure" not in page

    pages.post("/desk/settings/blog", **FORM)
    assert "Last told:" not in pages.get("/desk/settings/blog").text


@pytest.mark.settings(base_url="http://localhost:8000")
def test_the_settings_say_that_search_engines_cannot_reach_the_blog(pages: Pages) -> None:
    pages.post("/desk/settings/blog", **FORM, index_now="y")
    assert "search engines can’t reach http://localhost:8000" in pages.get("/desk/settings/blog").text


def test_the_letters_of_addresses_are_a_setting(pages: Pages, api: Api) -> None:
    page = pages.get("/desk/settings/blog").text
    assert '<option selected value="latin">Latin letters where they can be read</option>' in page
    assert api.post("/posts", title="Привет, мир").json["slug"] == "privet-mir"
    pages.post("/desk/settings/blog", **{**FORM, "slug_script": "native"})
    assert '<option selected value="native">Letters of the language</option>' in pages.get("/desk/settings/blog").text
    assert api.post("/posts", title="Привет, мир").json["slug"] == "привет-мир"


def test_an_editor_cannot_change_the_blog_settings(somebody, browser_of) -> None:  # type: ignore[no-untyped-def]
    assert browser_of(somebody("editor", name="Ben")).get("/desk/settings/blog").status_code == 403
