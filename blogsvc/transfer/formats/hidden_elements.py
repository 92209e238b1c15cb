"""Remove the HTML elements in Markdown that browsers do not show, or that our pages can't have, such as scripts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from blogsvc.lib.html_to_markdown.embeds import PLAYERS, page_of, page_url
from blogsvc.lib.html_to_markdown.hidden import is_hidden
from blogsvc.lib.html_to_markdown.left_out import LABELS
from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.removals import InSource, Removals, source

_MAYBE = re.compile(
    r"<[a-z][\w-]{0,40}+\s[^<>]{0,1000}?\b(?:hidden|display|mso-hide)\b"
    r"|<(?:applet|audio|button|canvas|datalist|dialog|embed|form|head|map|math|noscript|object|script|select|style|svg"
    r"|template|textarea|title|video|\w{1,20}-(?:youtube|vimeo|video))[\s>]",
    re.IGNORECASE,
)
_MAY_HIDE = re.compile("hidden|display|mso-hide", re.IGNORECASE)
_PLAYERS = ("audio", "video")
_NOT_SHOWN = ("datalist", "head", "style", "template", "title")
# What our pages can't have, without the fields of forms, of which those in lists are tasks.
_LEFT_OUT = {name: label for name, label in LABELS.items() if name != "input"}
_LEFT_OUT |= {"object": "Embedded content", "embed": "Embedded content"}
_TAG = re.compile(r"""<(/?)([a-z][\w-]{0,40}+)((?:\s(?:[^<>"']|"[^"]*+"|'[^']*+')*+)?)>""", re.IGNORECASE)
_ADDRESS = re.compile(r"""\b(?:src|data)=["']?(https?://[^\s"'<>]{1,2000}+)""", re.IGNORECASE)
_VOID = frozenset("area br col embed hr img input link meta source track wbr".split())


def without_hidden(text: str, source_text: str, removals: Removals) -> str:
    """Return Markdown without its hidden elements. An element without an end makes `removals` uncertain.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
    """
    if not _MAYBE.search(text):
        return text
    code = code_places(text)
    parts, place = list[str](), 0
    in_source, hidden, name, depth, noted = (
        InSource(source_text),
        -1,
        "",
        0,
        0,
    )  # where the hidden element begins, its name, and how many of it are open
    for tag in _TAG.finditer(text):
        if hidden < 0 and not tag[1] and code.end_at(tag.start()) is None and _is_left_out(tag):
            noted = in_source.place_of(tag[0])
            hidden, name, depth = tag.start(), tag[2].lower(), 1
        elif hidden >= 0 and tag[2].lower() == name:
            depth += -1 if tag[1] else 1
        if hidden >= 0 and (depth == 0 or name in _VOID):
            element = text[hidden : tag.end()]
            parts += [text[place:hidden], _left_of(element, name, removals, noted)]
            place, hidden = tag.end(), -1
    if hidden >= 0:
        removals.note_uncertain("a hidden element without an end", noted)
    return "".join([*parts, text[place:]])


def _is_left_out(tag: re.Match[str]) -> bool:
    name = tag[2].lower()
    if name in _PLAYERS or name in _NOT_SHOWN or name in _LEFT_OUT or name in PLAYERS:
        return True
    if name != "dialog" and not _MAY_HIDE.search(tag[3]):
        return False
    attributes = _attributes(tag[0])
    return is_hidden(attributes) or (name == "dialog" and "open" not in attributes)


def _left_of(element: str, name: str, removals: Removals, place: int) -> str:
    """Return what is left of an element: a link to the page that it embeds. Notes what was removed."""
    opening = _TAG.match(element)
    assert opening is not None
    attributes = _attributes(opening[0])
    if name in _PLAYERS and not is_hidden(attributes):  # with what browsers without the player showed
        closing = element.rpartition("</")
        sources = "".join(
            tag[0] for tag in _TAG.finditer(element) if tag[2].lower() in ("source", "track") and not tag[1]
        )
        return f"{opening[0]}{sources}</{closing[2]}"
    embedded = _ADDRESS.search(element) if name in ("embed", "object") else None
    if url := embedded[1] if embedded else page_of(name, attributes):
        removals.note(f"The embedded content {source(element)} is a link now.", place)
        return f"<{page_url(url)}>"
    if name in _LEFT_OUT and not is_hidden(attributes):
        removals.note(f"{_LEFT_OUT[name]} was removed: {source(element)}.", place)
    else:
        removals.note(f"The hidden element {source(element)} was removed.", place)
    return ""


class _Attributes(HTMLParser):
    found: dict[str, Any]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found = dict(attrs)

    handle_startendtag = handle_starttag


def _attributes(tag: str) -> dict[str, Any]:
    parser = _Attributes()
    parser.found = {}
    parser.feed(tag)
    return parser.found
