"""Convert inline HTML to Markdown: text, emphasis, code, links and images."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Literal
from urllib.parse import unquote

from bs4.element import NavigableString, Tag
from markdownify import (  # type: ignore[attr-defined]
    MarkdownConverter,
    should_remove_whitespace_inside,
    should_remove_whitespace_outside,
)

from blogsvc.lib.html_to_markdown import Target, figures, marks, spaces
from blogsvc.lib.html_to_markdown.nesting import RICH_CODE
from blogsvc.lib.html_to_markdown.tidying import BLOCKS
from blogsvc.lib.markdown import writer
from blogsvc.lib.markdown.image_links import quoted
from blogsvc.lib.markdown.raw_html import AROUND
from blogsvc.lib.markdown.raw_html import Tag as RawTag

# Inline elements that our Markdown allows as HTML.
_SOURCES = ("data-src", "data-lazy-src", "data-original", "src")  # of images that scripts load, too
_KEPT = ("abbr", "ins", "mark", "rp", "rt", "ruby", "small", "sub", "sup", "u")
# Elements that are written as more than their text. Of all others that are not blocks, only the content is kept.
_MARKED = frozenset(
    "a abbr anchor b cite code del dfn em i ins kbd keys mark q richcode rp rt ruby s samp small strike strong sub sup"
    " tt u var".split()
)
_WITHOUT_TEXT = ("img", "noteref")
_Place = Literal["text", "link", "image"]
KEYS = "keys"  # what `kbd` is renamed to if it stays HTML
_PLACEHOLDER = 200  # characters of a data: URL; shorter ones are the dots that scripts replace by images
_DATA_IMAGE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif);base64,")
# The size that WordPress adds to a file name.
_SIZE = re.compile(r"-(?:\d+x\d+|scaled)\Z")
_SPACES = f" {spaces.STAND_INS}"
_LEADING = re.compile(rf"(?:[{_SPACES}]|\\\n)*+")
_NEIGHBORS = 20  # the most nodes to check for the start or end of a line: a limit for hostile input


class InlineConverter(MarkdownConverter):
    """markdownify with additional inline elements. markdownify defines the names and parameters of the methods."""

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.target = target
        self.warnings: list[str] = []
        if target.html:
            for name in _KEPT:
                setattr(self, f"convert_{name}", self._keeping(name))
            setattr(self, f"convert_{RICH_CODE}", self._keeping("code"))
            setattr(self, f"convert_{KEYS}", self._keeping("kbd"))

    def _keeping(self, name: str) -> Callable[..., str]:
        def convert(el: Tag, text: str, parent_tags: set[str]) -> str:
            if not text.strip(_SPACES) or "_noformat" in parent_tags or "\n\n" in text:
                return text
            title = str(el.get("title") or "").replace('"', "&quot;").replace("<", "&lt;")
            attributes = f' title="{title}"' if title and name == "abbr" else ""
            return f"<{name}{attributes}>{text}</{name}>"

        return convert

    # -- text

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        """Return the text on one line, escaped for its position in the line."""
        parents = parent_tags or set()
        if "pre" in parents:
            return str(el)
        text = re.sub(r"[ \t\r\n\f]+", " ", str(el))
        before, after = el.previous_sibling, el.next_sibling
        within = should_remove_whitespace_inside(el.parent)
        if _is_break(before) or should_remove_whitespace_outside(before) or (within and before is None):
            text = text.lstrip(" ")
        if _is_break(after) or should_remove_whitespace_outside(after) or (within and after is None):
            text = text.rstrip(" ")
        if "_noformat" in parents:
            return text
        ends_line = _is_block(after) or (after is None and _is_block(el.parent))
        starts_line = not {"td", "th", "caption"} & parents and _starts_line(el)
        return self._escape(
            text, starts_line=starts_line, ends_line=ends_line, within="link" if "a" in parents else "text"
        )

    def _escape(self, text: str, *, starts_line: bool = False, ends_line: bool = True, within: _Place = "link") -> str:
        if not self.target.html:
            return writer.escape_every_mark(text, starts_line=starts_line)
        written = writer.escape(spaces.plain(text), starts_line=starts_line, ends_line=ends_line, within=within)
        return spaces.protected(written)

    # -- marks within a line

    def _marked(self, el: Tag, text: str, parent_tags: set[str], same: set[str], name: str) -> str:
        lead, words, tail = _parts(text)
        if "_noformat" in parent_tags or same & parent_tags or not words or "\n\n" in words:
            return text
        return f"{lead}{marks.marked(words, name)}{tail}"

    def convert_b(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self._marked(el, text, parent_tags, {"b", "strong"}, "strong")

    def convert_em(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self._marked(el, text, parent_tags, {"i", "em", "cite", "dfn", "var"}, "em")

    def convert_del(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if not self.target.strikethrough:
            return text
        return self._marked(el, text, parent_tags, {"del", "s", "strike"}, "del")

    convert_strong = convert_b
    convert_i = convert_cite = convert_dfn = convert_var = convert_em
    convert_s = convert_strike = convert_del

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "_noformat" in parent_tags or not text.strip(_SPACES):
            return text
        lead, words, tail = _parts(text)
        return f"{lead}{writer.code_span(' '.join(words.split()))}{tail}"

    convert_samp = convert_code

    def convert_tt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self.convert_code(el, el.get_text(), parent_tags)

    convert_kbd = convert_tt

    def convert_sub(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        words = el.get_text()
        return writer.raised_or_lowered(words, el.name) if re.fullmatch(r"[\w+=()-]{1,20}", words) else text

    convert_sup = convert_sub

    def convert_q(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text.join(AROUND["q"])

    def convert_rt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text.join(AROUND["rt"])

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if parent_tags & {"td", "th"}:
            return "<br>" if self.target.html else " "
        if "_inline" in parent_tags:
            return " "
        if not (_is_beside_text(el, el.previous_elements) and _is_beside_text(el, el.next_elements)):
            return ""
        # A parser could read a backslash after a bare URL as part of the URL.
        return " \\\n" if re.search(r"(?:://|www\.)\S*\Z", str(el.previous_sibling)[-2000:].rstrip()) else "\\\n"

    def convert_noteref(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"[^{el['label']}]"

    def convert_anchor(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f'<a id="{el["id"]}"></a>'

    def convert_alertmark(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        title = str(el.get("title") or "")
        return f"[!{el['kind']}]{el.get('fold') or ''}" + (f" {self._escape(title)}" if title else "") + "\n"

    # -- links and images

    def _address(self, el: Tag, url: str) -> str:
        """Return a URL for a Markdown link, or "" if its scheme is not safe."""
        if not self.target.html:
            return RawTag(el.name, {"src": url}).address()
        plain = re.sub(r"[\x00-\x20\x7f]", "", url)
        bare = plain.lower()
        if bare.startswith("file:"):
            self.warnings.append(f"The address of a file on a computer was removed: {' '.join(url.split())[:200]}")
            return ""
        if _DATA_IMAGE.match(bare) and len(plain) > _PLACEHOLDER:
            return plain if el.name == "img" else ""
        if bare.startswith(("javascript:", "vbscript:", "data:")):
            return ""
        return quoted(url)

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        href, (lead, words, tail) = str(el.get("href") or "").strip(), _parts(text)
        url = self._address(el, href)
        if not url or "\n\n" in words or parent_tags & {"_noformat", "a"}:
            return text
        if not words:
            return text
        title = " ".join(str(el.get("title") or "").split()) if self.target.html else ""
        label = el.get_text()
        if self.target.html and label == href and not title and re.fullmatch(r"https?://[^\s<>]+", href):
            return f"{lead}<{href}>{tail}"
        named = ""
        if title and title != label.strip():
            named = f" {writer.title(title)}"
        return f"{lead}[{words}]({url}{named}){tail}"

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        src = next((str(el[name]).strip() for name in _SOURCES if el.get(name)), "")
        alt = self._escape(" ".join(str(el.get("alt") or "").split()), within="image")
        src = src.replace("\\", "/")  # as browsers read it
        url = self._address(el, src)
        if not url and src.startswith("data:"):
            self.warnings.append("An image embedded as data was removed.")
        if not url:
            return alt if not self.target.html or src.lower().startswith("file:") else ""
        caption, width = (str(el.get(name) or "") for name in (figures.CAPTION, figures.WIDTH))
        caption = caption or (self._tooltip(el, src) if self.target.html else "")
        named = f" {writer.title(caption)}" if caption else ""
        return f"![{alt}]({url}{named})" + (f"{{.{width}}}" if width else "")

    def _tooltip(self, el: Tag, src: str) -> str:
        """Return the title of an image that says more than its alt text and its file name, within a sentence.

        Elsewhere it would become a caption: there it is removed, with a warning.
        """
        title = " ".join(str(el.get("title") or "").split())
        name = unquote(src.partition("?")[0]).rpartition("/")[2].rpartition(".")[0]
        if not title or _letters(title) in (_letters(str(el.get("alt") or "")), _letters(_SIZE.sub("", name))):
            return ""
        block = el.find_parent(BLOCKS)
        is_figure = block is not None and block.name in ("figure", "figcaption")
        if block is not None and not is_figure and (block.name in ("td", "th") or block.get_text(strip=True)):
            return title
        self.warnings.append(f"The tooltip of an image was removed: “{title[:200]}”.")
        return ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _is_break(node: Any) -> bool:
    return isinstance(node, Tag) and node.name == "br"


def _is_block(node: Any) -> bool:
    return isinstance(node, Tag) and (node.name in BLOCKS or node.name in ("br", "[document]"))


def _starts_line(node: NavigableString) -> bool:
    """Return True if the text may start a line, also if only digits come before it, as in a list number."""
    before: Any = node.previous_sibling
    for _ in range(_NEIGHBORS):
        if before is None or _is_block(before):
            return True
        if isinstance(before, Tag) and any(map(_is_block, before.descendants)):
            return True
        words = before.get_text().strip()
        is_plain = not isinstance(before, Tag) or before.name not in _MARKED
        if before.name in _WITHOUT_TEXT or (words and not (is_plain and words.isdigit())):
            return False
        before = before.previous_sibling
    return True


def _is_beside_text(line_break: Tag, neighbors: Iterable[Any]) -> bool:
    """Return True if the next of the nodes before or after a line break that shows something is in the same block."""
    for node in islice(neighbors, _NEIGHBORS):
        if isinstance(node, Tag) and node.name in BLOCKS:
            return False
        if node.name in _WITHOUT_TEXT or (not isinstance(node, Tag) and node.strip()):
            return node.find_parent(BLOCKS) is line_break.find_parent(BLOCKS)
    return any(True for _ in islice(neighbors, 1))


def _parts(text: str) -> tuple[str, str, str]:
    """Split a text into leading space, content, and trailing space, with line breaks. Only content can be marked."""
    lead = _LEADING.match(text)
    start, end = lead.end() if lead else 0, len(text)
    while end > start and (text[end - 1] in _SPACES or text.endswith("\\\n", start, end)):
        end -= 1 if text[end - 1] in _SPACES else 2
    return text[:start], text[start:end], text[end:]
