"""What pages of the blog add to the HTML of a text."""

from __future__ import annotations

import re
import time

import pytest

from blogsvc.blog.prose import for_page
from blogsvc.lib.markdown.render import render
from tests.blog.reading import parse_page


def shown(markdown: str) -> str:
    return for_page(render(markdown)).strip()


def test_every_block_takes_the_direction_of_its_own_words_once() -> None:
    html = shown("# h\n\np\n\n- a\n  1. b\n\n> c\n>\n> d\n\n> [!NOTE]\n> e\n\n![x](/u 'f')\n\n| g |\n|-|")
    directed = re.findall(r'<(\w+)[^>]* dir="auto"', html)
    assert directed == ["h2", "p", "ul", "blockquote", "div", "figcaption", "div"]


def test_a_direction_that_the_author_gives_is_kept() -> None:
    html = '<div dir="rtl">\n<p>a</p>\n<p>b</p></div>\n'
    assert for_page(html) == html
    assert for_page('<p dir="ltr">a</p><p>b</p>') == '<p dir="ltr">a</p><p dir="auto">b</p>'


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("<center>One <b>two</b></center>", '<p dir="auto">One <b>two</b></p>'),
        ("<p>a</p> b<br>c <hr>d", '<p dir="auto">a</p><p dir="auto"> b<br>c </p><hr><p dir="auto">d</p>'),
        ("<ul><li>a</li></ul>b", '<ul dir="auto"><li>a</li></ul><p dir="auto">b</p>'),
        ('<a href="/x">\n<p>a</p>\n</a>', '<div><a href="/x"><p dir="auto">a</p></a></div>'),
    ],
)
def test_words_outside_of_any_block_get_a_paragraph(raw: str, expected: str) -> None:
    assert shown(raw).replace("\n", "") == expected


def test_a_heading_links_to_itself() -> None:
    link = '<a class="anchor" href="#in-a-b" aria-label="Link to this heading">#</a>'
    assert shown("## A *b*") == f'<h2 id="in-a-b" dir="auto">A <em>b</em>{link}</h2>'
    assert 'class="anchor"' not in shown("<h2>without an id</h2>\n\n#### small")


def test_code_with_a_language_has_a_bar_with_its_name_and_a_button() -> None:
    html = shown("```cpp\nx\n```")
    button = '<button type="button" data-copy="Copied" hidden>Copy</button>'
    assert html.startswith(f'<figure class="code"><figcaption><span>C++</span>{button}</figcaption><pre class="code"')
    assert html.endswith("</code></pre></figure>")


@pytest.mark.parametrize("text", ["```\nx\n```", "    x", "```nothing-known\nx\n```"])
def test_other_code_has_a_button_and_no_bar(text: str) -> None:
    html = shown(text)
    assert html.startswith('<figure class="code"><pre class="code" tabindex="0" translate="no"><code>x')
    assert html.endswith('</code></pre><button type="button" data-copy="Copied" hidden>Copy</button></figure>')


def test_code_is_not_translated() -> None:
    assert 'translate="no"' in shown("<pre>as it is</pre>")
    assert "button" not in shown("<pre>as it is</pre>")


def test_a_wide_table_scrolls_inside_the_page_with_the_keyboard() -> None:
    html = shown('| a |\n|---|\n| <a title="<table>">1</a> |\n\n`<table>`')
    (frame,) = (element for element in parse_page(f"<!doctype html><title>x</title>{html}").iter("div"))
    assert (frame.get("role"), frame.get("tabindex"), frame.get("aria-label")) == ("region", "0", "Table")
    assert html.count("<table") == html.count("</table></div>") == 1


def test_the_caption_of_a_table_is_the_name_of_its_frame() -> None:
    html = for_page("<table><tbody></tbody></table><table><caption>C</caption></table>")
    assert '<div class="scroll" role="region" aria-labelledby="l-table-2"' in html
    assert '<caption id="l-table-2">C</caption>' in html
    assert 'aria-labelledby="in-c"' in for_page('<table>\n<caption id="in-c">C</caption></table>')


def test_two_tables_without_a_caption_have_different_names() -> None:
    assert re.findall('aria-label="([^"]*)"', for_page("<table></table><table></table>")) == ["Table", "Table 2"]


def test_a_table_in_a_table_has_no_frame_of_its_own() -> None:
    html = for_page("<table><tr><td><table></table></td></tr></table>")
    assert html.count("<div") == html.count("</div>") == 1
    assert html.endswith("</table></td></tr></table></div>")


def test_footnotes_and_the_links_back_have_names() -> None:
    html = shown("a[^1]\n\n[^1]: b")
    assert '<section class="footnotes" aria-label="Notes">' in html
    assert 'class="footnote-backref" aria-label="Back to the text">' in html


def test_a_link_that_is_an_image_without_alternative_text_has_a_name() -> None:
    html = for_page(render("[![](/a)](/b) [![c](/a)](/b) [![](/a)d](/b) [![](/a)](/b)"))
    assert re.findall('<a href="/b"([^>]*)>', html) == [' aria-label="Image 1"', "", "", ' aria-label="Image 2"']


def test_text_and_attributes_that_look_like_tags_are_left_alone() -> None:
    assert for_page(render("`<table>` &lt;p> [a](/b '<p>')")).count("dir=") == 1


@pytest.mark.parametrize(
    "piece", ["`a`\n\n", "> a\n\n", "## a\n\n", "- [a](/b)\n", "<pre>", "| a |\n|-|\n\n", "    a\n\nb\n\n"]
)
def test_a_long_text_takes_little_time(piece: str) -> None:
    html = render(piece * (60_000 // len(piece)))
    began = time.process_time()
    for_page(html)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    "piece", ["<p", "<a ", '<figure class="code"><figcaption>', "<table> ", "<pre>", "</p>", "<img "]
)
def test_broken_html_takes_linear_time(piece: str) -> None:
    began = time.process_time()
    for_page(piece * (500_000 // len(piece)))
    assert time.process_time() - began < 2


def test_an_article_takes_well_under_5_milliseconds() -> None:
    text = "\n\n".join(["## Heading\n\n" + "word " * 74 + "*a* [b](/c)", "```python\nx = 1\n```"] * 20)
    html = render(text)
    times = []
    for _ in range(5):
        began = time.process_time()
        for_page(html)
        times.append(time.process_time() - began)
    assert min(times) < 0.005


@pytest.mark.parametrize("address", ["/this", "https://a.example/this"])
def test_links_to_parts_of_the_same_page_get_their_ids(address: str) -> None:
    text = f'[a]({address}#über) [b]({address}#b) [c]({address}#none) [d](/other#b)\n\n## Über\n\n<i id="b">b</i>'
    html = for_page(render(text), "/this", "https://a.example/this")
    assert re.findall('<a href="([^"]*)"', html) == ["#in-uber", "#in-b", f"{address}#none", "/other#b"]


def test_a_text_that_looks_like_a_link_to_the_same_page_stays() -> None:
    html = for_page(render('`<a href="/this#b">` href="/this#b"\n\n## b', ""), "/this")
    assert html.count('href="/this#b"') == 2
