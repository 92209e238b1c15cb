"""Feeds with the full text, robots.txt and the description of the search."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import format_datetime as rfc_2822
from itertools import accumulate
from typing import Any
from urllib.parse import quote, unquote, urljoin

from flask import Blueprint, Response, abort, render_template, request

from blogsvc.blog import cache, icons, queries
from blogsvc.blog.authors import PostAuthor
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.blog.series import series_at
from blogsvc.blog.tag_pages import head_of
from blogsvc.lib import blog_paths
from blogsvc.lib.content_usage import CONTENT_USAGE
from blogsvc.lib.time import stamp
from blogsvc.models import Setting

blueprint = Blueprint("feeds", __name__)

IN_FEED = 20
MAX_FEED_LENGTH = 1024 * 1024  # characters of HTML; larger feeds would take the place of many pages in memory


@dataclass(frozen=True)
class AtomFeed:
    """What an Atom feed is about: all posts, or those of a tag, an author or a series.

    `path` is that of the page with them.
    """

    title: str
    path: str
    author: PostAuthor | None = None
    tag: str | None = None
    series: str | None = None


@blueprint.get("/feed.xml")
def atom() -> Response:
    return _atom(lambda blog: AtomFeed(blog.title, "/"))


@blueprint.get("/feed/tag/<path:tag>")
def atom_of_tag(tag: str) -> Response:
    tag = blog_paths.tag_in(tag)

    def feed_of(blog: Blog) -> AtomFeed:
        head = head_of(blog, tag)
        return AtomFeed(f"{head.title} · {blog.title}", head.path, tag=tag)

    return _atom(feed_of)


@blueprint.get("/feed/author/<slug>")
def atom_of_author(slug: str) -> Response:
    def feed_of(blog: Blog) -> AtomFeed:
        author = blog.authors.get(slug) or abort(404)
        return AtomFeed(f"{author.name} · {blog.title}", author.path, author=author)

    return _atom(feed_of)


@blueprint.get("/feed/series/<slug>")
def atom_of_series(slug: str) -> Response:
    def feed_of(blog: Blog) -> AtomFeed:
        series = series_at(blog, slug) or abort(404)
        return AtomFeed(f"{series.title} · {blog.title}", series.path, series=series.slug)

    return _atom(feed_of)


def _atom(feed_of: Callable[[Blog], AtomFeed]) -> Response:
    """Return a feed. Each links to the one with older posts (RFC 5005), so that all posts can be reached."""

    def make(before: str | None) -> CachedPage:
        blog = Blog.read()
        feed = feed_of(blog)
        author = feed.author.slug if feed.author else None
        posts_page = queries.page_of_posts(blog, IN_FEED, before, tag=feed.tag, author=author, series=feed.series)
        entries = _fitting(posts_page.entries)
        if not entries and (feed.tag is not None or (feed.author is not None and not feed.author.bio)):
            abort(404)
        is_cut = len(entries) < len(posts_page.entries)
        # Atom requires a date even for an empty feed.
        updated_at = stamp(max(entry.updated_at for entry in entries)) if entries else "1970-01-01T00:00:00Z"
        xml = render_template(
            "blog/feed.xml",
            blog=blog,
            feed=feed,
            path=quote(unquote(request.path)),
            before=before,
            older=entries[-1].slug if is_cut else posts_page.older,
            entries=entries,
            updated_at=updated_at,
            stamp=stamp,
            icon=icons.path_of(blog, 192),
        )
        return CachedPage.of(xml, "application/atom+xml")

    before = request.args.get("before", "")
    if "\0" in before + request.path:
        abort(404)
    address = f"{request.path}?before={before}" if before else request.path
    return cache.answer(address, lambda: make(before or None), frozenset({"before"}))[0]


@blueprint.get("/rss.xml")
def rss() -> Response:
    """Return the RSS feed, for subscribers of imported blogs: in it, entries can have any id."""

    def make() -> CachedPage:
        blog = Blog.read()
        xml = render_template("blog/rss.xml", blog=blog, entries=_newest(blog), rfc_2822=rfc_2822)
        return CachedPage.of(xml, "application/rss+xml")

    return cache.answer("/rss.xml", make)[0]


@blueprint.get("/feed.json")
def json_feed() -> Response:
    def make() -> CachedPage:
        blog = Blog.read()
        feed = _json_feed(blog, _newest(blog))
        return CachedPage.of(json.dumps(feed, ensure_ascii=False), "application/feed+json")

    return cache.answer("/feed.json", make)[0]


@blueprint.get("/robots.txt")
def robots() -> Response:
    def make() -> CachedPage:
        usage = CONTENT_USAGE[Setting.read("blog_ai_preference")]
        lines = (
            "User-agent: *",
            *([f"Content-Usage: {usage}"] if usage else []),
            "Disallow: /api/",
            "Disallow: /desk",
            "",
            f"Sitemap: {Blog.read().url}/sitemap.xml",
            "",
        )
        return CachedPage.of("\n".join(lines), "text/plain")

    return cache.answer("/robots.txt", make)[0]


@blueprint.get("/-/opensearch.xml")
def opensearch() -> Response:
    """Return how browsers can search the blog (OpenSearch 1.1)."""

    def make() -> CachedPage:
        xml = render_template("blog/opensearch.xml", blog=Blog.read())
        return CachedPage.of(xml, "application/opensearchdescription+xml")

    return cache.answer("/-/opensearch.xml", make)[0]


def _newest(blog: Blog) -> list[BlogPost]:
    return _fitting(queries.newest(blog, IN_FEED))


def _fitting(entries: list[BlogPost]) -> list[BlogPost]:
    """Return as many of these posts as fit into a feed, but at least one if there is one."""
    lengths = list(accumulate(len(entry.revision.render()) for entry in entries))
    return entries[: max(1, bisect_right(lengths, MAX_FEED_LENGTH))]


def _json_feed(blog: Blog, entries: list[BlogPost]) -> dict[str, Any]:
    authors = [_feed_author(PostAuthor(blog.author, "/", f"{blog.url}/"))] if blog.author else []
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": blog.title,
        "home_page_url": f"{blog.url}/",
        "feed_url": f"{blog.url}/feed.json",
        **({"description": blog.description} if blog.description else {}),
        "icon": blog.url + icons.path_of(blog, 512),
        "favicon": blog.url + icons.path_of(blog, 192),
        "language": blog.language,
        **({"authors": authors} if authors else {}),
        "items": [_item(entry) for entry in entries],
    }


def _feed_author(author: PostAuthor) -> dict[str, str]:
    avatar = {"avatar": urljoin(author.url, author.picture.src)} if author.picture else {}
    return {"name": author.name, "url": author.url, **avatar}


def _item(entry: BlogPost) -> dict[str, Any]:
    item = {
        "id": entry.feed_id,
        "url": entry.url,
        "title": entry.title,
        "summary": entry.summary,
        "content_html": entry.absolute_html,
        "image": entry.image_url,
        "date_published": stamp(entry.published_at),
        "date_modified": stamp(entry.updated_at),
        "authors": [_feed_author(author) for author in entry.authors],
        "tags": entry.tags,
        "language": entry.revision.language,
    }
    return {name: value for name, value in item.items() if value or name == "content_html"}
