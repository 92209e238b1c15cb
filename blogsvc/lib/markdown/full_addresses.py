"""Make the addresses in a text full, for readers who do not read it on this blog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from urllib.parse import unquote, urljoin, urlsplit

from blogsvc.lib.markdown.image_links import quoted

# In sanitised HTML: `<` and `>` outside of tags and `"` in attribute values are escaped.
_TAG = re.compile('<[a-z](?:[^<>"]|"[^"]*+")*+>')
_ATTRIBUTE = re.compile(r' (href|src|poster|cite)="([^"]*+)"')
# Where an address can stand in Markdown: in a link or an image, in a definition, in an HTML tag.
_PLACES = re.compile(
    r"""\]\([ \t\n]*+
        (?: <(?P<angled>[^<>\n]++)> | (?P<plain>(?: [^\s()<>\\] | \\. | \( (?:[^\s()<>\\]|\\.)*+ \) )++) )
      | ^[ \t>]*+ \[ (?:\\.|[^\]\\\n])++ \]: [ \t]*+ (?:\n[ \t>]*+)?
        (?: <(?P<defined_angled>[^<>\n]++)> | (?P<defined>[^\s<>]++) )
      | (?<=\s) (?:href|src|poster|cite) \s*+=\s*+
        (?: "(?P<double>[^"<>]++)" | '(?P<single>[^'<>]++)' | (?P<bare>[^\s"'<>=`]++) )""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_IN_TAGS = ("double", "single", "bare")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def in_html(html: str, base: str, *, with_fragments: bool = False) -> str:
    """Return sanitised HTML with full addresses.

    Args:
        base: the URL of the page that the HTML belongs to.
        with_fragments: also for `#part`, if the text is not shown as one page.
    """

    def settled(attribute: re.Match[str]) -> str:
        name, value = attribute[1], unescape(attribute[2])
        return f' {name}="{escape(_full(value, base, with_fragments))}"'

    return _TAG.sub(lambda tag: _ATTRIBUTE.sub(settled, tag[0]), html)


def in_markdown(markdown: str, html: str, base: str) -> str:
    """Return Markdown with full addresses. `html` is what it is rendered as, and says which addresses it has."""
    relative = {_comparable(address) for address in _addresses(html) if _full(address, base) != address}
    if not relative:
        return markdown
    from blogsvc.lib.markdown.code_places import code_places  # loads the parser of Markdown, which few texts need

    code = code_places(markdown)

    def settled(place: re.Match[str]) -> str:
        form = str(place.lastgroup)
        written = place[form]
        address = unescape(written) if form in _IN_TAGS else unescape(_ESCAPED.sub(r"\1", written))
        if _comparable(address) not in relative or code.end_at(place.start(form)) is not None:
            return place[0]
        full = _full(address, base)
        start, end = place.start(form) - place.start(), place.end(form) - place.start()
        return place[0][:start] + (escape(full) if form in _IN_TAGS else quoted(full)) + place[0][end:]

    return _PLACES.sub(settled, markdown)


def _addresses(html: str) -> Iterator[str]:
    for tag in _TAG.finditer(html):
        for attribute in _ATTRIBUTE.finditer(tag[0]):
            yield unescape(attribute[2])


def _comparable(address: str) -> str:
    """Return an address as it is compared: the renderer writes some characters as percent escapes."""
    return unquote(address)


def _full(address: str, base: str, with_fragments: bool = False) -> str:
    if not address or (address.startswith("#") and not with_fragments):
        return address
    try:
        return address if urlsplit(address).scheme else urljoin(base, address)
    except ValueError:
        return address
