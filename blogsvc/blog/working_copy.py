"""The page of a post as readers would see it if it were published now: previews, and drafts that are shared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from flask import render_template
from markupsafe import Markup

from blogsvc.blog import heads, pages, queries, theme, views
from blogsvc.blog.contract import Entry
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.blog.rendering import render
from blogsvc.blog.views import Surroundings
from blogsvc.errors import TextRefused
from blogsvc.models import Post, Revision
from blogsvc.models.theme import Theme

# The tag that begins a link: quotes are escaped in its attributes, but not in text.
_LINK = re.compile(r'<a(?:\s+[^\s"=<>]+(?:="[^"]*")?)++\s*>')


@dataclass(frozen=True)
class PreviewPage:
    """A page that needs no other request than for its images. `style` is the style sheet in it."""

    html: str
    style: str


def entry_of(post: Post, now: datetime, unsaved: Mapping[str, Any] | None = None) -> BlogPost:
    """Return the working copy as a post of the blog, with the date of its publication. `unsaved` replaces fields."""
    at = max(post.scheduled_at or now, now)
    revision = Revision.of(post.id, 0, post.fields() | dict(unsaved or {}), "preview", at)
    try:
        revision.render()
    except TextRefused as error:
        revision.html = Markup('<p class="err">{}</p>').format(str(error))
    return BlogPost(post, revision, Blog.read())


def preview_page(post: Post, now: datetime, scheme: str | None = None) -> PreviewPage:
    """Return the page of the working copy. `scheme` is "light" or "dark", None for that of the browser."""
    style = theme.text(Theme.read(), scheme)
    source = entry_of(post, now)
    around = Surroundings(*queries.neighbours(source), queries.related(source, pages.RELATED))
    entry = _in_frame(views.entry_of(source, around))
    head = replace(heads.of_entry(source, entry), robots=heads.NOT_INDEXED, style=style)
    return PreviewPage(render("preview.html", head, entry=entry), style)


def preview_article(post: Post, now: datetime, unsaved: Mapping[str, Any]) -> str:
    """Return the article of the preview page, with fields that are not saved yet."""
    source = entry_of(post, now, unsaved)
    entry = _in_frame(views.entry_of(source, Surroundings()))
    return render_template("blog/_article.html", blog=views.site_of(source.blog, Theme.read().scheme), entry=entry)


def _in_frame(entry: Entry) -> Entry:
    return replace(entry, html=Markup(staying_in_frame(str(entry.html))))  # noqa: S704


def staying_in_frame(html: str) -> str:
    """Return sanitised HTML with links to its own parts that stay in the frame. Others open a new tab."""
    return _LINK.sub(lambda link: link[0].replace(' href="#', ' target="_self" href="#'), html)
