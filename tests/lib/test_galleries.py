"""Galleries in Markdown."""

from __future__ import annotations

import pytest

from blogsvc.lib.html_to_markdown import convert, convert_pasted
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain, written_words
from blogsvc.lib.text.plain_paragraphs import paragraphs
from tests.blog.test_prose import shown

IMG = '<img loading="lazy" decoding="async" src="/{0}" alt="{0}">'
A, B = (f'<a href="/{name}">{IMG.format(name)}</a>' for name in "ab")


def gallery(inside: str) -> str:
    return f'<figure class="gallery wide">{inside}</figure>\n'


@pytest.mark.parametrize(
    "images", ["![a](/a)\n![b](/b)", "![a](/a) ![b](/b)", "![a](/a)\n\n![b](/b)", "![a](/a)\\\n![b](/b)"]
)
def test_the_images_of_a_gallery_link_to_their_files(images: str) -> None:
    assert render(f"::: gallery\n{images}\n:::\n") == gallery(A + B)


def test_the_other_paragraphs_of_a_gallery_are_its_caption() -> None:
    html = render('::: gallery\nA *caption*,\n\n![a](/a)\n\nin two "parts".\n:::')
    assert html == gallery(f"{A}<figcaption>A <em>caption</em>,<br>\nin two “parts”.</figcaption>")


def test_an_image_of_a_gallery_keeps_its_own_link() -> None:
    html = render("::: gallery\n![a](/a){.wide}\n[![b](/b)](/page)\n:::")
    assert html == gallery(f'{A}<a href="/page">{IMG.format("b")}</a>')


def test_the_captions_of_the_images_come_before_that_of_the_gallery() -> None:
    images = '![a](/a "One <i>")\n[![b](/b " ")](/b)\n![b](/b "Two")'
    captions = "One &lt;i&gt; · Two"
    assert render(f"::: gallery\n{images}\n:::") == gallery(f"{A}{B}{B}<figcaption>{captions}</figcaption>")
    html = render(f"::: gallery\n{images}\n\nAll *three*\n:::")
    assert html == gallery(f"{A}{B}{B}<figcaption>{captions}<br>\nAll <em>three</em></figcaption>")
    assert paragraphs(html) == "One <i> · Two\nAll three"
    assert render(convert(html).markdown) == html


@pytest.mark.parametrize("fence", [":::gallery", "::: {.gallery}", ":::: Gallery"])
def test_a_gallery_can_be_named_in_other_ways(fence: str) -> None:
    assert render(f"{fence}\n![a](/a)\n::::\n") == gallery(A)


def test_a_gallery_without_an_end_ends_with_the_text_or_its_block() -> None:
    assert render("::: gallery\n![a](/a)") == gallery(A)
    assert render("> ::: gallery\n> ![a](/a)\n\nb") == f"<blockquote>\n{gallery(A)}</blockquote>\n<p>b</p>\n"


@pytest.mark.parametrize("inside", ["Only words", "![a](/a)\n\n- a list", "> ![a](/a)", "```\n![a](/a)\n```"])
def test_anything_else_in_the_fences_is_shown_without_them(inside: str) -> None:
    assert render(f"::: gallery\n{inside}\n:::\n") == render(inside)


def test_other_fences_with_colons_are_text() -> None:
    assert plain(render("::: other\na\n:::")) == "::: other\na\n:::"


@pytest.mark.parametrize(
    "text",
    [
        "::: gallery\n![a](https://x.example/a)\n![b](https://x.example/b)\n\nA **caption** of [both](https://x.example/).\n:::",
        "::: gallery\n![a](https://x.example/a)\n:::\n\nAfter",
    ],
)
def test_a_gallery_is_the_same_markdown_again_after_a_round_trip(text: str) -> None:
    assert convert(render(text)).markdown == text
    assert convert_pasted(render(text)).markdown == text
    assert convert_pasted(shown(text)).markdown == text


WORDPRESS = (
    '<figure class="wp-block-gallery has-nested-images"><figure class="wp-block-image">{0}<figcaption>T</figcaption>'
    '</figure><figure class="wp-block-image">{1}</figure><figcaption class="blocks-gallery-caption">C</figcaption>'
    "</figure>"
)
OLD_WORDPRESS = (
    '<figure class="wp-block-gallery"><ul class="blocks-gallery-grid"><li><figure>{0}<figcaption>T</figcaption>'
    "</figure></li><li><figure>{1}</figure></li></ul><figcaption>C</figcaption></figure>"
)
GHOST = (
    '<figure class="kg-card kg-gallery-card kg-width-wide"><div class="kg-gallery-container">'
    '<div class="kg-gallery-row"><div class="kg-gallery-image">{0}</div><div class="kg-gallery-image">{1}</div></div>'
    "</div><figcaption><p><span>C</span></p></figcaption></figure>"
)


@pytest.mark.parametrize("html", [WORDPRESS, OLD_WORDPRESS, GHOST])
def test_the_galleries_of_other_editors_become_galleries(html: str) -> None:
    images = [f'<img src="https://x.example/{name}.jpg" alt="{name}">' for name in "ab"]
    for made in (convert(html.format(*images)).markdown, convert_pasted(html.format(*images)).markdown):
        assert made.replace(' "T"', "") == (
            "::: gallery\n![a](https://x.example/a.jpg)\n![b](https://x.example/b.jpg)\n\nC\n:::"
        )
        assert (' "T"' in made) == (">T<" in html)


@pytest.mark.parametrize("html", [WORDPRESS, OLD_WORDPRESS])
def test_no_caption_or_text_of_a_gallery_is_lost(html: str) -> None:
    images = [f'<img src="https://x.example/{name}.jpg" alt="{name}">' for name in "ab"]
    rich = (
        html.replace(">T<", '>One <a href="https://x.example/">link</a><')
        .replace("{1}", "{1}<figcaption>Two <b>bold</b></figcaption> loose")
        .replace(">C<", ">The whole gallery<")
    )
    for made in (convert(rich.format(*images)).markdown, convert_pasted(rich.format(*images)).markdown):
        assert made.replace("- loose", "loose").split("\n\n") == [
            "::: gallery\n![a](https://x.example/a.jpg)\n![b](https://x.example/b.jpg)",
            "One [link](https://x.example/)",
            "Two **bold**",
            "The whole gallery\n:::",
            "loose",
        ]


def test_text_that_looks_like_a_gallery_stays_text() -> None:
    markdown = convert("<p>::: gallery</p><p>![a](/a)</p><p>:::</p>").markdown
    assert plain(render(markdown)) == "::: gallery\n![a](/a)\n:::"


def test_the_fences_of_a_gallery_are_no_words() -> None:
    assert written_words("::: gallery\n![](/a)\n\nTwo words\n:::\n\n::: {.gallery}\n:::") == 2


@pytest.mark.parametrize("text", ["> | a |\n> |---|\n>", "> a\n>", "- | a |\n  |---|\n  "])
def test_a_text_that_ends_in_an_empty_line_of_a_quotation_is_rendered(text: str) -> None:
    assert plain(render(text)).strip() == "a"
