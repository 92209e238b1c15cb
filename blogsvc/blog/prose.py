"""What only a page of the blog needs in the HTML of a text, added in one pass over its tags.

Blocks get the direction of their own words, headings a link to themselves, code a bar with its file name, its language
and a copy button, and tables a frame in which they scroll. Words outside of any block get a paragraph. Feeds and other
platforms get the HTML without all this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape
from itertools import groupby
from urllib.parse import unquote

from blogsvc.lib.markdown.fragments import places
from blogsvc.lib.markdown.languages import LANGUAGES

# In sanitised HTML: attributes have no angle brackets, and elements are closed.
_TAG = re.compile(
    r"""(?:<figure[ ]class="code"><figcaption>(?P<file>[^<]*)</figcaption>)?
        <pre\b(?P<pre>[^<>]*)>(?P<code><code(?:[ ]class="language-(?P<language>[^"]*)")?>)
      | (?P<table><table\b[^<>]*>)(?P<caption>\s*<caption\b[^<>]*(?=>))?
      | <(?P<end>/)?(?P<name>a|blockquote|details|div|dl|figcaption|figure|h[2-6]|nav|ol|p|pre|section|table|ul)\b
        (?P<attributes>[^<>]*)>""",
    re.VERBOSE,
)
_ANY_TAG = re.compile("<(/?+)([a-z0-9]++)[^<>]*+>")
_PHRASING = frozenset(
    "a abbr b bdi bdo br cite code del dfn em i img input ins kbd mark q ruby s samp small span strong sub sup time u"
    " var wbr".split()
)
_VOID = frozenset("br hr img input source wbr".split())
_HREF = re.compile(' href="(?P<address>[^"#]++)#(?P<part>[^"]++)"')
_ID = re.compile(' id="([^"]*)"')
# An image without alternative text, alone in a link.
_SILENT_IMAGE = re.compile(r'<img(?![^<>]* alt="[^"])[^<>]*></a>')
_DIRECTED = frozenset("blockquote details dl figcaption h2 h3 h4 h5 h6 ol p ul".split())
_LINKED_HEADINGS = ("h2", "h3")
_CONTENTS = '<h2 class="label" id="l-contents" dir="auto">Contents</h2>'
_COPY = '<button type="button" data-copy="Copied" hidden>Copy</button>'


def for_page(html: str, *addresses: str) -> str:
    """Return sanitised HTML with what its page adds, in linear time.

    Args:
        addresses: the path and the URL of the page. Links to its parts get the ids of these.
    """
    page = _Page(addresses, places(html) if any(f'href="{address}#' in html for address in addresses) else {})
    return _TAG.sub(page.tag, _in_paragraphs(html))


def _in_paragraphs(html: str) -> str:
    """Return HTML whose words are all in blocks: the columns of a page are for blocks, and raw HTML may have others."""
    runs = groupby(_outermost(html), key=lambda piece: piece[0])
    return "".join(_paragraph("".join(text for _, text in run), is_loose) for is_loose, run in runs)


def _outermost(html: str) -> Iterator[tuple[bool, str]]:
    """Yield the outermost elements and the text between them, and whether each is loose: text, or of inline HTML."""
    begun = depth = 0
    for tag in _ANY_TAG.finditer(html):
        if not tag[1]:
            if not depth:
                yield True, html[begun : tag.start()]
                begun, is_loose = tag.start(), tag[2] in _PHRASING
            depth += 1
        if tag[1] or tag[2] in _VOID:
            depth -= 1
            if not depth:
                yield is_loose, html[begun : tag.end()]
                begun = tag.end()
    yield True, html[begun:]


def _paragraph(html: str, is_loose: bool) -> str:
    if not is_loose or not html.strip():
        return html
    has_blocks = any(tag[2] not in _PHRASING for tag in _ANY_TAG.finditer(html))
    return f"<div>{html}</div>" if has_blocks else f"<p>{html}</p>"


@dataclass
class _Page:
    addresses: tuple[str, ...]
    places: dict[str, str]  # the ids in the text by the names that lead to them
    # For each open element: whether its direction is its own, and what comes before and after its end tag.
    ends: list[tuple[bool, str, str]] = field(default_factory=list)
    directed: int = 0  # of the open elements
    open_tables: int = 0
    tables: int = 0
    named_images: int = 0
    has_contents: bool = False

    def tag(self, tag: re.Match[str]) -> str:
        """Return what replaces a tag."""
        if tag["code"]:
            return self._code(tag)
        if tag["table"]:
            return self._table(tag["table"], tag["caption"] or "")
        if tag["end"]:
            return self._end(tag["name"])
        return self._start(tag)

    def _start(self, tag: re.Match[str]) -> str:
        name, attributes = tag["name"], tag["attributes"]
        is_directed = name in _DIRECTED or ' dir="' in attributes or attributes.startswith(' class="markdown-alert')
        direction = self._open(is_directed, attributes, before=self._anchor(name, attributes))
        added, after = "", ""
        match name:
            case "a":
                added = self._link_name(attributes, tag)
                attributes = _HREF.sub(self._link_here, attributes)
            case "nav" if attributes == ' class="toc"' and not self.has_contents:
                self.has_contents = True
                added, after = ' aria-labelledby="l-contents"', _CONTENTS
            case "pre":
                added = ' translate="no"'
            case "section" if attributes == ' class="footnotes"':
                added = ' aria-label="Notes"'
        return f"<{name}{attributes}{direction}{added}>{after}"

    def _open(self, is_directed: bool, attributes: str = "", before: str = "", after: str = "") -> str:
        """Note an element that begins. Returns the attribute for its direction, or "" if it needs none."""
        needs_one = is_directed and not self.directed and ' dir="' not in attributes
        self.ends.append((is_directed, before, after))
        self.directed += is_directed
        return ' dir="auto"' if needs_one else ""

    def _end(self, name: str) -> str:
        is_directed, before, after = self.ends.pop() if self.ends else (False, "", "")
        self.directed -= is_directed
        self.open_tables -= name == "table"
        return f"{before}</{name}>{after}"

    @staticmethod
    def _anchor(name: str, attributes: str) -> str:
        """Return the link of a heading to itself, or "" for any other element."""
        found = _ID.search(attributes) if name in _LINKED_HEADINGS else None
        return f'<a class="anchor" href="#{found[1]}" aria-label="Link to this heading">#</a>' if found else ""

    def _link_name(self, attributes: str, tag: re.Match[str]) -> str:
        """Return the attribute with the name of a link without words, or "" if it has some."""
        if attributes.endswith(' class="footnote-backref"'):
            return ' aria-label="Back to the text"'
        image = _SILENT_IMAGE.match(tag.string, tag.end())
        self.named_images += image is not None
        return f' aria-label="Image {self.named_images}"' if image else ""

    def _link_here(self, href: re.Match[str]) -> str:
        """Return the target of a link, as `#id` if it is in the text."""
        id_ = self.places.get(unquote(unescape(href["part"]))) if href["address"] in self.addresses else None
        return f' href="#{escape(id_)}"' if id_ else href[0]

    def _code(self, tag: re.Match[str]) -> str:
        """Return a code block in a figure, whose bar names the file and the language if there is one of them."""
        file, language = tag["file"], LANGUAGES.get(tag["language"] or "")
        if file is not None:
            self._open(False)  # the figure that the code is in
        names = [f'<span dir="ltr">{file}</span>' if file else "", f"<span>{language}</span>" if language else ""]
        bar = f"<figcaption>{' '.join(filter(None, names))}{_COPY}</figcaption>" if any(names) else ""
        self._open(False, after=("" if bar else _COPY) + ("</figure>" if file is None else ""))
        return f'<figure class="code">{bar}<pre{tag["pre"]} translate="no">{tag["code"]}'

    def _table(self, table: str, caption: str) -> str:
        """Return a table in a frame that scrolls, also with the keyboard. A table in a table has none."""
        if self.open_tables:
            self._open(False)
            self.open_tables += 1
            return table + caption
        direction = self._open(True, after="</div>")
        self.open_tables, self.tables = 1, self.tables + 1
        name = f'aria-label="Table{f" {self.tables}" if self.tables > 1 else ""}"'
        if caption:
            found = _ID.search(caption)
            id_ = found[1] if found else f"l-table-{self.tables}"
            caption, name = caption if found else f'{caption} id="{id_}"', f'aria-labelledby="{id_}"'
        return f'<div class="scroll" role="region" {name} tabindex="0"{direction}>{table}{caption}'
