"""Pasted HTML becomes Markdown."""

from __future__ import annotations

import pytest

from blogsvc.errors import TextRefused
from blogsvc.lib.html_to_markdown import MAX_PASTED, convert_pasted

WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0}</style></head>
<body><!--StartFragment--><p class=MsoNormal>Dear&nbsp;<b>Ann</b><o:p></o:p></p><p class=MsoNormal>It <i>rains</i>.</p>
<!--EndFragment--></body></html>"""


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<h2>Head</h2><p>a <strong>b</strong> <em>c</em></p>", "## Head\n\na **b** *c*"),
        ('<a href="https://x.example/a_b">link</a>', "[link](https://x.example/a_b)"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("<ol><li>one</li><li>two</li></ol>", "1. one\n2. two"),
        ("<blockquote><p>said</p></blockquote>", "> said"),
        ("<p>snake_case and 2 * 3</p>", "snake_case and 2 * 3"),
        ("<p>a <code>b_c</code></p>", "a `b_c`"),
        ("<script>alert(1)</script><p onclick=x>safe</p>", "safe"),
        ('<a href="javascript:alert(1)">x</a>', "x"),
        (WORD, "Dear **Ann**\n\nIt *rains*."),
    ],
)
def test_pasted_html_is_converted(html: str, written: str) -> None:
    assert convert_pasted(html) == written


def test_a_pasted_table_is_converted() -> None:
    html = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    assert convert_pasted(html).splitlines() == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]


def test_too_long_html_is_rejected() -> None:
    with pytest.raises(TextRefused, match="too long"):
        convert_pasted("x" * (MAX_PASTED + 1))


def test_too_deeply_nested_html_becomes_plain_text() -> None:
    assert convert_pasted("<blockquote>" * 1000 + "a * b_") == "a * b\\_"
