"""HTML to Markdown and back: characters, marks, words and the targets of links stay the same."""

from __future__ import annotations

import pytest

from blogsvc.lib.html_to_markdown import convert
from blogsvc.lib.markdown.render import render
from tests.lib.random_html import RandomHtml
from tests.lib.shown_html import shown
from tests.tiers import exhaustive


def assert_survives(html: str) -> None:
    markdown = convert(html).markdown
    assert shown(render(markdown)) == shown(html), f"{html}\n----\n{markdown}"


@pytest.mark.parametrize(
    "html",
    [
        # Marks beside marks, letters and punctuation
        "<p><span>foo</span><strong>(bar)</strong>baz</p>",
        "<p><span><b>注意！</b></span>再</p>",
        "<p><b>a</b><i>(b)</i>c</p>",
        "<p><b>a</b><i>b</i><b>c</b><s>d</s><s>e</s></p>",
        "<p>a<b>b<i>c</i></b>d <i>e<b>f</b></i><b>g</b></p>",
        "<p><b>「引用」</b>です。<i>„Zitat“</i>und</p>",
        "<p>2<b> * </b>3 <del>~</del></p>",
        "<p><b><i>a</i>\nb <u>c</u><i>!d</i></b> <i>a(<b>(b)</b>c)</i> <b>a<i>b</i>c</b></p>",
        "<p><b>ends with \\</b>x</p>",
        # Code
        "<p><code>a</code><code>b</code><b><code>c</code></b></p>",
        "<p><code>f(<a href='https://a.example/'>x</a>)</code> <code><b>b</b></code></p>",
        "<p><code>a<br>b</code> <code>c<code>d</code></code></p>",
        # Bare addresses before something else
        "<p>https://a.example/b<b>c</b> www.a.example<code>d</code> https://a.example/<a href='/x'>e</a></p>",
        "<p><b>https://a.example/</b>c www.a.example/b_<br>d __me@a.example__</p>",
        "<p>https://a.example/`*b*` www.a.example/*c* https://a_b.example/*d*</p>",
        # Spaces at the edge of a mark
        "<p><strong>Tide:&nbsp;</strong>high <i>&nbsp;and</i> <a href='/x'>low&#x3000;</a>tide</p>",
        "<p>a<b> </b>b<a href='/x'> </a>c<i><br>d</i></p>",
        "<p>&nbsp;&nbsp;indented<br>&#x3000;&#x3000;段落</p><h2>a&nbsp;b&#x2009;c</h2>",
        "<table><tr><td>1&#x202f;000&nbsp;km</td><td>a&nbsp;</td></tr></table>",
        # Marks and links around blocks
        "<a href='/x'><h2>Head</h2><p>text <b>bold</b></p></a>",
        "<a href='/x'><ul><li>one</li><li>two</li></ul></a><b><p>a</p><p>b</p></b>",
        "<a href='/x'><figure><img src='a.png' alt='A'><figcaption>Boat</figcaption></figure></a>",
        "<i><blockquote><p>a</p></blockquote></i><del><table><tr><td>b</td></tr></table></del>",
        # Lists and rules
        "<ul><li>a</li></ul><ul><li>b</li></ul><ol><li>c</li></ol><ol><li>d</li></ol><div><ol><li>e</li></ol></div>",
        "<ul><li>a</li></ul><p><br></p><ul><li>b</li></ul><hr><ul><li>c</li></ul>",
        "<ul><li><hr></li><li><ul><li>a</li></ul><ul><li>b</li></ul></li></ul>",
        "<p><b>a<br></b># b</p><p>c<i><br></i>- d</p>",
        # Preformatted text
        "<pre><code>all:\n\techo done\n\n\t\tx  </code></pre><ul><li><pre>a\n\tb</pre></li></ul>",
        "<blockquote><pre>\ta\n\n b\n</pre></blockquote>",
        # What stays HTML
        "<details><summary>A <b>b</b> <a href='/x'>c</a></summary><p>d</p></details>",
        "<dl><dt><u>a</u> <kbd>b</kbd></dt><dd><sub>c</sub> <s>d</s></dd></dl>",
    ],
)  # fmt: skip
def test_text_survives(html: str) -> None:
    assert_survives(html)


def test_preformatted_text_in_a_table_keeps_its_lines() -> None:
    assert_survives("<table><tr><td><pre>a\n\tb\n  c</pre></td></tr></table>")


def test_random_html_survives() -> None:
    for seed in range(100):
        assert_survives(RandomHtml(seed).post())


@exhaustive
@pytest.mark.parametrize("part", range(4))
def test_20_000_random_trees_survive(part: int) -> None:
    for seed in range(part * 500, (part + 1) * 500):
        trees = RandomHtml(seed).trees(10)
        if shown(render(convert("".join(trees)).markdown)) != shown("".join(trees)):
            for tree in trees:
                assert_survives(tree)
            assert_survives("".join(trees))
