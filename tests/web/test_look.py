"""The look of the blog: changes are public at once, readable, and can be taken back."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from blogsvc.lib.color_contrast import contrast, parse
from blogsvc.models.theme import CHOICES, GROUNDS
from tests.clock import Time
from tests.web.page_walk import Pages

LOOK = "/desk/settings/look"
FORM = {"color": "#0b5c80", "scheme": "auto", "face": "harbour", "width": "normal", "layout": "list", "css": ""}


def style_sheet(client: FlaskClient) -> str:
    found = re.search(r'<link rel="stylesheet" href="([^"]+)"', client.get("/").text)
    assert found is not None
    return found[1]


def style(client: FlaskClient) -> str:
    """Return what the options and the custom CSS add to the style sheet."""
    with client.get(style_sheet(client)) as answer:
        assert (answer.status_code, answer.mimetype) == (200, "text/css")
        plain = client.get("/static/blog.css")
        return answer.text.removeprefix(plain.text)


def save(pages: Pages, **changes: str) -> None:
    assert pages.post(LOOK, **{**FORM, **changes}).status_code == 303


def test_the_options_change_the_public_style_sheet(pages: Pages, client: FlaskClient) -> None:
    plain = style_sheet(client)
    assert plain.startswith("/static/blog.css?v=")
    save(pages, color="#7A1F5C", face="sans", width="wide", scheme="dark")
    chosen = style_sheet(client)
    assert chosen.startswith("/theme.css?v=")
    for part in (
        "--sea: light-dark(#7a1f5c, ",
        "--text: system-ui",
        "--title: system-ui",
        "--measure: 38rem",
        "color-scheme: dark",
    ):
        assert part in style(client), part
    save(pages)
    assert style_sheet(client) == plain


def test_the_style_sheet_is_kept_forever_only_at_its_own_address(pages: Pages, client: FlaskClient) -> None:
    save(pages, css="a { color: teal }")
    first = style_sheet(client)
    kept = client.get(first)
    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    save(pages, css="a { color: navy }")
    second = style_sheet(client)
    assert second != first
    for address in (first, "/theme.css?v=other", "/theme.css"):
        answer = client.get(address)
        assert answer.headers["Cache-Control"] == "no-cache", address
        assert "navy" in answer.text
        assert "teal" not in answer.text
    assert "style-src 'self'" in client.get("/").headers["Content-Security-Policy"]


def test_custom_css_is_in_a_layer_of_its_own(pages: Pages, client: FlaskClient) -> None:
    save(pages, css="\r\n.lead {\r\n  color: teal;\r\n}\r\n")
    assert style(client) == "@layer owner {\n.lead {\n  color: teal;\n}\n}\n"
    page = unescape(pages.get(LOOK).text)
    assert ".lead {\n  color: teal;\n}</textarea>" in page


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("color", "red; } body { display: none", "is not a color"),
        ("color", "", "is not a color"),
        ("face", "comic", "Choose one of: harbour, charter"),
        ("width", "", "Choose one of: narrow, normal, wide"),
        ("layout", "grid", "Choose one of: list, cards"),
        ("scheme", "sepia", "Choose one of: auto, light, dark"),
        ("css", "a { }\n\nb { background: url(//other.example) }", "Line 3: “//other.example”"),
        ("css", "a { color: red", "Line 1: “{” is never closed"),
        ("css", "a" * 70_000, "at most 65,536 characters"),
    ],
)
def test_a_wrong_choice_shows_the_fault_at_its_field(
    field: str, value: str, words: str, pages: Pages, client: FlaskClient
) -> None:
    answer = pages.post(LOOK, **{**FORM, field: value})
    assert answer.status_code == 422
    assert re.search(rf'id="{field}-fault">[^<]*{re.escape(words)}', unescape(answer.text))
    assert style_sheet(client).startswith("/static/blog.css")


@pytest.mark.parametrize("color", ["#7fff00", "#ffffff", "#000000", "#888888", "#0b5c80"])
def test_every_color_is_readable_in_the_style_sheet_and_the_page_says_how(
    color: str, pages: Pages, client: FlaskClient
) -> None:
    save(pages, color=color, width="wide")
    shown = re.search(r"--sea: light-dark\((#\w{6}), (#\w{6})\)", style(client))
    light, dark = shown.groups() if shown else ("#0b5c80", "#7fc6e2")  # those of the style sheet
    page = pages.get(LOOK).text
    for scheme, seen in (("light", light), ("dark", dark)):
        assert all(contrast(parse(seen), ground) >= 4.5 for ground in GROUNDS[scheme])
        note = f"On {scheme} pages links are shown in {seen}, because {color} would be hard to read."
        assert (note in page) == (seen != color)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in CHOICES for value in CHOICES[name]])
def test_every_choice_has_a_style_sheet_and_is_shown(name: str, value: str, pages: Pages, client: FlaskClient) -> None:
    save(pages, **{name: value})
    with client.get(style_sheet(client)) as answer:
        assert answer.status_code == 200
    assert f'<option selected value="{value}">' in pages.get(LOOK).text


def test_the_former_look_can_be_brought_back_for_30_days(pages: Pages, client: FlaskClient, time: Time) -> None:
    button = "Undo: back to the former look"
    assert button not in pages.get(LOOK).text
    assert pages.post(f"{LOOK}/undo").status_code == 404
    save(pages, color="#7a1f5c", css=".a { color: teal }")
    save(pages, css=".b { color: teal }")
    save(pages, css=".b { color: teal }")  # without a change
    time.passes(hours=29 * 24)
    assert button in pages.get(LOOK).text

    assert pages.post(f"{LOOK}/undo").status_code == 303
    assert "#7a1f5c" in style(client)
    assert ".a {" in style(client)
    pages.post(f"{LOOK}/undo")
    assert ".b {" in style(client)

    for _ in range(2):  # the session lasts 30 days after a visit
        time.passes(hours=16 * 24)
        page = pages.get(LOOK)
    assert page.status_code == 200
    assert button not in page.text
    assert pages.post(f"{LOOK}/undo").status_code == 404


def test_an_editor_cannot_change_the_look(somebody, browser_of) -> None:  # type: ignore[no-untyped-def]
    assert browser_of(somebody("editor", name="Ben")).get(LOOK).status_code == 403
