"""What takes time before a post is written, done before the transaction, in which everybody else would wait for it.

The text is folded for the search. A post that is to be published is rendered and composed for each destination, which
may take seconds. The transaction compares the post with the one that was prepared, and prepares it again if it has
changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from blogsvc.connections.aliases import by_stored_name, without_aliases
from blogsvc.context import Tools
from blogsvc.delivery.preflight import refusals, with_choices
from blogsvc.delivery.preview import previews
from blogsvc.errors import Fault, Invalid, TextRefused
from blogsvc.lib.text.facts import TextFacts, facts_of
from blogsvc.models import SITE, Post
from blogsvc.models.post import SEARCHED_FIELDS
from blogsvc.models.revision import rendered
from blogsvc.posts import slugs
from blogsvc.posts.publish_request import PublishRequest


@dataclass(frozen=True)
class PreparedText:
    """A text with its facts, and with its HTML if the post is scheduled or about to be published."""

    content: str
    language: str | None = None
    facts: TextFacts | None = None
    html: str | None = None

    def facts_for(self, content: str) -> TextFacts | None:
        """Return the facts of a text; None if they were not prepared."""
        return self.facts if content == self.content else None

    def html_for(self, post: Post) -> str | None:
        """Return the HTML of a post; None if it was not prepared."""
        return self.html if (post.content, post.language) == (self.content, self.language) else None


@dataclass(frozen=True)
class PreparedPost(PreparedText):
    """A post that is about to be published: what it was composed from, and what destinations refuse of it."""

    composed_from: tuple[object, ...] = ()
    refused: tuple[Fault, ...] = ()
    # Why the text can't be rendered.
    unreadable: TextRefused | None = None

    def require_sendable(
        self, post: Post, platforms: Sequence[str], tools: Tools, unsaved: Mapping[str, Any] | None = None
    ) -> None:
        """Raise Invalid if one of these destinations would reject the post, or TextRefused if it can't be rendered.

        Composes the post again if it is not the one that was prepared. Fields in `unsaved` replace the stored ones.
        """
        fields, after = post.fields() | dict(unsaved or {}), [*post.platforms, *platforms]
        now = self
        if _sources(post, fields, platforms, after) != self.composed_from:
            now = _composed(post, fields, platforms, after, tools)
        if now.unreadable is not None:
            raise now.unreadable
        if now.refused:
            raise Invalid(*now.refused)


def text(changes: Mapping[str, Any], post: Post | None = None) -> PreparedText:
    """Prepare the text of a new post, or the changes of a post. Raises TextRefused for one that is scheduled."""
    content = changes.get("content", "" if post is None else post.content)
    language = changes.get("language", None if post is None else post.language)
    has_words = post is None or not SEARCHED_FIELDS.isdisjoint(changes)
    is_shown = post is not None and post.state == "scheduled" and not {"content", "language"}.isdisjoint(changes)
    return PreparedText(
        content, language, facts_of(content) if has_words else None, rendered(content, language) if is_shown else None
    )


def publication(
    post: Post, request: PublishRequest, tools: Tools, changes: Mapping[str, Any] | None = None
) -> PreparedPost:
    """Prepare a post to be published or scheduled.

    Args:
        changes: fields that the same transaction changes first, and `platforms`.
    """
    changes = dict(changes or {})
    had = changes.pop("platforms", post.platforms)
    fields = post.fields() | {name: value for name, value in changes.items() if name in post.fields()}
    if not fields["slug"]:
        fields["slug"] = slugs.free_slug(fields["title"], fields["language"], but=post)
    platforms = without_aliases(had if request.platforms is None else request.platforms)
    fields["overrides"] = by_stored_name(fields["overrides"])
    if request.overrides:
        fields["overrides"] = with_choices(fields["overrides"], request.overrides, platforms)
    after = platforms if request.when is not None else [*without_aliases(had), *platforms]
    prepared = _composed(post, fields, platforms, after, tools)
    return replace(prepared, facts=facts_of(prepared.content)) if "content" in changes else prepared


def _composed(
    post: Post, fields: Mapping[str, Any], platforms: Sequence[str], platforms_after: Collection[str], tools: Tools
) -> PreparedPost:
    written, sources = (fields["content"], fields["language"]), _sources(post, fields, platforms, platforms_after)
    try:
        html = rendered(*written)
    except TextRefused as error:
        return PreparedPost(*written, composed_from=sources, unreadable=error)
    refused = refusals(previews(post, platforms, tools, fields, platforms_after))
    return PreparedPost(*written, html=html, composed_from=sources, refused=refused)


def _sources(
    post: Post, fields: Mapping[str, Any], platforms: Sequence[str], platforms_after: Collection[str]
) -> tuple[object, ...]:
    """Return what decides whether a destination refuses a post."""
    copies = {(copy.destination, copy.remote_id, copy.url) for copy in post.deliveries}
    return dict(fields), list(platforms), SITE in platforms_after, copies
