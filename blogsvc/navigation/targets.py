"""What the items of menus lead to: where that is now, and why readers don't see an item."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import and_, func, select

from blogsvc.lib import blog_paths
from blogsvc.models import Author, Post, PostLabel, Revision, Series, db
from blogsvc.models.navigation import FIXED, Item
from blogsvc.models.post_labels import SITE_TAG
from blogsvc.posts.public_paths import authors_with_page, series_with_page
from blogsvc.posts.tags import shown_among

NAMES = {
    "home": "Home page",
    "archive": "Archive",
    "tags": "All tags",
    "search": "Search",
    "subscribe": "How to subscribe",
    "feed": "Atom feed",
}
PAGE_IS_GONE = "This page was deleted, so readers don't see it."
PAGE_IS_HIDDEN = "This page is not published, so readers don't see it."
TAG_IS_UNUSED = "No published post has this tag, so readers don't see it."
# The most pages, tags, authors and series that a list of choices shows.
MAX_CHOICES = 200
AUTHOR_IS_GONE = "This author was removed, so readers don't see it."
AUTHOR_IS_HIDDEN = "This author has no published post and no biography, so readers don't see it."
SERIES_IS_GONE = "This series was removed, so readers don't see it."
SERIES_IS_HIDDEN = "This series has no published part and no description, so readers don't see it."


@dataclass(frozen=True)
class Target:
    """What an item leads to. `address` is a path of this blog or a URL; None if readers don't see the item."""

    name: str
    address: str | None
    trouble: str = ""


def targets_of(items: Iterable[Item]) -> dict[str, Target]:
    """Return what items lead to, by their `to`, with one query for each kind."""
    keys: dict[str, dict[str, str]] = {"page": {}, "tag": {}, "author": {}, "series": {}}
    found: dict[str, Target] = {}
    for item in items:
        kind, key = item.kind_and_key
        if kind:
            keys[kind][key] = item.to
        else:
            found[item.to] = Target(NAMES.get(item.to, item.to), FIXED.get(item.to, item.to))
    for kind, find in (("page", _pages), ("tag", _tags), ("author", _authors), ("series", _series)):
        if keys[kind]:
            found |= {keys[kind][key]: target for key, target in find(keys[kind]).items()}
    return found


def _pages(ids: Collection[str]) -> dict[str, Target]:
    is_live = and_(Revision.id == Post.site_revision_id, Post.deleted_at.is_(None))
    query = select(Post.id, Post.title, Post.deleted_at, Revision.slug).outerjoin(Revision, is_live)
    found = dict.fromkeys(ids, Target("A deleted page", None, PAGE_IS_GONE))
    for post_id, title, deleted_at, slug in db.session.execute(query.where(Post.id.in_(ids))):
        name = title.strip() or "Untitled"
        trouble = PAGE_IS_GONE if deleted_at else PAGE_IS_HIDDEN
        found[post_id] = Target(name, blog_paths.of_post(slug)) if slug else Target(name, None, trouble)
    return found


def _tags(tags: Collection[str]) -> dict[str, Target]:
    shown = shown_among(tags)
    return {
        tag: Target(
            f"Tag “{tag}”", blog_paths.of_tag(tag) if tag in shown else None, "" if tag in shown else TAG_IS_UNUSED
        )
        for tag in tags
    }


def _authors(slugs: Collection[str]) -> dict[str, Target]:
    found = {slug: Target(f"Author {slug}", None, AUTHOR_IS_GONE) for slug in slugs}
    shown = authors_with_page(slugs)
    for slug, name in db.session.execute(select(Author.slug, Author.name).where(Author.slug.in_(slugs))):
        address = blog_paths.of_author(slug) if slug in shown else None
        found[slug] = Target(f"Author {name}", address, "" if address else AUTHOR_IS_HIDDEN)
    return found


def _series(slugs: Collection[str]) -> dict[str, Target]:
    found = {slug: Target(f"Series {slug}", None, SERIES_IS_GONE) for slug in slugs}
    shown = series_with_page(slugs)
    for slug, title in db.session.execute(select(Series.slug, Series.title).where(Series.slug.in_(slugs))):
        address = blog_paths.of_series(slug) if slug in shown else None
        found[slug] = Target(f"Series {title}", address, "" if address else SERIES_IS_HIDDEN)
    return found


def choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what a new item can lead to, in groups: the `to` and the name of each. Long lists are cut."""
    title = select(Post.id, Revision.title).join(Revision, Revision.id == Post.site_revision_id)
    pages = title.where(Revision.kind == "page", Post.deleted_at.is_(None)).order_by(Revision.title).limit(MAX_CHOICES)
    tags = select(PostLabel.value).where(PostLabel.kind == SITE_TAG).group_by(PostLabel.value)
    most_used = tags.order_by(func.count().desc(), PostLabel.value).limit(MAX_CHOICES)
    groups = {
        "Pages": [(f"page:{post_id}", title or "Untitled") for post_id, title in db.session.execute(pages)],
        "Blog": list(NAMES.items()),
        "Tags": [(f"tag:{tag}", tag) for tag in sorted(db.session.scalars(most_used), key=str.casefold)],
        "Authors": [(f"author:{author.slug}", author.name) for author in Author.all()[:MAX_CHOICES]],
        "Series": [(f"series:{series.slug}", series.title) for series in Series.all()[:MAX_CHOICES]],
    }
    return [(name, group) for name, group in groups.items() if group]
