"""The pages: home, posts and pages, tags, authors, series, archive and 404."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import Blueprint, Response, abort, request

from blogsvc.blog import cache, closest_posts, heads, overviews, queries, view_counting
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.contract import Pager
from blogsvc.blog.heads import Head
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.blog.queries import PostPage
from blogsvc.blog.redirects import count, find_answer, moved_to, query
from blogsvc.blog.rendering import render
from blogsvc.blog.series import place_of, series_at
from blogsvc.blog.tag_pages import head_of
from blogsvc.blog.views import Surroundings, author_of, entry_of, series_of, summaries_of, tag_of
from blogsvc.lib import blog_paths
from blogsvc.models.redirect import MAX_ADDRESS_LENGTH
from blogsvc.posts import old_addresses
from blogsvc.posts.old_addresses import Answer

# Fixed routes come before the slug route; `slugs.RESERVED` keeps slugs from hiding them.
blueprint = Blueprint("blog", __name__)

POSTS_PER_PAGE = 20
RELATED = 2
MAX_PINNED = 3
_YEAR = re.compile("[0-9]{4}")


class Shown(NamedTuple):
    """What a page shows: its template, its metadata, and objects of the contract."""

    template: str
    head: Head
    values: dict[str, Any]


def day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def day_of_year(at: datetime) -> str:
    return f"{at.day} {at:%B}"


def month(at: datetime) -> str:
    return f"{at:%B}"


def timestamp(at: datetime) -> str:
    """Return a time in UTC for the `datetime` attribute of a `time` element."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


@blueprint.get("/")
def home() -> Response:
    if address := old_addresses.query_address(query()):
        return _follow(old_addresses.find_stored(address) or abort(404))

    def make(before: str | None) -> CachedPage:
        return _page_of(home_page(Blog.read(), before))

    return _list(make, old_addresses.QUERY_NAMES)


def home_page(blog: Blog, before: str | None = None) -> Shown:
    pinned = queries.pinned(blog, MAX_PINNED)
    posts_page = queries.page_of_posts(blog, POSTS_PER_PAGE, before, but=pinned)
    is_first = posts_page.newer is None
    on_top = pinned if is_first else []
    shown = summaries_of([*on_top, *posts_page.entries])
    top, entries = shown[: len(on_top)], shown[len(on_top) :]
    head, pager = heads.of_home(blog, is_first=is_first), _pager("/", posts_page)
    return Shown("home.html", head, {"pinned": top, "entries": entries, "pager": pager})


@blueprint.get("/tag/<path:tag>")
def tag(tag: str) -> Response:
    tag = blog_paths.tag_in(tag)

    def make(before: str | None) -> CachedPage:
        blog = Blog.read()
        posts_page = queries.page_of_posts(blog, POSTS_PER_PAGE, before, tag=_text(tag))
        if not posts_page.entries:
            abort(404)
        page = head_of(blog, tag)
        head = heads.of_tag(blog, tag, page, is_first=posts_page.newer is None)
        entries = summaries_of(posts_page.entries)
        return _page(
            "tag.html",
            head,
            tag=tag_of(tag, page, queries.tagged_count(tag)),
            entries=entries,
            pager=_pager(page.path, posts_page),
        )

    return _list(make)


@blueprint.get("/author/<slug>")
def author(slug: str) -> Response:
    def make(before: str | None) -> CachedPage:
        blog = Blog.read()
        shown = blog.authors.get(slug) or abort(404)
        posts_page = queries.page_of_posts(blog, POSTS_PER_PAGE, before, author=slug)
        if not (posts_page.entries or shown.bio):  # a user who writes nothing is nobody that readers know
            abort(404)
        head = heads.of_author(blog, shown, is_first=posts_page.newer is None)
        entries, pager = summaries_of(posts_page.entries), _pager(shown.path, posts_page)
        return _page("author.html", head, author=author_of(shown), entries=entries, pager=pager)

    return _list(make)


@blueprint.get("/series/<slug>")
def series(slug: str) -> Response:
    def make() -> CachedPage:
        blog = Blog.read()
        shown = series_at(blog, _text(slug)) or abort(404)
        return _page("series.html", heads.of_series(blog, shown), series=series_of(shown))

    return _read(request.path, make)


@blueprint.get("/tags")
def tags() -> Response:
    return _read("/tags", lambda: _page("tags.html", heads.of_tags(Blog.read()), groups=overviews.tags()))


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
    return _page_of(archive_page(Blog.read(), path, year))


def archive_page(blog: Blog, path: str, year: int | None = None) -> Shown:
    archive = overviews.archive(blog, year) or abort(404)
    return Shown("archive.html", heads.of_archive(blog, path, archive), {"archive": archive})


@blueprint.get("/<slug>")
def post(slug: str) -> Any:
    def make() -> CachedPage:
        blog = Blog.read()
        if len(slug) > MAX_ADDRESS_LENGTH:  # normalization takes quadratic time
            abort(404)
        entry = queries.post_at(blog, unicodedata.normalize("NFC", _text(slug))) or abort(404)
        if entry.slug != slug:
            abort(moved_to(entry.path))
        if entry.revision.is_not_found_text:
            abort(404)
        return _page_of(post_page(entry), entry.post.id)

    return _read(request.path, make)


def post_page(entry: BlogPost) -> Shown:
    place = place_of(entry)
    beside = {part.path for part in (place.previous, place.next) if part is not None} if place is not None else set()
    around = Surroundings(*queries.neighbours(entry), queries.related(entry, RELATED, but=beside), place)
    shown = entry_of(entry, around)
    return Shown("post.html", heads.of_post(entry, shown), {"entry": shown})


def not_found() -> Response:
    """Return a redirect if the address leads somewhere, or else the 404 page with the posts closest to the address."""
    if (answer := find_answer()) is not None:
        return _follow(answer)
    count(None)
    response = _error_page(404, _not_found_page)
    response.set_data(closest_posts.insert(response.get_data(), request.path))
    return response


def _follow(answer: Answer) -> Response:
    count(answer)
    if answer.address is None:
        return _error_page(answer.status, lambda: _page("gone.html", heads.of_message(Blog.read(), "gone", "Gone")))
    return moved_to(answer.address, answer.status)


def _not_found_page() -> CachedPage:
    blog = Blog.read()
    text = queries.not_found_text(blog)
    entry = entry_of(text, Surroundings()) if text else None
    head = heads.of_message(blog, "not_found", entry.title if entry else "Page not found")
    return _page("404.html", head, entry=entry)


def _error_page(status: int, make: Callable[[], CachedPage]) -> Response:
    page, _version = cache.find(str(status), make)
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


def _pager(path: str, posts_page: PostPage) -> Pager:
    neighbours = _address(path, posts_page.newer), _address(path, posts_page.older)
    return Pager(*neighbours, posts_page.number, posts_page.total)


def _address(path: str, before: str | None) -> str | None:
    """Return the address of a page of a list by its cursor."""
    return f"{path}?before={quote(before)}" if before else path if before == "" else None


def _page(template: str, head: Head, post_id: str | None = None, **values: Any) -> CachedPage:
    return CachedPage.of(render(template, head, **values), post_id=post_id)


def _page_of(shown: Shown, post_id: str | None = None) -> CachedPage:
    return _page(shown.template, shown.head, post_id, **shown.values)


def _text(text: str) -> str:
    """Return the text if a database can search for it, else abort with 404."""
    return abort(404) if "\0" in text else text
