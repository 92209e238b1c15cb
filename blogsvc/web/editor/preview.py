"""Previews: the post as readers will see it at each destination, and facts about the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Response, request
from markupsafe import Markup

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.blog import working_copy
from blogsvc.blog.markup import with_scrolling_tables
from blogsvc.connectors.base import Limit, TextPart, by_part
from blogsvc.delivery import preview
from blogsvc.delivery.preview import DestinationPreview
from blogsvc.delivery.status import label_of
from blogsvc.errors import TextRefused
from blogsvc.http import lanes
from blogsvc.lib.text.facts import reading_minutes
from blogsvc.lib.text.plain import written_words
from blogsvc.lib.workers import text_jobs
from blogsvc.models import SITE, Connection, Post
from blogsvc.posts import autosave
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import in_frame, show
from blogsvc.web.framework.routes import route

if TYPE_CHECKING:
    from blogsvc.lib.text.outline import Heading

# Written by preview-page.js: the width and the scheme, such as "phone-dark".
LOOK_COOKIE = "preview"


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
    look: PreviewLook
    # The article of the blog's page with text that is not saved yet; "" to show the saved text.
    article: str = ""

    @property
    def is_page(self) -> bool:
        """True for the built-in blog, whose own page is shown in a frame."""
        return self.shown == SITE

    @property
    def limit(self) -> Limit | None:
        """Return the text limit, if the length of the text is known."""
        if self.trial is None or self.trial.length is None:
            return None
        return by_part(self.trial.limits).get("text")


@dataclass(frozen=True)
class PreviewLook:
    """How the page of the blog is shown: "desktop" or "phone", "light" or "dark". None is not chosen."""

    width: str | None
    scheme: str | None

    @classmethod
    def chosen(cls) -> PreviewLook:
        """Return what the form of the preview says, or what it said last in this browser."""
        given = (*request.args.getlist("width"), *request.args.getlist("scheme"))
        values = given or tuple(request.cookies.get(LOOK_COOKIE, "").split("-"))
        return cls(_first(("desktop", "phone"), values), _first(("light", "dark"), values))


def _first(known: tuple[str, ...], values: tuple[str, ...]) -> str | None:
    return next((value for value in values if value in known), None)


@dataclass(frozen=True)
class EditorFacts:
    words: int
    minutes: int
    to_come: tuple[int, ...]
    outline: tuple[Heading, ...]


@route("GET POST", "/desk/posts/<post_id>/preview", role="author", effect=Effect.WRITE)
def preview_page(post_id: str) -> Response:
    """Show the preview for the destination `as`: of the saved text, or of the submitted one."""
    post = current_user.post(post_id)
    lanes.enter("costly")
    fields = None
    if request.method == "POST":
        fields = autosave.tidied(request.form.get("title", ""), request.form.get("content", ""))
    made = preview_of(post, request.args.get("as", ""), fields)
    facts = facts_of(fields["content"] if fields else post.content)
    return show("desk/preview.html", "desk/_preview_and_facts.html", post=post, preview=made, facts=facts, safe=safe)


@route("GET", "/desk/posts/<post_id>/page", role="author")
def draft_page(post_id: str) -> Response:
    """Return the blog's page of the saved text, for the frame of the preview."""
    post = current_user.post(post_id)
    page = working_copy.preview_page(post, context.now(), PreviewLook.chosen().scheme)
    return in_frame(Response(page.html), page.style)


def preview_of(post: Post, chosen: str, fields: dict[str, str] | None = None) -> RenderedPreview:
    """Return the preview for the destination `wanted`, or for the first destination of the post."""
    destinations = tuple(_targets(post))
    names = [destination.name for destination in destinations]
    name = chosen if chosen in names else next(iter(names), SITE)
    (trial,) = preview.previews(post, [name], context.tools(), fields)
    article = working_copy.preview_article(post, context.now(), fields) if fields and name == SITE else ""
    title = fields["title"] if fields else post.title
    return RenderedPreview(destinations, name, trial, title, PreviewLook.chosen(), article)


def _targets(post: Post) -> list[PreviewTarget]:
    """Return the post's destinations, the built-in blog first."""
    names = sorted(dict.fromkeys(post.platforms), key=lambda name: name != SITE) or [SITE]
    accounts = Connection.by_name()
    return [PreviewTarget(name, label_of(name, accounts.get(name))) for name in names]


def facts_of(content: str) -> EditorFacts:
    from blogsvc.lib.text.outline import to_come

    words = written_words(content)
    return EditorFacts(words, reading_minutes(words), tuple(to_come(content)), tuple(text_jobs.outline(content)))


def safe(part: TextPart) -> Markup:
    """Return a part as sanitised HTML, an approximation of how the platform renders it, or the reason why not."""
    from blogsvc.lib.markdown.sanitiser import sanitised

    try:
        html = text_jobs.render(part.text) if part.form == "markdown" else sanitised(part.text)
    except TextRefused as error:
        return Markup('<p class="err">{}</p>').format(str(error))
    return Markup(with_scrolling_tables(html))  # noqa: S704  (sanitised)
