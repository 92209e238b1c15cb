"""Tidy the HTML of other sites before it is read: elements are closed, and scripts and comments are gone."""

from __future__ import annotations

from blogsvc.lib.markdown.clean_html import cleaned
from blogsvc.lib.markdown.raw_html import ATTRIBUTES, HIDDEN, TAGS

VOID = frozenset("br hr img input wbr".split())
CLASSES = {"*": {"class", "dir", "id", "lang"}, "a": {"href", "name", "role"}, "iframe": {"src", "data-src"}}
IMAGE = {"alt", "src", "srcset", "data-src", "data-srcset"}


def tidy(html: str) -> str:
    """Return the HTML with closed elements, and without scripts and comments."""
    return cleaned(
        html,
        tags=TAGS | {"article", "aside", "footer", "h1", "header", "iframe", "input", "main", "nav", "strike", "tt"},
        clean_content_tags=set(HIDDEN) | {"head"},
        attributes={
            **ATTRIBUTES,
            **{tag: ATTRIBUTES.get(tag, set()) | names for tag, names in CLASSES.items()},
            "img": IMAGE,
            "input": {"checked", "type"},
        },
        link_rel=None,
        strip_comments=True,
    )
