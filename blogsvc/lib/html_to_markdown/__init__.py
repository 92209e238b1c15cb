"""Convert HTML to Markdown: imported posts, pasted text, and raw HTML in posts for platforms without HTML.

BeautifulSoup and markdownify are imported by the first conversion, because most servers never need them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from blogsvc.errors import TextRefused
from blogsvc.lib.markdown.clean_html import cleaned
from blogsvc.lib.markdown.raw_html import ATTRIBUTES, HIDDEN, TAGS
from blogsvc.lib.markdown.writer import escape, escape_every_mark

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

MAX_LENGTH = 1024 * 1024  # characters of an imported text
MAX_PASTED = 1024 * 1024  # characters of a pasted text
_MAX_TAGS, _MAX_UNCLOSED = 30_000, 500  # limits on "<": the parser may scan to the end for each "<" without a ">"
# Elements in elements before sanitising, whose time grows with their square. The converter allows far fewer.
_MAX_OPEN = 1_000
_TAG = re.compile(r"<(/?)(?!(?:br|col|dd|dt|hr|img|input|li|p|td|th|tr|wbr)[\s/>])([a-z][a-z0-9]*)", re.IGNORECASE)
_PASTED_TAGS = set(
    "a article aside b blockquote br caption cite code dd del details div dl dt em figcaption figure font footer h1 h2"
    " h3 h4 h5 h6 header hr i iframe img input kbd li main mark nav ol p pre q s samp section span strike strong sub"
    " summary sup table tbody td tfoot th thead tr tt ul".split()
)
# None of them gets into the text: they only say what the elements mean.
_PASTED_ATTRIBUTES = {
    "*": {"align", "class", "id", "lang", "role", "style"},
    "a": {"href", "name"},
    "details": {"open"},
    "font": {"face"},
    "iframe": {"src", "title"},
    "img": {"alt", "aria-roledescription", "data-emoji", "height", "src", "srcset", "width"},
    "input": {"checked", "type"},
    "li": {"aria-checked", "aria-level", "data-aria-posinset", "data-listid"},
    "ol": {"start"},
    "p": {"aria-level"},
    "td": {"colspan", "rowspan", "scope"},
    "th": {"colspan", "rowspan", "scope"},
}
# Schemes of files that only the program has that the HTML was copied from. They stay until lost images are counted.
LOCAL_SCHEMES = {"blob", "cid", "file", "webkit-fake-url"}
_REMOVED = {"button", "clipboard-copy", "math", "noscript", "script", "select", "style", "svg", "template", "textarea"}


@dataclass(frozen=True)
class Converted:
    markdown: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pasted:
    """The Markdown of pasted HTML, and the number of visible images that the HTML refers to but nobody can load."""

    markdown: str
    lost_images: int = 0


@dataclass(frozen=True)
class Target:
    """The features that the Markdown may use.

    With `html`, the Markdown is for our own pages: elements without a Markdown equivalent stay HTML. Without `html`, it
    is for any parser: all special characters in the text are escaped, and only links with safe schemes stay links.
    """

    html: bool = True
    tables: bool = True
    strikethrough: bool = True
    first_row_is_header: bool = False


def convert(html: str, breaks: bool = False, linked: Collection[str] = ()) -> Converted:
    """Return the Markdown of an imported post, and warnings about content that was left out.

    With `breaks`, empty lines and newlines mean what they mean in WordPress posts from before the block editor.
    `linked` are the names of parts to which other posts link: they keep their ids.
    Never raises: HTML that exceeds the limits on length, tags or depth becomes plain text.
    """
    return _convert(html, Target(), breaks=breaks, linked=linked)


def plain_text(html: str) -> Converted:
    """Return the text of an imported post without its tags, and a warning."""
    return _as_plain_text(_without_tags(html), Target())


def convert_pasted(html: str) -> Pasted:
    """Convert HTML that was copied from a page or a word processor to Markdown.

    Raises TextRefused if the HTML or its Markdown is too long, or too deeply nested.
    """
    if len(html) > MAX_PASTED:
        raise TextRefused("The text is too long. Paste it in smaller parts.", "#/html")
    if _is_deep(html):
        raise _too_complex()
    clean = cleaned(
        html,
        tags=_PASTED_TAGS,
        clean_content_tags=_REMOVED,
        attributes=_PASTED_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"} | LOCAL_SCHEMES,
        link_rel=None,
    )
    result = _convert_clean(clean.replace("&nbsp;", " "), _css(html), _generator(html))
    if len(result.markdown) > MAX_LENGTH:
        raise TextRefused("The text is too long when converted. Paste it in smaller parts.", "#/html")
    return result


def _convert_clean(html: str, css: str, generator: str) -> Pasted:
    from blogsvc.lib.html_to_markdown import converter, figures, left_out, nesting, pasted, pasted_images, tidying

    soup = _parsed(html, keeping_blanks={"div", "p", "span"})  # for tabs of Apple's programs, and empty lines
    if soup is None or tidying.is_too_much(soup):
        raise _too_complex()
    pasted.prepare(soup, css, generator)
    tidying.tidy(soup)
    left_out.remove(soup)
    nesting.tidy(soup)
    lost_images = pasted_images.tidy(soup)
    pasted_images.separate(soup)
    figures.mark(soup)
    return Pasted(converter.convert(soup, Target(first_row_is_header=True))[0], lost_images)


def _too_complex() -> TextRefused:
    return TextRefused("The text has too many or too deeply nested elements. Paste it in smaller parts.", "#/html")


def _css(html: str) -> str:
    """Return the first style sheet in the HTML."""
    start = html.find("<style")
    end = html.find("</style", start)
    return html[start:end].partition(">")[2] if 0 <= start < end else ""


def _generator(html: str) -> str:
    """Return the program that wrote the HTML, if the conversion depends on it."""
    if "Cocoa HTML Writer" in html:
        return "cocoa"
    return "notion" if "<!-- notionvc:" in html else ""


def convert_without_html(html: str, *, tables: bool, strikethrough: bool) -> str:
    """Return a block of raw HTML as Markdown without HTML, for a platform that does not support HTML."""
    target = Target(html=False, tables=tables, strikethrough=strikethrough, first_row_is_header=True)
    if _is_deep(html):
        return _as_plain_text(_without_tags(html), target).markdown
    clean = cleaned(
        html,
        tags=TAGS | {"h1", "iframe", "input", "rt", "ruby", "source", "strike", "tt"},
        clean_content_tags=set(HIDDEN),
        attributes={**ATTRIBUTES, "iframe": {"src"}, "source": {"src"}, "input": {"checked"}},
        link_rel=None,
    )
    return _convert(clean, target).markdown


def _is_deep(html: str) -> bool:
    """Return True if elements are nested too deep for the sanitiser."""
    is_open: Counter[str] = Counter()
    depth = 0
    for closing, name in _TAG.findall(html.lower()):
        if not closing:
            is_open[name] += 1
            depth += 1
            if depth > _MAX_OPEN:
                return True
        elif is_open[name]:
            is_open[name] -= 1
            depth -= 1
    return False


def _without_tags(html: str) -> str:
    return unescape(re.sub(r"<[^<>]*>", " ", html[:MAX_LENGTH]))


def _convert(html: str, target: Target, *, breaks: bool = False, linked: Collection[str] = ()) -> Converted:
    from blogsvc.lib.html_to_markdown import (
        converter,
        data_embeds,
        embeds,
        figures,
        hidden,
        left_out,
        nesting,
        pasted_styles,
        preformatted,
        tidying,
        wpautop,
    )

    if not html.strip():
        return Converted("")
    html = preformatted.with_literal_examples(html)
    html = preformatted.without_blank_lines(html, "noscript") if breaks else html
    soup = _parsed(wpautop.paragraphs(html) if breaks else html)
    if soup is None:
        return _as_plain_text(_without_tags(html), target)
    if tidying.is_too_much(soup):
        return _as_plain_text(soup.get_text("\n\n", strip=True), target)
    removed = ["PHP code was removed, because browsers do not show it."] if hidden.has_php(html) else []
    removed += hidden.remove(soup)
    if target.html and "style" in html:
        pasted_styles.mark_words(soup)
    tidying.tidy(soup)
    if target.html:
        preformatted.find_code(soup)
        figures.show_backgrounds(soup)
        removed += data_embeds.prepare(soup)
        embeds.prepare(soup)
    removed += left_out.remove(soup) if target.html else []
    nesting.tidy(soup)
    if target.html:
        figures.mark(soup)
    markdown, warnings = converter.convert(soup, target, linked)
    return Converted(markdown, tuple(dict.fromkeys([*removed, *warnings])))


def _parsed(html: str, keeping_blanks: Collection[str] = ()) -> BeautifulSoup | None:
    """Parse HTML as `tidying.parse` does. Returns None if that would take too long."""
    from blogsvc.lib.html_to_markdown import tidying

    tags = html.count("<")
    if len(html) > MAX_LENGTH or tags > _MAX_TAGS or tags - html.count(">") > _MAX_UNCLOSED:
        return None
    return tidying.parse(html, keeping_blanks)


def _as_plain_text(text: str, target: Target) -> Converted:
    escaped = escape(text) if target.html else escape_every_mark(text)
    return Converted(escaped, ("It is too long or too deeply nested to convert. It was imported as plain text.",))
