"""White space of WordPress posts from before the block editor: paragraphs and line breaks as WordPress shows them."""

from __future__ import annotations

import pytest

from blogsvc.lib.html_to_markdown import convert

# What people typed, and the Markdown of what WordPress shows. `tests/real/test_wordpress.py` asks a real one.
CASES = [
    ("<span>P one.</span>\n\n<span>P two.</span>\n\nName: <b>Ann</b>\nTown: <b>Kiel</b>",
     "P one.\n\nP two.\n\nName: **Ann**\\\nTown: **Kiel**"),
    ("a\r\n\r\nb\r\nc", "a\n\nb\\\nc"),
    ("a\n \n\n\nb<br>\nc<br />d", "a\n\nb\\\nc\\\nd"),
    ("a<br><br>b<br />\n<br />c", "a\n\nb\n\nc"),
    ("<em>one\ntwo</em> three", "*one\\\ntwo* three"),
    ("<strong>one\n\ntwo</strong>\n\nthree", "**one**\n\n**two**\n\nthree"),
    ("<a href='/x'>one\n\ntwo</a>", "[one](/x)\n\n[two](/x)"),
    ("text\n<ul>\n<li>one\ntwo</li>\n<li>three</li>\n</ul>\nafter", "text\n\n- one\\\n  two\n- three\n\nafter"),
    ("<h2>Head</h2>\ntext\n<h2>Next</h2>", "## Head\n\ntext\n\n## Next"),
    ("<blockquote>one\n\ntwo\nthree</blockquote>\nafter", "> one\n>\n> two\\\n> three\n\nafter"),
    ("<div>one\ntwo\n\nthree</div>four", "one\\\ntwo\n\nthree\n\nfour"),
    ("a\n<pre>b\n\nc\n\td</pre>\ne", "a\n\n```\nb\n\nc\n\td\n```\n\ne"),
    ("<table>\n<tr>\n<th>a</th>\n</tr>\n<tr>\n<td>b\nc</td>\n</tr>\n</table>", "| a |\n| --- |\n| b<br>c |"),
    ('<img src="a.png"\nalt="b">\n<!-- a\n\nb -->\nc', "![b](a.png)\\\n\\\nc"),
    ("a <", "a <"),
    ("a < b\n\nc <3 d", "a < b\n\nc <3 d"),
    ("<p>one\ntwo</p>\n<p>three</p>", "one\\\ntwo\n\nthree"),
    ("a\n\n&nbsp;\n\nb", "a\n\nb"),
    ("\u3000one\n\n\u3000two\n\n\u3000three\n\u3000four\n\n\u3000\n\n<div>\u3000five</div>",
     "&#12288;one\n\n&#12288;two\n\n&#12288;three\\\n&#12288;four\n\n&#12288;five"),
    ("a\n\u2003\nb", "a\\\n&#8195;\\\nb"),
    ("one\n<!--more-->\ntwo", "one\\\n\\\ntwo"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "markdown"), CASES)
def test_empty_lines_are_paragraphs_and_newlines_are_line_breaks(html: str, markdown: str) -> None:
    assert convert(html, breaks=True).markdown == markdown
