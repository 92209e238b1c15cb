"""The authors of imported posts: find those that are here already, and add the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import count

from sqlalchemy import func, select

from blogsvc.errors import Invalid
from blogsvc.lib.text.slug_letters import is_slug
from blogsvc.models import Author, User, db
from blogsvc.models.author import MAX_NAME_LENGTH
from blogsvc.models.navigation import MAX_LABEL_LENGTH
from blogsvc.models.transactions import savepoint
from blogsvc.posts import authors
from blogsvc.posts.authors import MAX_BIO_LENGTH, MAX_LINKS
from blogsvc.posts.slugs import MAX_STEM_LENGTH
from blogsvc.transfer.formats.parsed_post import ParsedAuthor, ParsedPost, one_line

# The name of the authors in `ImportJob.old_addresses` that a file lists apart from the posts, until they are added.
AUTHORS = "authors"


def picture_of(author: ParsedAuthor) -> ParsedPost:
    """Return the picture of an author as the only image of a post, which has nothing else."""
    return ParsedPost("", "", "", images=author.images)


def import_authors(parsed: Iterable[ParsedAuthor], media_ids: Mapping[str, str], now: datetime) -> list[Author]:
    """Return the authors of a post, inside the caller's transaction. Those that are not here yet are added.

    Args:
        media_ids: the ids of the imported images, by their URLs in the file.
    """
    found: dict[Author, None] = {}
    for one in parsed:
        if name := one_line(one.name)[:MAX_NAME_LENGTH]:
            author = _known(one) or Author.of(name, now, slug=_free(_stem(one)))
            _complete(author, one, media_ids)
            found[author] = None
    return list(found)


def _known(parsed: ParsedAuthor) -> Author | None:
    """Return the author here: a user with the e-mail address or the name, or one of an import before."""
    if parsed.email and (user := User.by_email(parsed.email)) is not None:
        return Author.of_user(user.id)
    name = one_line(parsed.name)
    if parsed.slug and (author := _named_so(_stem(parsed), name)) is not None:
        return author
    # Two authors of one blog may have the same name, if it tells them apart by slugs.
    named = select(Author).where(func.lower(Author.name) == name.lower()).order_by(Author.created_at)
    return db.session.scalar(named.where(Author.user_id.is_not(None)) if parsed.slug else named)


def _named_so(stem: str, name: str) -> Author | None:
    """Return the author with this slug, or with a number after it, who has the name."""
    for number in count(1):
        slug = stem if number == 1 else f"{stem}-{number}"
        author = db.session.scalar(select(Author).where(Author.slug == slug))
        if author is None or author.name.casefold() == name.casefold():
            return author
    return None


def _complete(author: Author, parsed: ParsedAuthor, media_ids: Mapping[str, str]) -> None:
    """Fill what an author here does not have. What is not valid here is left out."""
    links = [
        {"label": one_line(label)[:MAX_LABEL_LENGTH] or "Website", "url": url, "is_me": is_me}
        for label, url, is_me in parsed.links[:MAX_LINKS]
    ]
    picture_id = media_ids.get(parsed.picture or "")
    wanted = {"bio": parsed.bio[:MAX_BIO_LENGTH], "fediverse": parsed.fediverse, "picture_id": picture_id}
    for name, value in {**wanted, "links": links}.items():
        if value and not getattr(author, name):
            with suppress(Invalid), savepoint():
                authors.change(author, {name: value})


def _stem(parsed: ParsedAuthor) -> str:
    slug = parsed.slug[:MAX_STEM_LENGTH].strip("-").lower()
    return slug if is_slug(slug) else Author.free_slug(parsed.name)


def _free(stem: str) -> str:
    taken = set(db.session.scalars(select(Author.slug).where(Author.slug.startswith(stem, autoescape=True))))
    return next(slug for number in count(1) if (slug := stem if number == 1 else f"{stem}-{number}") not in taken)
