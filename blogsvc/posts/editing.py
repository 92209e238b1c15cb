"""Create, edit and duplicate posts. Edits stay invisible to readers until published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from blogsvc.connections.aliases import without_aliases
from blogsvc.connections.by_hand import fields_to_store, names_to_store
from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.lib.text.facts import TextFacts, facts_of
from blogsvc.lib.time import stamp
from blogsvc.models import SITE, Post, Quota, Revision, Setting, nouns, record, transaction
from blogsvc.models.author import slugs_of_user
from blogsvc.models.post_fields import Kind
from blogsvc.models.transactions import lock_also
from blogsvc.posts import prepare, rules, slugs
from blogsvc.posts.compare import text_changes
from blogsvc.posts.paragraphs import with_paragraph
from blogsvc.posts.prepare import PreparedText
from blogsvc.posts.rules import MAX_TITLE_LENGTH

COPY_SUFFIX = " (copy)"


def create(
    fields: dict[str, Any],
    platforms: list[str] | None,
    now: datetime,
    author_id: str | None = None,
    quota: Quota | None = None,
    prepared: PreparedText | None = None,
) -> Post:
    """Create a draft.

    Raises Invalid if a field breaks a rule (`posts.rules`), if the slug is taken or reserved, or if the quota is
    used up.

    Args:
        fields: any of the fields in `POST_FIELDS`, and `dated_at`; without a slug, one is made from the title.
        platforms: names of destinations; None for the default ones, or only this blog for a page.
        author_id: the user who writes it, and is its author unless the fields name others; None for the API.
        quota: the quota that the post counts for, if any.
        prepared: the text of these fields. Inside a transaction, others wait for a text that is not prepared.
    """
    prepared = prepared or prepare.text(fields)
    with transaction():
        fields, platforms = fields_to_store(fields, platforms, now)
        rules.check({"title": "", **fields}, platforms)
        _require_date(fields.get("dated_at"), now)
        if quota is not None:
            quota.count_post(now)
        slug, title = fields.get("slug"), fields["title"]
        slug = slugs.require_free(slug) if slug else slugs.free_slug(title, fields.get("language"))
        fields = {"authors": slugs_of_user(author_id), **fields, "slug": slug}
        if platforms is None:
            platforms = destinations_of_new_post(now, fields.get("kind", "post"))
        facts = prepared.facts_for(fields.get("content", ""))
        post = Post.write(fields, platforms, now, author_id=author_id, facts=facts)
        record("post.created", now, post_id=post.id)
        return post


def unsaved(fields: Mapping[str, Any], platforms: list[str] | None, now: datetime) -> Post:
    """Return the draft that `create` would make of valid fields, without storing it."""
    slug = fields.get("slug") or slugs.free_slug(fields["title"], fields.get("language"))
    if platforms is None:
        platforms = [SITE] if fields.get("kind") == "page" else default_platforms()
    return Post.unsaved({**fields, "slug": slug}, platforms, now)


def edit(
    post: Post,
    changes: dict[str, Any],
    platforms: list[str] | None,
    now: datetime,
    prepared: PreparedText | None = None,
) -> Post:
    """Change the working copy. A scheduled post will publish the new version; a live one changes when republished.

    `changes` are fields in `POST_FIELDS` and `dated_at`, which can't be set any more once the post was published.
    Raises Invalid if a field breaks a rule (`posts.rules`), or the slug is taken or reserved.

    Args:
        prepared: the text with these changes. Inside a transaction, others wait for a text that is not prepared.
    """
    prepared = prepared or prepare.text(changes, post)
    with transaction(*([nouns.post(post.id)] if platforms is None else [])):
        post.require_move("edit")
        changes = _without_kept_date(post, changes)
        changes, platforms = fields_to_store(changes, platforms, now)
        fields = {name: value for name, value in changes.items() if getattr(post, name) != value}
        rules.check(fields, platforms, post)
        _require_date(fields.get("dated_at"), now)
        if "slug" in fields:
            lock_also(nouns.SLUGS)
            fields["slug"] = slugs.change_slug(post, fields["slug"])
        platforms = destinations_after(post, fields, platforms, now)
        if not fields and platforms in (None, post.platforms):
            return post
        wanted = post.platforms if platforms is None else platforms
        post.rewrite(fields, wanted, now, prepared.facts_for(fields.get("content", post.content)))
        if fields.keys() != {"dated_at"} or platforms not in (None, post.platforms):
            _store_revision(post, now, prepared.html_for(post))
        names = ("published_at" if name == "dated_at" else name for name in fields)
        record("post.updated", now, post_id=post.id, fields=sorted(names))
        return post


def _without_kept_date(post: Post, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the changes without a `dated_at` that changes nothing. Raises Invalid for a new date of a published post.

    Dates are compared to the millisecond, as clients know them.
    """
    if "dated_at" not in changes:
        return changes
    wanted, current = changes["dated_at"], post.first_published_at
    is_same = (wanted and stamp(wanted)) == (current and stamp(current))
    if post.published_at is not None and wanted is not None and not is_same:
        raise Invalid(Fault("#/publishedAt", "read_only", "This can't be changed after the first publication."))
    is_kept = is_same or post.published_at is not None
    return {name: value for name, value in changes.items() if name != "dated_at" or not is_kept}


def _require_date(at: datetime | None, now: datetime) -> None:
    if at is not None and (wrong := rules.wrong_date(at, now)):
        raise Invalid(replace(wrong, pointer="#/publishedAt"))


def _store_revision(post: Post, now: datetime, html: str | None) -> None:
    """Update the pinned revision of a scheduled post; for any other state, store a new revision."""
    if post.state == "scheduled":
        post.require_publishable("scheduled")
        post.pin("scheduled", now, html)
        return
    post.note_changes()
    post.revise("saved", now)


def duplicate(post: Post, now: datetime, author_id: str | None = None, quota: Quota | None = None) -> Post:
    """Create a draft with the same text and destinations, but with its own slug and no scheduled time.

    The copy belongs to `author_id`, because a user who may see only their own posts must be able to see it.
    """
    fields = post.fields() | {
        "title": f"{post.title[: MAX_TITLE_LENGTH - len(COPY_SUFFIX)]}{COPY_SUFFIX}",
        "slug": None,
    }
    return create(fields | {"canonical_url": None}, list(post.platforms), now, author_id, quota)


def restore_revision(post: Post, revision: Revision, now: datetime) -> Post:
    """Copy the content of a revision into the working copy, as a new revision.

    The slug stays, because readers may have links to it. The live or scheduled version does not change.
    """
    facts = facts_of(revision.content)
    with transaction():
        post.require_move("edit")
        wanted = revision.fields() | {"slug": post.slug}
        fields = {name: value for name, value in wanted.items() if getattr(post, name) != value}
        if not fields:
            return post
        return _write_restored(post, fields, "restored", revision, now, facts)


def restore_paragraph(post: Post, revision: Revision, line: int, rev: str, now: datetime) -> Post:
    """Put a paragraph of a revision back into the working copy, as a new revision. Nothing else changes.

    Raises NotFound if the working copy lacks no paragraph that starts in this line of the revision, and Stale if the
    text has changed since `rev` was read.
    """
    old, new = revision.content, post.content
    text = with_paragraph(old, new, text_changes(revision.fields(), post.fields()), line)
    if text is None:
        raise NotFound(f"Version {revision.number} has no changed paragraph in line {line}.")
    facts = facts_of(text)
    with transaction():
        post.require_move("edit")
        post.require_unchanged(rev, ["content"])
        rules.check({"content": text}, None, post)
        return _write_restored(post, {"content": text}, "restored part", revision, now, facts)


def _write_restored(
    post: Post, fields: dict[str, Any], reason: str, revision: Revision, now: datetime, facts: TextFacts
) -> Post:
    fields, _ = fields_to_store(fields, None, now)
    post.revise("saved", now)  # keep changes that are in no revision yet
    post.rewrite(fields, post.platforms, now, facts)
    post.revise(reason, now).restored_from = revision.number
    post.note_changes()
    record("post.updated", now, post_id=post.id, fields=sorted(fields))
    return post


def default_platforms() -> list[str]:
    """Return the destinations of new posts that name none."""
    return list(dict.fromkeys(without_aliases(Setting.read("default_platforms"))))


def destinations_of_new_post(now: datetime, kind: Kind = "post") -> list[str]:
    """Return the default destinations, for a post that is written now: those by hand are connected.

    A page goes only to this blog, unless its author chooses other destinations.
    """
    return [SITE] if kind == "page" else names_to_store(default_platforms(), now)


def destinations_after(
    post: Post, changes: Mapping[str, Any], platforms: list[str] | None, now: datetime
) -> list[str] | None:
    """Return the destinations that a change gives to a post; None if they stay.

    A draft that becomes a page, or a post again, gets the destinations of a new one, unless its author chose others.
    """
    if platforms is not None or "kind" not in changes or not post.is_only_draft:
        return platforms
    are_chosen = post.platforms != destinations_of_new_post(now, post.kind)
    return None if are_chosen else destinations_of_new_post(now, changes["kind"])


def choose_default(name: str, is_chosen: bool) -> None:
    """Make a destination one of those of new posts that name none, or not any more. Raises Invalid."""
    with transaction():
        others = [one for one in Setting.read("default_platforms") if one != name]
        choose_default_platforms([*others, name] if is_chosen else others)


def choose_default_platforms(platforms: list[str]) -> None:
    """Set the destinations of new posts that name none. Raises Invalid."""
    with transaction():
        wanted = without_aliases(list(dict.fromkeys(platforms)))
        rules.check({}, wanted)
        Setting.write("default_platforms", wanted)
