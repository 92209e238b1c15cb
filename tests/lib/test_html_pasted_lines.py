"""HTML that is pasted: lines of code editors and chats stay lines, and neighbors stay apart."""

from __future__ import annotations

import pytest

from blogsvc.lib import html_to_markdown

CODE = "```\ndef f():\n    return 1\n\nx\n```"


def convert_pasted(html: str) -> str:
    return html_to_markdown.convert_pasted(html).markdown


VSCODE = (
    "<meta charset='utf-8'><div style=\"color: #d4d4d4;background-color: #1e1e1e;font-family: Menlo, Monaco, 'Courier"
    " New', monospace;font-weight: normal;font-size: 12px;line-height: 18px;white-space: pre;\">{}</div>"
)


def test_code_of_a_code_editor_becomes_a_code_block() -> None:
    lines = (
        '<div><span style="color: #569cd6;">def</span><span style="color: #d4d4d4;"> f():</span></div>'
        '<div><span style="color: #d4d4d4;">&nbsp; &nbsp; </span><span>return</span> 1</div><br><div>x</div>'
    )
    assert convert_pasted(VSCODE.format(lines)) == CODE
    assert convert_pasted(VSCODE.format("<div><span>a</span><span> *= b</span></div>")) == "`a *= b`"


@pytest.mark.parametrize("style", ["white-space: pre-wrap", "white-space:pre", "white-space-collapse: preserve"])
def test_newlines_that_a_program_shows_are_lines(style: str) -> None:
    for html in (
        f'<p style="{style}">one\n\n  two</p>',
        f'<div style="{style}">\n<span>one</span>\n\n  <b style="font-weight:normal">two</b>\n</div>',
    ):
        assert convert_pasted(html) == "one\\\n\\\n&nbsp;&nbsp;two"


def test_newlines_that_a_program_does_not_show_are_spaces() -> None:
    html = '<div style="white-space: pre-wrap">\n<p style="white-space: normal">one\ntwo</p>\n<p>three</p>\n</div>'
    assert convert_pasted(html) == "one two\n\nthree"
    assert convert_pasted('<p style="white-space: nowrap">one\ntwo</p>') == "one two"


@pytest.mark.parametrize("tag", ["<br {}>", "<span {}></span>"])
def test_the_breaks_of_slack_separate_paragraphs(tag: str) -> None:
    mark = tag.format('class="c-mrkdwn__br" data-stringify-type="paragraph-break"')
    for around in ("<div>{}</div>", "<p>{}</p>", "{}"):
        html = around.format(f"one <b>1</b>{mark}two<br>three{mark}<i>four</i>")
        assert convert_pasted(html) == "one **1**\n\ntwo\\\nthree\n\n*four*"
    assert convert_pasted(f"<p><b>one{mark}two</b></p>") == "**one\\\ntwo**"


@pytest.mark.parametrize("item", ["<p>one</p>two", "one<p>two</p>", "<p>one</p><b>two</b>", "one<p>two</p><ul></ul>"])
def test_a_paragraph_beside_text_in_a_pasted_item_stays_apart(item: str) -> None:
    assert convert_pasted(f"<ul><li>{item}</li></ul>").replace("*", "") == "- one\n\n  two"
    assert convert_pasted("<ul><li><p>one</p><ul><li>two</li></ul></li></ul>") == "- one\n  - two"


def test_pasted_codes_beside_each_other_stay_two() -> None:
    assert convert_pasted("<p><code>a</code> <code>b</code><code>c</code></p>") == "`a` `b`<code>c</code>"
    parts = "<span style='font-family:Menlo'>a</span><span style='font-family:Menlo'>.b</span>"
    assert convert_pasted(f"<p>{parts} is code, and the rest is not.</p>").startswith("`a.b` is")
