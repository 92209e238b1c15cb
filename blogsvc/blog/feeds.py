"""Feeds with the full text, the sitemap, robots.txt and the icon."""

from __future__ import annotations

import json
from bisect import bisect_right
from email.utils import format_datetime as rfc_2822
from itertools import accumulate
from typing import Any

from flask import Blueprint, Response, render_template

from blogsvc.blog import cache, overviews, queries
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.lib import blog_paths
from blogsvc.lib.time import stamp

blueprint = Blueprint("feeds", __name__)

IN_FEED = 20
MAX_FEED_LENGTH = 1024 * 1024  # characters of HTML; larger feeds would take the place of many pages in memory
IN_SITEMAP = 50_000  # the maximum of the sitemap protocol

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="3" fill="#fbfdfe"/>'
    '<path d="M8 4v24" stroke="#80c9e8" stroke-width="2"/><path d="M13 10h13M13 16h13M13 22h8" stroke="#161d29"'
    ' stroke-width="3"/></svg>'
)


@blueprint.get("/feed.xml")
def atom() -> Response:
    def make() -> CachedPage:
        blog = Blog.read()
        entries = _newest(blog)
        # Atom requires a date even for an empty feed.
        updated_at = stamp(max(entry.updated_at for entry in entries)) if entries else "1970-01-01T00:00:00Z"
        xml = render_template("blog/feed.xml", blog=blog, entries=entries, updated_at=updated_at, stamp=stamp)
        return CachedPage.of(xml, "application/atom+xml")

    return cache.answer("/feed.xml", make)[0]


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


@blueprint.get("/sitemap.xml")
def sitemap() -> Response:
    def make() -> CachedPage:
        blog = Blog.read()
        lists = ["/", "/tags", *(blog_paths.of_year(each.year) for each in overviews.years())]
        pages = queries.pages(blog)
        entries = [*pages, *queries.newest(blog, IN_SITEMAP - len(lists) - len(pages), titles_only=True)]
        xml = render_template("blog/sitemap.xml", blog=blog, lists=lists, entries=entries, stamp=stamp)
        return CachedPage.of(xml, "application/xml")

    return cache.answer("/sitemap.xml", make)[0]


@blueprint.get("/robots.txt")
def robots() -> Response:
    def make() -> CachedPage:
        lines = (
            "User-agent: *",
            "Disallow: /api/",
            "Disallow: /desk",
            "",
            f"Sitemap: {Blog.read().url}/sitemap.xml",
            "",
        )
        return CachedPage.of("\n".join(lines), "text/plain")

    return cache.answer("/robots.txt", make)[0]


@blueprint.get("/favicon.ico")
def icon() -> Response:
    response = Response(ICON, mimetype="image/svg+xml")
    response.headers["Cache-Control"] = "public, max-age=86400"
    return response


def _newest(blog: Blog) -> list[BlogPost]:
    """Return the newest posts, as many as fit, but at least one."""
    entries = queries.newest(blog, IN_FEED)
    lengths = list(accumulate(len(entry.revision.render()) for entry in entries))
    return entries[: max(1, bisect_right(lengths, MAX_FEED_LENGTH))]


def _json_feed(blog: Blog, entries: list[BlogPost]) -> dict[str, Any]:
    authors = [{"name": blog.author, "url": f"{blog.url}/"}] if blog.author else []
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": blog.title,
        "home_page_url": f"{blog.url}/",
        "feed_url": f"{blog.url}/feed.json",
        **({"description": blog.description} if blog.description else {}),
        "icon": f"{blog.url}/favicon.ico",
        "language": blog.language,
        **({"authors": authors} if authors else {}),
        "items": [_item(entry) for entry in entries],
    }


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
        "tags": entry.tags,
        "language": entry.revision.language,
    }
    return {name: value for name, value in item.items() if value or name == "content_html"}
