"""The blog settings: changes are public at once, and readable."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from blogsvc.lib import color_contrast
from blogsvc.models import Post
from blogsvc.models.theme import DARK, FONT_FACES, PAGE_WIDTHS
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
    "accent": "#006b9f",
    "face": "charter",
    "width": "normal",
}


def stylesheet_of(client: FlaskClient) -> str:
    found = re.search(r'<link rel="stylesheet" href="([^"]+)"', client.get("/").text)
    assert found is not None
    return found[1]


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
        ("accent", "#ffee00", "hard to read"),
        ("accent", "red; } body { display: none", "is not a color"),
        ("face", "comic", "Not a valid choice"),
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


def test_design_settings_change_the_public_stylesheet(pages: Pages, client: FlaskClient) -> None:
    plain = stylesheet_of(client)
    assert plain.startswith("/static/blog.css?v=")
    pages.post("/desk/settings/blog", **{**FORM, "accent": "#7a1f5c", "face": "sans", "width": "wide"})
    dressed = stylesheet_of(client)
    assert dressed.startswith("/theme.css?v=")
    answer = client.get(dressed)
    assert answer.mimetype == "text/css"
    assert "immutable" in answer.headers["Cache-Control"]
    assert "--measure: 50rem" in answer.text
    assert "light-dark(#7a1f5c, " in answer.text
    assert "immutable" not in client.get("/theme.css?v=other").headers["Cache-Control"]
    pages.post("/desk/settings/blog", **FORM)
    assert stylesheet_of(client) == plain


@pytest.mark.parametrize("accent", ["#000000", "#006b9f", "#be2612", "#3b2f7f"])
def test_every_accent_color_has_enough_contrast_on_dark_pages(accent: str) -> None:
    lighter = color_contrast.towards_white(color_contrast.parse(accent), DARK, 4.5)
    assert color_contrast.contrast(lighter, DARK) >= 4.5


def test_contrast_matches_the_wcag_formula() -> None:
    assert round(color_contrast.contrast((0, 0, 0), (255, 255, 255)), 2) == 21
    assert round(color_contrast.contrast((118, 118, 118), (255, 255, 255)), 2) == 4.54


def test_an_editor_cannot_change_the_blog_settings(somebody, browser_of) -> None:  # type: ignore[no-untyped-def]
    assert browser_of(somebody("editor", name="Ben")).get("/desk/settings/blog").status_code == 403


def test_every_font_and_width_has_a_stylesheet(pages: Pages, client: FlaskClient) -> None:
    for face in FONT_FACES:
        for width in PAGE_WIDTHS:
            assert pages.post("/desk/settings/blog", **{**FORM, "face": face, "width": width}).status_code == 303
            with client.get(stylesheet_of(client)) as answer:
                assert answer.status_code == 200
