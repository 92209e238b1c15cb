"""Read the texts in the rows of Ghost's export, and convert those of posts to Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from blogsvc.lib.html_to_markdown import Converted
from blogsvc.lib.markdown.writer import escape
from blogsvc.lib.workers.text_jobs import convert
from blogsvc.transfer.formats import invalid_characters
from blogsvc.transfer.formats.ghost import portal as ghost_portal
from blogsvc.transfer.formats.ghost.content import GATED, has_gate, html_of_lexical, html_of_mobiledoc
from blogsvc.transfer.formats.ghost.url import GHOST_URL, PLACEHOLDER
from blogsvc.transfer.formats.linked_parts import LinkedParts
from blogsvc.transfer.formats.parsed_post import clean, cut

_DOCUMENTS = ("html", "plaintext", "lexical", "mobiledoc")  # forms of the same text


def text_of(row: Mapping[str, Any], *names: str) -> str:
    """Return the first of these fields that is not empty."""
    values = (row[name] for name in names if isinstance(row.get(name), str | int) and row[name] != "")
    return str(next(values, "")).replace(GHOST_URL, PLACEHOLDER)


def markdown_of(post: Mapping[str, Any], meta: Mapping[str, Any], linked: LinkedParts) -> Converted:
    """Convert the text of a post, with warnings about it and about the characters in its fields, also of `meta`.

    The stored HTML is preferred, because the formats of Ghost's editors vary.
    """
    warnings: list[str] = []
    old = text_of(post, "markdown")
    if html := text_of(post, "html"):
        warnings += [GATED] if has_gate(html) else []
    elif document := "" if old else text_of(post, "lexical"):
        html = html_of_lexical(document, warnings)
    elif not old:
        html = html_of_mobiledoc(text_of(post, "mobiledoc"), warnings)
    if not html and not old and (words := text_of(post, "plaintext")):
        old = escape(words)
    fields = [value for name, value in {**post, **meta}.items() if name not in _DOCUMENTS and isinstance(value, str)]
    warnings += invalid_characters.noted([html, *fields])
    if not html:
        converted = Converted(cut(clean(old), warnings))
    else:
        html = ghost_portal.without_links(cut(clean(html), warnings), warnings)
        converted = convert(html, linked=linked.inside(html))
    return replace(converted, warnings=(*warnings, *converted.warnings))
