"""Figures in Markdown: captions and widths of images."""

from __future__ import annotations

import pytest

from blogsvc.lib.html_to_markdown import convert, convert_pasted
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain, written_text, written_words

IMG = '<img loading="lazy" decoding="async" src="/u" alt="a">'


def test_an_image_with_a_title_alone_in_a_paragraph_is_a_figure_with_a_caption() -> None:
    assert render('![a](/u "A ‘cap’")') == f"<figure>{IMG}<figcaption>A ‘cap’</figcaption></figure>\n"


def test_a_caption_is_typeset_and_escaped_like_the_text() -> None:
    assert "<figcaption>“Now” – &lt;b&gt; &amp;amp; *then*</figcaption>" in render(
        r'![a](/u "\"Now\" -- <b> &amp;amp; *then*")'
    )


@pytest.mark.parametrize("width", ["wide", "full"])
@pytest.mark.parametrize("written", ["{.%s}", "{ .%s }", "{:.%s}", "\n{: .%s}"])
def test_the_width_of_a_figure_is_its_class(width: str, written: str) -> None:
    html = f'<figure class="{width}">{IMG}<figcaption>C</figcaption></figure>\n'
    assert render(f'![a](/u "C"){written % width}') == html
    assert render(f"![a](/u){written % width}") == f'<figure class="{width}">{IMG}</figure>\n'


def test_the_image_of_a_figure_can_be_a_link() -> None:
    html = f'<figure class="wide"><a href="/l">{IMG}</a><figcaption>C</figcaption></figure>\n'
    assert render('[![a](/u "C")](/l){.wide}') == render('[![a](/u "C"){.wide}](/l)') == html


def test_an_image_with_a_reference_can_be_a_figure() -> None:
    assert render('![a][r]{.wide}\n\n[r]: /u "C"') == render('![a](/u "C"){.wide}')


@pytest.mark.parametrize(
    "text",
    ['b ![a](/u "C"){.wide}', '- ![a](/u "C"){.full}', '| ![a](/u "C"){.wide} |\n|-|', '![a](/u "C"){.wide} ![b](/v)'],
)
def test_an_image_that_is_not_alone_keeps_its_title_and_its_width_is_not_shown(text: str) -> None:
    html = render(text)
    assert 'title="C"' in html
    assert "<fig" not in html
    assert "{" not in html


@pytest.mark.parametrize("text", ["{.wide}", "a{.wide}", "[a](/u){.wide}", r"![a](/u)\{.wide}", "![a](/u){.other}"])
def test_a_width_after_anything_else_is_text(text: str) -> None:
    assert "{." in plain(render(text))


def test_figures_and_quotations_in_html_keep_the_classes_that_the_blog_knows() -> None:
    for name in ("wide", "full", "gallery"):
        assert render(f'<figure class="{name} x"><img src="/u"></figure>').startswith(f'<figure class="{name}">')
    assert render('<blockquote class="pull x">\n\nWords\n\n</blockquote>').startswith('<blockquote class="pull">')


@pytest.mark.parametrize(
    "text",
    [
        '![a](/u "A “caption” \\\\ & more")',
        '![a](/u "C"){.wide}',
        "![a](/u){.full}",
        '[![a](https://x.example/u "C"){.wide}](https://x.example/l)',
        "![a](/u)",
    ],
)
def test_a_figure_is_the_same_markdown_again_after_a_round_trip(text: str) -> None:
    assert convert(render(text)).markdown == text
    assert convert_pasted(render(text)).markdown == text


@pytest.mark.parametrize(
    ("classes", "width"),
    [("wp-block-image alignwide", "{.wide}"), ("kg-card kg-width-full", "{.full}"), ("wp-block-image aligncenter", "")],
)
def test_the_figures_of_other_editors_keep_their_caption_and_width(classes: str, width: str) -> None:
    image = '<img src="https://x.example/u" alt="a" class="b">'
    html = f'<figure class="{classes}">{image}<figcaption><span>C</span></figcaption></figure>'
    assert convert(html).markdown == f'![a](https://x.example/u "C"){width}'


def test_a_caption_with_a_link_stays_below_its_image() -> None:
    html = '<figure class="wide"><img src="/u" alt="a"><figcaption>By <a href="https://x.example">A</a></figcaption></figure>'
    assert convert(html).markdown == "![a](/u){.wide}\n\n*By [A](https://x.example)*"


def test_text_that_looks_like_a_width_stays_text() -> None:
    html = '<p><img src="/u" alt="a">{.wide}</p>'
    assert plain(render(convert(html).markdown)) == "{.wide}"


def test_captions_are_words_of_the_text_and_widths_are_not() -> None:
    text = '![](/u "Two words"){.wide} and'
    assert written_words(text) == 3
    assert written_text(text).split() == ["Two", "words", "and"]
    assert plain(render('![](/u "Two words"){.wide}')) == "Two words"
