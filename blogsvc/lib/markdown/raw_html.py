"""Raw HTML in Markdown: its Markdown equivalents, and tags without scripts and other active content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from urllib.parse import quote

from blogsvc.lib.markdown.safe_urls import is_safe
from blogsvc.lib.markdown.writer import one_line

# The tags and attributes to keep on other sites: none for styling, and none that refer to our own pages.
TAGS = set(
    "a abbr b bdi bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h2 h3 h4 h5 h6"
    " hr i img ins kbd li mark ol p pre q s samp section small strong sub summary sup table tbody td tfoot th thead tr"
    " u ul var video audio source".split()
)
ATTRIBUTES = {
    "*": {"dir", "id", "lang", "title"},
    "a": {"href", "hreflang"},
    "audio": {"controls", "src"},
    "code": {"class"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "source": {"src", "type"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    "video": {"controls", "height", "poster", "src", "width"},
}
# Removed with their content.
HIDDEN = frozenset("canvas embed math noscript object rp script select style svg template textarea title".split())
MEDIA = {"audio": "Audio", "iframe": "Embedded page", "video": "Video"}
MARKS = {
    "b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "dfn": "*", "var": "*", "del": "~~", "s": "~~",
    "strike": "~~",
}  # fmt: skip
AROUND = {"q": ("“", "”"), "rt": ("(", ")")}
CODE = frozenset({"code", "kbd", "samp", "tt"})


@dataclass(frozen=True)
class Tag:
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    is_closing: bool = False
    # It has attributes of the same name, of which readers may choose another one than we do.
    has_repeats: bool = False

    def address(self, name: str = "src") -> str:
        """Return an attribute as the URL of a Markdown link, or "" if it has no safe URL."""
        url = re.sub(r"[\x00-\x20\x7f]", "", self.attributes.get(name, ""))
        return re.sub(r"[()<>\[\]\\|]", lambda mark: quote(mark[0]), url) if is_safe(url) else ""

    def media(self, source: str = "") -> str:
        """Return a Markdown link to the audio, video or embedded page, or "" without a safe URL."""
        url = self.address() or source
        name = one_line(self.attributes.get("title") or MEDIA[self.name])
        return f"[{name}]({url})" if url else ""

    def image(self) -> str:
        alt, url = one_line(self.attributes.get("alt", "")), self.address()
        return f"![{alt}]({url})" if url else alt


class _OneTag(HTMLParser):
    tag = Tag("")  # stays empty for a comment or a declaration

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        first = {name: value or "" for name, value in reversed(attrs)}  # browsers keep the first of equal names
        kept = {name: first[name] for name, _ in attrs}
        self.tag = Tag(tag, kept, has_repeats=len(kept) < len(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.tag = Tag(tag, is_closing=True)


def read_tag(raw: str) -> Tag:
    """Parse one tag. The result for a comment or a declaration has an empty name."""
    reader = _OneTag()
    reader.feed(raw)
    return reader.tag


def is_embed(raw: str) -> bool:
    """Return True if raw HTML embeds another page, which `safe_tag` replaces by a link."""
    return "<iframe" in raw.lower()


def safe_tag(raw: str) -> str:
    """Return a tag without active content: unchanged if it is safe, "" if it is not allowed.

    An embedded page becomes a link.
    """
    tag = read_tag(raw)
    if tag.name in MEDIA and tag.name not in TAGS:
        url, name = tag.address(), tag.attributes.get("title") or MEDIA[tag.name]
        return f'<a href="{escape(url)}">{escape(name)}</a>' if url else ""
    if tag.name not in TAGS:
        return ""
    allowed = {name: value for name, value in tag.attributes.items() if _is_allowed(tag.name, name, value)}
    if allowed == tag.attributes and not tag.has_repeats and "<" not in raw[1:]:
        return raw
    attributes = [f'{name}="{escape(value)}"' for name, value in allowed.items()]
    return f"<{' '.join([tag.name, *attributes])}>"


def _is_allowed(tag: str, name: str, value: str) -> bool:
    if name in ("href", "src", "poster") and not is_safe(re.sub(r"[\x00-\x20]", "", value)):
        return False
    return name in ATTRIBUTES["*"] or name in ATTRIBUTES.get(tag, ())
