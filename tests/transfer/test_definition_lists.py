"""Definition lists of Kramdown (Jekyll), Goldmark (Hugo) and Pandoc are shown as such, with the Markdown in them."""

from __future__ import annotations

import re

import pytest

from blogsvc.lib.markdown.render import render
from tests.transfer.test_kramdown import imported

NAMES = ["_posts/2020-01-02-a.md", "content/a.md", "notes/a.md"]


def shown(text: str, name: str = NAMES[0]) -> str:
    """Return the HTML of an imported text, without the spaces between its elements."""
    return re.sub(r"\s*(<[^<>]+>)\s*", r"\1", render(imported(text, name).markdown)).replace("\n", " ")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("Apple\n: A fruit\n: A firm", "<dl><dt>Apple</dt><dd>A fruit</dd><dd>A firm</dd></dl>"),
        ("Apple\nPear\n: A fruit", "<dl><dt>Apple</dt><dt>Pear</dt><dd>A fruit</dd></dl>"),
        ("Apple\n\n: A fruit\n\nPear\n: B", "<dl><dt>Apple</dt><dd>A fruit</dd><dt>Pear</dt><dd>B</dd></dl>"),
        ("Apple\n:   A fruit\nof trees", "<dl><dt>Apple</dt><dd>A fruit of trees</dd></dl>"),
        (
            "Pear\n: Another\n\n  second para\n\nAfter",
            "<dl><dt>Pear</dt><dd><p>Another</p><p>second para</p></dd></dl><p>After</p>",
        ),
        ("Pear\n: Def\n\n    second", "<dl><dt>Pear</dt><dd><p>Def</p><p>second</p></dd></dl>"),
        ("Pear\n:\tDef\n\n\tsecond", "<dl><dt>Pear</dt><dd><p>Def</p><p>second</p></dd></dl>"),
        ("Pear\n: - a\n  - b\n\n# H", "<dl><dt>Pear</dt><dd><ul><li>a</li><li>b</li></ul></dd></dl>"),
        (
            "*Pear*\n: A [b](/c), `d`",
            '<dl><dt><p><em>Pear</em></p></dt><dd><p>A<a href="/c">b</a>,<code>d</code></p></dd></dl>',
        ),
        ('Pear\n: It\'s "x" -- 1', "<dl><dt>Pear</dt><dd><p>It’s “x” – 1</p></dd></dl>"),
        ("Pear\n: 1. one", "<dl><dt>Pear</dt><dd><ol><li>one</li></ol></dd></dl>"),
        ("Pear\n: a & b <c", "<dl><dt>Pear</dt><dd><p>a &amp; b &lt;c</p></dd></dl>"),
        ("A\n: B\n\n  C\n  : D", "<dl><dt>A</dt><dd><p>B</p><dl><dt>C</dt><dd>D</dd></dl></dd></dl>"),
        ("- A\n  : B\n- c", "<ul><li><dl><dt>A</dt><dd>B</dd></dl></li><li>c</li></ul>"),
        ("> A\n> : B *c*", "<blockquote><dl><dt>A</dt><dd><p>B<em>c</em></p></dd></dl></blockquote>"),
        ("Words.\n\nA\n: B\n\nMore.", "<p>Words.</p><dl><dt>A</dt><dd>B</dd></dl><p>More.</p>"),
        ("A\n: B\n## Next", "<dl><dt>A</dt><dd>B</dd></dl><h2"),
        (
            "A\n: ```\n  x\n\n  y\n  ```",
            '<dl><dt>A</dt><dd><pre class="code" tabindex="0"><code>x  y</code></pre></dd></dl>',
        ),
        ("A\n: B[^1]\n\n[^1]: C", "<sup"),
    ],
)
def test_a_definition_list_is_shown_as_one(name: str, written: str, html: str) -> None:
    assert html in shown(written, name)


def test_attributes_are_about_the_list_above_them_and_its_items() -> None:
    assert '<p><a id="in-x"></a></p><dl><dt>A</dt><dd>B</dd></dl>' in shown("A\n: B\n{: #x}")
    assert '<dd><p><a id="in-x"></a></p><p>B</p></dd>' in shown("A\n: {:#x} B")
    post = imported("A\n: {:.big} B\n{: .wide-list}")
    assert post.markdown == "<dl>\n<dt>A</dt>\n<dd>\n\nB\n\n</dd>\n</dl>"
    assert [warning.split(" (")[0] for warning in post.warnings if "{" in warning] == [
        "The attributes {: .wide-list} were removed",
        "The attributes {:.big} were removed",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Words\n:smile: more",
        "Words:\nmore : words",
        "```\nA\n: B\n```",
        "    A\n    : B",
        "| a |\n|---|\n| b |\n\n: A caption",
        "<pre>\nA\n: B\n</pre>",
        "## Heading\n\n: words",
        "A\n\n\n: B",
    ],
)
def test_other_lines_with_colons_stay(text: str) -> None:
    assert imported(f"Before.\n\n{text}\n\nEnd.").markdown == f"Before.\n\n{text}\n\nEnd."


def test_programs_without_definition_lists_keep_the_text() -> None:
    assert imported("A\n: B", "src/content/a.md").markdown == "A\n: B"
