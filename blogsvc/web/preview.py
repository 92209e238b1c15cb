"""Previews: the post as readers will see it at each destination, and facts about the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Response, request
from markupsafe import Markup

from blogsvc import context
from blogsvc.connectors.base import Limit, TextPart
from blogsvc.delivery import preview
from blogsvc.delivery.preview import DestinationPreview
from blogsvc.delivery.status import label_of
from blogsvc.errors import TextRefused
from blogsvc.lib import text_jobs
from blogsvc.lib.text import reading_minutes, written_words
from blogsvc.models import SITE, Connection, Post
from blogsvc.posts import autosave
from blogsvc.web import current_person
from blogsvc.web.rendering import show
from blogsvc.web.routes import route

if TYPE_CHECKING:
    from blogsvc.lib.outline import Heading


@dataclass(frozen=True)
class PreviewTarget:
    """A destination of the post, as a tab."""

    name: str
    label: str


@dataclass(frozen=True)
class RenderedPreview:
    """The preview for one destination."""

    destinations: tuple[PreviewTarget, ...]
    shown: str
    trial: DestinationPreview | None
    title: str

    @property
    def limit(self) -> Limit | None:
        """Return the text limit, if the length of the text is known."""
        if self.trial is None or self.trial.length is None:
            return None
        return next((limit for limit in self.trial.limits if limit.part == "text"), None)


@dataclass(frozen=True)
class TextFacts:
    words: int
    minutes: int
    to_come: tuple[int, ...]
    outline: tuple[Heading, ...]


@route("GET POST", "/desk/posts/<post_id>/preview", role="author")
def preview_page(post_id: str) -> Response:
    """Show the preview for the destination `as`: of the saved text, or of the submitted one."""
    post = current_person.post(post_id)
    words = None
    if request.method == "POST":
        words = autosave.tidied(request.form.get("title", ""), request.form.get("content", ""))
    made = preview_of(post, request.args.get("as", ""), words)
    facts = facts_of(words["content"] if words else post.content)
    return show("desk/preview.html", "desk/_preview_and_facts.html", post=post, preview=made, facts=facts, safe=safe)


def preview_of(post: Post, wanted: str, words: dict[str, str] | None = None) -> RenderedPreview:
    """Return the preview for the destination `wanted`, or for the first destination of the post."""
    destinations = tuple(_targets(post))
    names = [destination.name for destination in destinations]
    name = wanted if wanted in names else next(iter(names), SITE)
    (trial,) = preview.previews(post, [name], context.tools(), words)
    return RenderedPreview(destinations, name, trial, words["title"] if words else post.title)


def _targets(post: Post) -> list[PreviewTarget]:
    """Return the post's destinations, the built-in blog first."""
    names = sorted(dict.fromkeys(post.platforms), key=lambda name: name != SITE) or [SITE]
    accounts = {connection.name: connection for connection in Connection.all()}
    return [PreviewTarget(name, label_of(name, accounts.get(name))) for name in names]


def facts_of(content: str) -> TextFacts:
    from blogsvc.lib.outline import to_come

    words = written_words(content)
    return TextFacts(words, reading_minutes(words), tuple(to_come(content)), tuple(text_jobs.outline(content)))


def safe(part: TextPart) -> Markup:
    """Return a part as sanitised HTML, an approximation of how the platform renders it, or the reason why not."""
    from blogsvc.lib import markdown

    try:
        html = text_jobs.render(part.text) if part.form == "markdown" else markdown.sanitised(part.text)
    except TextRefused as error:
        return Markup('<p class="err">{}</p>').format(str(error))
    return Markup(html)  # noqa: S704  (sanitised)
