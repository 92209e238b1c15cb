"""Pasted HTML becomes Markdown."""

from __future__ import annotations

import pytest

from blogsvc.errors import TextRefused
from blogsvc.lib import html_to_markdown
from blogsvc.lib.html_to_markdown import MAX_PASTED

WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0}</style></head>
<body><!--StartFragment--><p class=MsoNormal>Dear&nbsp;<b>Ann</b><o:p></o:p></p><p class=MsoNormal>It <i>rains</i>.</p>
<!--EndFragment--></body></html>"""


def convert_pasted(html: str) -> str:
    return html_to_markdown.convert_pasted(html).markdown


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


@pytest.mark.parametrize("html", ["<blockquote>" * 1000 + "a", "<b>a</b>" * 20_001])
def test_html_with_too_many_or_too_deep_elements_is_rejected(html: str) -> None:
    with pytest.raises(TextRefused, match="too many or too deeply nested"):
        convert_pasted(html)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://www.google.com/url?q=https://a.example/x&amp;sa=D", "https://a.example/x"),
        ("https://www.google.de/url?url=https://a.example/", "https://a.example/"),
        ("https://l.facebook.com/l.php?u=https%3A%2F%2Fa.example%2F%3Fb%3Dc", "https://a.example/?b=c"),
        ("https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.example%2F", "https://a.example/"),
        ("https://www.google.com/url?q=javascript:alert(1)", "https://www.google.com/url?q=javascript:alert%281%29"),
        ("https://a.example/url?q=https://b.example/", "https://a.example/url?q=https://b.example/"),
    ],
)
def test_links_through_redirecting_pages_lead_to_their_targets(url: str, target: str) -> None:
    assert convert_pasted(f'<a href="{url}">x</a>') == f"[x]({target})"


def test_styles_that_say_normal_are_not_bold() -> None:
    bold = '<span style="font-weight:700">{}</span>'
    html = f'<p><b style="font-weight:normal">a{bold.format("b")}{bold.format("c")}</b></p>'
    assert convert_pasted(html) == "a**bc**"


def test_text_that_is_all_monospace_is_not_code() -> None:
    html = '<p><span style="font-family:Courier">One</span></p><p><span style="font-family:Courier">Two</span></p>'
    assert convert_pasted(html) == "One\n\nTwo"


def checklist_item(text: str, level: int, is_checked: bool) -> str:
    """Return an item as Google Docs copies it, after the browser replaced the data of its icon."""
    line = "line-through" if is_checked else "none"
    style = f"font-size:11.5pt;font-family:Arial,sans-serif;font-weight:400;text-decoration:{line};white-space:pre"
    return (
        f'<li dir="ltr" role="checkbox" aria-checked="{str(is_checked).lower()}" style="list-style-type:none;{style};"'
        f' aria-level="{level}"><img src="https://clipboard.invalid/1700000000000-0" width="18.4px" height="18.4px"'
        f' alt="{"checked" if is_checked else "unchecked"}" aria-roledescription="checkbox" style="margin:3px;" />'
        f'<p dir="ltr" style="line-height:1.38;display:inline-block;vertical-align:top;" role="presentation"><span'
        f' style="{style}-wrap;">{text}</span></p></li>'
    )


def test_a_checklist_of_google_docs_becomes_a_task_list() -> None:
    html = (
        '<b style="font-weight:normal;" id="docs-internal-guid-1980f960-7fff-f4df-4ba3-26c6e1508542"><ul'
        f' style="padding-inline-start:28px;">{checklist_item("Buy a ticket", 1, True)}'
        f"{checklist_item('Pack', 1, False)}<ul>{checklist_item('Socks', 2, True)}{checklist_item('Hat', 2, False)}"
        "</ul></ul></b>"
    )
    assert html_to_markdown.convert_pasted(html) == html_to_markdown.Pasted(
        "- [x] Buy a ticket\n- [ ] Pack\n  - [x] Socks\n  - [ ] Hat"
    )


def test_an_image_in_an_item_of_a_checklist_stays() -> None:
    image = '<img src="https://lh7-rt.googleusercontent.com/docsz/AD_4nXd0" alt="Hat" width="602" height="401">'
    html = f"<ul>{checklist_item(f'Hat {image}', 1, False)}</ul>"
    assert convert_pasted(html) == "- [ ] Hat\n\n  ![Hat](https://lh7-rt.googleusercontent.com/docsz/AD_4nXd0)"


def test_struck_text_of_an_unchecked_item_stays_struck() -> None:
    struck = '<span style="text-decoration:line-through;">socks</span>'
    assert convert_pasted(f"<ul>{checklist_item(f'Pack {struck}', 1, False)}</ul>") == "- [ ] Pack ~~socks~~"


LIBREOFFICE = """<!DOCTYPE html><html><head><meta name="generator" content="LibreOffice 24.2.5.2 (Linux)"/>
<style type="text/css">
	p.quotations-western { font-size: 10pt; so-language: en-GB; margin-left: 1cm; margin-right: 1cm }
	pre.western { font-family: "Liberation Mono", monospace; font-size: 10pt }
	p.preformatted-text-western { font-family: "Liberation Mono", monospace; font-size: 10pt }
</style></head>
<body lang="en-GB" dir="ltr"><p class="western" style="line-height: 115%">They say:</p>
"""


@pytest.mark.parametrize(
    "quotation",
    [
        '<p class="quotations-western" style="margin-bottom: 0.5cm">',
        '<p class="quotations">',
        '<p class="quotations-cjk">',
        '<blockquote class="western" style="text-align: left">',
        '<p class=MsoQuote style="margin-left:43.2pt">',
    ],
)
def test_quotations_of_a_word_processor_become_one_blockquote(quotation: str) -> None:
    end = "</blockquote>" if "blockquote" in quotation else "</p>"
    html = f"{quotation}The boats\nare <b>late</b>.{end}\n{quotation}Often.{end}\n<p>And:</p>\n{quotation}No.{end}"
    assert convert_pasted(LIBREOFFICE + html) == (
        "They say:\n\n> The boats are **late**.\n>\n> Often.\n\nAnd:\n\n> No."
    )


def test_quotations_of_web_pages_stay_apart() -> None:
    html = "<blockquote><p>One</p></blockquote><blockquote>Two</blockquote>"
    assert convert_pasted(html) == "> One\n\n> Two"


@pytest.mark.parametrize(
    "code",
    [
        '<pre class="western">make *sail*\n  --fast</pre>',
        '<p class="preformatted-text-western">make *sail*</p><p class="preformatted-text-western">  --fast</p>',
    ],
)
def test_preformatted_text_of_libreoffice_becomes_a_code_block(code: str) -> None:
    prose = '<p class="western">The boats are never late, they say, and sometimes even early.</p>'
    assert convert_pasted(LIBREOFFICE + code + prose).startswith(
        "They say:\n\n```\nmake *sail*\n  --fast\n```\n\nThe boats"
    )


TAB = '<span class="Apple-tab-span">\t</span>'


def cocoa(*paragraphs: str) -> str:
    """Return paragraphs as Pages, Notes and TextEdit copy them."""
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><html><head><meta'
        ' http-equiv="Content-Type" content="text/html; charset=UTF-8"><meta name="Generator" content="Cocoa HTML'
        ' Writer"><style type="text/css">\np.p1 {margin: 0.0px 0.0px 0.0px 0.0px; font: 11.0px \'Helvetica Neue\'}\n'
        "span.s1 {text-decoration: underline ; color: #0563c1}\nspan.s2 {font: bold 11.0px 'Helvetica Neue'}\n"
        "</style></head><body>\n" + "\n".join(f'<p class="p1">{text}</p>' for text in paragraphs) + "\n</body></html>"
    )


@pytest.mark.parametrize("bullet", ["•", "-", "–", "◦", "▪", "⁃", "*"])
def test_bullets_between_tabs_of_apple_programs_become_a_list(bullet: str) -> None:
    html = cocoa("Bring:", f"{TAB}{bullet}{TAB}A <b>warm</b> coat", f"{TAB}{bullet}{TAB}Coins", "And come.")
    assert convert_pasted(html) == "Bring:\n\n- A **warm** coat\n- Coins\n\nAnd come."


def test_items_of_apple_programs_with_more_tabs_are_nested() -> None:
    html = cocoa(
        f"{TAB}•{TAB}Coat",
        f"{TAB}{TAB}◦{TAB}Warm",
        f'<span class="Apple-tab-span">\t\t\t</span>▪{TAB}Wool',
        f"{TAB}{TAB}◦{TAB}Dry",
        f"{TAB}•{TAB}Coins",
    )
    assert convert_pasted(html) == "- Coat\n  - Warm\n    - Wool\n  - Dry\n- Coins"


def test_numbers_between_tabs_of_apple_programs_become_a_list() -> None:
    html = cocoa(f"{TAB}3.{TAB}Board", f"{TAB}{TAB}a.{TAB}Find a seat", f"{TAB}{TAB}b.{TAB}Sit", f"{TAB}4.{TAB}Sail")
    assert convert_pasted(html) == "3. Board\n   1. Find a seat\n   2. Sit\n4. Sail"
    assert convert_pasted(cocoa(f"{TAB}1){TAB}Board", f"{TAB}2){TAB}Sail")) == "1. Board\n2. Sail"


def test_an_item_of_an_apple_program_keeps_its_link_and_styles() -> None:
    link = '<a href="https://harbour.example/"><span class="s1">harbour</span></a>'
    tabs = '<span class="Apple-tab-span" style="white-space:pre">\t</span>'
    html = cocoa(f'<span class="s2">{tabs}•{tabs}See the {link}</span>')
    assert convert_pasted(html) == "- **See the [harbour](https://harbour.example/)**"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("- one", r"\- one"),
        ("1. one", r"1\. one"),
        (f"{TAB}One sentence.", "One sentence."),
        (f"Name{TAB}•{TAB}Place", "Name • Place"),
        (f"{TAB}Note.{TAB}One", "Note. One"),
    ],
)
def test_a_paragraph_without_a_marker_between_tabs_is_no_item(text: str, written: str) -> None:
    assert convert_pasted(cocoa(text)) == written
