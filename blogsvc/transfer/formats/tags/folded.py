"""Write what DEV folds, `{% details Summary %}`, and Hugo, `{{< details "Summary" >}}`, as `<details>`."""

from __future__ import annotations

import re
from html import escape

from blogsvc.transfer.formats.tags import arguments as tag_arguments
from blogsvc.transfer.formats.tags import hugo, liquid
from blogsvc.transfer.formats.tags.output import TagOutput, in_line
from blogsvc.transfer.formats.text_search import TextSearch

_ENDS = {
    name: re.compile(rf"\{{%-?\s*+end{name}\s*+-?%\}}") for name in ("details", "collapsible", "spoiler")
}  # the second and the third are other names of the first
# Shortcodes of themes of Hugo, which fold only what has a summary.
_OF_THEMES = ("accordion-item", "accordionitem", "collapse", "collapsible", "expand", "expandable", "spoiler")
_BEGINS_BLOCK = re.compile(r"\A(\d{0,9})([-+*>#.)])(?=[\s#])")
_SUMMARIES = ("summary", "title", "label", "text", "0")


class FoldedTags:
    """The tags with folded content that are open in a text, which become elements in `out`."""

    def __init__(self, out: TagOutput) -> None:
        self.out, self.opened = out, list[str]()

    def liquid(self, search: TextSearch, tag: liquid.LiquidTag) -> int | None:
        """Begin or end an element, and return where the text goes on; None for other tags."""
        if tag.name in _ENDS and search.after(_ENDS[tag.name], tag.end):
            return self._open(tag.name, escape(tag.arguments.strip("\"' "), quote=False), tag.end)
        return self._close(tag.name.removeprefix("end"), tag.end) if tag.name.startswith("end") else None

    def hugo(self, shortcode: hugo.Shortcode, *, has_end: bool) -> int | None:
        name = shortcode.name
        if not has_end or name not in ("details", *_OF_THEMES):
            return None
        if shortcode.is_closing:
            return self._close(name, shortcode.end)
        named = tag_arguments.by_name(shortcode.arguments)
        words = next((words for key in _SUMMARIES if (words := named.get(key, "").strip())), "")
        if not words and name != "details":
            return None
        is_open = named.get("open") == "true" or named.get("closed") == "false" or named.get("1") == "open"
        words = in_line(_BEGINS_BLOCK.sub(r"\1\\\2", words))
        return self._open(name, words, shortcode.end, is_open=is_open)

    def _open(self, name: str, words: str, end: int, *, is_open: bool = False) -> int:
        self.opened.append(name)
        summary = " ".join(words.split()) or "Details"
        return self._add(f"<details{' open' if is_open else ''}><summary>{summary}</summary>", end)

    def _close(self, name: str, end: int) -> int | None:
        if not self.opened or self.opened[-1] != name:
            return None
        self.opened.pop()
        return self._add("</details>", end)

    def close_all(self, end: int) -> None:
        """End the elements that are open where a text ends."""
        while self.opened:
            self._close(self.opened[-1], end)

    def _add(self, tags: str, end: int) -> int:
        if self.out.is_html:
            self.out.add(tags)
            return end
        return self.out.add_block(tags, end)
