"""Links inside a text reach the place that their author meant."""

from __future__ import annotations

import re
from urllib.parse import unquote

import html5lib
import pytest

from blogsvc.lib.html_to_markdown import convert
from blogsvc.lib.markdown.fragments import github_name
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain


def reached(html: str) -> list[str | None]:
    """Return the text of the element to which each link leads, None if it leads nowhere."""
    page = html5lib.parseFragment(html, namespaceHTMLElements=False)
    places = {element.get("id"): "".join(element.itertext()) for element in page.iter() if element.get("id")}
    return [places.get(unquoted(link.get("href"))) for link in page.iter("a") if link.get("href")]


def unquoted(href: str) -> str:
    return unquote(href[1:])


@pytest.mark.parametrize(
    ("fragment", "heading"),
    [
        ("über-uns", "Über uns"),
        ("%C3%BCber-uns", "Über uns"),
        ("uber-uns", "Über uns"),
        ("何を-するか", "何を するか?"),
        ("часто-задаваемые-вопросы", "Часто задаваемые вопросы"),
        ("हिन्दी-में", "हिन्दी में"),
        ("whats-new-in-30", "What's new in 3.0"),
        ("a--b", "A & B"),
        ("snake_case", "`snake_case`"),
    ],
)
def test_a_link_reaches_its_heading_as_on_github(fragment: str, heading: str) -> None:
    assert reached(render(f"[a](#{fragment})\n\n## {heading}")) == [heading.strip("`").replace("'", "’")]


def test_repeated_headings_are_numbered_as_on_github() -> None:
    html = render("[0](#faq) [1](#faq-1) [2](#faq-2)\n\n## FAQ\n\n## *FAQ*\n\n## FAQ")
    assert [f'id="in-{name}"' in html for name in ("faq", "faq-1", "faq-2")] == [True] * 3
    assert reached(render("[b](#über-1) [c](#uber-2)\n\n## Über\n\n## Über")) == ["Über", "Über"]


def test_an_id_that_the_author_wrote_comes_first() -> None:
    assert reached(render('[a](#über)\n\n<p id="über">mine</p>\n\n## Über')) == ["mine"]


def test_links_to_the_top_stay() -> None:
    assert render("[a](#top) [b](#)").count('href="#top"') == 1
    assert 'href="#"' in render("[b](#)")
    assert reached(render("[a](#top)\n\n## Top")) == ["Top"]


@pytest.mark.parametrize(
    ("fragment", "id_"), [("a%20b", "a b"), ("a b", "a b"), ("a%20b", "a%20b"), ("caf%C3%A9", "café"), ("x(1)", "x(1)")]
)
def test_ids_with_spaces_and_escapes_are_reached(fragment: str, id_: str) -> None:
    html = f'<p><a href="#{fragment}">link</a></p><p id="{id_}">here</p>'
    assert reached(render(html)) == ["here"]
    imported = render(convert(html).markdown)
    name = imported.partition('href="#')[2].partition('"')[0]
    assert f'id="{unquoted("#" + name)}"' in imported


def test_a_heading_without_letters_catches_no_other_links() -> None:
    assert 'href="https://a.example/"' in render("## [+](https://a.example/)")


@pytest.mark.parametrize(
    ("fragment", "heading"),
    [
        ("part-1----intro", "Part 1 -- Intro"),
        ("range-1--2", "Range 1--2"),
        ("x---y", "x---y"),
        ("its-a-b", 'It\'s a... "b"'),
        ("a--b", "a \\& b"),
    ],
)
def test_a_name_comes_from_the_heading_as_typed(fragment: str, heading: str) -> None:
    html = render(f"[a](#{fragment})\n\n## {heading}")
    assert reached(html) == [plain(render(heading))]
    assert html.count('<h2 id="in-') == 1


@pytest.mark.parametrize(("first", "second"), [("Résumé", "Resume"), ("Über", "Uber"), ("C++", "C")])
def test_the_exact_name_of_a_heading_comes_before_a_transliterated_one(first: str, second: str) -> None:
    html = render(f"[a](#{second.lower()}) [b](#{github_name(first)})\n\n## {first}\n\n## {second}")
    assert reached(html) == ([second, first] if second != "C" else [first, first])


def test_a_heading_has_its_name_on_github_where_that_is_not_its_id() -> None:
    html = render("## Setup\n\n## Über *uns*\n\n## Resume!\n\n## Part -- 1")
    assert re.findall("<h2([^<>]*)>", html) == [
        ' id="in-setup"',
        ' id="in-uber-uns" data-name="über-uns"',
        ' id="in-resume"',
        ' id="in-part-1" data-name="part----1"',
    ]
