"""The built-in blog as a destination."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from blogsvc.connectors.base import Account, Article, Connector, Payload


@dataclass
class SiteConnector(Connector):
    """The built-in blog, updated in the publishing transaction so that copies can link to it.

    It therefore has no `publish`. `compose` is used for previews and hashes.
    """

    key = "site"
    label = "This blog"
    accepts = "html"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "language", "canonical_url"})
    shows = (("title", "title"), ("html", "html"))
    repeatable = frozenset({"create", "update", "delete"})
    once = "The post is delivered in the same transaction that publishes it."
    is_local = True

    def verify(self) -> Account:
        return Account(self.label)

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        from blogsvc.connectors._kit.portable import html_warnings

        return Payload(
            {
                "title": article.title,
                "html": article.html,
                "summary": article.summary,
                "tags": list(article.tags),
                "cover": article.cover_url,
                "language": article.language,
            },
            html_warnings(article.html, self.label),
        )
