"""HTML to Markdown: lines and blocks stay apart, whichever elements are around and between them."""

from __future__ import annotations

import html5lib
import pytest

from blogsvc.lib.html_to_markdown import Converted, convert
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain

DATA = "iVBO" * 60


def lines(html: str) -> list[str]:
    """Return the lines that our pages show of imported HTML."""
    return [line.strip() for line in plain(render(convert(html).markdown)).splitlines() if line.strip()]


@pytest.mark.parametrize(
    "name", "acronym bdi blink data font label marquee my-element nobr output picture rb slot time xx".split()
)
def test_a_line_beside_an_inline_element_stays_a_line(name: str) -> None:
    html = f"<p>one<br><{name}>two <b>2</b></{name}><br>three <{name}>3</{name}><br></p><p><{name}># 4</{name}></p>"
    assert lines(html) == ["one", "two 2", "three 3", "# 4"]


@pytest.mark.parametrize("name", "script style template noscript svg button canvas math".split())
def test_a_line_beside_an_element_that_is_removed_stays_a_line(name: str) -> None:
    removed = f"<{name}>x</{name}>"
    html = f"<p>one{removed}<br>two<br>{removed}<b>three</b><br>{removed}<br>{removed}# 4{removed}</p>"
    assert lines(html) == ["one", "two", "three", "# 4"]


@pytest.mark.parametrize("name", "address center dialog fieldset hgroup legend search".split())
def test_text_beside_any_block_stays_apart(name: str) -> None:
    html = f"<div>one<{name}>two</{name}>three<br><{name}><p>four</p></{name}></div>"
    assert lines(html) == ["one", "two", "three", "four"]
    assert "\\" not in convert(html).markdown


def test_a_line_break_before_a_block_in_an_inline_element_shows_no_backslash() -> None:
    html = "<p>one<br><my-card><p>two</p></my-card></p><span><p>three</p></span><br>four"
    assert lines(html) == ["one", "two", "three", "four"]


def test_the_titles_of_accordions_stay_and_other_buttons_are_named() -> None:
    button = '<button type="button"><span>How long?</span><span aria-hidden="true">+</span></button>'
    made = convert(f"<h3>{button}</h3><p>Two hours</p><button>Buy <b>now</b></button>")
    assert made.markdown == "### How long?\n\nTwo hours"
    assert made.warnings == ("A button was removed: “Buy now”.",)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('A<?xml:namespace prefix = o ns = "urn:x" />B', "AB"),
        ("<![if !supportLists]>1.<![endif]>Item", "1.Item"),
        ("a<?php if ($a->b) { ?>b<?= $c->d ?>c", "abc"),
        ("5 <? 3 <!? 4", "5 \\<? 3 \\<!? 4"),
        ("a <?php open", "a \\<?php open"),
    ],
)
def test_what_browsers_take_for_comments_is_not_shown(html: str, markdown: str) -> None:
    made = convert(html)
    assert made.markdown == markdown
    assert bool(made.warnings) == ("<?php" in html)


@pytest.mark.parametrize("end", ["<br>", "<br>&nbsp;", "<br /> &nbsp; ", "<br>&nbsp;<br>"])
def test_a_line_break_at_the_end_of_a_block_shows_no_backslash(end: str) -> None:
    assert convert(f"<p>one{end}</p><ul><li>two{end}</li></ul>").markdown == "one\n\n- two"


def test_images_that_scripts_load_are_shown() -> None:
    html = '<img data-original="/c.jpg" alt="C"> <img src="/blank.gif" data-lazy-src="/b.jpg">'
    assert convert(html).markdown == "![C](/c.jpg) ![](/b.jpg)"


@pytest.mark.parametrize(
    "html",
    [
        '<ol reversed=""><li>a</li><li>b <strong>c</strong></li></ol>',
        '<ol><li value="10">a</li><li>b</li></ol>',
        '<ol start="2"><li>a</li><li value="7">b</li></ol>',
    ],
)
def test_a_list_with_numbers_that_markdown_can_not_say_stays(html: str) -> None:
    assert render(convert(html).markdown).strip() == html


def test_a_list_with_usual_numbers_is_markdown() -> None:
    assert convert('<ol start="3"><li value="3">a</li><li value="4">b</li></ol>').markdown == "3. a\n4. b"


def test_an_acronym_is_an_abbreviation() -> None:
    html = '<p>The <acronym title="HyperText Markup Language">HTML</acronym></p>'
    assert convert(html).markdown == 'The <abbr title="HyperText Markup Language">HTML</abbr>'


def test_old_elements_for_lists_and_code_keep_their_lines() -> None:
    assert convert("one<menu><li>two</li><li>three</li></menu><listing>a\n b</listing>").markdown == (
        "one\n\n- two\n- three\n\n```\na\n b\n```"
    )


def test_the_checkbox_of_an_item_is_no_field_that_was_removed() -> None:
    made = convert('<ul><li><input type="checkbox" checked> one</li><li><label><input type="checkbox">two</label></ul>')
    assert (made.markdown, made.warnings) == ("- [x] one\n- [ ] two", ())


@pytest.mark.parametrize("after", ["after <b>2</b>", "<b>after</b> 2", "<p>after 2</p>", "<span>after 2</span>"])
@pytest.mark.parametrize("inner", ["<ul><li>in</li></ul>", "<ol start=3><li>in</li></ol>", "<menu><li>in</li></menu>"])
def test_text_after_a_nested_list_belongs_to_the_outer_item(after: str, inner: str) -> None:
    for html in (f"<li>one{inner}{after}</li><li>two</li>", f"<li><div>{inner}{after}</div></li><li>two</li>"):
        made = html5lib.parseFragment(render(convert(f"<ul>{html}</ul>").markdown), namespaceHTMLElements=False)
        items = [" ".join("".join(item.itertext()).split()) for item in made.iter("li")]
        assert items in (["one in after 2", "in", "two"], ["in after 2", "in", "two"])


_BLOCKS = [
    "<p>one</p><p>two</p>", "<div>one</div><div>two</div>", "one<div>two</div>", "<h3>one</h3>two",
    "<center>one</center>two", "<blockquote>one</blockquote>two", "<ul><li>one</li><li>two</li></ul>",
    "<pre>one\ntwo</pre>", "<fieldset><legend>one</legend>two</fieldset>", "<dl><dt>one</dt><dd>two</dd></dl>",
    "<figure><img src='a.png'><figcaption>one</figcaption></figure>two", "<address>one</address><section>two</section>",
    "<details><summary>one</summary>two</details>", "<article><h1>one</h1><p>two</p></article>", "one<hr>two",
    "one<br><p>two</p>", "<p>one</p><br>two", "<table><tr><td>one</td></tr><tr><td>two</td></tr></table>",
    "<p>one<iframe src='https://a.example/e' title='two'></iframe></p>",
]  # fmt: skip


@pytest.mark.parametrize("blocks", _BLOCKS)
@pytest.mark.parametrize(
    "around",
    [
        "<dl><dt>start</dt><dd>{}</dd></dl>",
        "<dl><div><dt>{}</dt></div></dl>",
        "<table><tr><td>start</td></tr><tr><td>{}</td></tr></table>",
        "<table><tr><td colspan=2>{}</td></tr><tr><td>end</td><td>x</td></tr></table>",
        "<details><summary>{}</summary>end</details>",
        "<figure><img src='a.png'><figcaption>{}</figcaption></figure>",
        "<summary>{}</summary>",
        "<ul><li>{}</li></ul>",
    ],
)
def test_blocks_in_any_element_stay_apart(around: str, blocks: str) -> None:
    made = [line.strip("| ") for line in lines(around.format(blocks))]
    assert [line for line in made if line in ("one", "two")] == ["one", "two"]


def test_the_paragraphs_of_a_cell_are_lines() -> None:
    html = "<table><tr><th>a</th></tr><tr><td><p>one <b>1</b></p><p><b>two</b></p><p><br></p>three<br><h4>4</h4></td>"
    assert convert(html).markdown == "| a |\n| --- |\n| one **1**<br>**two**<br>three<br>4 |"


def test_text_like_a_line_break_at_the_end_of_a_cell_is_kept() -> None:
    assert convert("<table><tr><td>&lt;br&gt;</td></tr></table>").markdown.endswith("| \\<br> |")


def test_a_caption_in_a_table_that_stays_html_is_kept() -> None:
    html = (
        "<table><tr><td colspan=2><figure><img src='a.png'><figcaption>A boat</figcaption></figure></td></tr></table>"
    )
    assert '<img src="a.png"><figcaption>A boat</figcaption>' in convert(html).markdown


def test_a_footnote_in_an_element_that_stays_html_is_kept() -> None:
    html = (
        '<dl><dt>a</dt><dd>one<sup><a href="#fn1">1</a></sup></dd></dl><p>two<sup><a href="#fn2">2</a></sup></p>'
        '<ol><li id="fn1">First note</li><li id="fn2">Second note</li></ol>'
    )
    page = render(convert(html).markdown)
    for part in ("First note", "Second note", 'href="#in-fn1"', 'id="in-fn1"'):
        assert part in page


def test_a_video_keeps_its_poster_and_names_its_subtitles() -> None:
    made = convert('<video src="/v.mp4" poster="/p.jpg"><track src="/t.vtt"></video><audio src="/a.mp3"></audio>')
    video, audio = '<video src="/v.mp4" poster="/p.jpg" controls></video>', '<audio src="/a.mp3" controls></audio>'
    assert made.markdown == f"{video}\n\n{audio}"
    assert made.warnings == ("The subtitles of a video were removed.",)


def test_an_image_with_a_caption_of_blogger_is_a_figure() -> None:
    image = '<a href="https://b.example/s1600/b.jpg"><img src="https://b.example/s320/b.jpg"></a>'
    table = '<table align="center" class="tr-caption-container"><tbody><tr><td>{}</td></tr><tr>{}</tr></tbody></table>'
    made = convert(table.format(image, '<td class="tr-caption">A <i>boat</i></td>')).markdown
    assert made == "![](https://b.example/s1600/b.jpg)\n\nA *boat*"
    plain = convert(table.format(image, '<td class="tr-caption">A boat</td>')).markdown
    assert plain == '![](https://b.example/s1600/b.jpg "A boat")'


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<div class="fb-post" data-href="https://f.example/1"></div>', "<https://f.example/1>"),
        (
            '<blockquote class="tiktok-embed" cite="https://t.example/v/1"><a href="https://t.example/@a">@a</a> words'
            "</blockquote>",
            "> [@a](https://t.example/@a) words\n\n<https://t.example/v/1>",
        ),
        (
            """<div class="tweet" data-attrs='{"url":"https://x.example/9","full_text":"Tweet text"}'></div>""",
            "[Tweet text](https://x.example/9)",
        ),
        ("""<div class="latex-rendered" data-attrs='{"persistentExpression":"x^2"}'></div>""", "x^2"),
        (
            """<div data-attrs='{"url":"https://x.example/9"}'><a href="https://x.example/9">a</a></div>""",
            "[a](https://x.example/9)",
        ),
        ('<label class="hide-text">Text within this block</label><pre>poem</pre>', "```\npoem\n```"),
    ],
)
def test_content_in_the_attributes_of_empty_elements_is_kept(html: str, markdown: str) -> None:
    assert convert(html) == Converted(markdown)


def test_an_empty_element_that_says_nothing_is_named() -> None:
    made = convert("""<p>a</p><div class="poll-embed" data-attrs='{"id":5}'></div>""")
    assert made == Converted("a", ("Embedded content without a URL was removed: poll-embed.",))


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            '<textarea name="code" class="java" rows="9">class A<b> {\n  x;\n}</textarea>',
            "```java\nclass A<b> {\n  x;\n}\n```",
        ),
        (
            '<script type="syntaxhighlighter" class="brush: js"><![CDATA[ var x = 1; ]]></script>',
            "```js\nvar x = 1; \n```",
        ),
        (
            '<div class="wp-block-cover" style="background-image:url(https://o.example/c.jpg)"><p>Words</p></div>',
            "![](https://o.example/c.jpg)\n\nWords",
        ),
        ("""<div style="background: #fff url('/bg.png') center">w</div>""", "![](/bg.png)\n\nw"),
        ('<p>x <img src="images\\e.png"></p>', "x ![](images/e.png)"),
        ('<p>x <img src="file:///C:/x/a.png" alt="A"> <a href="file:///x">y</a></p>', "x A y"),
        (
            '<figure><a href="https://z.example/"><img src="/a.jpg" alt="" title="T79"></a>'
            '<figcaption>C <a href="/y">y</a></figcaption></figure>',
            "[![](/a.jpg)](https://z.example/)\n\n*C [y](/y)*",
        ),
    ],
)
def test_code_and_images_in_unusual_places_are_kept(html: str, markdown: str) -> None:
    assert convert(html).markdown == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul>\n<li>x\n<li>y\n<li>z <b>b</b>\n</ul>", "- x\n- y\n- z **b**"),
        ("<ol><li>one<li>two<ul><li>in<li>ner</ul><li>three</ol>", "1. one\n2. two\n   - in\n   - ner\n3. three"),
        (
            "<table><tr><th>H<th>I<tr><td>a<td>b<tr><td>c<td>d</table>e",
            "| H | I |\n| --- | --- |\n| a | b |\n| c | d |\n\ne",
        ),
        ("<ul>" + "<li>x" * 300 + "</ul>", "\n".join(["- x"] * 300)),
    ],
)
def test_items_and_cells_end_without_end_tags(html: str, markdown: str) -> None:
    assert convert(html).markdown == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            '<a href="https://x.example/?a=1&section=2&copy=1&not=1&amp=1&amp;reg=2">q</a>',
            "[q](https://x.example/?a=1&section=2&copy=1&not=1&amp=1&reg=2)",
        ),
        ('<a href="https://x.example/?c=3&amp;amp;d=4">q</a>', "[q](https://x.example/?c=3&amp;amp;d=4)"),
        ("<p>one &bogus; two <code>&nosuch;</code></p>", r"one \&bogus; two `&nosuch;`"),
        ("<p>&copy; &eacute; &#233;</p>", "© é é"),
        (
            '<iframe src="https://player.vimeo.com/video/55?h=0a1b2c&amp;title=0"></iframe>',
            "[vimeo.com](https://vimeo.com/55/0a1b2c)",
        ),
        (f'<p>x <img src="data:image/png;base64,{DATA}" alt="du"></p>', f"x ![du](data:image/png;base64,{DATA})"),
    ],
)
def test_addresses_and_references_are_read_as_browsers_do(html: str, markdown: str) -> None:
    assert convert(html).markdown == markdown


def test_content_for_browsers_without_scripts_has_no_paragraphs() -> None:
    made = convert("<noscript>\n\nNo script\n\n<img src='/n.jpg'>\n\n</noscript>end", breaks=True)
    assert made.markdown == "end"


def test_letters_that_become_longer_in_lower_case_move_nothing() -> None:
    made = convert(f"<p>{'İ' * 12}</p><textarea name='code'>a<b</textarea><p>rest</p>")
    assert made.markdown == f"{'İ' * 12}\n\n```\na<b\n```\n\nrest"
