"""Tables of contents in Markdown."""

from __future__ import annotations

import pytest

from blogsvc.lib.html_to_markdown import convert, convert_pasted
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain, text_between_tags, written_words
from blogsvc.lib.text.plain_paragraphs import paragraphs
from tests.blog.test_prose import shown


def contents(text: str) -> str:
    return render(text).partition("</nav>")[0].replace("\n", "")


def test_the_contents_are_nested_lists_of_links() -> None:
    assert contents("[[toc]]\n\n## A\n\n### B\n\n### C\n\n## D\n\n### E") == (
        '<nav class="toc"><ol><li><a href="#in-a">A</a><ol><li><a href="#in-b">B</a></li>'
        '<li><a href="#in-c">C</a></li></ol></li><li><a href="#in-d">D</a><ol><li><a href="#in-e">E</a></li></ol></li>'
        "</ol>"
    )


def test_every_link_leads_to_its_heading() -> None:
    html = render("[[toc]]\n\n### First\n\n# Same\n\n## Same\n\n#### Not listed\n\n> ## Quoted")
    links = [part.partition('"')[0] for part in html.split('href="#')[1:]]
    assert links == ["in-first", "in-same", "in-same-1"]
    assert all(f'id="{link}"' in html for link in links)


def test_the_text_of_a_heading_is_escaped_and_has_no_links() -> None:
    html = contents('[[toc]]\n\n## [A](/b) *c* `<d>` & "e"[^1]\n\nTwo\nlines\n---\n\n[^1]: f')
    assert ">A c &lt;d&gt; &amp; “e”</a>" in html
    assert ">Two lines</a>" in html
    assert html.count("<a ") == 2


@pytest.mark.parametrize(
    "text", ["[[toc]]", "[[toc]]\n\n## Only one", "[[toc]]\n\n#### a\n\n#### b", "[[toc]]\n\n## &nbsp;\n\n## b"]
)
def test_without_two_headings_there_are_no_contents(text: str) -> None:
    html = render(text)
    assert "<nav" not in html
    assert "toc" not in html


def test_only_the_first_marker_counts_in_any_case() -> None:
    html = render("a\n\n[[Toc]]\n\n## b\n\n## c\n\n[[toc]]\n\n[toc]: /u")
    assert html.startswith('<p>a</p>\n<nav class="toc">')
    assert html.count("<nav") == 1
    assert "[[" not in html


@pytest.mark.parametrize("text", ["a [[toc]]", "[[toc]] a", r"\[[toc]]", "`[[toc]]`", "## [[toc]]"])
def test_the_marker_in_other_text_is_text(text: str) -> None:
    assert "[[toc]]" in plain(render(f"{text}\n\n## a\n\n## b"))


@pytest.mark.parametrize("text", ["[[toc]]", "[[TOC]]", "[[Toc]]"])
def test_pasted_text_that_looks_like_the_marker_stays_text(text: str) -> None:
    markdown = convert(f"<p>{text}</p>").markdown
    assert plain(render(f"{markdown}\n\n## a\n\n## b")) == f"{text}\na\nb"


def test_raw_html_has_no_navigation() -> None:
    assert render('<nav class="toc">a</nav>') == '<div class="">a</div>'


def test_the_page_has_a_heading_for_the_contents() -> None:
    html = shown("[[toc]]\n\n## a\n\n## b")
    assert html.startswith(
        '<nav class="toc" aria-labelledby="l-contents"><h2 class="label" id="l-contents" dir="auto">Contents</h2>\n'
        '<ol dir="auto">'
    )


def test_the_contents_are_no_words_of_the_text() -> None:
    text = "[[toc]]\n\n## a\n\n## b"
    assert plain(render(text)) == "a\nb"
    assert paragraphs(render(text)) == "a\n\nb"
    assert text_between_tags(render(text)).split() == ["a", "b"]
    assert written_words(text) == 2


def test_the_contents_are_the_same_marker_again_after_a_round_trip() -> None:
    text = "[[toc]]\n\n## a\n\n## b"
    assert convert(render(text)).markdown == convert_pasted(shown(text)).markdown == text


def test_text_that_looks_like_the_marker_stays_text() -> None:
    markdown = convert("<p>[[toc]]</p><h2>a</h2><h2>b</h2>").markdown
    assert plain(render(markdown)) == "[[toc]]\na\nb"
