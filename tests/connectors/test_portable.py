"""Portable text: supported syntax is unchanged, and the rest is converted to supported syntax."""

import random
import re
import time

import html5lib
import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.gfm import gfm_plugin

from blogsvc.connectors._kit import portable
from blogsvc.lib.markdown.render import render
from tests.html_safety import dangers
from tests.lib.test_markdown import HOSTILE
from tests.lib.test_markdown_is_safe import PAYLOADS
from tests.tiers import exhaustive, matrix

ALL = ("html", "tables", "footnotes", "tasks", "alerts", "strikethrough", "breaks")


def without(*parts):
    return [part for part in ALL if part not in parts]


def made(text, *lacking):
    return portable.markdown(text, without(*lacking), "Example").text


def warned(text, *lacking):
    return portable.markdown(text, without(*lacking), "Example").warnings


SOURCE = """Setext title
============

* a star list with __strong__ and _em_ &copy; "quotes" -- dots...
* [x] done <kbd>Ctrl</kbd>

1) one
	tab
2) two \\* {{ x }} {% raw %} $a<b$ $$x_1$$

| a | b |
|---|--:|
| 1 | ~~2~~ |

Hard\x20\x20
break, a note[^1], https://a.example and <https://b.example>.
[x](<a b> "t") [y][z] ![p](q.png)

> [!NOTE]
> Told.

```python {hl_lines=1}
<script>\tx = 1 | [^1] ~~
```

    - [ ] indented code

<details><summary>More</summary>

**text**

</details>

[^1]: The note
    goes on.

[z]: https://c.example
"""


def test_supported_markdown_is_unchanged():
    assert portable.markdown(SOURCE, ALL, "Example") == portable.TextForm(SOURCE, ())


def test_text_around_a_change_stays_byte_for_byte():
    before, after = SOURCE.split("\n"), made(SOURCE, "html").split("\n")
    assert [line for line in before if line not in after] == [
        "* [x] done <kbd>Ctrl</kbd>",
        "<details><summary>More</summary>",
        "</details>",
    ]
    assert [line for line in after if line not in before] == ["* [x] done `Ctrl`", "**More**"]


@pytest.mark.parametrize("lacking", [(), ALL])
def test_code_stays_byte_for_byte(lacking):
    code = "```js\n~~a~~ [^1] <b>\t | - [ ] x\n\n\n  > [!NOTE]\r\n```".replace("\r", "")
    assert (
        made(f"a\n\n{code}\n\n- b\n\n  ~~~\n  <i>\n  ~~~\n", *lacking) == f"a\n\n{code}\n\n- b\n\n  ~~~\n  <i>\n  ~~~\n"
    )
    assert made("`<b> ~~a~~`", *lacking) == "`<b> ~~a~~`"


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("Press <kbd>Ctrl</kbd>+<kbd>C</kbd>", "Press `Ctrl`+`C`"),
        ("H<sub>2</sub>O and x<sup>2</sup>", "H₂O and x²"),
        ("e<sup>iπ</sup> and a<sub>ij</sub>", "e^(iπ) and a_(ij)"),
        ("a <b>bold</b>, <i>slanted</i> <em>word</em>", "a **bold**, *slanted* *word*"),
        ("a<b> b </b>c", "a b c"),
        ("**a**<strong>b</strong> *c*<em>d</em><em>e</em>", "**a**\u2060**b** *c*\u2060*d*\u2060*e*"),
        ("<del>f</del>~~e~~ `g`<code>h</code>", "~~f~~\u2060~~e~~ `g`\u2060`h`"),
        ("<mark>marked</mark> <u>under</u> <abbr title='x'>abbr</abbr>", "marked under abbr"),
        ("<q>said</q>", "“said”"),
        ('<a href="https://a.example/b">link</a>', "[link](https://a.example/b)"),
        ('see <img src="https://a.example/b.png" alt="A tree">', "see ![A tree](https://a.example/b.png)"),
        ("one<br>two", "one\\\ntwo"),
        ("one<br/>\ntwo", "one\\\ntwo"),
        ("# One<br>two", "# One two"),
        ("end<br>", "end"),
        ("a <!-- remark --> b", "a  b"),
        ("a <script>alert(1)</script> b", "a  b"),
        ("<code>a&lt;b</code>", "`a<b`"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ('x <video src="https://a.example/v.mp4">old browser</video>', "x [Video](https://a.example/v.mp4)"),
        ('x <audio><source src="https://a.example/a.mp3"></audio>', "x [Audio](https://a.example/a.mp3)"),
        ('<iframe src="https://a.example/e" title="A film"></iframe>', "[A film](https://a.example/e)"),
        ("<details>\n<summary>More</summary>\n\n**text**\n\n</details>", "**More**\n\n**text**\n"),
        ("<div align=center>\n\ntext\n\n</div>", "text\n"),
        ("<p>1 * 2 <b>x</b></p>\n\nnext", "1 \\* 2 **x**\n\nnext"),
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ("> <div>\n> a\n> </div>", "> a"),
        ("- a\n\n  <p>b</p>\n  <p>c</p>", "- a\n\n  b\n\n  c"),
        ("<pre><code class='language-py'>a  *b*\n</code></pre>", "```py\na  *b*\n```"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("| a |\n|--:|\n| <b>x\\|y</b> |", "| a |\n| --: |\n| **x\\|y** |"),
        ("<https://a.example> a < b &lt;b&gt; \\<b>", "<https://a.example> a < b &lt;b&gt; \\<b>"),
    ],
)
def test_raw_html_becomes_markdown(raw, told):
    assert made(raw, "html") == told
    loss = "Example doesn't support HTML. It becomes plain Markdown; media and embeds become links."
    assert warned(raw, "html") == (() if raw == told else (loss,))


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("<b onclick=x>a</b>", "<b>a</b>"),
        ("a <script>alert(1)</script> b", "a  b"),
        ("<script>\nalert(1)\n\n</script>\n\nb", "b"),
        ('<a href="javascript:x" title=t>a</a>', '<a title="t">a</a>'),
        ('<a href="javascript:x" href="https://a.example">a</a>', "<a>a</a>"),
        ('<a HREF="javascript:x" href="https://a.example">a</a>', "<a>a</a>"),
        ('<img src="javascript:1" src="https://a.example/a.png">', "<img>"),
        ('a <img src="https://a.example/a.png" SRC="javascript:1">', 'a <img src="https://a.example/a.png">'),
        ("<td align=right>", "<td align=right>"),
        ('<iframe src="https://a.example/e"></iframe>', '<a href="https://a.example/e">Embedded page</a>'),
        ("<details open>\n<summary>a</summary>\n\n</details>", "<details open>\n<summary>a</summary>\n\n</details>"),
    ],
)
def test_supported_html_loses_only_what_could_run(raw, told):
    assert made(raw) == told


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("[x](javascript:alert(1))", "x"),
        ("[*x* `y`](<java&#10;script:alert(1)>)", "x y"),
        ("![a tree](data:image/png;base64,AA)", "a tree"),
        ("<javascript:alert(1)>", "`javascript:alert(1)`"),
        ("[x][y]\n\n[y]: vbscript:a\n", "x\n"),
        ("[x](/y) [z](mailto:a@b.c) [#](#a) [w](a:b)", "[x](/y) [z](mailto:a@b.c) [#](#a) w"),
    ],
)
def test_a_link_that_could_run_becomes_text(link, told):
    assert made(link) == told


def test_a_table_becomes_a_list_of_rows():
    table = "| Name | **Age** | |\n|---|--:|---|\n| Ann \\| Bob | 3 | x |\n| | | |\n| `c` | | |\n"
    assert made(table, "tables") == "- **Name:** Ann | Bob; **Age**: 3; x\n- **Name:** `c`\n"
    assert warned(table, "tables") == ("Example doesn't support tables. Each row becomes a list item.",)


def test_a_table_in_a_quote_stays_in_it():
    assert made("> a\n>\n> |b|\n> |-|\n> |c|\n> |d|\n", "tables") == "> a\n>\n> - **b:** c\n> - **b:** d\n"


def test_a_table_with_headings_only_is_one_line():
    assert made("|a|b|\n|-|-|\n", "tables") == "- a; b\n"


def test_a_table_whose_headings_would_repeat_too_often_becomes_code():
    told = made(f"| {'heading ' * 500} |\n|-|\n" + "| a |\n" * 500, "tables")
    assert told.startswith("```\nheading ")
    assert len(told) < 20_000


def test_footnotes_become_numbered_notes_at_the_end():
    text = "One[^b], two[^a] and one[^b].\n\n[^a]: A *note*\n    that goes on.\n\n    And on.\n[^b]: - list\n\nEnd.\n"
    assert re.sub("\n{3,}", "\n\n", made(text, "footnotes")) == (
        "One[1], two[2] and one[1].\n\nEnd.\n\n**Notes**\n\n[1]\n\n- list\n\n[2] A *note*\nthat goes on.\n\nAnd on.\n"
    )
    assert warned(text, "footnotes") == ("Example doesn't support footnotes. They become numbered notes at the end.",)


def test_a_footnote_is_converted_like_the_text():
    assert made("a[^1]\n\n[^1]: ~~b~~ <kbd>c</kbd>\n", "footnotes", "html", "strikethrough").endswith("[1] b `c`\n")


def test_an_unreferenced_footnote_is_left_out():
    assert made("a\n\n[^1]: b\n", "footnotes").strip() == "a"


def test_a_footnote_number_is_never_a_link():
    assert made("a[^x] [1]\n\n[^x]: c\n\n[1]: /d\n", "footnotes").startswith("a\\[1\\] [1]")


def test_tasks_get_a_box_character():
    text = "- [ ] open [x]\n- [x] done\n  1. [X] - [ ] deep\n\n> * [ ] quoted\n"
    assert made(text, "tasks") == "- ☐ open [x]\n- ☑ done\n  1. ☑ - ☐ deep\n\n> * ☐ quoted\n"


def test_an_alert_becomes_a_quote_with_a_bold_title():
    assert made("> [!WARNING]\n> Hot.\n> Very.\n", "alerts") == "> **Warning:** Hot.\n> Very.\n"
    assert made("- > [!tip]\n  > - a\n", "alerts") == "- > **Tip:**\n  >\n  > - a\n"


def test_strikethrough_becomes_plain_text():
    assert made("a ~~b *c*~~ ~d~ `~~e~~` ~~~f", "strikethrough") == "a b *c* d `~~e~~` ~~~f"


def test_wrapped_lines_are_joined_except_at_hard_breaks():
    assert made("one\ntwo  \nthree\\\nfour\nfive", "breaks") == "one two  \nthree\\\nfour five"
    assert made("> one\ntwo\n> three\n\n- a\n  `b\n  c`\n", "breaks") == "> one two three\n\n- a `b c`\n"
    assert made("Two\nlines\n=====\n\nx<br>\ny", "breaks", "html") == "Two lines\n=====\n\nx\\\ny"
    assert warned("one\ntwo", "breaks") == ()


def test_removed_tags_do_not_start_another_block():
    assert made("<b></b># a", "html") == "\\# a"
    assert made("<i></i>1. a\n<i></i>- b\n<i></i>> c", "html") == "1\\. a\n\\- b\n\\> c"


def test_a_removed_block_leaves_no_gap_and_joins_no_text():
    assert made("a\n\n<!-- b -->\n\nc\n", "html") == "a\n\nc\n"
    assert made("a\n<!-- b -->\n\nc\n", "html") == "a\n\n\nc\n"


def test_empty_text_stays_empty():
    assert made("", *ALL) == ""
    assert made("\n\n", *ALL) == "\n\n"


def test_line_endings_nul_and_lone_surrogates_are_handled():
    assert made("a\r\nb\r~~c~~ \0 \ud800", "strikethrough") == "a\nb\nc \ufffd ?"


class _Lax(MarkdownIt):
    def validateLink(self, url):
        return True


def render_unsanitized(text):
    """Render without a sanitizer and with any link."""
    return _Lax("commonmark", {"html": True}).use(gfm_plugin).render(text)


HARMLESS = ("id ", "style", "name", "broke out")  # from the tables of the site, or merely untidy


@pytest.mark.parametrize("keeps", [ALL, ()], ids=["all", "nothing"])
@matrix("before", ["", "- ", "# ", "x[^1]\n\n[^1]: ", "| a |\n|---|\n| "])
def test_no_payload_survives_even_without_a_sanitizer(keeps, before):
    for payload in PAYLOADS:
        told = portable.markdown(before + payload, keeps, "Example").text
        found = [danger for danger in dangers(render_unsanitized(told)) if not danger.startswith(HARMLESS)]
        assert found == [], payload


@pytest.mark.parametrize("lead", ["> " * 60, "- " * 60, "> - " * 30, "[" * 30, "![" * 30, "*" * 30])
@pytest.mark.parametrize("payload", ["<script>alert(1)</script>", "<a href='javascript:x'>y</a>"])
def test_deep_nesting_hides_no_payload(lead, payload):
    for keeps in (ALL, ()):
        told = portable.markdown(f"{lead}x {payload}\n\nend", keeps, "Example").text
        assert ("end" in told) == ("end" in render(f"{lead}x\n\nend"))
        assert "<a href='javascript" not in told.replace("\\<a", "")
        assert "<script" not in told.replace("\\<", "")


def test_a_too_long_paragraph_becomes_plain_text():
    told = made("a" * 20_000 + " <script> [x](javascript:y) <b>c</b>", "html")
    assert told.endswith(" \\<script> [x]\\(javascript:y) \\<b>c\\</b>")


def test_a_text_with_too_many_lines_becomes_code():
    form = portable.markdown("a|b\n" * 100_000, ALL, "Example")
    assert form.text.startswith("```\na|b\n")
    assert form.warnings == ("The text has too many lines to convert. Example shows it as it is written.",)


MORE = {
    "break": "<br>",
    "keys": "<kbd>a</kbd>",
    "marks": "<b>a<i>",
    "lists": "<ul><li>",
    "alerts": "> [!NOTE]\n> a\n\n",
}


@pytest.mark.long
@exhaustive
@pytest.mark.parametrize("piece", {**HOSTILE, **MORE}.values(), ids={**HOSTILE, **MORE}.keys())
@pytest.mark.parametrize("keeps", [ALL, ()], ids=["all", "nothing"])
def test_hostile_texts_are_converted_in_bounded_time(piece, keeps):
    began = time.process_time()
    paragraph = (piece * 15_000)[:15_000] + "\n\n"
    portable.markdown(paragraph * 2, keeps, "Example")
    assert time.process_time() - began < 5


def test_converting_twice_changes_nothing():
    """The result contains only what the platform supports, so there is nothing left to convert."""
    rng = random.Random("twice")
    pieces = [
        "a",
        " ",
        "\n",
        "\n\n",
        "~~",
        "*",
        "<b>",
        "</b>",
        "<br>",
        "- ",
        "> ",
        "`",
        "|",
        "[^1]",
        "[^1]: n",
        "- [ ] ",
        "<kbd>k</kbd>",
    ]
    for _ in range(300):
        text = "".join(rng.choices(pieces, k=30))
        once = made(text, "html", "strikethrough", "tasks")
        assert made(once, "html", "strikethrough", "tasks") == once, text


def parsed(html):
    return html5lib.parseFragment(html, namespaceHTMLElements=False)


def test_html_contains_no_highlighted_code_or_page_attributes():
    told = portable.html(render("# A\n\n```python\ndef f(): pass\n```\n\n![a tree](t.png)\n\n|a|\n|-:|\n|b|\n"))
    assert '<pre><code class="language-python">def f(): pass\n</code></pre>' in told
    assert '<img src="t.png" alt="a tree">' in told
    assert '<td align="right">b</td>' in told
    for ours in ("<span", "tabindex", "loading", "decoding", 'class="code"'):
        assert ours not in told


def test_html_shows_tasks_with_box_characters():
    told = portable.html(render("- [ ] open checked\n- [x] done\n"))
    assert "<li>☐ open checked</li>" in told
    assert "<li>☑ done</li>" in told


def test_html_shows_alerts_as_quotes_with_a_bold_title():
    told = portable.html(render("> [!NOTE]\n> <div>a</div>\n>\n> b\n\n<div>c</div>\n"))
    assert told.startswith("<blockquote>\n<p><strong>Note</strong></p>")
    assert told.count("<blockquote>") == told.count("</blockquote>") == 1
    assert told.count("<div>") == told.count("</div>") == 2
    assert parsed(told).find("blockquote/p/strong").text == "Note"


def test_quotations_made_of_alerts_keep_the_classes_that_the_platform_knows():
    text = render("> [!NOTE]\n> a\n\n> [!TIP]\n> b\n\n> c\n")
    told = portable.html(text, classes={"blockquote": {"markdown-alert-note"}})
    assert [quote.get("class") for quote in parsed(told).findall("blockquote")] == ["markdown-alert-note", "", None]
    assert "class" not in portable.html(text)


def test_footnote_links_in_html_are_unique_and_resolve():
    page = "".join(portable.html(render("a[^1] b[^1]\n\n[^1]: c\n\n# d\n"), slug) for slug in ("of-trees", "of-bushes"))
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids)) == 8
    assert set(re.findall(r'href="#([^"]*)"', page)) < set(ids)
    assert all(name.startswith(("of-trees-", "of-bushes-")) for name in ids)


@pytest.mark.parametrize("payload", ["<script>alert(1)</script>", "<p onclick=x>", "<a href='javascript:x'>y</a>"])
def test_html_is_safe_on_its_own(payload):
    assert dangers(portable.html(payload)) == []


@pytest.mark.parametrize(
    "text", ['<iframe src="https://a.example/1"></iframe>', 'See <iframe src="https://a.example/1">.']
)
def test_an_embedded_page_is_told_in_html_and_markdown(text):
    told = ("Example doesn't show embedded pages. They become links.",)
    assert portable.html_warnings(render(text), "Example") == told
    assert warned(text) == told
    assert 'href="https://a.example/1"' in portable.html(render(text))
    assert portable.html_warnings(render("`<iframe>` [a](https://a.example)"), "Example") == ()
    assert warned("`<iframe>` [a](https://a.example)") == ()


@pytest.mark.parametrize("title", ['"A \\"b\\" c"', "'A \"b\" c'", '(A "b" c)', '\n"A \\"b\\" c"'])
def test_the_caption_of_a_figure_is_in_italics_below_its_image(title):
    assert made(f"![*x*](</u v> {title}){{.wide}}\n") == '![*x*](</u v>)\n\n*A "b" c*\n'


def test_a_width_is_on_no_other_platform_and_a_title_in_a_sentence_stays():
    assert made('a ![x](/u "T"){.wide} b\n\n![y](/v){: .full}\n\n1. ![z](/w "Z")\n\n   b\n') == (
        'a ![x](/u "T") b\n\n![y](/v)\n\n1. ![z](/w)\n\n   *Z*\n\n   b\n'
    )


def test_a_figure_with_an_unsafe_url_becomes_its_text():
    assert made('![x](javascript:1 "T"){.wide}\n') == "x\n\n*T*\n"


def test_the_file_name_of_code_is_a_line_before_it():
    assert made('~~~py title="a`b" {1}\nx\n~~~\n') == "`` a`b ``\n\n~~~py\nx\n~~~\n"
    assert made("a\n```py file=b\nx\n```\nc\n") == "a\n\n`b`\n\n```py\nx\n```\nc\n"
    assert made('> a\n> ~~~ title="b"\n> x\n> ~~~\n') == "> a\n>\n> `b`\n>\n> ~~~\n> x\n> ~~~\n"
    assert made('- ```py title="b"\n  x\n  ```\n') == "- `b`\n\n  ```py\n  x\n  ```\n"
    assert made("```py numbers\nx\n```\n") == "```py numbers\nx\n```\n"


def test_the_file_name_of_code_is_a_paragraph_in_html():
    html = portable.html(
        render('```python title="<a>"\nx\n```\n\n<figure class="code"><figcaption>b</figcaption>c</figure>')
    )
    assert html == (
        '<p><code>&lt;a&gt;</code></p>\n<pre><code class="language-python">x\n</code></pre>\n'
        "<figure><figcaption>b</figcaption>c</figure>"
    )


def test_the_images_of_a_gallery_are_paragraphs_with_its_caption_in_italics():
    text = 'a\n\n::: gallery\n![b](/b "T"){.wide}\n[![c](/c)](/d)\n\nThe caption\nin lines\n:::\n\ne\n'
    assert made(text, "galleries") == "a\n\n![b](/b)\n\n*T*\n\n[![c](/c)](/d)\n\n*The caption\nin lines*\n\ne\n"
    assert warned(text, "galleries") == (
        "Example doesn't support galleries. The images are shown one after the other.",
    )


def test_the_caption_of_an_image_in_a_gallery_is_below_it_in_italics():
    text = '> ::: gallery\n> ![a](/a "A*") [![b](/b "B")](/c)\n> :::\n'
    assert made("::: gallery\n![a](/a 'A'){.wide}![b](/b 'B'){.wide}\n:::\n") == "![a](/a)\n\n*A*\n\n![b](/b)\n\n*B*\n"
    assert made(text) == ">\n> ![a](/a)\n>\n> *A\\**\n>\n> [![b](/b)](/c)\n>\n> *B*\n>\n"


def test_the_fences_around_no_gallery_are_removed():
    assert made("a\n::: gallery\n- ![b](/b)\n:::\nc\n", "galleries") == "a\n\n- ![b](/b)\n\nc\n"
    assert made("> ::: gallery\n> b\n", "galleries") == ">\n> b\n"


def test_the_title_of_a_callout_is_in_bold_and_a_folded_one_is_open():
    assert made("> [!NOTE] Own *x*\n> b\n", "alerts") == made("> [!note]- Own *x*\n> b\n") == "> **Own x**\n>\n> b\n"
    assert made("> [!tip]+\n> - b\n") == "> **Tip**\n>\n> - b\n"
    assert made("> [!tip]-\n>\n> b\n>\n> c\n") == "> **Tip**\n>\n> b\n>\n> c\n"
    assert made("- > [!caution] A_b\n  > > [!NOTE]\n  > > c\n") == "- > **A\\_b**\n  >\n  > > [!NOTE]\n  > > c\n"
    assert warned("> [!NOTE] a\n", "alerts") == ("Example doesn't support alerts. They become quotations.",)


def test_a_line_without_a_marker_stays_in_its_callout():
    assert made("> [!note] Title\nlazy line\nmore\n") == "> **Title**\n>\n> lazy line\nmore\n"
    assert made("- > [!note] Title\n  lazy ~~line~~\n", "strikethrough") == "- > **Title**\n  >\n  > lazy line\n"
    assert made("> > [!note] Title\n> lazy\n") == "> > **Title**\n> >\n> > lazy\n"


def test_the_title_of_a_callout_keeps_images_links_code_and_footnotes():
    text = "> [!tip] An ![icon](/i) *of* `a*b` by [b](/b)[^1]\n> c\n\n[^1]: d\n"
    title = "An ![icon](/i) of `a*b` by [b](/b)"
    assert made(text) == f"> **{title}[^1]**\n>\n> c\n\n[^1]: d\n"
    assert made(text, "footnotes") == f"> **{title}[1]**\n>\n> c\n\n**Notes**\n\n[1] d\n"
    assert made("> [!tip] <b></b>\n> c\n", "html") == "> **Tip**\n>\n> c\n"


def test_the_text_below_the_title_of_a_callout_is_rewritten_like_other_text():
    assert made("> [!tip]- A\n> ~~b~~\n> *c*\n", "strikethrough", "breaks") == "> **A**\n>\n> b *c*\n"


def test_a_table_of_contents_is_left_out_and_a_list_of_links_in_html():
    text = "a\n\n[[toc]]\n\n## b\n\n## c\n"
    assert made(text, "contents") == "a\n\n## b\n\n## c\n"
    assert made("[[TOC]]\n", "contents") == ""
    assert warned(text, "contents") == (
        "Example doesn't support tables of contents. The table of contents is left out.",
    )
    assert '<ol>\n<li><a href="#x-b">b</a></li>' in portable.html(render(text), "x")
    assert "<nav" not in portable.html(render(text))
