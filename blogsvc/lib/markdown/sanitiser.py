"""Keep only what is safe and meant to be shown in the HTML of a text: elements, attributes, classes and ids.

Ids, and links to them, get the prefix `in-`, so that they cannot collide with ids of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from pygments.token import STANDARD_TYPES

from blogsvc.lib.markdown.callouts import KINDS
from blogsvc.lib.markdown.clean_html import cleaned
from blogsvc.lib.markdown.fragments import IS_NAME, NAME, PREFIX, place_name
from blogsvc.lib.markdown.languages import LANGUAGES


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IS_TOP = re.compile(r"""\sid=["']?(?:in-)?top\b""")
_ALERTS = {"markdown-alert", *(f"markdown-alert-{kind}" for kind in KINDS)}

_ATTRIBUTES = {
    "*": {"dir", "id", "lang", "title"},
    "a": {"href", "hreflang"},
    "audio": {"controls", "loop", "muted", "src"},
    "del": {"datetime"},
    "details": {"open"},
    **{heading: {NAME} for heading in ("h2", "h3", "h4", "h5", "h6")},
    "img": {"alt", "decoding", "height", "loading", "src", "width"},
    "input": {"aria-label", "checked", "disabled"},
    "ins": {"datetime"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "source": {"src", "type"},
    "td": {"align", "colspan", "headers", "rowspan"},
    "th": {"align", "colspan", "headers", "rowspan", "scope"},
    "time": {"datetime"},
    "video": {"controls", "height", "loop", "muted", "poster", "src", "width"},
}
_TAGS = _names(
    "abbr b bdi bdo blockquote br caption cite code dd dfn div dl dt em figcaption figure h2 h3 h4 h5 h6 hr"
    " i kbd mark nav p pre q rp rt ruby s samp section small span strong sub summary sup table tbody tfoot thead"
    " tr u ul var wbr"
) | set(_ATTRIBUTES) - {"*"}
_CLASSES = {
    "a": {"embed", "footnote-backref"},
    "blockquote": {"pull"},
    "code": {f"language-{name}" for name in LANGUAGES},
    "details": _ALERTS,
    "div": _ALERTS,
    "figure": {"code", "full", "gallery", "wide"},
    "hr": {"footnotes-sep"},
    "input": {"task-list-item-checkbox"},
    "li": {"footnote-item", "task-list-item"},
    "nav": {"toc"},
    "ol": {"contains-task-list", "footnotes-list"},
    "p": {"markdown-alert-title"},
    "pre": {"code"},
    "section": {"footnotes"},
    "span": set(STANDARD_TYPES.values()) - {""},
    "summary": {"markdown-alert-title"},
    "sup": {"footnote-ref"},
    "ul": {"contains-task-list"},
}
_RELATIONS = {"author", "license", "me", "nofollow", "noopener", "sponsored", "tag", "ugc"}


def sanitised(html: str) -> str:
    """Return untrusted HTML, sanitised."""
    return cleaned(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        tag_attribute_values={"a": {"rel": _RELATIONS}, "pre": {"tabindex": {"0"}}},
        set_tag_attribute_values={"input": {"type": "checkbox"}},
        attribute_filter=_ids_behind_prefix(has_top=_IS_TOP.search(html) is not None),
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel=None,  # the author's own links; noopener is unnecessary because `target` is not allowed
    )


def _ids_behind_prefix(*, has_top: bool) -> Callable[[str, str, str], str | None]:
    """Return a filter for one document: prefixes ids and links to them, and drops repeated ids.

    Links to the top of the page stay, unless the document has an element with this id.
    """
    used_ids: set[str] = set()

    def keep(_tag: str, attribute: str, value: str) -> str | None:
        if attribute == "href" and value.startswith("#"):
            if value == "#" or (value.lower() == "#top" and not has_top):
                return value
            name = value[1:].removeprefix(PREFIX)
            return f"#{PREFIX}{name if IS_NAME.fullmatch(unquote(name)) else place_name(name)}"
        if attribute != "id":
            return value
        name = place_name(value.removeprefix(PREFIX))
        if name in used_ids or not name:
            return None
        used_ids.add(name)
        return PREFIX + name

    return keep
