"""Plain text: slugs, word counts, excerpts, and text from HTML."""

import re
from html import unescape
from html.parser import HTMLParser

from anyascii import anyascii

from blogsvc.lib.text.character_table import CharacterTable
from blogsvc.lib.text.length import shorten

# The length of an excerpt in lists and cards, in characters, and how much of a text is read for it.
EXCERPT_LENGTH, EXCERPT_SOURCE_LENGTH = 240, 6_000

APOSTROPHES = re.compile("['’ʼ]")
_NOT_SLUG = re.compile("[^a-z0-9]+")

_MARKS = re.compile(r"[\\`*_{}\[\]<>()#!&~|$^:@]")
_BACKSLASHED = r"\\\g<0>"

# Letters of scripts without spaces between words, for a character class. Each counts as a word: Chinese and Japanese
# characters, and the letters of Thai, Lao, Burmese and Khmer, which have vowels and tones (`UNSPACED_MARKS`) on them.
UNSPACED = (
    "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ec0-\u0ec6\u1000-\u102a\u1780-\u17b3"
)
UNSPACED_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"
_ENDS_A_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# What cannot be seen or turns the text around, but not the joiners in words of some scripts and in emoji.
_HIDDEN = re.compile("[\xad\u200b\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_ENDS_A_WORD = "—–…/"
# Text that is not read: URLs of links and images, bare URLs, HTML tags, widths of images, the markers of callouts. Each
# alternative stops where another may start, so that hostile text is scanned once or twice, and each begins with one
# character, so that text without any of them is passed over quickly.
_UNREAD = re.compile(
    r"""\]\([^()\[\]"\\]*"(?P<title>(?:[^"\\]|\\.)*+)"\s*\)
      | \]\([^()\[\]]*\)
      | h(?i:ttps?)://[^\s<>()\[\]]+
      | H(?i:ttps?)://[^\s<>()\[\]]+
      | </?[A-Za-z][^<>]*>
      | \{:?[ ]*\.(?i:full|wide)[ ]*\}
      | \[\[(?i:toc)\]\]
      | \[!(?i:note|tip|important|warning|caution)\][-+]?""",
    re.VERBOSE,
)
# What follows the fence of a code block, and the fences of galleries, which are not read either.
_FENCE = re.compile(
    r"^[ \t>*+-]*+(?:(?:`{3,}|~{3,})[^\n`]*|:{3,}[ ]*+(?:gallery|\{\.gallery\})?[ \t]*)$", re.MULTILINE | re.IGNORECASE
)
# Marks of emphasis, code, headings, quotations, lists, tables and links, where they are not part of a word.
_NOISE = re.compile(r"[*`~|\[\]\\]+|^[ \t]*(?:[#>]+|[-+]|\d+\.)[ \t]+|!(?=\[)|(?<!\w)_+|_+(?!\w)", re.MULTILINE)


def slugify(text: str, longest: int = 80) -> str:
    """Return the text as lowercase ASCII words joined by hyphens, at most `longest` characters; may be ""."""
    ascii_text = anyascii(APOSTROPHES.sub("", text)).lower()
    slug = _NOT_SLUG.sub("-", APOSTROPHES.sub("", ascii_text)).strip("-")
    if len(slug) <= longest:
        return slug
    return slug[: longest + 1].rpartition("-")[0] or slug[:longest]


def markdown_image(alt: str, url: str) -> str:
    """Return an image as Markdown, with the alt text escaped. The alt text must be a single line."""
    return f"![{_MARKS.sub(_BACKSLASHED, alt)}]({url})"


def in_one_line(text: str) -> str:
    """Return the words with single spaces between them."""
    return " ".join(text.split())


def is_one_line(text: str) -> bool:
    """Return True for a text without line breaks, control characters and characters that hide or turn text around."""
    return not (_ENDS_A_LINE.search(text) or _HIDDEN.search(text))


def in_one_visible_line(text: str) -> str:
    """Return the words in one line, without control characters, which could add a header, and hidden characters."""
    return in_one_line(_HIDDEN.sub("", _ENDS_A_LINE.sub(" ", text)))


def word_count(text: str) -> int:
    """Count the words of a plain text. In Chinese, Japanese, Thai and other scripts without spaces, letters count."""
    return len(text.translate(_WORDS_AS_X).split())


def written_words(markdown: str) -> int:
    """Count the words of Markdown without rendering it. Nearly equals the number in the rendered text."""
    return word_count(_unmarked(markdown))


def written_text(markdown: str) -> str:
    """Return the words of Markdown without rendering it: without URLs, HTML tags and most marks."""
    return _NOISE.sub("", _unmarked(markdown))


def _unmarked(markdown: str) -> str:
    # Unlike a space as such, a function that returns one lets other threads run between the matches.
    unfenced = _FENCE.sub(lambda _fence: " ", markdown)
    return _UNREAD.sub(lambda unread: f" {title} " if (title := unread["title"]) else " ", unfenced)


def _as_x(character: str) -> str:
    """Return what to count for a character: "x" for a part of a word, " x " for a word, " " for an end of words."""
    if _IS_UNSPACED.fullmatch(character):
        return " x "
    if character.isspace() or character in _ENDS_A_WORD:
        return " "
    return "x" if character.isalnum() else ""


_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_WORDS_AS_X = CharacterTable(_as_x)


def with_address(words: str, url: str) -> str:
    """Return the words of a link with its URL after them, or the URL alone if they are the same."""
    shown = url.removeprefix("mailto:")
    is_address = words.strip().casefold() in (shown.casefold(), url.partition("://")[2].casefold().rstrip("/"))
    return shown if is_address else f"{words} ({shown})"


def excerpt(text: str, characters: int) -> str:
    """Return a plain text in one line, shortened to at most this many characters (`shorten`)."""
    return shorten(in_one_line(text), characters)


_BLOCKS = re.compile(
    "blockquote|br|dd|details|div|dl|dt|figcaption|figure|h[2-6]|hr|li|ol|p|pre|section|summary|table|td|th|tr|ul"
)
# In sanitised HTML: attributes there have no angle brackets.
_IMAGE = re.compile(r"<img\s[^<>]*>")
_BLOCK_TAG = re.compile(rf"</?(?:{_BLOCKS.pattern})\b[^<>]*>")
_ANY_TAG = re.compile(r"<[^<>]*>")


# The classes of what is not read: the mark of a footnote, the arrow back from one, and the table of contents.
_SKIPPED = ("footnote-ref", "footnote-backref", "toc")
_CONTENTS = re.compile(r'<nav class="toc">(?:(?!</?nav\b).)*+</nav>', re.DOTALL)
_FOOTNOTE_MARK = re.compile(r'<sup class="footnote-ref">(?:(?!</?sup\b).)*+</sup>', re.DOTALL)


class HtmlReader(HTMLParser):
    """Collects text, images and links from sanitised HTML in one pass."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.images: list[tuple[str, str]] = []
        self.links: list[str] = []
        self._skipping = ""  # the tag of an element to skip
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if attributes.get("class") in _SKIPPED:
            self._skipping = tag
        if tag == "img" and attributes.get("src"):
            self.images.append((attributes["src"], attributes.get("alt", "")))
        if tag == "a" and attributes.get("href", "#")[0:1] != "#":
            self.links.append(attributes["href"])
        if _BLOCKS.fullmatch(tag):
            self.begin_block(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipping:
            self._skipping = ""
        if _BLOCKS.fullmatch(tag):
            self.end_block(tag)

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.text.append(data)

    def begin_block(self, _tag: str, _attributes: dict[str, str]) -> None:
        self.text.append("\n")

    def end_block(self, _tag: str) -> None:
        self.text.append("\n")


def text_between_tags(html: str) -> str:
    """Return the text of sanitised HTML, with all of its white space. It takes a small part of the time of `plain`."""
    return unescape(_ANY_TAG.sub("", _BLOCK_TAG.sub(lambda _: " ", _CONTENTS.sub("", html))))


def without_footnote_marks(html: str) -> str:
    """Return sanitised HTML without the numbers of footnotes in its text."""
    return _FOOTNOTE_MARK.sub("", html)


def plain(html: str) -> str:
    """Return the text of HTML from `markdown.render`, one line per block, without footnote marks."""
    lines = "".join(HtmlReader(html).text).splitlines()
    return "\n".join(" ".join(line.split()) for line in lines if line.strip())


def images_in(html: str) -> list[tuple[str, str]]:
    """Return URL and alt text of each image of HTML from `markdown.render`, in order."""
    return HtmlReader("".join(_IMAGE.findall(html))).images


def links(html: str) -> list[str]:
    """Return the URLs of links that lead out of the text, in order, with duplicates."""
    return HtmlReader(html).links


def within(text: str, max_length: int) -> str:
    """Return at most this many characters of an untrusted text, without NUL, which PostgreSQL rejects."""
    return text.replace("\0", "")[:max_length]
