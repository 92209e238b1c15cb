"""The article for other people's pages: HTML and Markdown without what only our own pages understand."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import nh3

Part = Literal["html", "tables", "footnotes", "tasks", "alerts", "strikethrough", "breaks"]

# Of our own HTML this stays: no spans of coloured code, no attribute that is about our page.
_TAGS = set(
    "a abbr b bdi bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h2 h3 h4 h5 h6"
    " hr i img ins kbd li mark ol p pre q s samp section small strong sub summary sup table tbody td tfoot th thead tr"
    " u ul var video audio".split()
)
_ATTRIBUTES = {
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
_TASK = re.compile(r"<input\b(?P<attributes>[^>]*)>\s*")


@dataclass(frozen=True)
class Form:
    """A text in the form that a platform takes, and what was lost on the way, for the author."""

    text: str
    warnings: tuple[str, ...] = ()


def html(text: str) -> str:
    """Our rendered HTML as another site can show it: plain code blocks, ticks for tasks, no styling hooks."""
    ticked = _TASK.sub(lambda task: "☑ " if "checked" in task["attributes"].replace("-checked", "") else "☐ ", text)
    return nh3.clean(ticked, tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None, strip_comments=True)


def markdown(text: str, keeps: Collection[Part], label: str) -> Form:
    """The author's Markdown for a platform that knows these parts of it; the rest becomes something that it knows."""
    return Form(text)
