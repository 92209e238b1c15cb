"""Add, change, merge and remove authors. Their posts follow: revisions name authors by their slugs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from secrets import token_hex
from typing import Any

from sqlalchemy import String, cast, delete, func, or_, select, update

from blogsvc.errors import Fault, InUse, Invalid, StateConflict
from blogsvc.lib import blog_paths
from blogsvc.lib.text.plain import in_one_visible_line
from blogsvc.models import Author, Media, Post, Revision, db, post_labels, transaction
from blogsvc.models.author import MAX_NAME_LENGTH
from blogsvc.models.navigation import replace_target
from blogsvc.models.post_labels import SITE_AUTHOR, PostLabel
from blogsvc.models.redirect import note_move
from blogsvc.models.setting import site_changed
from blogsvc.posts import rules
from blogsvc.posts.profile_links import ProfileLink, link_faults

MAX_BIO_LENGTH = 2000
MAX_LINKS = 10
_API_NAMES = {"picture_id": "pictureId"}
FEDIVERSE_PATTERN = r"@?[A-Za-z0-9_.-]{1,100}@[A-Za-z0-9.-]{1,190}(?::\d{1,5})?"
NOT_AN_ACCOUNT = "Enter an account such as ada@mastodon.example."

Wrong = Fault | None


def create(fields: Mapping[str, Any], now: datetime) -> Author:
    """Add an author.

    Args:
        fields: `name`, and any of `slug`, `bio`, `picture_id`, `links`, `fediverse`.

    Raises Invalid if a field breaks a rule, or the slug is taken.
    """
    _check({"name": "", **fields})
    with transaction():
        slug = fields.get("slug")
        if slug:
            _require_free(slug)
        author = Author.of(in_one_visible_line(fields["name"]), now, slug=slug)
        _fill(author, fields)
        return author


def change(author: Author, fields: Mapping[str, Any]) -> Author:
    """Change an author. With another slug, its posts name it by that one from then on. Raises Invalid, as `create`."""
    _check(fields)
    with transaction():
        slug = fields.get("slug")
        if slug and slug != author.slug:
            _require_free(slug)
            _replace_in_posts(author.slug, slug)
            note_move(blog_paths.of_author(author.slug), blog_paths.of_author(slug))
            author.slug = slug
        _fill(author, fields)
        site_changed()
        return author


def merge(author: Author, into: Author) -> None:
    """Make another author that of all posts of this one, and remove this one.

    Raises StateConflict if this is the author of a user, who always has one.
    """
    _require_without_user(author)
    if author is into:
        raise Invalid(Fault("#/into", "invalid", "An author can't be merged into itself. Choose another one."))
    with transaction():
        _replace_in_posts(author.slug, into.slug)
        note_move(blog_paths.of_author(author.slug), blog_paths.of_author(into.slug))
        db.session.delete(author)
        site_changed()


def remove(author: Author) -> None:
    """Remove an author of no post.

    Raises InUse if posts name it, also in an old revision, and StateConflict if it is the author of a user.
    """
    _require_without_user(author)
    with transaction():
        if posts := _posts_of(author):
            raise InUse("Posts name this author. Merge it into another author instead.", posts=posts)
        db.session.delete(author)
        site_changed()


def shown_counts() -> dict[str, int]:
    """Return how many posts readers see of each author, by slug."""
    return post_labels.shown_counts(SITE_AUTHOR)


def _posts_of(author: Author) -> tuple[tuple[str, str], ...]:
    """Return the ids and titles of some posts whose working copy, or any revision, names the author."""
    of_revisions = select(Revision.post_id).where(_names(Revision, author.slug))
    named = or_(_names(Post, author.slug), Post.id.in_(of_revisions))
    return tuple((row.id, row.title) for row in db.session.execute(select(Post.id, Post.title).where(named).limit(10)))


def _require_without_user(author: Author) -> None:
    if author.user_id is not None:
        raise StateConflict("This is the author of a user. Remove the user first.", state="user")


def _require_free(slug: str) -> None:
    if Author.slugs_among([slug]):
        raise Invalid(Fault("#/slug", "taken", f"There is already an author {slug!r}. Choose another slug."))


def _fill(author: Author, fields: Mapping[str, Any]) -> None:
    if "name" in fields:
        author.name = in_one_visible_line(fields["name"])
    if "bio" in fields:
        author.bio = (fields["bio"] or "").strip()
    if "picture_id" in fields:
        author.picture_id = fields["picture_id"] or None
    if "links" in fields:
        author.links = [ProfileLink.cleaned(link)._asdict() for link in fields["links"] or []]
    if "fediverse" in fields:
        author.fediverse = (fields["fediverse"] or "").removeprefix("@") or None


def _replace_in_posts(old: str, new: str) -> None:
    """Rename an author in all posts, revisions and menus. A post that has both keeps one."""
    for model, more in ((Post, {"version": token_hex(8)}), (Revision, {})):
        for row_id, authors in db.session.execute(select(model.id, model.authors).where(_names(model, old))).all():
            renamed = list(dict.fromkeys(new if slug == old else slug for slug in authors))
            db.session.execute(update(model).where(model.id == row_id).values(authors=renamed, **more))
    labels = PostLabel.kind == SITE_AUTHOR, PostLabel.value == old
    had_both = select(PostLabel.post_id).where(PostLabel.kind == SITE_AUTHOR, PostLabel.value == new)
    db.session.execute(delete(PostLabel).where(*labels, PostLabel.post_id.in_(had_both)))
    db.session.execute(update(PostLabel).where(*labels).values(value=new))
    replace_target(f"author:{old}", f"author:{new}")


def _names(model: type[Post | Revision], slug: str) -> Any:
    """Return the condition that a row names an author, whose slug is in a list in JSON."""
    text = cast(model.authors, String)
    return func.replace(text, json.dumps(slug), "") != text


def _check(fields: Mapping[str, Any]) -> None:
    named = ((_API_NAMES.get(name, name), _fault(name, value)) for name, value in fields.items())
    faults = [replace(wrong, pointer=f"#/{name}") for name, wrong in named if wrong]
    faults += link_faults(map(ProfileLink.cleaned, fields.get("links") or []), "#/links")
    if faults:
        raise Invalid(*faults)


def _fault(name: str, value: Any) -> Wrong:
    match name, value:
        case "name", str():
            line = in_one_visible_line(value)
            sentence = f"A name must have 1 to {MAX_NAME_LENGTH} characters."
            return (
                None if 1 <= len(line) <= MAX_NAME_LENGTH else Fault("#", "too_long" if line else "required", sentence)
            )
        case "slug", str() if value:
            return rules.wrong_value("slug", value)
        case "bio", str() if len(value) > MAX_BIO_LENGTH:
            return Fault("#", "too_long", f"A biography can have at most {MAX_BIO_LENGTH} characters.")
        case "bio", str():
            return rules.wrong_value("content", value)
        case "fediverse", str() if value and not re.fullmatch(FEDIVERSE_PATTERN, value):
            return Fault("#", "invalid", NOT_AN_ACCOUNT)
        case "picture_id", str() if value and db.session.get(Media, value) is None:
            return Fault("#", "invalid", f"There is no image {value!r}.")
        case "links", list() if len(value) > MAX_LINKS:
            return Fault("#", "too_long", f"An author can have at most {MAX_LINKS} links.")
    return None
