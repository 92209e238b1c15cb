"""Read attributes beside images, links, spans and code, `![a](b.png){width=50%}` and `[words]{.mark}`.

Pandoc, Quarto and markdown-it-attrs have them. Widths of images and ids are applied, and so are underlined and marked
words. What our pages have no notion of is removed and noted. Source: https://pandoc.org/MANUAL.html
"""

from __future__ import annotations

import re

from blogsvc.lib.markdown import writer
from blogsvc.lib.markdown.code_places import Places, code_places
from blogsvc.transfer.formats.dialects.attribute_lists import LIST, Attributes
from blogsvc.transfer.formats.removals import InSource, Removals, source
from blogsvc.transfer.formats.tags.containers import Container

_ELEMENTS = {"underline": "u", "ul": "u", "mark": "mark", "kbd": "kbd"}  # the elements that Pandoc makes, by class
_ADDRESS = (
    r"""\((?:<[^<>\n]{0,1000}+>|(?:[^\s()<]|\([^\s()]{0,300}+\)){0,1000}+)"""
    r"""(?:\s{1,9}+(?:"[^"]{0,300}+"|'[^']{0,300}+'))?\s{0,9}+\)"""
)
_MAYBE = re.compile(r"[)\]`>*]\{[\s\w.#:@=]")
_MARK = re.compile(
    rf"""\\. | \$\$[^$]{{1,2000}}+\$\$ | \$[^\s$][^$\n]{{0,500}}+\$(?!\d)
      | (?<![\w\\!\]])\[(?!\^)(?P<words>(?:[^\[\]\\\n]|\\.|\n(?![ \t>]*+\n)
          |!?\[[^\[\]\n]{{0,500}}+\](?:\([^()\s]{{0,1000}}+\))?){{1,1000}}+)\](?P<of_words>{LIST})
      | \](?P<address>{_ADDRESS})(?P<of_link>{LIST})
      | (?:!\[[^\[\]\n]{{0,500}}+\]|\]\[[^\[\]\n]{{0,500}}+\])(?P<of_reference>{LIST})
      | (?<=`)\{{=(?P<raw>[a-z][a-z0-9]{{0,20}}+)\}}
      | (?:(?<=[`>])|(?<=\S\*))(?P<of_other>{LIST})""",
    re.VERBOSE,
)
_ALT_OF_QUARTO = re.compile(r"""\bfig-alt=(?:"([^"]{1,500}+)"|'([^']{1,500}+)')""")
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,500}+\Z")


def plain(text: str, source_text: str, removals: Removals) -> str:
    """Return the text as Markdown for our pages. Code stays as it is.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
    """
    return _Inline(text, source_text, removals).converted() if _MAYBE.search(text) else text


class _Inline:
    def __init__(self, text: str, source_text: str, removals: Removals) -> None:
        self.text, self.source_text, self.removals = text, source_text, removals
        self.source = InSource(source_text)
        self.code: Places = code_places(text)

    def converted(self) -> str:
        parts, place, search = list[str](), 0, 0
        while mark := _MARK.search(self.text, search):
            search = mark.end()
            if (after := self.code.end_at(mark.start())) is not None:
                search = max(after, mark.start() + 1)
                continue
            if mark["of_words"]:
                parts += [self.text[place : mark.start()], self._span(mark["words"], mark["of_words"])]
            elif mark["of_link"]:
                self._add_link(parts, place, mark)
            elif mark["raw"]:
                code = self.code.between(place, mark.start())[-1:]
                if not code or code[0][1] != mark.start():
                    continue
                parts.append(self._without_code(place, mark, code[0]))
            elif written := mark["of_reference"] or mark["of_other"]:
                parts.append(self.text[place : mark.end() - len(written)])
                self._note(written)
            else:
                continue
            place = mark.end()
        return "".join([*parts, self.text[place:]])

    def _span(self, words: str, written: str) -> str:
        attributes = Attributes.of(written[1:-1])
        name = next((_ELEMENTS[one] for one in attributes.classes if one in _ELEMENTS), "")
        if attributes.has_more or len(attributes.classes) > bool(name):
            self._note(written)
        shown = f"<{name}>{plain(words, self.source_text, self.removals)}</{name}>" if name else words
        return f'<a id="{attributes.id}"></a>{shown}' if attributes.id else shown

    def _add_link(self, parts: list[str], place: int, mark: re.Match[str]) -> None:
        """Add the text from a place on to the end of a link or an image."""
        attributes = Attributes.of(mark["of_link"][1:-1])
        before, address = self.text[place : mark.start()], f"]{mark['address']}"
        image = _IMAGE.search(before, max(0, len(before) - 500))
        if image:
            shown, address = _with_caption(before[image.start() :], address, mark["of_link"])
            before = before[: image.start()] + shown
        width = f"{{.{attributes.width}}}" if attributes.width and image else ""
        anchor = f'<a id="{attributes.id}"></a>' if attributes.id else ""
        if attributes.has_more or len(attributes.classes) > bool(width):
            self._note(mark["of_link"])
        if anchor and image:
            above, _, line = before[: image.start()].rpartition("\n")
            container = Container.of(line)
            rest = self.text[mark.end() : mark.end() + 200].partition("\n")[0]
            is_alone = container.first == line and not rest.strip() and not above.rpartition("\n")[2].strip("> \t")
            gap = f"\n{container.blank_line}\n{container.others}" if is_alone else ""
            parts += [before[: image.start()], anchor, gap, before[image.start() :], address, width]
        else:
            parts += [before, address, width, anchor]

    def _without_code(self, place: int, mark: re.Match[str], code: tuple[int, int]) -> str:
        """Return the text from a place on with what Pandoc takes as HTML from the code at its end."""
        start, end = code
        if mark["raw"].startswith("html"):
            return self.text[place:start] + self.text[start:end].strip("`").strip()
        self._note(self.text[start : mark.end()])
        return self.text[place:start]

    def _note(self, written: str) -> None:
        what = f"text {source(written)} was" if written[0] == "`" else f"attributes {source(written)} were"
        self.removals.note(f"The {what} removed.", self.source.place_of(written))


def _with_caption(image: str, address: str, written: str) -> tuple[str, str]:
    """Return the beginning and the end of an image, whose words are its caption if attributes have others for it."""
    alt = _ALT_OF_QUARTO.search(written)
    caption = image.removeprefix("![")
    if alt is None or address.endswith(('")', "')")):
        return image, address
    title = f" {writer.title(caption)}" if caption.strip() else ""
    return f"![{writer.alt_text(alt[1] or alt[2])}", f"{address[:-1]}{title})"
