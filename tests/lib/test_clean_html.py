"""Clean HTML has no tags in its attributes, whichever sanitiser made it."""

from __future__ import annotations

import pytest

from blogsvc.lib.markdown.clean_html import cleaned, escaped_attributes
from tests.html_safety import dangers


@pytest.mark.parametrize(
    ("html", "escaped"),
    [
        ('<a title="<img src=x>">x</a>', '<a title="&lt;img src=x&gt;">x</a>'),
        ('<img alt="a > b" src="x"><p id="<">', '<img alt="a &gt; b" src="x"><p id="&lt;">'),
        ('<a href="/" title="a\n<b>" lang="en">', '<a href="/" title="a\n&lt;b&gt;" lang="en">'),
        ('a="<b>c</b>" d="<i>e</i>"', 'a="<b>c</b>" d="<i>e</i>"'),
        ('<input checked disabled title="<">', '<input checked disabled title="&lt;">'),
        ('<p title="&lt;">a &lt; b</p>', '<p title="&lt;">a &lt; b</p>'),
        ('<a title=">"><b title="<">', '<a title="&gt;"><b title="&lt;">'),
    ],
)
def test_only_values_of_attributes_are_escaped(html: str, escaped: str) -> None:
    assert escaped_attributes(html) == escaped


def test_clean_html_has_no_tag_in_an_attribute() -> None:
    html = cleaned("<p title='<script>alert(1)</script>' onclick=x>a</p>", attributes={"p": {"title"}})
    assert html == '<p title="&lt;script&gt;alert(1)&lt;/script&gt;">a</p>'
    assert list(dangers(html)) == []
