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
from blogsvc.blog.images import ResponsiveImage
from blogsvc.lib import blog_paths
from blogsvc.lib.text.facts import reading_minutes
from blogsvc.lib.text.plain import EXCERPT_LENGTH, EXCERPT_SOURCE_LENGTH, excerpt, images_in, plain, word_count
from blogsvc.lib.workers import text_jobs
from blogsvc.models import SITE, Post, Revision, Setting
from blogsvc.models.setting import feed_host

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
        settings = {name: Setting.read(f"blog_{name}") for name in ("title", "description", "author", "language")}
        return cls(**settings, url=context.tools().config.public_url)

    @cached_property
    def feed_host(self) -> str:
        return feed_host(self.url)

    @property
    def direction(self) -> str:
        return markup.direction(self.language)

    @cached_property
    def frame(self) -> Frame:
        """Return what is around the content of every page."""
        return Frame.read()

    @cached_property
    def authors(self) -> dict[str, PostAuthor]:
        """Return all authors by their slugs."""
        return all_authors(self.url)


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
    def meta_title(self) -> str:
        """Return the title for search engines and browser tabs."""
        return self.revision.meta_title or f"{self.title} · {self.blog.title}"

    @property
    def tags(self) -> list[str]:
        return self.revision.tags

    @property
    def language(self) -> str | None:
        """Return the language if it differs from that of the blog."""
        return self.revision.language if self.revision.language != self.blog.language else None

    @property
    def direction(self) -> str:
        return markup.direction(self.revision.language or self.blog.language)

    @property
    def published_at(self) -> datetime:
        return self.post.first_published_at or self.revision.created_at

    @property
    def updated_at(self) -> datetime:
        return max(self.published_at, self.revision.created_at)

    @property
    def was_updated(self) -> bool:
        return self.updated_at.date() > self.published_at.date()

    @cached_property
    def html(self) -> str:
        html = self._responsive_image.html(self.revision.render(), has_cover=self.cover_url is not None)
        return markup.with_scrolling_tables(html)

    @cached_property
    def _responsive_image(self) -> ResponsiveImage:
        return ResponsiveImage.of(self.blog.url, self.revision.render(), self.revision.cover_image or "")

    @property
    def cover(self) -> dict[str, str] | None:
        """Return the attributes of the cover image."""
        return self._responsive_image.cover(self.cover_url, self.revision.cover_alt) if self.cover_url else None

    @cached_property
    def cover_caption(self) -> str:
        """Return the caption of the cover image as sanitized HTML without blocks; "" if there is none."""
        caption = self.revision.cover_caption
        return markup.inline(text_jobs.render(caption)) if caption and self.cover_url else ""

    @cached_property
    def absolute_html(self) -> str:
        """Return the HTML with absolute URLs, for feeds."""
        return markup.absolute(self.revision.render(), self.url)

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
    def minutes(self) -> int:
        return reading_minutes(self.word_count)

    @property
    def cover_url(self) -> str | None:
        return _absolute_url(self.blog.url, self.revision.cover_image)

    @cached_property
    def image_url(self) -> str | None:
        """Return the URL of the image for link previews: the cover, else the first image in the text."""
        return self.cover_url or _absolute_url(self.url, self._first_image[0])

    @property
    def image_alt(self) -> str:
        """Return the alt text of the image for link previews."""
        cover, first = (self.cover_url, self.revision.cover_alt), self._first_image
        url, alt = cover if self.cover_url else first
        return self._responsive_image.alt(url, alt) if url else ""

    @cached_property
    def _first_image(self) -> tuple[str | None, str]:
        return next(iter(images_in(self.revision.render())), (None, ""))

    @cached_property
    def copies(self) -> list[str]:
        """Return the URLs of the copies on platforms."""
        others = (copy for copy in self.post.deliveries if copy.destination != SITE and copy.copy_revision_id)
        return [url for copy in others if (url := _absolute_url(self.blog.url, copy.url))]


@dataclass(frozen=True, slots=True)
class PostTitle:
    """What a long list shows of a post. Many of them take a fraction of the time that as many posts would."""

    slug: str
    title: str
    language: str | None
    direction: str
    published_at: datetime
    blog: Blog

    @classmethod
    def of(cls, blog: Blog, slug: str, title: str, language: str | None, published_at: datetime) -> PostTitle:
        other = language if language != blog.language else None
        return cls(slug, title, other, markup.direction(other or blog.language), published_at, blog)

    @property
    def path(self) -> str:
        return blog_paths.of_post(self.slug)


def _absolute_url(base: str, url: str | None) -> str | None:
    """Return the absolute URL, or None if it is empty, malformed or not HTTP."""
    try:
        address = urljoin(base, url) if url else ""
    except ValueError:
        return None
    return address if address.startswith(("https://", "http://")) else None
