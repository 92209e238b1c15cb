"""Make the addresses in a text full, for readers who do not read it on this blog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from urllib.parse import urljoin, urlsplit

from blogsvc.lib.markdown.fragments import without_names
from blogsvc.lib.markdown.image_links import replaced

# In sanitised HTML: `<` and `>` outside of tags and `"` in attribute values are escaped.
_TAG = re.compile('<[a-z](?:[^<>"]|"[^"]*+")*+>')
_ATTRIBUTE = re.compile(r' (href|src|poster|cite)="([^"]*+)"')


def in_html(html: str, base: str, *, with_fragments: bool = False) -> str:
    """Return sanitised HTML with full addresses, and without what only our pages use.

    Args:
        base: the URL of the page that the HTML belongs to.
        with_fragments: also for `#part`, if the text is not shown as one page.
    """

    def settled(attribute: re.Match[str]) -> str:
        name, value = attribute[1], unescape(attribute[2])
        return f' {name}="{escape(_full(value, base, with_fragments))}"'

    return _TAG.sub(lambda tag: _ATTRIBUTE.sub(settled, tag[0]), without_names(html))


def in_markdown(markdown: str, html: str, base: str) -> str:
    """Return Markdown with full addresses. `html` is what it is rendered as, and says if it has others."""
    if all(_full(address, base) == address for address in _addresses(html)):
        return markdown
    from blogsvc.lib.markdown.addresses import addresses_in  # loads the parser of Markdown, which few texts need

    return replaced(markdown, addresses_in(markdown), lambda address: _full(address, base))


def _addresses(html: str) -> Iterator[str]:
    for tag in _TAG.finditer(html):
        for attribute in _ATTRIBUTE.finditer(tag[0]):
            yield unescape(attribute[2])


def _full(address: str, base: str, with_fragments: bool = False) -> str:
    if not address or (address.startswith("#") and not with_fragments):
        return address
    try:
        return address if urlsplit(address).scheme else urljoin(base, address)
    except ValueError:
        return address
