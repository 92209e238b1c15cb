"""Callouts with titles, and folded ones."""

from __future__ import annotations

import pytest

from blogsvc.connectors._kit import portable
from blogsvc.lib.html_to_markdown import convert_pasted
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain, written_words

NOTE = '<div class="markdown-alert markdown-alert-note">\n<p class="markdown-alert-title">{}</p>\n'


def test_a_callout_can_have_a_title_of_its_own() -> None:
    html = render('> [!NOTE] Own *title* & "quotes"\n> Text\n> more\n>\n> End')
    assert html == NOTE.format("Own <em>title</em> &amp; “quotes”") + "<p>Text\nmore</p>\n<p>End</p>\n</div>\n"


def test_a_callout_without_a_title_has_its_kind_as_the_title() -> None:
    assert render("> [!note]\n> Text") == NOTE.format("Note") + "<p>Text</p>\n</div>\n"


@pytest.mark.parametrize(("fold", "is_open"), [("-", ""), ("+", ' open=""')])
def test_a_folded_callout_is_details(fold: str, is_open: str) -> None:
    for title, shown in (("", "Tip"), (" Own", "Own")):
        assert render(f"> [!tip]{fold}{title}\n> Text") == (
            f'<details class="markdown-alert markdown-alert-tip"{is_open}>\n'
            f'<summary class="markdown-alert-title">{shown}</summary>\n<p>Text</p>\n</details>\n'
        )


def test_callouts_hold_any_block_and_each_other() -> None:
    html = render("> [!tip] A\n> - b\n>\n> > [!caution]- C\n> > d\n>\n> > quoted\n\nafter")
    assert html.count("<div") == html.count("</div>") == 1
    assert html.count("<details") == html.count("</details>") == 1
    assert html.count("<blockquote>") == html.count("</blockquote>") == 1
    assert html.endswith("</div>\n<p>after</p>\n")


@pytest.mark.parametrize(
    "text", ["> [!other] A", "> [!note]A", "> a\n> [!note] B", "> [!note", "[!note]- A", r"> \[!note] A"]
)
def test_anything_else_stays_a_quotation(text: str) -> None:
    assert "markdown-alert" not in render(text)
    assert "!" in plain(render(text))


def test_other_sites_get_quotations_with_a_bold_title() -> None:
    html = portable.html(render("> [!tip]- Own *title*\n> Text\n>\n> <details><summary>S</summary>D</details>\n"))
    assert html.startswith("<blockquote>\n<p><strong>Own <em>title</em></strong></p>\n<p>Text</p>\n<details>")
    assert html.endswith("</details>\n</blockquote>\n")


@pytest.mark.parametrize("marker", ["[!NOTE]", "[!NOTE] Own title", "[!TIP]-", "[!TIP]- Own", "[!CAUTION]+ Own"])
def test_a_callout_is_the_same_markdown_again_when_it_is_pasted(marker: str) -> None:
    assert convert_pasted(render(f"> {marker}\n> Text")).markdown == f"> {marker}\n> Text"


def test_the_marker_of_a_callout_is_no_word() -> None:
    assert written_words("> [!NOTE]- Own title\n> Text") == 3
