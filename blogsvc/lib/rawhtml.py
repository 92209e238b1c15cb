"""Raw HTML in a Markdown text: as Markdown's own marks where it may not stay, without its dangers where it may."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from urllib.parse import quote

from blogsvc.lib.markdown_marks import is_safe

# What is worth keeping on another site: no hooks for styles, no attribute that is about our page.
TAGS = set(
    "a abbr b bdi bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h2 h3 h4 h5 h6"
    " hr i img ins kbd li mark ol p pre q s samp section small strong sub summary sup table tbody td tfoot th thead tr"
    " u ul var video audio".split()
)
ATTRIBUTES = {
    "*": {"dir", "id", "lang", "title"},
    "a": {"href", "hreflang"},
    "audio": {"controls", "src"},
    "code": {"class"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "li": {"value"},
    "ol": {"reversed", "start"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    "video": {"controls", "height", "poster", "src", "width"},
}
# Never shown, nor what is in them.
HIDDEN = frozenset("canvas embed math noscript object rp script select style svg template textarea title".split())
MEDIA = {"audio": "Audio", "iframe": "Embedded page", "video": "Video"}
MARKS = {
    "b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "dfn": "*", "var": "*", "del": "~~", "s": "~~",
    "strike": "~~",
}  # fmt: skip
AROUND = {"q": ("“", "”"), "rt": ("(", ")")}
CODE = frozenset({"code", "kbd", "samp", "tt"})
_RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
SPECIAL = re.compile(r"[\\`*_\[\]<>]|&(?=#?\w+;)")
_AT_START = re.compile(r"(?:#{1,6}|[-+=]|\d+(?=[.)]))(?=[\s.)])")


@dataclass(frozen=True)
class Tag:
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    is_closing: bool = False

    def address(self, name: str = "src") -> str:
        """An attribute as the address of a Markdown link; empty where it has none that is safe."""
        url = re.sub(r"[\x00-\x20\x7f]", "", self.attributes.get(name, ""))
        return re.sub(r"[()<>\[\]\\|]", lambda mark: quote(mark[0]), url) if is_safe(url) else ""

    def media(self, source: str = "") -> str:
        """A Markdown link to what would play or show here."""
        url = self.address() or source
        name = text(self.attributes.get("title") or MEDIA[self.name])
        return f"[{name}]({url})" if url else ""

    def picture(self) -> str:
        alt, url = text(self.attributes.get("alt", "")), self.address()
        return f"![{alt}]({url})" if url else alt


class _OneTag(HTMLParser):
    tag = Tag("")  # a comment, a declaration

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag = Tag(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        self.tag = Tag(tag, is_closing=True)


def read_tag(raw: str) -> Tag:
    """One tag, a comment or the like, which has no name."""
    reader = _OneTag()
    reader.feed(raw)
    return reader.tag


def text(plain: str) -> str:
    """Plain text as one line of Markdown that shows it."""
    line = SPECIAL.sub(r"\\\g<0>", " ".join(plain.split()))
    return _AT_START.sub(lambda mark: f"{mark[0]}\\" if mark[0].isdigit() else f"\\{mark[0]}", line, count=1)


def code(plain: str) -> str:
    """Plain text as code within a paragraph."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}" if plain.strip() else plain


def shifted(plain: str, name: str) -> str:
    """What is raised (`sup`) or lowered (`sub`), in characters that are, where there are such."""
    moved = plain.translate(_RAISED if name == "sup" else _LOWERED)
    if not any(a == b for a, b in zip(moved, plain, strict=True)):
        return moved
    mark = "^" if name == "sup" else "_"
    return mark + (plain if len(plain) == 1 else f"({plain})")


def rows(header: Sequence[str], body: Sequence[Sequence[str]], as_table: bool) -> str:
    """A table, or where there are none a list: a line for each row, each cell behind the heading of its column."""
    if as_table:
        lines = [header, ["---"] * len(header), *body]
        return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
    named = [f"**{name}:** " if name and not SPECIAL.search(name) else f"{name}: " if name else "" for name in header]
    lines = [[f"{name}{cell}" for name, cell in zip(named, row, strict=False) if cell] for row in body]
    said = [f"- {'; '.join(line)}" for line in lines if line]
    return "\n".join(said) or "- " + "; ".join(filter(None, header))


def safe_tag(raw: str) -> str:
    """One tag without what could run: as it is where there is nothing of that kind, empty where it is all of it."""
    tag = read_tag(raw)
    if tag.name in MEDIA and tag.name not in TAGS:
        url, name = tag.address(), tag.attributes.get("title") or MEDIA[tag.name]
        return f'<a href="{escape(url)}">{escape(name)}</a>' if url else ""
    if tag.name not in TAGS:
        return ""
    kept = {name: value for name, value in tag.attributes.items() if _may_stay(tag.name, name, value)}
    if kept == tag.attributes and "<" not in raw[1:]:
        return raw
    said = [f'{name}="{escape(value)}"' for name, value in kept.items()]
    return f"<{' '.join([tag.name, *said])}>"


def _may_stay(tag: str, name: str, value: str) -> bool:
    if name in ("href", "src", "poster") and not is_safe(re.sub(r"[\x00-\x20]", "", value)):
        return False
    return name in ATTRIBUTES["*"] or name in ATTRIBUTES.get(tag, ())
