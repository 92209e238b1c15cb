"""The metadata of each kind of page: titles, canonical URLs, feeds, link previews and structured data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from blogsvc.blog import json_ld
from blogsvc.blog.authors import PostAuthor
from blogsvc.blog.contract import Archive, Entry, Feed
from blogsvc.blog.page_heads import PageHead
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.blog.series import BlogSeries
from blogsvc.blog.standard_site import document_of
from blogsvc.blog.views import ATOM
from blogsvc.lib import blog_paths
from blogsvc.lib.text.plain import images_in
from blogsvc.models.navigation import FIXED
from blogsvc.models.theme import Theme

NOT_INDEXED = "noindex"


@dataclass(frozen=True)
class LinkPreview:
    """What other sites show of a link to the page (Open Graph)."""

    type: str
    title: str
    description: str
    url: str
    image: str | None = None
    image_alt: str = ""


@dataclass(frozen=True, kw_only=True)
class Head:
    """The metadata of a page. `_head.html` writes all of it."""

    blog: Blog
    kind: str
    title: str
    path: str = ""
    is_first: bool = True
    description: str = ""
    canonical: str | None = None
    robots: str = ""
    feed: Feed | None = None
    json_ld: Mapping[str, Any] | None = None
    link_preview: LinkPreview | None = None
    fediverse: str | None = None
    # The AT-URI of the post as a document of standard.site.
    document: str | None = None
    # A style sheet in the page in place of a link to one, and the look that it is of if that is not the blog's.
    style: str | None = None
    theme: Theme | None = None


def of_home(blog: Blog, *, is_first: bool) -> Head:
    url = f"{blog.url}/"
    description = blog.description or f"The newest posts of {blog.title}."
    return Head(
        blog=blog,
        kind="home",
        path="/",
        is_first=is_first,
        title=blog.title if is_first else f"{blog.title}: older posts",
        description=description,
        canonical=url if is_first else None,
        json_ld=json_ld.of_blog(blog),
        link_preview=LinkPreview("website", blog.title, description, url),
    )


def of_entry(source: BlogPost, entry: Entry) -> Head:
    """Return the metadata of a post that is not published, such as that of a preview."""
    image, image_alt = source.image_url, ""
    if image:
        image_alt = entry.cover.alt if entry.cover else images_in(entry.html)[0][1]
    kind = "website" if entry.is_page else "article"
    return Head(
        blog=source.blog,
        kind="page" if entry.is_page else "post",
        path=entry.path,
        title=source.revision.meta_title or _titled(source.blog, entry.title),
        description=entry.summary,
        canonical=source.canonical_url,
        robots=NOT_INDEXED if source.revision.is_unlisted else "",
        link_preview=LinkPreview(kind, entry.title, entry.summary, source.canonical_url, image, image_alt),
    )


def of_post(source: BlogPost, entry: Entry) -> Head:
    """Return the metadata of a published post or page."""
    data = json_ld.of_entry(source, entry.place)
    return replace(of_entry(source, entry), json_ld=data, document=document_of(source.post))


def of_tag(blog: Blog, tag: str, page: PageHead, *, is_first: bool) -> Head:
    about = f"Posts of {blog.title} with the tag “{page.title}”."
    return Head(
        **_of_list(blog, "tag", page, about, is_first=is_first),
        feed=_feed(blog, page.title, blog_paths.of_tag_feed(tag)),
    )


def of_series(blog: Blog, series: BlogSeries) -> Head:
    about = f"The series “{series.title}” of {blog.title}."
    return Head(
        **_of_list(blog, "series", series, about, is_first=True),
        feed=_feed(blog, series.title, series.feed_path),
        json_ld=json_ld.of_series(series),
    )


def of_author(blog: Blog, author: PostAuthor, *, is_first: bool) -> Head:
    description = author.bio_text if author.bio else f"Posts by {author.name} on {blog.title}."
    image = blog.url + author.picture.src if author.picture else None
    return Head(
        blog=blog,
        kind="author",
        path=author.path,
        is_first=is_first,
        title=_titled(blog, author.name),
        description=description,
        canonical=author.url if is_first else None,
        feed=_feed(blog, author.name, author.feed_path),
        json_ld=json_ld.of_author(author),
        link_preview=LinkPreview("profile", author.name, description, author.url, image),
        fediverse=author.fediverse,
    )


def of_tags(blog: Blog) -> Head:
    return Head(
        blog=blog,
        kind="tags",
        path="/tags",
        title=_titled(blog, "Tags"),
        description=f"All tags of {blog.title}.",
        canonical=f"{blog.url}/tags",
    )


def of_subscribe(blog: Blog) -> Head:
    path = FIXED["subscribe"]
    return Head(
        blog=blog,
        kind="subscribe",
        path=path,
        title=_titled(blog, "Subscribe"),
        description=f"How to get the new posts of {blog.title}.",
        canonical=blog.url + path,
    )


def of_archive(blog: Blog, path: str, archive: Archive) -> Head:
    """Return the metadata of the archive. If not all years fit on a page, the first page is that of the newest one."""
    if len(archive.shown) == len(archive.years):
        title, posts, canonical = "Archive", "All posts", FIXED["archive"]
    else:
        year, canonical = archive.shown[0].year, archive.shown[0].path
        title, posts = f"Archive {year}", f"The posts of {year}"
    return Head(
        blog=blog,
        kind="archive",
        path=path,
        title=_titled(blog, title),
        description=f"{posts} on {blog.title}, by date.",
        canonical=blog.url + canonical,
    )


def of_search(blog: Blog, question: str, *, is_first: bool) -> Head:
    title = _titled(blog, *filter(None, [question]), "Search")
    return Head(blog=blog, kind="search", path="/search", is_first=is_first, title=title, robots=NOT_INDEXED)


def of_message(blog: Blog, kind: str, title: str) -> Head:
    """Return the metadata of a page without an address of its own, such as that for missing addresses."""
    return Head(blog=blog, kind=kind, title=_titled(blog, title), robots=NOT_INDEXED)


def _of_list(blog: Blog, kind: str, page: PageHead, about: str, *, is_first: bool) -> dict[str, Any]:
    description = page.description_text if page.description else about
    return {
        "blog": blog,
        "kind": kind,
        "path": page.path,
        "is_first": is_first,
        "title": _titled(blog, page.title),
        "description": description,
        "canonical": page.url if is_first else None,
        "link_preview": LinkPreview("website", page.title, description, page.url, page.cover_image),
    }


def _feed(blog: Blog, title: str, path: str) -> Feed:
    return Feed(_titled(blog, title), path, ATOM)


def _titled(blog: Blog, *titles: str) -> str:
    return " · ".join((*titles, blog.title))
