"""Write what DEV folds, `{% details Summary %}`, and Hugo, `{{< details "Summary" >}}`, as `<details>`."""

from __future__ import annotations

import re
from html import escape

from blogsvc.transfer.formats import hugo, liquid, tag_arguments
from blogsvc.transfer.formats.tag_output import TagOutput
from blogsvc.transfer.formats.text_search import TextSearch

_ENDS = {
    name: re.compile(rf"\{{%-?\s*+end{name}\s*+-?%\}}") for name in ("details", "collapsible", "spoiler")
}  # the second and the third are other names of the first


class FoldedTags:
    """The tags with folded content that are open in a text, which become elements in `out`."""

    def __init__(self, out: TagOutput) -> None:
        self.out, self.opened = out, list[str]()

    def liquid(self, search: TextSearch, tag: liquid.LiquidTag) -> int | None:
        """Begin or end an element, and return where the text goes on; None for other tags."""
        if tag.name in _ENDS and search.after(_ENDS[tag.name], tag.end):
            return self._open(tag.name, tag.arguments, tag.end)
        return self._close(tag.name.removeprefix("end"), tag.end) if tag.name.startswith("end") else None

    def hugo(self, shortcode: hugo.Shortcode, *, has_end: bool) -> int | None:
        if shortcode.name != "details" or not has_end:
            return None
        if shortcode.is_closing:
            return self._close("details", shortcode.end)
        named = tag_arguments.by_name(shortcode.arguments)
        words = named.get("summary") or named.get("title") or named.get("0", "")
        return self._open("details", words, shortcode.end, is_open=named.get("open", "") == "true")

    def _open(self, name: str, words: str, end: int, *, is_open: bool = False) -> int:
        self.opened.append(name)
        summary = escape(" ".join(words.split()).strip("\"'") or "Details", quote=False)
        return self._add(f"<details{' open' if is_open else ''}><summary>{summary}</summary>", end)

    def _close(self, name: str, end: int) -> int | None:
        if not self.opened or self.opened[-1] != name:
            return None
        self.opened.pop()
        return self._add("</details>", end)

    def _add(self, tags: str, end: int) -> int:
        if self.out.is_html:
            self.out.add(tags)
            return end
        return self.out.add_block(tags, end)
