"""The article for other people's pages: HTML and Markdown without what only our own pages understand."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal

import nh3

from blogsvc.connectors._kit.markdown_dialects import TOO_LONG, rewritten
from blogsvc.lib.rawhtml import ATTRIBUTES, TAGS

Part = Literal["html", "tables", "footnotes", "tasks", "alerts", "strikethrough", "breaks"]

_TASK = re.compile(r"<input\b(?P<attributes>[^>]*)>\s*")
_CHECKED = re.compile(r'^(?:[^"]|"[^"]*")*?\schecked\b')
_TITLE = re.compile(r'<p class="markdown-alert-title">([^<]*)</p>')
_DIV = re.compile(r"<div\b[^>]*>|</div>")
_LOSSES = {
    "html": "{0} takes no HTML: it becomes plain Markdown, and what plays or is embedded becomes a link.",
    "tables": "{0} has no tables: each row becomes a line of a list.",
    "footnotes": "{0} has no footnotes: they become numbered notes at the end.",
    "tasks": "{0} has no task lists: their boxes become ☑ and ☐.",
    "alerts": "{0} has no alerts: they become quotations.",
    "strikethrough": "{0} cannot strike words through: they are shown like the others.",
    TOO_LONG: "The text has too many lines to be looked at: {0} shows it as it was typed.",
}


@dataclass(frozen=True)
class TextForm:
    """A text in the form that a platform takes, and what was lost on the way, for the author."""

    text: str
    warnings: tuple[str, ...] = ()


def html(text: str, slug: str | None = None) -> str:
    """Our rendered HTML as another site can show it: plain code blocks, ticks for tasks, no styling hooks.

    Give the post's `slug` where several posts may stand on one page: ids, and the links to them, are then its own.
    """
    ticked = _TASK.sub(lambda task: "☑ " if _CHECKED.search(task["attributes"]) else "☐ ", text)
    return nh3.clean(
        _quoted(ticked),
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_ids_of(slug) if slug else None,
        link_rel=None,
        strip_comments=True,
    )


def _quoted(text: str) -> str:
    """Alerts as what every site knows: a quotation with a bold title."""
    ends: list[str] = []

    def told(tag: re.Match[str]) -> str:
        if tag[0] == "</div>":
            return ends.pop() if ends else tag[0]
        is_alert = tag[0].startswith('<div class="markdown-alert ')
        ends.append("</blockquote>" if is_alert else "</div>")
        return "<blockquote>" if is_alert else tag[0]

    return _DIV.sub(told, _TITLE.sub(r"<p><strong>\1</strong></p>", text))


def _ids_of(slug: str) -> Callable[[str, str, str], str | None]:
    def named(_tag: str, attribute: str, value: str) -> str | None:
        if attribute == "id":
            return f"{slug}-{value.removeprefix('in-')}"
        if attribute == "href" and value.startswith("#in-"):
            return f"#{slug}-{value.removeprefix('#in-')}"
        return value

    return named


def markdown(text: str, keeps: Collection[Part], label: str) -> TextForm:
    """The author's Markdown for a platform that knows these parts of it; the rest becomes something that it knows.

    What need not change stays as it was written, byte for byte. Nothing that could run as a script is left in it,
    also where `html` is kept. Takes time linear in the length of the text, within the bounds of our own pages.
    """
    made, lost = rewritten(text, keeps)
    return TextForm(made, tuple(_LOSSES[part].format(label) for part in lost if part in _LOSSES))
