"""Authors as readers see them: those of a post, and the page of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from blogsvc.blog.contract import Image
from blogsvc.lib import blog_paths
from blogsvc.lib.media_names import path_of
from blogsvc.lib.text.plain import EXCERPT_LENGTH, excerpt, plain
from blogsvc.lib.workers import text_jobs
from blogsvc.models import Author, Media, db

if TYPE_CHECKING:
    from blogsvc.blog.posts import Blog

# In CSS pixels, at most; twice as many are loaded for sharp screens.
PICTURE_SIZE = 96


@dataclass(frozen=True)
class PostAuthor:
    """An author in a byline. `url` is that of the author's page, or of the home page for the author of the blog."""

    name: str
    path: str
    url: str
    slug: str = ""
    bio: str = ""
    links: tuple[Mapping[str, Any], ...] = ()
    fediverse: str | None = None
    picture: Image | None = None
    language: str = "en"  # that of the blog

    @classmethod
    def of(cls, author: Author, media: Media | None, blog: Blog) -> PostAuthor:
        path = blog_paths.of_author(author.slug)
        picture = _picture(media) if media is not None else None
        links = tuple(author.links)
        about = author.slug, author.bio, links, author.fediverse, picture, blog.language
        return cls(author.name, path, blog.url + path, *about)

    @property
    def feed_path(self) -> str:
        return blog_paths.of_author_feed(self.slug)

    @cached_property
    def bio_html(self) -> str:
        """Return the biography as sanitized HTML."""
        return text_jobs.render(self.bio, self.language) if self.bio else ""

    @property
    def bio_text(self) -> str:
        """Return the biography as plain text."""
        return excerpt(plain(self.bio_html), EXCERPT_LENGTH)


def all_authors(blog: Blog) -> dict[str, PostAuthor]:
    """Return all authors by slug, with one query."""
    rows = db.session.execute(select(Author, Media).outerjoin(Media, Media.id == Author.picture_id))
    return {author.slug: PostAuthor.of(author, media, blog) for author, media in rows}


def _picture(media: Media) -> Image:
    """Return the smallest size of an image that is sharp in a byline."""
    sizes = [*media.sizes, {"name": media.name, "width": media.width, "height": media.height}]
    is_sharp = [size for size in sizes if min(size["width"], size["height"]) >= 2 * PICTURE_SIZE]
    chosen = min(is_sharp or sizes[-1:], key=lambda size: size["width"])
    return Image(path_of(chosen["name"]), "", chosen["width"], chosen["height"], "", "")
