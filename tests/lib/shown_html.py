"""What a reader of HTML sees: its blocks, and of each character the marks and the target of its link."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote

MARKS = {
    "b": "strong", "strong": "strong", "i": "em", "em": "em", "cite": "em", "dfn": "em", "var": "em",
    "s": "del", "strike": "del", "del": "del", "code": "code", "samp": "code", "tt": "code",
    "kbd": "kbd", "mark": "mark", "small": "small", "sub": "sub", "sup": "sup", "u": "u", "ins": "ins", "abbr": "abbr",
}  # fmt: skip
PLACES = set("blockquote dd dt h2 h3 h4 h5 h6 li ol pre summary table td ul".split())
BLOCKS = PLACES | set("details div dl figcaption figure hr p section tbody tfoot thead tr".split())
NUMBERED = {"blockquote", "ol", "table", "ul"}
VOID = set("area br col embed hr img input link meta source track wbr".split())
TYPED = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "…": "...", "–": "--", "—": "---"})

# A character, its marks and the target of its link. An image or a line break is one character, too.
Character = tuple[str, frozenset[str], str]
Block = tuple[tuple[str, ...], list[Character]]


def shown(html: str) -> list[Block]:
    """Return the blocks with text, each with the blocks around it."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_block()
    counts: Counter[str] = Counter()
    numbers: dict[str, str] = {}  # those of lists with text, in their order
    for place, _ in reader.blocks:
        for name, _, number in (part.partition(" ") for part in place):
            if number and f"{name} {number}" not in numbers:
                counts[name] += 1
                numbers[f"{name} {number}"] = f"{name} {counts[name]}"
    return [(tuple(numbers.get(part, part) for part in place), characters) for place, characters in reader.blocks]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []
        self.characters: list[Character] = []
        self.open: list[tuple[str, str]] = []  # the tag, and what it adds to a place or a character
        self.numbers: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in BLOCKS:
            self.end_block()
        if tag == "br":
            self.characters.append(("\n", frozenset(), ""))
        elif tag == "img":
            self._add(f"image {attributes.get('src')} {attributes.get('alt') or ''}")
        if tag in VOID:
            return
        self.numbers[tag] += 1
        name = "td" if tag == "th" else tag
        more = f"{name} {self.numbers[tag]}" if name in NUMBERED else name
        self.open.append(
            (name, unquote(str(attributes.get("href") or "")).replace("#in-", "#") if tag == "a" else more)
        )

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS or tag == "th":
            self.end_block()
        if tag not in VOID:
            while self.open and self.open.pop()[0] != ("td" if tag == "th" else tag):
                pass
            if tag == "a":
                self.characters.append(("", frozenset(), "end"))

    def handle_data(self, data: str) -> None:
        is_code = any(tag == "pre" for tag, _ in self.open)
        for character in data if is_code else re.sub(r"[ \t\r\n\f]+", " ", data):
            self._add(character)

    def _add(self, character: str) -> None:
        tags = {tag for tag, _ in self.open}
        marks = {MARKS[tag] for tag in tags & set(MARKS)}
        if tags & {"pre", "figure"}:
            marks = set()
        if tags & {"h2", "h3", "h4", "h5", "h6"}:
            marks.discard("strong")
        link = next((more for tag, more in reversed(self.open) if tag == "a"), "")
        if character.isspace() or tags & {"pre", "figcaption"}:
            marks, link = set(), ""
        self.characters.append((character, frozenset(marks), link))

    def end_block(self) -> None:
        place = tuple(more for tag, more in self.open if tag in PLACES)
        characters = _trimmed(_without_own_addresses(self.characters), is_code="pre" in place)
        if characters:
            self.blocks.append((place, characters))
        self.characters = []


def _without_own_addresses(characters: list[Character]) -> list[Character]:
    """Remove links from addresses to themselves, because our pages link every address."""
    result: list[Character] = []
    linked: list[Character] = []
    for one in [*characters, ("", frozenset(), "end")]:
        if linked and one[2] != linked[0][2]:
            text, target = (
                "".join(character for character, _, _ in linked).translate(TYPED),
                linked[0][2].translate(TYPED),
            )
            is_own = (
                target.removeprefix("mailto:").removeprefix("http://") in (text, text.removeprefix("http://"))
                or "xn--" in target
            )
            result += [(character, marks, "") for character, marks, _ in linked] if is_own else linked
            linked = []
        if one[2] and one[0]:
            linked.append(one)
        elif one[0]:
            result.append(one)
    return result


def _trimmed(characters: list[Character], is_code: bool) -> list[Character]:
    """Collapse spaces, and remove those at the start and the end of a line, as a browser does."""
    text: list[Character] = []
    for character, marks, link in characters:
        for typed in [character] if character.startswith("image") else character.translate(TYPED):
            if typed == " " and not is_code and (not text or text[-1][0] in " \n"):
                continue
            if typed == "\n" and not is_code and text and text[-1][0] == " ":
                text.pop()
            text.append((typed, marks, link))
    while text and text[-1][0] in " \n":
        text.pop()
    while text and text[0][0] == "\n":
        text.pop(0)
    return text
