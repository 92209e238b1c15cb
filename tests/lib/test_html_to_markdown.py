"""HTML to Markdown: the rendered Markdown says what the HTML said."""

from __future__ import annotations

import time
from html import escape
from urllib.parse import unquote

import html5lib
import pytest

from blogsvc.lib.html_to_markdown import convert, convert_without_html
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import images_in, links, plain
from tests.tiers import matrix


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a <b>b</b> <i>c</i> <s>d</s> <code>e`f</code></p>", "a **b** *c* ~~d~~ `` e`f ``"),
        ("<p><b>bold:</b>text</p>", "<strong>bold:</strong>text"),
        ("<h2><strong>Head</strong></h2><p>x</p>", "## Head\n\nx"),
        ("<p>one<br>two</p>", "one\\\ntwo"),
        ("<ol start=3><li>x</li><li><p>y</p><p>z</p></li></ol>", "3. x\n4. y\n\n   z"),
        ("<ul><li>a<ul><li>b</li></ul></li></ul>", "- a\n  - b"),
        ('<pre class="brush: php;">a\n\nb</pre>', "```php\na\n\nb\n```"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ('<a href="https://x.example/a b(c)"><img src="i.png" alt="[i]"></a>', None),
        ('<p>Press <kbd>Ctrl</kbd> x<sup>2</sup></p>', "Press <kbd>Ctrl</kbd> x<sup>2</sup>"),
        ("<details><summary>S</summary><p>in</p></details>", "<details><summary>S</summary>\n\nin\n\n</details>"),
        ('<video controls><source src="v.mp4"></video>', '<video src="v.mp4" controls></video>'),
    ],
)  # fmt: skip
def test_html_is_converted_to_markdown(html: str, text: str | None) -> None:
    made = convert(html).markdown
    assert made == (text if text is not None else "[![\\[i\\]](i.png)](https://x.example/a%20b%28c%29)")


WORDS = [
    "2 * 3 * 4", "snake_case and _this_ and *that*", "a < b > c", "<div> is a tag", "&amp; and &copy;",
    "# no heading", "## no heading ##", "#", "1. no list", "1)", "- no list", "-", "+ no list", "> no quote",
    "[a](b) [c][d] [x]", "[a [b] c](d)", "[a]: b", f"[{'a' * 400}](b)", "~~not struck~~", "~not struck~",
    "back\\slash `tick`", "a | b", "| a |", "= x", "===", "---", "- - -", "***", "* * *", "___", "~~~", "```",
    "| --- |", ":--", "!(x)", "[^1]", "**", "*", "_", "1986. A year", "\\[x]", "&lt;", "`", "[ ] task", "[!NOTE]",
    "![a](b)", "ends with \\", "wow![",
]  # fmt: skip


def told(made: str) -> str:
    """Return the text that our own pages show, with dashes as they were typed."""
    return plain(render(made)).replace("—", "---").replace("–", "--")


def test_plain_text_is_preserved() -> None:
    for words in WORDS:
        assert told(convert(f"<p>{escape(words)}</p>").markdown) == words


@matrix("tag", ["i", "span", "b"])
def test_text_interrupted_by_an_element_is_preserved(tag: str) -> None:
    for words in WORDS:
        for at in range(min(len(words), 30)):
            before, after = escape(words[:at]), escape(words[at:])
            assert told(convert(f"<p>{before}<{tag}></{tag}>{after}</p>").markdown) == words


@pytest.mark.parametrize(
    "around",
    [
        "<h2>{}</h2>", "<ul><li>{}</li></ul>", "<blockquote>{}</blockquote>", "<p>{}<br></p>", "<div>{}</div>",
        "<table><tr><th>{}</th></tr></table>", '<a href="https://a.example">{}</a>', "<p><b>{}</b></p>",
        "<p><i></i> <span>{}</span></p>", "<table><caption>{}</caption><tr><th></th></tr></table>",
        "<details><summary>{}</summary></details>", "<center>{}</center>", "<kbd>{}</kbd>", "<code>{}</code>",
        '<iframe title="{}" src="https://a.example/e"></iframe>', "<pre>{}</pre>",
    ],
)  # fmt: skip
def test_text_is_preserved_in_every_block(around: str) -> None:
    for words in WORDS:
        assert told(convert(around.format(escape(words))).markdown) == words


def test_text_after_a_line_break_is_preserved() -> None:
    for words in WORDS:
        made = convert(f"<p>first | line<br>{escape(words)}<br>last</p>").markdown
        assert told(made).splitlines() == ["first | line", words, "last"]


def test_alternative_text_is_preserved() -> None:
    for words in WORDS:
        for made in (
            convert(f'<p>wow!<img src="a.png" alt="{escape(words)}">x</p>').markdown,
            convert_without_html(
                f'<p>wow!<img src="a.png" alt="{escape(words)}">x</p>', tables=True, strikethrough=True
            ),
            convert(f'<table><tr><th><img src="a.png" alt="{escape(words)}"></th></tr></table>').markdown,
        ):
            assert images_in(render(made)) == [("a.png", words)]


@pytest.mark.parametrize("html", ["<p>{}</p>", "<p>{} x</p>", "<p>{}<br>x</p>", "<p>{}.</p>", "<ul><li>{}</li></ul>"])
def test_a_bare_url_stays_the_same_link(html: str) -> None:
    address = "https://a.example/_b_/c*d~e?f=g&h=i"
    assert links(render(convert(html.format(escape(address))).markdown)) == [address]


def test_an_exclamation_mark_before_a_link_makes_no_image() -> None:
    made = convert('<p>wow!<a href="https://a.example">x</a></p>').markdown
    assert links(render(made)) == ["https://a.example"]


@pytest.mark.parametrize("around", ["<p>{}</p>", "<ul><li>{}</li></ul>", "<h2>{}</h2>", "<p>{}<br>x</p>"])
def test_text_of_raw_html_is_preserved_on_any_platform(around: str) -> None:
    for words in WORDS:
        made = convert_without_html(around.format(escape(words)), tables=True, strikethrough=True)
        assert told(made).splitlines()[0] == words


def cells(made: str) -> list[list[str]]:
    table = html5lib.parseFragment(render(made), namespaceHTMLElements=False)
    return [["".join(cell.itertext()) for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]


def test_table_cells_keep_pipes_line_breaks_and_backslashes() -> None:
    html = "<table><tr><th>a|b<th>c</tr><tr><td>x\\|y</td><td><code>p|q</code></td></tr></table>"
    for made in (
        convert(html.replace("<th>c", "</th><th>c</th>")).markdown,
        convert_without_html(html, tables=True, strikethrough=True),
    ):
        assert cells(made) == [["a|b", "c"], ["x\\|y", "p|q"]]
    made = convert("<table><tr><th>a\nb</th></tr><tr><td>c<br>d</td></tr><tr><td><p>e</p>\n<p>f</p></td></tr></table>")
    assert made.markdown == "| a b |\n| --- |\n| c<br>d |\n| e<br>f |"


def test_a_table_keeps_extra_cells_its_caption_and_an_empty_header() -> None:
    wide = "<table><caption>Of * trees</caption><tr><th>a</th></tr><tr><td>b</td><td>c</td></tr></table>"
    assert convert(wide).markdown == "Of * trees\n\n| a |  |\n| --- | --- |\n| b | c |"
    assert cells(convert(wide).markdown) == [["a", ""], ["b", "c"]]
    assert cells(convert("<table><tr><td>a</td><td>b</td></tr></table>").markdown) == [["", ""], ["a", "b"]]


@pytest.mark.parametrize(
    ("cell", "delimiter"),
    [
        ('<td style="color: red; text-align:right">x</td>', "--:"),
        ('<td align="center">x</td>', ":-:"),
        ('<td class="a has-text-align-left">x</td>', ":--"),
        ("<td>x</td>", "---"),
    ],
)
def test_a_table_keeps_the_alignment_of_its_columns(cell: str, delimiter: str) -> None:
    made = convert(f"<table><tr><th>a</th><th>b</th></tr><tr><td>y</td>{cell}</tr></table>").markdown
    assert made.splitlines()[1] == f"| --- | {delimiter} |"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            '<div class="kg-card kg-toggle-card"><div class="kg-toggle-heading"><h4 class="kg-toggle-heading-text">More'
            '</h4><button><svg></svg></button></div><div class="kg-toggle-content"><p>Inside.</p></div></div>',
            "<details><summary>More</summary>\n\nInside.\n\n</details>",
        ),
        (
            '<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://a.example/">'
            '<div class="kg-bookmark-title">A guide</div><div class="kg-bookmark-description">How to move</div>'
            "</a><figcaption>Read <em>it</em></figcaption></figure>",
            "[A guide](https://a.example/)\\\nHow to move\n\nRead *it*",
        ),
        (
            '<div class="kg-card kg-cta-card"><div class="kg-cta-sponsor-label"><p>Sponsored</p></div><div class='
            '"kg-cta-text"><p>Buy</p></div><a class="kg-cta-button" href="https://a.example/">Now</a></div>',
            "Sponsored\n\nBuy\n\n[Now](https://a.example/)",
        ),
        (
            '<div class="kg-card kg-file-card"><a href="https://a.example/b.pdf"><div class="kg-file-card-title">Paper'
            '</div><div class="kg-file-card-caption">Read it</div><svg></svg></a></div>',
            "[Paper](https://a.example/b.pdf)\\\nRead it",
        ),
        (
            '<div class="kg-card kg-audio-card"><svg></svg><audio src="https://a.example/b.mp3"></audio>'
            '<div class="kg-audio-title">Song</div></div>',
            '<audio src="https://a.example/b.mp3" controls></audio>\n\n*Song*',
        ),
        (
            '<div class="kg-card kg-product-card"><h4 class="kg-product-card-title">Pen</h4>'
            '<div class="kg-product-card-rating">'
            + '<span class="kg-product-card-rating-active"><svg></svg></span>' * 4
            + "<span><svg></svg></span></div></div>",
            "#### Pen\n\n★★★★☆",
        ),
    ],
)
def test_the_words_of_ghosts_cards_are_kept(html: str, markdown: str) -> None:
    made = convert(html)
    assert (made.markdown.replace(" \\", "\\"), made.warnings) == (markdown, ())


def test_a_row_without_headings_becomes_a_plain_list_item() -> None:
    html = "<table><tr><th>A|B</th></tr><tr><td>1</td><td>2</td></tr></table>"
    assert convert_without_html(html, tables=False, strikethrough=True) == "- **A|B:** 1; 2"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("python", "python"), ("c++", "c++"), ("x`y", ""), ("<script>", ""), ("a" * 31, ""), ("", "")],
)
def test_the_language_of_code_is_kept_if_it_is_a_word(name: str, shown: str) -> None:
    html = f'<pre><code class="language-{escape(name)}">a ```` b</code></pre>'
    assert convert(html).markdown == f"`````{shown}\na ```` b\n`````"
    assert convert_without_html(html, tables=True, strikethrough=True) == f"`````{shown}\na ```` b\n`````"


def test_code_at_the_start_of_a_list_item_keeps_its_empty_lines() -> None:
    made = convert("<ul><li><pre>a  \n\n\n\nb</pre></li></ul><ol><li><pre>c\n\n\nd</pre></li></ol><p>e</p>").markdown
    assert made == "- ```\n  a  \n\n\n\n  b\n  ```\n\n1. ```\n   c\n\n\n   d\n   ```\n\ne"


def test_a_line_break_before_a_block_leaves_no_backslash() -> None:
    for html in ("<p>a<br> </p>", "<p>a<br><br></p>", "<div>a<br><ul><li>b</li></ul></div>", "<p><b>a<br></b></p>"):
        assert "\\" not in convert(html).markdown
    assert convert("<p><b>a<br></b>b</p>").markdown == "**a**\\\nb"


def test_an_empty_list_item_makes_no_heading_of_the_outer_item() -> None:
    assert convert("<ul><li>a<ul><li></li></ul></li><li>b</li></ul>").markdown == "- a\n- b"


def test_a_list_with_a_start_number_inside_an_item_stays_a_list() -> None:
    made = render(convert("<ul><li>a<ol start=3><li>b</li></ol></li></ul>").markdown)
    assert '<ol start="3">' in made


def test_a_checkbox_belongs_to_its_own_list_item() -> None:
    html = '<ul><li>a<ul><li><input type="checkbox" checked>b</li></ul></li></ul>'
    assert convert(html).markdown == "- a\n  - [x] b"


def test_footnotes_are_converted() -> None:
    html = (
        '<p>A<sup class="footnote-ref"><a href="#fn1" id="r1">[1]</a></sup> and B<sup><a href="#fn2">2</a></sup>.</p>'
        '<hr class="footnotes-sep"><section class="footnotes"><ol><li id="fn1"><p>One. <a href="#r1">↩︎</a></p></li>'
        '<li id="fn2"><p>Two</p><p>more</p></li></ol></section>'
    )
    assert convert(html).markdown == "A[^1] and B[^2].\n\n[^1]: One.\n\n[^2]: Two\n\n    more"


@pytest.mark.parametrize(
    ("mark", "note", "shown"),
    [
        ("1", '<p id="n"><a href="#m">1</a>. Words</p>', "Words"),
        ("[1]", '<p id="n"><a href="#m">[1]</a> Words</p>', "Words"),
        ("1", '<p id="n"><sup>1</sup> Words <a href="#m">↑</a></p>', "Words"),
        ("1", '<p id="n">[1] Words</p>', "Words"),
        ("1", '<p id="n">1. Words <em>1.</em></p>', r"Words *1\.*"),
        ("*", '<p id="n">* Words</p>', "Words"),
        ("1", '<p id="n">1 cup</p>', "1 cup"),
        ("1", '<p id="n">2. Words</p>', r"2\. Words"),
        ("1", '<ol><li id="n">[1] Words</li></ol>', "[1] Words"),
    ],
)
def test_a_footnote_shows_its_mark_once(mark: str, note: str, shown: str) -> None:
    made = convert(f'<p>A<sup><a id="m" href="#n">{mark}</a></sup></p>{note}').markdown
    assert made == f"A[^1]\n\n[^1]: {shown}"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<p><span style="font-weight:bold">a</span> <font style="font-style: italic">b</font></p>', "**a** *b*"),
        ('<p style="text-decoration: line-through">a <b>b</b></p>', "~~a **b**~~"),
        ('<p><b style="font-weight:400">a</b> <span style="font-weight: 400;">b</span></p>', "a b"),
        ('<pre><span style="font-weight:bold">a</span></pre>', "```\na\n```"),
        ('<p>a <img src="/x.png" alt="A" title="More"> b</p>', 'a ![A](/x.png "More") b'),
        ('<p>a <img src="/blue-sea-300x200.png" title="Blue Sea"></p>', "a ![](/blue-sea-300x200.png)"),
        ("<details open><summary>S</summary>x</details>", "<details open><summary>S</summary>\n\nx\n\n</details>"),
        ('<ol type="a"><li>x</li></ol>', '<ol type="a"><li>x</li></ol>'),
        ("<p>a</p><xmp><b>x</b> &lt;</xmp><p>b</p>", "a\n\n```\n<b>x</b> &lt;\n```\n\nb"),
    ],
)
def test_what_styles_and_attributes_say_is_kept(html: str, markdown: str) -> None:
    assert convert(html).markdown == markdown


def test_the_tooltip_of_an_image_alone_is_named_when_it_is_removed() -> None:
    made = convert('<p><img src="/x.png" alt="A" title="More"></p>')
    assert (made.markdown, made.warnings) == ("![A](/x.png)", ("The tooltip of an image was removed: “More”.",))


def test_removed_content_is_warned_about_once() -> None:
    made = convert(
        "<form><input></form><script>x</script><script>y</script><svg></svg>"
        '<iframe src="https://www.youtube.com/embed/abcdefgh"></iframe><img src="data:image/png;base64,AAAA">'
        "<table><tr><td rowspan=2>a</td></tr></table>"
    )
    assert len(made.warnings) == len(set(made.warnings)) == 7
    assert "https://www.youtube.com/watch?v=abcdefgh" in made.markdown
    assert '<td rowspan="2">a</td>' in made.markdown


def test_scripts_in_links_and_images_are_removed() -> None:
    html = (
        '<a href="javascript:alert(1)">x</a><a href="java&#10;script:alert(1)">y</a><img src=x onerror=alert(1)>'
        '<iframe src="javascript:alert(1)"></iframe><img src="javascript:alert(1)"><video src="data:alert(1)"></video>'
    )
    assert "alert" not in convert(html).markdown
    assert "alert" not in convert_without_html(html, tables=True, strikethrough=True)
    assert convert_without_html('<a href="ftp:a">x</a>', tables=True, strikethrough=True) == "x"


# The others repeat the mechanism of one that stays, and take seconds.
SLOW = ("<i></i> ", "<br>", "a\n\n", "<p>x", "<li>", "<table><thead>", "<td colspan=1000>")


@matrix(
    "bad",
    [
        "<!--", "<?", "<![CDATA[", "<a b='", "<div>", "<b>", "<li>", "<table><tr><td>", "a\n\n", "_*", "[", "&#",
        "<p>x", "[a](", "<br>", "<table><thead>", "<tr><td>x</td></tr>", "<i></i> ", "<b><p title=x>",
        "https://", "<td colspan=1000>",
    ],
    default=lambda bad: bad not in SLOW,
)  # fmt: skip
def test_hostile_html_is_converted_in_bounded_time(bad: str) -> None:
    began = time.process_time()
    convert(bad * 12_000, breaks=True)
    convert_without_html(bad * 3_000, tables=False, strikethrough=False)
    assert time.process_time() - began < 20


def test_a_table_whose_headings_would_repeat_too_often_becomes_code() -> None:
    html = f"<table><tr><th>{'heading ' * 500}</th></tr>{'<tr><td>a</td></tr>' * 500}</table>"
    made = convert_without_html(html, tables=False, strikethrough=False)
    assert made.startswith("```\nheading ")
    assert len(made) < 20_000


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<p><a href="#setup">Setup</a></p><h2 id="setup">Getting started</h2><p>Note'
         '<a href="#fn1"><sup>1</sup></a></p><ol><li id="fn1">N</li></ol>',
         '[Setup](#setup)\n\n## <a id="setup"></a>Getting started\n\nNote[^1]\n\n[^1]: N'),
        ('<p><a href="#set-up">a</a></p><h2 id="set-up">Set up</h2>', "[a](#set-up)\n\n## Set up"),
        ('<p><a href="#x">a</a></p><h2 id="x">One</h2><h2>X</h2>', '[a](#x)\n\n## <a id="x"></a>One\n\n## X'),
        ('<p><a href="#n1">[1]</a></p><ul><li id="n1">N <a href="#r1">up</a></li></ul>',
         '[\\[1\\]](#n1)\n\n- <a id="n1"></a>N [up](#r1)'),
        ('<p><a href="#%C3%BCber">a</a> <a name="über"></a>b</p>', '[a](#%C3%BCber) <a id="über"></a>b'),
        ('<p><a href="#t">a</a></p><table id="t"><tr><td>b</td></tr></table>', None),
        ('<p><a href="#f">a</a></p><figure id="f"><img src="i.png" alt="b"></figure>', None),
        ('<p><a href="#f">a</a></p><pre id="f">code</pre>', None),
        ('<p><a href="#f">a</a></p><dl><dt id="f">b</dt><dd>c</dd></dl>', None),
        ('<p><a href="#f">a</a></p><blockquote id="f"><p>b</p></blockquote>', None),
    ],
)  # fmt: skip
def test_links_inside_the_text_reach_their_target(html: str, markdown: str | None) -> None:
    made = convert(html).markdown
    assert markdown is None or made == markdown
    shown = html5lib.parseFragment(render(made), namespaceHTMLElements=False)
    ids = {element.get("id") for element in shown.iter()}
    targets = {unquote(link.get("href", "")[1:]) for link in shown.iter("a") if "#r1" not in str(link.get("href"))}
    assert targets - {"", "in-r1"} <= ids
