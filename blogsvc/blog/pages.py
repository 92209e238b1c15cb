"""The pages: home, posts and pages, tags, authors, series, archive and 404."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, abort, render_template, request

from blogsvc.blog import cache, closest_posts, icons, overviews, queries, theme, view_counting
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.json_ld import of_author, of_blog, of_entry, of_series
from blogsvc.blog.posts import Blog
from blogsvc.blog.redirects import count, find_answer, moved_to, query
from blogsvc.blog.series import place_of, series_at
from blogsvc.blog.standard_site import document_of
from blogsvc.blog.tag_pages import head_of
from blogsvc.lib import blog_paths
from blogsvc.models.redirect import MAX_ADDRESS_LENGTH
from blogsvc.posts import old_addresses
from blogsvc.posts.old_addresses import Answer

# Fixed routes come before the slug route; `slugs.RESERVED` keeps slugs from hiding them.
blueprint = Blueprint("blog", __name__)

POSTS_PER_PAGE = 20
RELATED = 3
MAX_PINNED = 3
_YEAR = re.compile("[0-9]{4}")


def day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def month(at: datetime) -> str:
    return f"{at:%B}"


@blueprint.get("/")
def home() -> Response:
    if address := old_addresses.query_address(query()):
        return _follow(old_addresses.find_stored(address) or abort(404))

    def make(before: str | None) -> CachedPage:
        blog = Blog.read()
        pinned = queries.pinned(blog, MAX_PINNED)
        posts_page = queries.page_of_posts(blog, POSTS_PER_PAGE, before, but=pinned)
        return _page("home.html", blog, "/", posts_page=posts_page, pinned=pinned, linked_data=of_blog(blog))

    return _list(make, old_addresses.QUERY_NAMES)


@blueprint.get("/tag/<path:tag>")
def tag(tag: str) -> Response:
    tag = blog_paths.tag_in(tag)

    def make(before: str | None) -> CachedPage:
        blog = Blog.read()
        posts_page = queries.page_of_posts(blog, POSTS_PER_PAGE, before, tag=_text(tag))
        if not posts_page.entries:
            abort(404)
        head = head_of(blog, tag)
        feed = (f"{head.title} · {blog.title}", blog_paths.of_tag_feed(tag))
        return _page("tag.html", blog, head.path, posts_page=posts_page, tag=tag, head=head, feed=feed)

    return _list(make)


@blueprint.get("/author/<slug>")
def author(slug: str) -> Response:
    def make(before: str | None) -> CachedPage:
        blog = Blog.read()
        shown = blog.authors.get(slug) or abort(404)
        posts_page = queries.page_of_posts(blog, POSTS_PER_PAGE, before, author=slug)
        if not (posts_page.entries or shown.bio):  # a user who writes nothing is nobody that readers know
            abort(404)
        feed, data = (f"{shown.name} · {blog.title}", shown.feed_path), of_author(shown)
        return _page("author.html", blog, shown.path, posts_page=posts_page, author=shown, feed=feed, linked_data=data)

    return _list(make)


@blueprint.get("/series/<slug>")
def series(slug: str) -> Response:
    def make() -> CachedPage:
        blog = Blog.read()
        shown = series_at(blog, _text(slug)) or abort(404)
        feed = (f"{shown.title} · {blog.title}", shown.feed_path)
        return _page("series.html", blog, shown.path, series=shown, feed=feed, linked_data=of_series(shown))

    return _read(request.path, make)


@blueprint.get("/tags")
def tags() -> Response:
    return _read("/tags", lambda: _page("tags.html", Blog.read(), "/tags", tags_by_initial=overviews.tags()))


@blueprint.get("/archive")
def archive() -> Response:
    if before := _text(request.args.get("before", "")):  # as the pages of the archive were addressed
        entry = queries.post_at(Blog.read(), before) or abort(404)
        return moved_to(blog_paths.of_year(entry.published_at.year))
    return _read("/archive", lambda: _archive("/archive", None), frozenset({"before"}))


@blueprint.get("/archive/<year>")
def archive_of_year(year: str) -> Response:
    number = int(year) if _YEAR.fullmatch(year) else abort(404)
    return _read(request.path, lambda: _archive(request.path, number))


def _archive(path: str, year: int | None) -> CachedPage:
    """Return the archive with the posts of a year, or of the newest one."""
    blog, years = Blog.read(), overviews.years()
    numbers = [each.year for each in years]
    if year is None:
        year = numbers[0] if numbers else None
    elif year not in numbers:
        abort(404)
    values: dict[str, Any] = {
        "years": years,
        "year": year,
        "months": overviews.months(blog, year) if year else [],
        "newer_year": min((number for number in numbers if year and number > year), default=None),
        "older_year": max((number for number in numbers if year and number < year), default=None),
        "year_path": blog_paths.of_year,
    }
    return _page("archive.html", blog, path, **values)


@blueprint.get("/<slug>")
def post(slug: str) -> Any:
    def make() -> CachedPage:
        blog = Blog.read()
        if len(slug) > MAX_ADDRESS_LENGTH:  # normalization takes quadratic time
            abort(404)
        entry = queries.post_at(blog, unicodedata.normalize("NFC", _text(slug))) or abort(404)
        if entry.slug != slug:
            abort(moved_to(entry.path))
        older, newer = queries.neighbours(entry)
        related, place = queries.related(entry, RELATED), place_of(entry)
        values = {
            "entry": entry,
            "older": older,
            "newer": newer,
            "related": related,
            "place": place,
            "document": document_of(entry.post),
        }
        return _page("post.html", blog, entry.path, post_id=entry.post.id, linked_data=of_entry(entry, place), **values)

    return _read(request.path, make)


def not_found() -> Response:
    """Return a redirect if the address leads somewhere, or else the 404 page with the posts closest to the address."""
    if (answer := find_answer()) is not None:
        return _follow(answer)
    count(None)
    response = _error_page("404.html", 404)
    response.set_data(closest_posts.insert(response.get_data(), request.path))
    return response


def _follow(answer: Answer) -> Response:
    count(answer)
    if answer.address is None:
        return _error_page("gone.html", answer.status)
    return moved_to(answer.address, answer.status)


def _error_page(template: str, status: int) -> Response:
    page, _version = cache.find(str(status), lambda: _page(template, Blog.read(), ""))
    response = Response(page.body, status, mimetype=page.mimetype)
    response.headers["Cache-Control"] = "no-cache"
    return response


def _list(make: Callable[[str | None], CachedPage], names: frozenset[str] = frozenset()) -> Response:
    """Return a page of a list. `before` is the only parameter; others are ignored, so they do not fill the cache.

    `names` are the parameters that name another page, so that a stored response does not hide that page.
    """
    before = _text(request.args.get("before", "")) or None
    address = f"{request.path}?before={before}" if before else request.path
    return _read(address, lambda: make(before), names | {"before"})


def _read(address: str, make: Callable[[], CachedPage], parameters: frozenset[str] = frozenset()) -> Response:
    response, page = cache.answer(
        address, make, parameters, on_hit=lambda page: view_counting.view_counter(page.post_id)
    )
    view_counting.count_view(page.post_id)
    return response


def _page(template: str, blog: Blog, path: str, post_id: str | None = None, **values: Any) -> CachedPage:
    return CachedPage.of(render(template, blog, path, **values), post_id=post_id)


def render(template: str, blog: Blog, path: str, **values: Any) -> str:
    """Return the HTML of the page at a path. "" is the path of a page that is at no certain address."""
    shared = {
        "blog": blog,
        "path": path,
        "css": theme.address(),
        "icon": icons.best_path(blog),
        "tag_path": blog_paths.of_tag,
    }
    return render_template(f"blog/{template}", **shared, **values)


def _text(text: str) -> str:
    """Return the text if a database can search for it, else abort with 404."""
    return abort(404) if "\0" in text else text
