"""Markdown for platforms that take a name after `@` for one of their members."""

from __future__ import annotations

from blogsvc.connectors.base import Article
from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.text.autolinks import without_mentions


def without_strangers(markdown: str, article: Article) -> str:
    """Return Markdown that mentions nobody outside its code, unless the author wrote it for this destination."""
    if article.is_own or "@" not in markdown:
        return markdown
    parts, done = [], 0
    for start, end in code_places(markdown):
        parts += [without_mentions(markdown[done:start]), markdown[start:end]]
        done = end
    return "".join([*parts, without_mentions(markdown[done:])])
