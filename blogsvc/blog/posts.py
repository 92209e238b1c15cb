"""The blog and its posts as readers see them: each post with the revision that is live."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import urljoin

from blogsvc import context
from blogsvc.blog import markup
from blogsvc.blog.authors import PostAuthor, all_authors
from blogsvc.blog.frame import Frame
from blogsvc.lib import blog_paths
from blogsvc.lib.markdown import full_addresses
from blogsvc.lib.text.plain import EXCERPT_LENGTH, EXCERPT_SOURCE_LENGTH, excerpt, images_in, plain, word_count
from blogsvc.models import Post, Revision, setting

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+$")


@dataclass(frozen=True)
class Blog:
    """The blog with its settings. `url` has no trailing slash."""

    title: str
    description: str
    author: str
    language: str
    url: str

    @classmethod
    def read(cls) -> Blog:
        settings = setting.blog()
        fields = {name: settings[name] for name in ("title", "description", "author", "language")}
        return cls(**fields, url=context.tools().config.public_url)

    @cached_property
    def feed_host(self) -> str:
        return setting.feed_host(self.url)

    @property
    def direction(self) -> str:
        return markup.direction(self.language)

    def other_language(self, language: str | None) -> tuple[str | None, str | None]:
        """Return the language of a post and its writing direction, each None if it is that of the blog."""
        if not language or language == self.language:
            return None, None
        direction = markup.direction(language)
        return language, direction if direction != self.direction else None

    @cached_property
    def frame(self) -> Frame:
        """Return what is around the content of every page."""
        return Frame.read()

    @cached_property
    def authors(self) -> dict[str, PostAuthor]:
        """Return all authors by their slugs."""
        return all_authors(self)


@dataclass(frozen=True)
class BlogPost:
    post: Post
    revision: Revision
    blog: Blog

    @property
    def path(self) -> str:
        return blog_paths.of_post(self.revision.slug)

    @property
    def url(self) -> str:
        return self.blog.url + self.path

    @property
    def canonical_url(self) -> str:
        return self.revision.canonical_url or self.url

    @property
    def feed_id(self) -> str:
        """Return the permanent id in feeds: that of the blog that the post was imported from, if it had one."""
        return self.post.feed_id_at(self.blog.feed_host)

    @property
    def atom_id(self) -> str:
        """Return the id in Atom, which must be a URI. Blogs with other ids, such as Ghost, have no Atom feed."""
        return self.feed_id if _URI.match(self.feed_id) else self.post.own_feed_id(self.blog.feed_host)

    @property
    def slug(self) -> str:
        return self.revision.slug

    @property
    def title(self) -> str:
        return self.revision.title.strip() or excerpt(self.summary, 60) or "Untitled"

    @cached_property
    def authors(self) -> list[PostAuthor]:
        """Return the authors in the order of the byline: those of the post, or else the author of the blog."""
        named = [self.blog.authors[slug] for slug in self.revision.authors if slug in self.blog.authors]
        if named or not self.blog.author:
            return named
        return [PostAuthor(self.blog.author, "/", f"{self.blog.url}/")]

    @property
    def is_page(self) -> bool:
        """True for a page such as "About", which has no date and no author line."""
        return self.revision.kind == "page"

    @property
    def is_listed(self) -> bool:
        """True for a post in lists, feeds and searches."""
        return self.revision.is_listed

    @property
    def tags(self) -> list[str]:
        return self.revision.tags

    @property
    def published_at(self) -> datetime:
        return self.post.first_published_at or self.revision.created_at

    @property
    def updated_at(self) -> datetime:
        """Return the time of the last change of what readers read; of the revision, if it is not on the blog."""
        is_shown = self.revision.id == self.post.site_revision_id
        changed_at = self.post.content_changed_at if is_shown else None
        return max(self.published_at, changed_at or self.revision.created_at)

    @cached_property
    def absolute_html(self) -> str:
        """Return the HTML with absolute URLs, for feeds."""
        return full_addresses.in_html(self.revision.render(), self.url, with_fragments=True)

    @cached_property
    def summary(self) -> str:
        """Return the author's summary, or the beginning of the text."""
        if own := self.revision.summary.strip():
            return own
        html = self.revision.render()
        if len(html) > EXCERPT_SOURCE_LENGTH:
            html = html[:EXCERPT_SOURCE_LENGTH].rpartition("<")[0]
        return excerpt(plain(markup.prose(html)), EXCERPT_LENGTH)

    @cached_property
    def word_count(self) -> int:
        return word_count(plain(self.revision.render()))

    @property
    def cover_url(self) -> str | None:
        return absolute_url(self.blog.url, self.revision.cover_image)

    @cached_property
    def image_url(self) -> str | None:
        """Return the URL of the image for link previews: the cover, else the first image in the text."""
        if self.cover_url:
            return self.cover_url
        first = next(iter(images_in(self.revision.render())), None)
        return absolute_url(self.url, first[0]) if first else None


def absolute_url(base: str, url: str | None) -> str | None:
    """Return the absolute URL, or None if it is empty, malformed or not HTTP."""
    try:
        address = urljoin(base, url) if url else ""
    except ValueError:
        return None
    return address if address.startswith(("https://", "http://")) else None
