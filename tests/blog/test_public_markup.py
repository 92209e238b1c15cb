"""Changes that the blog makes to sanitized HTML."""

from __future__ import annotations

import pytest

from blogsvc.blog.markup import absolute, direction, with_scrolling_tables
from blogsvc.lib.markdown.render import render
from tests.blog.reading import parse_page

BASE = "https://blog.example/post"


def test_urls_in_markup_become_absolute_and_text_is_unchanged() -> None:
    html = render("""[a](/x?a=1&b=2 'href="/no"') href="/y" `src="/z"` [b](https://e.example/) [c](#in) [d](//[x)""")
    settled = absolute(html, BASE)

    assert 'href="https://blog.example/x?a=1&amp;b=2"' in settled
    assert 'href="https://e.example/"' in settled
    assert 'href="https://blog.example/post#in-in"' in settled
    assert 'src="/z"' in settled
    assert "/no" in settled
    assert "https://blog.example/no" not in settled
    assert "https://blog.example/y" not in settled


def test_a_wide_table_scrolls_inside_the_page() -> None:
    html = with_scrolling_tables(render('| a |\n|---|\n| <a title="<table>">1</a> |\n\n`<table>`'))

    (frame,) = (element for element in parse_page(f"<!doctype html><title>x</title>{html}").iter("div"))
    assert frame.get("tabindex") == "0"
    assert html.count("<table") == html.count("</table></div>") == 1


@pytest.mark.parametrize(
    ("language", "runs"),
    [("ar", "rtl"), ("fa-IR", "rtl"), ("ks-Deva", "ltr"), ("uz-Arab-AF", "rtl"), ("en", "ltr"), ("zh-Hant", "ltr")],
)
def test_the_text_direction_follows_the_script_of_the_language(language: str, runs: str) -> None:
    assert direction(language) == runs
