"""The page of a post as readers would see it if it were published now: previews, and drafts that are shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import render_template
from markupsafe import Markup

from blogsvc.blog import icons, pages, queries, theme
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.errors import TextRefused
from blogsvc.lib import blog_paths
from blogsvc.models import Post, Revision


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
    style = theme.text() + (f":root {{ color-scheme: {scheme} }}\n" if scheme else "")
    entry = entry_of(post, now)
    html = render_template("blog/preview.html", **page_words(entry), style=Markup(style), content=_content(entry))  # noqa: S704
    return PreviewPage(html, style)


def preview_article(post: Post, now: datetime, unsaved: Mapping[str, Any]) -> str:
    """Return the article of the preview page, with fields that are not saved yet."""
    entry = entry_of(post, now, unsaved)
    return render_template(
        "blog/_article.html", entry=entry, blog=entry.blog, tag_path=blog_paths.of_tag, content=_content(entry)
    )


def page_words(entry: BlogPost) -> dict[str, Any]:
    """Return what the templates of a post's page need. Its neighbours are published posts."""
    older, newer = queries.neighbours(entry)
    related = queries.related(entry, pages.RELATED)
    words = {"entry": entry, "older": older, "newer": newer, "related": related, "tag_path": blog_paths.of_tag}
    return words | {"blog": entry.blog, "path": entry.path, "css": theme.address(), "icon": icons.best_path(entry.blog)}


def _content(entry: BlogPost) -> str:
    """Return the text with links to its own parts that stay in the frame. Others open a new tab."""
    return entry.html.replace('href="#', 'target="_self" href="#')
