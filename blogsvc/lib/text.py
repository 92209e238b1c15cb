"""Plain text: slugs, words and excerpts, what a reader finds in HTML, Markdown without its front matter."""

import re
from html.parser import HTMLParser
from math import ceil

from anyascii import anyascii

# The shape of a language tag, such as en, de-AT or zh-Hant (BCP 47).
LANGUAGE_TAG = r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*"

_APOSTROPHES = re.compile("['’ʼ]")
_NOT_SLUG = re.compile("[^a-z0-9]+")
# A YAML block must open with a key: two thematic breaks around prose are an article, not front matter.
_FRONT_MATTER = re.compile(
    r"""\A\ufeff?(?:
        ---[ \t]*\r?\n (?:(?=[\w"'-]+[ \t]*:).*?)? ^(?:---|\.\.\.)
      | \+\+\+[ \t]*\r?\n .*? ^\+\+\+
    )[ \t]*(?:\r?\n|\Z)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)

_MARKS = re.compile(r"[\\`*_{}\[\]<>()#!&~|$^:@]")
_BACKSLASHED = r"\\\g<0>"

# Characters of Chinese and Japanese, for a class of an expression: each is counted as a word.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{CJK}]|[^\W_{CJK}][^\s—–…/{CJK}]*")

# What no reader reads: where links and pictures lead, bare addresses, tags of HTML. Each stops where another may begin,
# so that a hostile text is passed over once.
_UNREAD = re.compile(r"\]\([^()\[\]]*\)|https?://[^\s<>()\[\]]+|</?[A-Za-z][^<>]*>")


def slugify(text: str, longest: int = 80) -> str:
    """`text` as lowercase ASCII words joined by hyphens, at most `longest` characters; may be empty."""
    ascii_text = anyascii(_APOSTROPHES.sub("", text)).lower()
    slug = _NOT_SLUG.sub("-", _APOSTROPHES.sub("", ascii_text)).strip("-")
    if len(slug) <= longest:
        return slug
    return slug[: longest + 1].rpartition("-")[0] or slug[:longest]


def strip_front_matter(markdown: str) -> str:
    """`markdown` without the YAML (`---`) or TOML (`+++`) block that static site generators put on top."""
    return _FRONT_MATTER.sub("", markdown, count=1)


def markdown_picture(alt: str, url: str) -> str:
    """A picture as Markdown, whatever its alternative text holds; that is one line."""
    return f"![{_MARKS.sub(_BACKSLASHED, alt)}]({url})"


def in_one_line(text: str) -> str:
    """The words of a text, with single spaces between."""
    return " ".join(text.split())


def word_count(text: str) -> int:
    """Words of a plain text; of Chinese and Japanese, which do not part them, characters."""
    return sum(1 for _ in _WORD.finditer(text))


def written_words(markdown: str) -> int:
    """Words of Markdown as its author counts them, and nearly as its readers do, without rendering it."""
    return word_count(_UNREAD.sub(" ", strip_front_matter(markdown)))


def reading_minutes(words: int) -> int:
    """Whole minutes to read so many words, at least 1: 230 a minute (Brysbaert 2019 measured 238)."""
    return max(1, ceil(words / 230))


def excerpt(text: str, characters: int) -> str:
    """The beginning of a plain text in at most so many characters, cut after a word, with an ellipsis."""
    text = " ".join(text.split())
    if len(text) <= characters:
        return text
    head = text[:characters]  # one more than fits beside the ellipsis: a space there ends a word
    return (head.rpartition(" ")[0] or head[:-1]).rstrip(" ,;:-–—") + "…"


_BLOCKS = re.compile(
    "blockquote|br|dd|details|div|dl|dt|figcaption|figure|h[2-6]|hr|li|ol|p|pre|section|summary|table|td|th|tr|ul"
)


class _Reader(HTMLParser):
    """Collects text, pictures and links from sanitised HTML, in one pass."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.pictures: list[tuple[str, str]] = []
        self.links: list[str] = []
        self._skipping = ""  # the tag of a footnote's mark: a number or an arrow, no words of the author
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if attributes.get("class") in ("footnote-ref", "footnote-backref"):
            self._skipping = tag
        if tag == "img" and attributes.get("src"):
            self.pictures.append((attributes["src"], attributes.get("alt", "")))
        if tag == "a" and attributes.get("href", "#")[0:1] != "#":
            self.links.append(attributes["href"])
        if _BLOCKS.fullmatch(tag):
            self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipping:
            self._skipping = ""
        if _BLOCKS.fullmatch(tag):
            self.text.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.text.append(data)


def plain(html: str) -> str:
    """The words of HTML as `markdown.render` gives it, one block to a line, without marks of footnotes."""
    lines = "".join(_Reader(html).text).splitlines()
    return "\n".join(" ".join(line.split()) for line in lines if line.strip())


def pictures(html: str) -> list[tuple[str, str]]:
    """Address and alternative text of each picture, in order."""
    return _Reader(html).pictures


def links(html: str) -> list[str]:
    """The address of each link that leads out of the text, in order, repeats included."""
    return _Reader(html).links


def within(text: str, most: int) -> str:
    """What is kept of words that are not ours: at most so many characters, and no NUL, which PostgreSQL refuses."""
    return text.replace("\0", "")[:most]
