"""HTML to Markdown: lines, links and images of preformatted text."""

from __future__ import annotations

import pytest

from blogsvc.lib.html_to_markdown import convert, convert_without_html
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import images_in, links

CODE = "```\ndef f():\n    return 1\n\nx\n```"


@pytest.mark.parametrize(
    "inside",
    [
        "def f():\n    return 1\n\nx",
        "<div>def f():</div><div>    return 1</div><div><br></div><div>x</div>",
        "<div>def f():<br></div><div>    return 1<br></div><br><div>x</div>",
        "<code><div>def f():</div>\n<div>    return 1</div>\n\n<div>x</div></code>",
        "<p>def f():</p><p>    return 1\n\n</p>x",
        "<ol>\n<li>def f():</li>\n<li>    return 1</li>\n<li><br></li>\n<li>x</li></ol>",
        '<code><table>\n<tr><td class="hljs-ln-numbers">1</td><td>def f():</td></tr>\n<tr><td class="hljs-ln-numbers">2'
        "</td><td>    return 1\n</td></tr><tr><td>\n</td></tr><tr><td>x</td></tr></table></code>",
        '<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n3\n4\n</pre></td>'
        '<td class="rouge-code"><pre>def f():\n    return 1\n\nx\n</pre></td></tr></tbody></table>',
        '<span class="lineno">1 </span>def f():\n<span class="lineno">2 </span>    return 1\n\nx',
    ],
)
def test_the_lines_of_preformatted_text_stay_lines(inside: str) -> None:
    assert convert(f"<pre>{inside}</pre>").markdown == CODE


def test_cells_in_preformatted_text_stay_apart() -> None:
    assert convert("<pre><table><tr><td>a</td><td>b</td></tr></table></pre>").markdown == "```\na\tb\n```"


VERSE = (
    '<pre class="wp-block-verse">Over the <a href="https://a.example/sea">sea</a>\n  and <em>far</em>\n\n'
    '<img src="boat.png" alt="Boat">away</pre>'
)


def test_links_and_images_in_preformatted_text_are_kept() -> None:
    made = convert(VERSE)
    page = render(made.markdown)
    assert (links(page), images_in(page)) == (["https://a.example/sea"], [("boat.png", "Boat")])
    assert "sea</a>\n  and <em>far</em>\n\n<img" in page
    assert made.warnings == ("Preformatted text with links, images or marks was kept as HTML.",)


@pytest.mark.parametrize(
    ("html", "is_kept"),
    [
        ('<pre class="wp-block-verse">Roses are <em>red</em></pre>', True),
        ("<pre>$ <b>ls</b></pre>", True),
        ('<pre class="brush: php"><b>if</b></pre>', False),
        ("<pre><code><b>if</b></code></pre>", False),
        ('<pre><span class="k"><b>if</b></span></pre>', False),
    ],
)
def test_marks_stay_in_preformatted_text_that_is_no_code(html: str, is_kept: bool) -> None:
    assert ("<pre>" in convert(html).markdown) == is_kept


def test_links_and_images_in_preformatted_text_keep_their_address_without_html() -> None:
    html = VERSE.replace("boat.png", "https://a.example/boat.png")
    assert convert_without_html(html, tables=True, strikethrough=True) == (
        "```\nOver the sea (https://a.example/sea)\n  and far\n\nBoat (https://a.example/boat.png)away\n```"
    )


def test_links_to_lines_and_bare_addresses_stay_code() -> None:
    html = '<pre><a href="#l1" id="l1">a</a>\n<a href="https://a.example/">https://a.example/</a></pre>'
    assert convert(html).markdown == "```\na\nhttps://a.example/\n```"
