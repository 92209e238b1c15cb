"""List redirects, with where each leads now and whether it is used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from sqlalchemy import ColumnElement, or_, select

from blogsvc.lib import blog_paths
from blogsvc.lib.sequences import batched
from blogsvc.models import Media, Post, Redirect, Revision, db
from blogsvc.posts.old_addresses import OF_SERVICE, OWN_PAGES, find_addresses, normalized
from blogsvc.posts.public_paths import paths_of_lists, paths_of_slugs
from blogsvc.posts.tags import shown_among

PAGE_SIZE = 50
_AT_ONCE = 500
UNUSED = "The blog has a page at this address, so this redirect is not used."
# What is below these paths, and files, is not looked up. Pages of former blogs had these suffixes.
_NOT_PAGES = OF_SERVICE | {"media", "draft", ".well-known"}
_PAGE_SUFFIXES = ("", ".html", ".htm", ".php")


class Shown(NamedTuple):
    """A redirect, and its target as an address: None if the page is gone.

    A redirect whose path is the address of a page is not used.
    """

    row: Redirect
    address: str | None
    # False for a post that readers can't see, until it is published.
    is_public: bool
    is_used: bool


def shown(rows: Iterable[Redirect]) -> list[Shown]:
    """Return redirects as they are shown. The number of queries grows only with every _AT_ONCE redirects."""
    return [one for some in batched(rows, _AT_ONCE) for one in _shown_at_once(some)]


def _shown_at_once(rows: Collection[Redirect]) -> Iterator[Shown]:
    pages, posts, images = pages_at([row.path for row in rows]), _posts(rows), _images(rows)
    public_tags = shown_among({row.tag for row in rows if row.tag is not None})
    for row in rows:
        is_used = row.path not in pages
        if row.post_id is not None:
            yield Shown(row, *posts[row.post_id], is_used)
        elif row.tag is not None:
            yield Shown(row, blog_paths.of_tag(row.tag), row.tag in public_tags, is_used)
        else:
            yield Shown(row, images.get(row.media_id or "") or row.target, True, is_used)


def remark(one: Shown) -> str:
    """Return what a user should know about a redirect that was saved; "" if it works."""
    if not one.is_used:
        return UNUSED
    path = _missing_target(one.address or "")
    return f"There is no page at {path} yet." if path else ""


def _missing_target(address: str) -> str:
    """Return the path of this blog that a target names, if no page is there and it leads nowhere."""
    parts = urlsplit(address)
    path = unquote(parts.path)
    plain = "" if parts.netloc or "*" in path else normalized(f"{path}?{parts.query}")
    if not plain or PurePosixPath(path).suffix.lower() not in _PAGE_SUFFIXES:
        return ""
    if plain.split("/")[1] in _NOT_PAGES or find_addresses([plain])[plain] is not None:
        return ""
    return path


def pages_at(paths: Collection[str]) -> set[str]:
    """Return those of the paths that are the address of a page of the blog, or were: redirects of these aren't used."""
    own = {path for path in paths if path in OWN_PAGES}
    return own | paths_of_slugs(paths).keys() | paths_of_lists(paths).keys()


def matching(text: str) -> list[ColumnElement[bool]]:
    """Return the conditions for redirects whose path or target contains a text."""
    if not text:
        return []
    return [or_(*(column.icontains(text, autoescape=True) for column in (Redirect.path, Redirect.target)))]


def page(text: str = "", before: str = "") -> tuple[list[Shown], str | None]:
    """Return a page of redirects whose path or target contains a text, newest first, and the last id if more follow."""
    query = select(Redirect).where(*matching(text)).order_by(Redirect.id.desc()).limit(PAGE_SIZE + 1)
    rows = list(db.session.scalars(query.where(Redirect.id < before) if before else query))
    return shown(rows[:PAGE_SIZE]), rows[PAGE_SIZE - 1].id if len(rows) > PAGE_SIZE else None


def _posts(rows: Collection[Redirect]) -> dict[str, tuple[str, bool]]:
    """Return the path of each post that redirects lead to, and whether readers can see the post."""
    ids = {row.post_id for row in rows} - {None}
    if not ids:
        return {}
    query = select(Post.id, Post.slug, Revision.slug, Post.deleted_at).where(Post.id.in_(ids))
    found = db.session.execute(query.outerjoin(Revision, Revision.id == Post.site_revision_id))
    return {
        post_id: (blog_paths.of_post(live or slug), live is not None and deleted_at is None)
        for post_id, slug, live, deleted_at in found
    }


def _images(rows: Collection[Redirect]) -> dict[str, str]:
    ids = {row.media_id for row in rows} - {None}
    return {one.id: one.path for one in db.session.scalars(select(Media).where(Media.id.in_(ids)))} if ids else {}
