"""HTML as Markdown: what it says when it is rendered is what the HTML said."""

from __future__ import annotations

import time

import pytest

from blogsvc.lib import markdown
from blogsvc.lib.html_to_markdown import convert


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
def test_html_becomes_the_markdown_an_author_might_write(html: str, text: str | None) -> None:
    made = convert(html).markdown
    assert made == (text if text is not None else "[![\\[i\\]](i.png)](https://x.example/a%20b%28c%29)")


@pytest.mark.parametrize(
    "words",
    [
        "2 * 3 * 4", "snake_case and _this_ and *that*", "a < b > c", "<div> is a tag", "&amp; and &copy;",
        "# no heading", "1. no list", "- no list", "+ no list", "> no quote", "[a](b) [c][d] [x]", "~~not struck~~",
        "back\\slash `tick`",
        "a | b", "= x", "!(x)", "[^1]", "**", "*", "_", "1986. A year", "\\[x]", "&lt;", "`", "[ ] task",
    ],
)  # fmt: skip
def test_plain_words_stay_what_they_are(words: str) -> None:
    html = "<p>" + words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") + "</p>"
    assert markdown.plain(markdown.render(convert(html).markdown)) == words


def test_footnotes_become_footnotes() -> None:
    html = (
        '<p>A<sup class="footnote-ref"><a href="#fn1" id="r1">[1]</a></sup> and B<sup><a href="#fn2">2</a></sup>.</p>'
        '<hr class="footnotes-sep"><section class="footnotes"><ol><li id="fn1"><p>One. <a href="#r1">↩︎</a></p></li>'
        '<li id="fn2"><p>Two</p><p>more</p></li></ol></section>'
    )
    assert convert(html).markdown == "A[^1] and B[^2].\n\n[^1]: One.\n\n[^2]: Two\n\n    more"


def test_what_is_left_out_is_told_once() -> None:
    made = convert(
        "<form><input></form><script>x</script><script>y</script><svg></svg>"
        '<iframe src="https://www.youtube.com/embed/abcdefgh"></iframe><img src="data:image/png;base64,AAAA">'
        "<table><tr><td rowspan=2>a</td></tr></table>"
    )
    assert len(made.warnings) == len(set(made.warnings)) == 7
    assert "https://www.youtube.com/watch?v=abcdefgh" in made.markdown
    assert '<td rowspan="2">a</td>' in made.markdown


def test_scripts_do_not_come_in_by_links_or_pictures() -> None:
    html = '<a href="javascript:alert(1)">x</a><img src=x onerror=alert(1)><iframe src="javascript:alert(1)"></iframe>'
    made = markdown.render(convert(html).markdown)
    assert "alert" not in made


@pytest.mark.parametrize(
    "bad",
    [
        "<!--", "<?", "<![CDATA[", "<a b='", "<div>", "<b>", "<li>", "<table><tr><td>", "a\n\n", "_*", "[", "&#",
        "<p>x",
        "[a](",
    ],
)  # fmt: skip
def test_what_is_hostile_takes_no_time(bad: str) -> None:
    began = time.monotonic()
    convert(bad * 12_000, breaks=True)
    assert time.monotonic() - began < 20
