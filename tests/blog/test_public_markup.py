"""Changes that the blog makes to sanitized HTML."""

from __future__ import annotations

import pytest

from blogsvc.blog.markup import direction, with_scrolling_tables
from blogsvc.lib.markdown.render import render
from tests.blog.reading import parse_page


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
