"""The paths of the pages that readers can see: of posts by their slugs, of lists, and of the targets of redirects."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import MAXYEAR, UTC, datetime

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from blogsvc.lib import blog_paths
from blogsvc.models import Author, Media, Post, PostLabel, PostSlug, Revision, Series, db
from blogsvc.models.post_conditions import HAS_PAGE, IS_LISTED
from blogsvc.models.post_labels import SITE_AUTHOR, SITE_SERIES
from blogsvc.models.redirect import Target
from blogsvc.posts import tags

_LIST = re.compile(r"(?P<feed>(?:/feed)?)/(?P<kind>tag|author|series)/(?P<name>.+)")
_YEAR = re.compile(r"/archive/([0-9]{4})")
_PATH_OF = {"tag": blog_paths.of_tag, "author": blog_paths.of_author, "series": blog_paths.of_series}


def paths_of_slugs(addresses: Iterable[str]) -> dict[str, str]:
    """Return the paths of the public posts that have a slug, now or formerly, by the address of that slug."""
    slugs = [address[1:] for address in addresses if not {"/", "?"} & set(address[1:])]
    if not slugs:
        return {}
    query = (
        select(PostSlug.slug, Revision.slug)
        .join(Post, Post.id == PostSlug.post_id)
        .join(Revision, Revision.id == Post.site_revision_id)
        .where(PostSlug.slug.in_(slugs), PostSlug.was_shown, *HAS_PAGE)
    )
    return {f"/{slug}": blog_paths.of_post(shown) for slug, shown in db.session.execute(query)}


def paths_of_lists(addresses: Collection[str]) -> dict[str, str]:
    """Return the paths of those addresses that are a list of posts, or its feed: of a tag, author, series or year.

    It costs one query for each of these four kinds that is among the addresses.
    """
    asked = {address: match.groupdict() for address in addresses if (match := _LIST.fullmatch(address))}
    names: dict[str, set[str]] = defaultdict(set)
    for parts in asked.values():
        if parts["kind"] == "tag":
            parts["name"] = blog_paths.tag_in(parts["name"])
        names[parts["kind"]].add(parts["name"])
    there = {
        "tag": tags.shown_among(names["tag"]),
        "author": authors_with_page(names["author"]),
        "series": series_with_page(names["series"]),
    }
    found = {
        address: parts["feed"] + _PATH_OF[parts["kind"]](parts["name"])
        for address, parts in asked.items()
        if parts["name"] in there[parts["kind"]]
    }
    years = {address: int(match[1]) for address in addresses if (match := _YEAR.fullmatch(address))}
    listed = _listed_years(set(years.values()))
    return found | {address: blog_paths.of_year(year) for address, year in years.items() if year in listed}


def authors_with_page(slugs: Collection[str]) -> set[str]:
    """Return those of the authors that have a page. Any other is a user who has published nothing."""
    return _with_page(Author, slugs, SITE_AUTHOR, Author.bio)


def series_with_page(slugs: Collection[str]) -> set[str]:
    """Return those of the series that have a page. The title of any other may be that of an unpublished draft."""
    return _with_page(Series, slugs, SITE_SERIES, Series.description)


def _with_page(
    model: type[Author | Series], slugs: Collection[str], kind: str, text: InstrumentedAttribute[str]
) -> set[str]:
    """Return those of the slugs that have a page: there are published posts, or a text about the author or series."""
    if not slugs:
        return set()
    has_posts = exists().where(PostLabel.kind == kind, PostLabel.value == model.slug)
    return set(db.session.scalars(select(model.slug).where(model.slug.in_(slugs), or_(text != "", has_posts))))


def paths_of(targets: Collection[Target]) -> dict[Target, str | None]:
    """Return the paths of targets; None for those that are not public."""
    post_ids, media_ids = {one.post_id for one in targets} - {None}, {one.media_id for one in targets} - {None}
    query = select(Post.id, Revision.slug).join(Revision, Post.site_revision_id == Revision.id)
    query = query.where(Post.id.in_(post_ids), *HAS_PAGE)
    slugs = dict(iter(db.session.execute(query))) if post_ids else {}
    images = db.session.scalars(select(Media).where(Media.id.in_(media_ids))) if media_ids else ()
    media_paths = {one.id: one.path for one in images}
    post_paths = {post_id: blog_paths.of_post(slug) for post_id, slug in slugs.items()}
    tag_paths = {tag: blog_paths.of_tag(tag) for tag in tags.shown_among({one.tag for one in targets if one.tag})}
    return {
        one: post_paths.get(one.post_id or "")
        or media_paths.get(one.media_id or "")
        or tag_paths.get(one.tag or "")
        or one.address
        for one in targets
    }


def _listed_years(years: Collection[int]) -> set[int]:
    """Return those of the years, in UTC, in which the archive has a post."""
    possible = [year for year in years if 0 < year < MAXYEAR]
    if not possible:
        return set()
    query = select(Post.id).join(Revision, Revision.id == Post.site_revision_id).where(*IS_LISTED)
    # One column for each year, so that the database stops at the first post of each.
    columns = [
        query.where(Post.published_at >= datetime(year, 1, 1, tzinfo=UTC))
        .where(Post.published_at < datetime(year + 1, 1, 1, tzinfo=UTC))
        .exists()
        .label(f"year_{year}")
        for year in possible
    ]
    row = db.session.execute(select(*columns)).one()
    return {year for year, has_post in zip(possible, row, strict=True) if has_post}
