"""Addresses relative to the blog become full in HTML and Markdown, in every notation, and nothing else changes."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from blogsvc.lib.markdown.full_addresses import in_html, in_markdown
from blogsvc.lib.markdown.render import render

PAGE = "https://blog.example/post"


def made_full(markdown: str) -> str:
    return in_markdown(markdown, render(markdown), PAGE)


def test_urls_in_html_become_absolute_and_text_is_unchanged() -> None:
    html = render("""[a](/x?a=1&b=2 'href="/no"') href="/y" `src="/z"` [b](https://e.example/) [c](#in) [d](//[x)""")
    settled = in_html(html, PAGE, with_fragments=True)

    assert 'href="https://blog.example/x?a=1&amp;b=2"' in settled
    assert 'href="https://e.example/"' in settled
    assert 'href="https://blog.example/post#in-in"' in settled
    assert 'src="/z"' in settled
    assert "/no" in settled
    assert "https://blog.example/no" not in settled
    assert "https://blog.example/y" not in settled


@pytest.mark.parametrize(
    ("written", "full"),
    [
        ("[next](/other-post)", "[next](https://blog.example/other-post)"),
        ("[next](other-post)", "[next](https://blog.example/other-post)"),
        ('[next](</other post> "t")', '[next](<https://blog.example/other%20post> "t")'),
        ("[**next** [x]](/a_(b)?c=1&d=2#e)", "[**next** [x]](https://blog.example/a_%28b%29?c=1&d=2#e)"),
        (r"[next](/a\_b)", "[next](https://blog.example/a_b)"),
        ("[next](/über)", "[next](https://blog.example/über)"),
        ("[next][n]\n\n[n]: /other-post 'Title'", "[next][n]\n\n[n]: https://blog.example/other-post 'Title'"),
        ("> [next][n]\n>\n> [n]: </other-post>", "> [next][n]\n>\n> [n]: <https://blog.example/other-post>"),
        ("![alt](/media/a-0123456789.jpg)", "![alt](https://blog.example/media/a-0123456789.jpg)"),
        ("[![alt](/a.png)](/b)", "[![alt](https://blog.example/a.png)](https://blog.example/b)"),
        ("<a href='/b'>x</a>", "<a href='https://blog.example/b'>x</a>"),
        ("<img alt=x src=/b.png>", "<img alt=x src=https://blog.example/b.png>"),
        ('<video controls src="/b.mp4">', '<video controls src="https://blog.example/b.mp4">'),
        ("- a\n\n  [next](/b)\n\n  1. [next](/c)", None),
        ("| [a](/b) |\n|---|\n| [b](/c) |", None),
        ("Note.[^1]\n\n[^1]: See [a](/b).", None),
    ],
)
def test_every_notation_of_an_address_becomes_full(written: str, full: str | None) -> None:
    found = made_full(written)
    assert full in (None, found)
    assert unquote(render(found)) == unquote(in_html(render(written), PAGE))


@pytest.mark.parametrize(
    "text",
    [
        "[here](#part)",
        "[there](https://other.example/a)",
        "[mail](mailto:a@b.example)",
        "`[next](/other-post)` and [it](https://a.example)",
        "    [next](/b)\n\n```\n[next](/b)\n```",
        r"No link: \[next](/b) [a]( /b",
        "[a]()",
    ],
)
def test_everything_else_stays_as_written(text: str) -> None:
    assert made_full(text) == text


def test_angle_brackets_in_a_title_hide_no_address() -> None:
    html = in_html(render("[a](/x '<b> > c')"), PAGE)
    assert 'href="https://blog.example/x"' in html


def test_code_beside_a_link_with_the_same_address_stays() -> None:
    assert made_full("[a](/b) and `[a](/b)`") == "[a](https://blog.example/b) and `[a](/b)`"
