"""The look of the blog: changes are public at once, readable, and can be taken back."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select

from blogsvc.lib.color_contrast import contrast, parse
from blogsvc.models import PageView, Post, db
from blogsvc.models.theme import CHOICES, backgrounds
from tests.clock import Time
from tests.web.page_walk import Pages

LOOK = "/desk/settings/look"
PREVIEW = f"{LOOK}/preview"
Make = Callable[..., Post]
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
        "--face: system-ui",
        "--title-face: system-ui",
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
    assert re.search(rf'<div class="err" role="alert">\s*<p>Check\s*<a href="#{field}">', answer.text)
    assert style_sheet(client).startswith("/static/blog.css")


@pytest.mark.parametrize("color", ["#7fff00", "#ff0000", "#ffffff", "#000000", "#888888", "#0b5c80"])
def test_every_color_is_readable_in_the_style_sheet_and_the_page_says_how(
    color: str, pages: Pages, client: FlaskClient
) -> None:
    save(pages, color=color, width="wide")
    shown = re.search(r"--sea: light-dark\((#\w{6}), (#\w{6})\)", style(client))
    light, dark = shown.groups() if shown else ("#0b5c80", "#7fc6e2")  # those of the style sheet
    page = pages.get(LOOK).text
    for scheme, seen in (("light", light), ("dark", dark)):
        assert all(contrast(parse(seen), ground) >= 4.5 for ground in backgrounds(scheme, parse(seen)))
        note = f"On {scheme} pages links are shown in {seen}, because {color} would be hard to read."
        assert (note in page) == (seen != color)


@pytest.mark.parametrize(("scheme", "other"), [("light", "dark"), ("dark", "light")])
def test_a_look_that_is_always_one_says_nothing_about_the_other(scheme: str, other: str, pages: Pages) -> None:
    save(pages, color="#777777", scheme=scheme)
    page = pages.get(LOOK).text
    assert f"On {scheme} pages links are shown in" in page
    assert f"On {other} pages" not in page


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


@pytest.mark.parametrize(
    ("scheme", "declared", "papers"),
    [
        ("auto", "light dark", ["#fdfcfa", "#11181f"]),
        ("light", "light", ["#fdfcfa"]),
        ("dark", "dark", ["#11181f"]),
    ],
)
def test_pages_declare_the_scheme_before_the_style_sheet_is_there(
    scheme: str, declared: str, papers: list[str], pages: Pages, client: FlaskClient
) -> None:
    save(pages, scheme=scheme)
    home = client.get("/").text
    assert f'<meta name="color-scheme" content="{declared}">' in home
    bars = re.findall(r'<meta name="theme-color"([^>]*) content="([^"]+)">', home)
    assert [color for _, color in bars] == papers
    assert all(("media=" in media) == (scheme == "auto") for media, _ in bars)


@pytest.mark.parametrize("face", CHOICES["face"])
def test_only_the_typeface_of_the_blog_is_loaded(face: str, pages: Pages, client: FlaskClient) -> None:
    save(pages, face=face)
    assert ('as="font"' in client.get("/").text) == (face == "harbour")


def test_lists_show_posts_as_cards(pages: Pages, client: FlaskClient, a_post: Make) -> None:
    covers = {"With": "https://images.example/sea.jpg", "Without": None, "First": None}
    for title, cover in covers.items():
        a_post(title=title, cover_image=cover, cover_alt="The sea", summary=f"{title} a cover", tags=["ink"], live=True)
    rows = client.get("/tag/ink").text
    assert 'class="tile' not in rows
    save(pages, layout="cards")
    author = re.search(r'href="(/author/[^"]+)"', client.get("/first").text)
    home, *lists = (client.get(path).text for path in ("/", "/tag/ink", author[1] if author else "/tag/ink"))
    assert [home.count('class="tile'), home.count('class="entry first')] == [2, 1]
    for page in lists:
        cards = re.findall(r'<article class="tile h-entry".*?</article>', page, re.DOTALL)
        assert ["<img" in card for card in cards] == [False, False, True]
        assert all("dt-published" in card and "u-url" in card and "p-summary" in card for card in cards)
        assert re.search(r'<img class="u-photo"[^>]*alt=""', cards[2])
        parts = [cards[2].index(part) for part in ("<img", "dt-published", "p-name", "p-summary")]
        assert parts == sorted(parts)


# --- the preview ---


def test_the_preview_is_a_page_of_the_blog_with_the_look_of_the_form(
    pages: Pages, client: FlaskClient, a_post: Make
) -> None:
    a_post(title="On paper", live=True)
    a_post(title="A draft")
    before = client.get("/").data
    answer = pages.post(PREVIEW, **{**FORM, "color": "#7a1f5c", "layout": "cards", "css": ".lead { color: teal }"})
    assert answer.status_code == 200
    for part in (
        "light-dark(#7a1f5c, ",
        "@layer owner { .lead { color: teal } }",
        "On paper",
        '<base target="_blank">',
    ):
        assert part in answer.text, part
    assert "A draft" not in answer.text
    assert '<meta name="robots" content="noindex">' in answer.text
    assert client.get("/").data == before
    assert "teal" not in pages.get(LOOK).text
    assert "teal" not in pages.get(PREVIEW).text


def test_the_preview_shows_the_home_page_the_newest_post_or_the_archive(pages: Pages, a_post: Make) -> None:
    assert "No posts yet." in pages.get(f"{PREVIEW}?preview_page=post").text
    assert pages.get(f"{PREVIEW}?preview_page=archive").status_code == 200
    a_post(title="On paper", content="The whole text. " * 200, live=True)
    shown = {page: pages.get(f"{PREVIEW}?preview_page={page}").text for page in ("home", "post", "archive", "other")}
    assert [page for page, html in shown.items() if 'class="e-content' in html] == ["post"]
    assert "<title>Archive" in shown["archive"]
    assert shown["other"] == shown["home"]
    assert db.session.scalar(select(func.count()).select_from(PageView)) == 0


def test_the_preview_is_light_or_dark_unless_the_look_is_always_one(pages: Pages) -> None:
    last = lambda **form: pages.post(PREVIEW, **{**FORM, **form}).text.partition("</style>")[0][-60:]  # noqa: E731
    assert "color-scheme: dark" in last(preview_scheme="dark")
    assert "color-scheme: light" in last(preview_scheme="light")
    assert "color-scheme: dark" in last(preview_scheme="light", scheme="dark")


def test_the_preview_changes_links_within_the_page_alone(pages: Pages, a_post: Make) -> None:
    a_post(title="Parts", content='A note.[^1]\n\n[^1]: A foot.\n\n`<a href="#code">` and `x href="#code"`', live=True)
    css = "a::before { content: '<a href=\"#css\">' }"
    answer = pages.post(PREVIEW, **{**FORM, "css": css, "preview_page": "post"})
    assert 'target="_self" href="#in-fn' in answer.text
    assert 'target="_self" href="#code"' not in answer.text
    style = answer.data.decode().partition("<style>")[2].partition("</style>")[0]
    assert css in style
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert digest in answer.headers["Content-Security-Policy"]


def test_only_the_page_of_the_look_can_frame_the_preview_and_nobody_keeps_it(pages: Pages) -> None:
    answer = pages.post(PREVIEW, **{**FORM, "css": "a { color: teal }"})
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert "frame-ancestors 'self'" in policy
    assert "default-src 'none'" in policy
    style = answer.data.decode().partition("<style>")[2].partition("</style>")[0]
    assert f"style-src 'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in policy
    assert answer.headers["Cache-Control"] == "no-store"
    page = pages.get(LOOK).text
    assert 'sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"' in page


WRONG = {**FORM, "color": "blue", "width": "wide", "css": "a { }\n</style><script>alert(1)</script>"}


@pytest.mark.parametrize(("headers", "status"), [({}, 422), ({"HX-Request": "true"}, 200)])
def test_the_preview_of_a_wrong_look_says_what_is_wrong(headers: dict[str, str], status: int, pages: Pages) -> None:
    answer = pages.post(PREVIEW, headers=headers, **WRONG)
    assert answer.status_code == status
    text = unescape(answer.text)
    assert "Color is not shown: 'blue' is not a color such as" in text
    assert "Your CSS is not shown: line 2: “</style”" in text
    assert "<script>" not in text


def test_a_page_that_says_what_is_wrong_can_be_framed(pages: Pages) -> None:
    assert "frame-ancestors 'self'" in pages.post(PREVIEW, **WRONG).headers["Content-Security-Policy"]


def test_a_script_gets_the_preview_without_what_is_wrong(pages: Pages) -> None:
    answer = pages.post(f"{PREVIEW}?leave_out", **WRONG)
    assert answer.status_code == 200
    assert "--measure: 38rem" in answer.text
    assert "@layer owner {" not in answer.text
    assert "<script>" not in answer.text


def test_a_script_gets_the_colors_of_links_before_the_page_is_loaded(pages: Pages) -> None:
    answer = pages.post(PREVIEW, headers={"HX-Request": "true"}, **{**FORM, "color": "#7fff00"})
    assert "On light pages links are shown in #3c7900" in answer.text
    assert "<html" not in answer.text


def test_an_editor_cannot_change_the_look(somebody, browser_of) -> None:  # type: ignore[no-untyped-def]
    ben = browser_of(somebody("editor", name="Ben"))
    assert [ben.get(path).status_code for path in (LOOK, PREVIEW)] == [403, 403]
