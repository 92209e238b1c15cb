"""This blog itself, as a destination among the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from blogsvc.connectors.base import Account, Article, Connector, Payload


@dataclass
class SiteConnector(Connector):
    """The built-in blog. It has no `publish`: the publishing transaction itself is its delivery,
    so that the copies elsewhere can point home. `compose` serves preview and the hash of a copy."""

    key = "site"
    label = "This blog"
    accepts = "html"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "language", "canonical_url"})
    shows = (("title", "title"), ("html", "html"))
    repeatable = frozenset({"create", "update", "delete"})
    once = "It is delivered in the transaction that publishes it."
    is_local = True

    def verify(self) -> Account:
        return Account(self.label)

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return Payload(
            {
                "title": article.title,
                "html": article.html,
                "summary": article.summary,
                "tags": list(article.tags),
                "cover": article.cover_url,
                "language": article.language,
            }
        )
