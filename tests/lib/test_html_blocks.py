"""HTML to Markdown: lines and blocks stay apart, whichever elements are around and between them."""

from __future__ import annotations

import html5lib
import pytest

from blogsvc.lib.html_to_markdown import convert
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain


def lines(html: str) -> list[str]:
    """Return the lines that our pages show of imported HTML."""
    return [line.strip() for line in plain(render(convert(html).markdown)).splitlines() if line.strip()]


@pytest.mark.parametrize(
    "name", "acronym bdi blink data font label marquee my-element nobr output picture rb slot time xx".split()
)
def test_a_line_beside_an_inline_element_stays_a_line(name: str) -> None:
    html = f"<p>one<br><{name}>two <b>2</b></{name}><br>three <{name}>3</{name}><br></p><p><{name}># 4</{name}></p>"
    assert lines(html) == ["one", "two 2", "three 3", "# 4"]


@pytest.mark.parametrize("name", "script style template noscript svg button canvas math".split())
def test_a_line_beside_an_element_that_is_removed_stays_a_line(name: str) -> None:
    removed = f"<{name}>x</{name}>"
    html = f"<p>one{removed}<br>two<br>{removed}<b>three</b><br>{removed}<br>{removed}# 4{removed}</p>"
    assert lines(html) == ["one", "two", "three", "# 4"]


@pytest.mark.parametrize("name", "address center dialog fieldset hgroup legend search".split())
def test_text_beside_any_block_stays_apart(name: str) -> None:
    html = f"<div>one<{name}>two</{name}>three<br><{name}><p>four</p></{name}></div>"
    assert lines(html) == ["one", "two", "three", "four"]
    assert "\\" not in convert(html).markdown


def test_a_line_break_before_a_block_in_an_inline_element_shows_no_backslash() -> None:
    html = "<p>one<br><my-card><p>two</p></my-card></p><span><p>three</p></span><br>four"
    assert lines(html) == ["one", "two", "three", "four"]


def test_an_acronym_is_an_abbreviation() -> None:
    html = '<p>The <acronym title="HyperText Markup Language">HTML</acronym></p>'
    assert convert(html).markdown == 'The <abbr title="HyperText Markup Language">HTML</abbr>'


def test_old_elements_for_lists_and_code_keep_their_lines() -> None:
    assert convert("one<menu><li>two</li><li>three</li></menu><listing>a\n b</listing>").markdown == (
        "one\n\n- two\n- three\n\n```\na\n b\n```"
    )


def test_the_checkbox_of_an_item_is_no_field_that_was_removed() -> None:
    made = convert('<ul><li><input type="checkbox" checked> one</li><li><label><input type="checkbox">two</label></ul>')
    assert (made.markdown, made.warnings) == ("- [x] one\n- [ ] two", ())


@pytest.mark.parametrize("after", ["after <b>2</b>", "<b>after</b> 2", "<p>after 2</p>", "<span>after 2</span>"])
@pytest.mark.parametrize("inner", ["<ul><li>in</li></ul>", "<ol start=3><li>in</li></ol>", "<menu><li>in</li></menu>"])
def test_text_after_a_nested_list_belongs_to_the_outer_item(after: str, inner: str) -> None:
    for html in (f"<li>one{inner}{after}</li><li>two</li>", f"<li><div>{inner}{after}</div></li><li>two</li>"):
        made = html5lib.parseFragment(render(convert(f"<ul>{html}</ul>").markdown), namespaceHTMLElements=False)
        items = [" ".join("".join(item.itertext()).split()) for item in made.iter("li")]
        assert items in (["one in after 2", "in", "two"], ["in after 2", "in", "two"])
