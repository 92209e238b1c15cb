"""Elements that browsers do not show are not published by an import, and the report says what they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transfer.test_formats import markdown
from tests.transfer.test_wordpress_content import imported, item

HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\n"
HIDDEN = [
    "<div hidden><p>Secret</p></div>",
    '<div class="a" style="color: red; DISPLAY : none"><div>x</div>Secret</div>',
    "<span style='display:none'>Secret</span>",
    '<p hidden="">Secret</p>',
    '<img hidden src="/a.png" alt="Secret">',
]
OF_THE_HEAD = [
    '<head><title>Secret</title><meta name="a" content="b" /></head>',
    "<head>\n  <title>Secret *x*</title>\n\n  <link rel='a' />\n</head>",
    "<title>Secret</title>",
    "<template><p>Secret</p></template>",
]


@pytest.mark.parametrize("html", HIDDEN[:-1])
def test_a_hidden_element_in_html_is_left_out(tmp_path: Path, html: str) -> None:
    post = imported(tmp_path, item(f"<p>a</p>{html}<p>b</p>"))
    assert (post.markdown, post.status) == ("a\n\nb", "published")
    (warning,) = post.warnings
    assert warning.startswith("A hidden element was removed, because the old blog did not show it: “")
    assert "Secret" in warning


@pytest.mark.parametrize("html", HIDDEN)
@pytest.mark.parametrize("name", ["content/a.md", "src/content/a.mdx", "_posts/2020-01-02-a.md"])
def test_a_hidden_element_in_markdown_is_left_out(tmp_path: Path, html: str, name: str) -> None:
    post = markdown(tmp_path, f"{HEAD}a\n\n{html}\n\n`{html}`", name)
    assert (post.markdown.split("\n\n")[0], post.markdown.count("Secret"), post.status) == ("a", 1, "published")
    (warning,) = post.warnings
    assert warning.startswith("The hidden element <")
    assert warning.endswith("was removed (line 7).")


@pytest.mark.parametrize("html", OF_THE_HEAD)
@pytest.mark.parametrize("name", ["content/a.md", "src/content/a.mdx", "blog/a.md"])
def test_the_head_of_the_page_is_left_out(tmp_path: Path, html: str, name: str) -> None:
    post = markdown(tmp_path, f"{HEAD}a\n\n{html}\n\nb `<title>`", name)
    assert (post.markdown.split(), post.status) == (["a", "b", "`<title>`"], "published")
    (warning,) = post.warnings
    assert warning.startswith("The hidden element <")
    assert warning.endswith("was removed (line 7).")


@pytest.mark.parametrize("name", ["Head", "Helmet"])
def test_the_component_for_the_head_of_the_page_is_left_out(tmp_path: Path, name: str) -> None:
    text = f'{HEAD}a\n\n<{name}>\n  <title>{{"Secret"}}</title>\n  <html lang="en" />\n</{name}>\n\nb'
    post = markdown(tmp_path, text, "src/content/a.mdx")
    assert post.markdown.split() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("content/a.md", "<div hidden>Secret"),
        ("src/content/a.mdx", "<div style={{ display: 'none' }}>Secret</div>"),
        ("src/content/a.mdx", "<div hidden={true}>Secret</div>"),
    ],
)
def test_a_post_whose_element_may_be_hidden_is_a_draft(tmp_path: Path, name: str, html: str) -> None:
    post = markdown(tmp_path, HEAD + html, name)
    assert post.status == "draft"
    assert "The old blog may have hidden the text in" in post.warnings[0]


def test_words_about_hiding_and_images_stay(tmp_path: Path) -> None:
    text = '<p title="hidden">a</p>\n\n<div data-hidden="x" class="hidden">b</div>\n\nset display: none'
    post = markdown(tmp_path, HEAD + text, "content/a.md")
    assert (post.markdown, post.warnings) == (text, ())


@pytest.mark.parametrize(
    ("html", "label"),
    [
        ("<form action='/x'><input value='v'><button>Go</button></form>", "A form"),
        ("<script>if (a < b) { alert('<p>') }</script>", "A script"),
        ("<noscript><img src='/p.png'></noscript>", "Content for browsers without scripts"),
        ("<svg><title>t</title><text>drawn</text></svg>", "An SVG drawing"),
        ("<math><mi>x</mi></math>", "A MathML formula"),
        ("<object data='movie.swf'></object>", "Embedded content"),
    ],
)
def test_what_pages_can_not_have_is_removed_and_named(tmp_path: Path, html: str, label: str) -> None:
    post = markdown(tmp_path, f"{HEAD}a {html} b `<form>`", "_posts/2020-01-02-a.md")
    assert (post.markdown, post.status) == ("a  b `<form>`", "published")
    assert post.warnings == (f"{label} was removed: {html} (line 5).",)


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ('<script src="https://gist.github.com/ann/123.js"></script>', "https://gist.github.com/ann/123"),
        ("<script src='//pastebin.com/embed_js/abc'></script>", "https://pastebin.com/abc"),
        ('<script async src="https://asciinema.org/a/14.js" id="x"></script>', "https://asciinema.org/a/14"),
        (
            '<script data-id="4a" src="//speakerdeck.com/assets/embed.js"></script>',
            "https://speakerdeck.com/player/4a",
        ),
        ('<lite-youtube videoid="abcdef" playlabel=""></lite-youtube>', "https://www.youtube.com/watch?v=abcdef"),
        ('<amp-youtube data-videoid="abcdef"></amp-youtube>', "https://www.youtube.com/watch?v=abcdef"),
        ('<object><embed src="https://x.example/movie.swf"></object>', "https://x.example/movie.swf"),
    ],
)
def test_what_scripts_embed_becomes_a_link(tmp_path: Path, html: str, url: str) -> None:
    post = markdown(tmp_path, f"{HEAD}a\n\n{html}\n\nb", "_posts/2020-01-02-a.md")
    assert post.markdown == f"a\n\n<{url}>\n\nb"
    assert post.warnings == (f"The embedded content {html} is a link now (line 7).",)
    converted = imported(tmp_path, item(f"<p>a</p>{html}<p>b</p>"))
    assert f"({url})" in converted.markdown or f"<{url}>" in converted.markdown
    assert converted.warnings[-1].endswith("is a link now.")


@pytest.mark.parametrize(
    "player",
    [
        '<video src="https://x.example/v.mp4">{}</video>',
        '<audio controls>{}<source src="https://x.example/a.mp3">{}</audio>',
        "<video\n  controls\n  src='https://x.example/v.mp4'\n>{}</video>",
    ],
)
def test_a_player_has_nothing_for_browsers_without_players(tmp_path: Path, player: str) -> None:
    told = "<p>Your <b>browser</b> does not support video.</p>"
    post = markdown(tmp_path, f"{HEAD}a\n\n{player.format(told, told)}\n\nb", "_posts/2020-01-02-a.md")
    assert post.markdown.split() == f"a {player.format('', '')} b".split()
    assert post.warnings == ()


def test_an_odd_declaration_in_a_removed_element_ends_no_import(tmp_path: Path) -> None:
    post = markdown(tmp_path, f"{HEAD}a <svg><![foo[x]]></svg> b", "_posts/2020-01-02-a.md")
    assert post.markdown == "a  b"


def test_a_hidden_player_is_left_out(tmp_path: Path) -> None:
    post = markdown(
        tmp_path, f"{HEAD}a <video hidden src='https://x.example/v.mp4'></video> b", "_posts/2020-01-02-a.md"
    )
    assert post.markdown == "a  b"
