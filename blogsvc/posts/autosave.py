"""Autosave: save the working copy while the author writes.

Autosave works in every state of a post and never changes the state. Readers see the changes only after the
author publishes or updates the schedule.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from blogsvc.connections.by_hand import fields_to_store
from blogsvc.errors import StateConflict
from blogsvc.lib.text.facts import TextFacts, facts_of, is_large_removal, removed_words
from blogsvc.lib.text.plain import written_words
from blogsvc.models import Post, Quota, Revision, db, nouns, record, transaction
from blogsvc.models.author import slugs_of_user
from blogsvc.models.post_fields import Kind
from blogsvc.models.revision import KEPT_REASONS, rendered
from blogsvc.models.transactions import lock_also
from blogsvc.posts import editing, rules, slugs


def begin(
    author_id: str | None,
    now: datetime,
    quota: Quota | None = None,
    *,
    title: str = "",
    content: str = "",
    kind: Kind = "post",
) -> Post:
    """Create a draft, mostly an empty one, so that the editor has a post to save to from the first keystroke.

    Raises Invalid if the text is too long, or the quota is used up.
    """
    text = tidied(title, content)
    facts = facts_of(text["content"])
    with transaction():
        if quota is not None:
            quota.count_post(now)
        fields = {**text, "kind": kind, "authors": slugs_of_user(author_id), "slug": slugs.free_slug(text["title"])}
        platforms = editing.destinations_of_new_post(now, kind)
        post = Post.write(fields, platforms, now, "autosaved", author_id=author_id, facts=facts)
        record("post.created", now, post_id=post.id)
        return post


def tidied(title: str, content: str) -> dict[str, str]:
    """Return the editor's text, cleaned up for storage. Raises Invalid if it is too long.

    Removes NUL characters, joins the lines of the title, and converts line endings to "\\n".
    """
    fields = {"title": " ".join(_text(title).split()), "content": _text(content).replace("\r\n", "\n")}
    _check(fields)
    return fields


def _text(text: str) -> str:
    """Return the text without NUL characters and without lone surrogates, such as half of an emoji."""
    return text.replace("\0", "").encode(errors="replace").decode()


def autosave(
    post: Post,
    changes: dict[str, Any],
    platforms: list[str] | None,
    rev: str,
    now: datetime,
    *,
    apart: bool = False,
) -> Post:
    """Save changes to the working copy, in any state of the post.

    Returns the post unchanged if there is nothing to save. Raises Stale if someone else has changed one of
    these fields, and Invalid if a field breaks a rule (`posts.rules`) or the slug is taken.

    Args:
        rev: the `post.rev` that the author's changes are based on.
        apart: save in a new revision, so that the text it replaces stays in the version history.
    """
    facts = facts_of(changes["content"]) if "content" in changes else None
    # Removing a destination changes its deliveries.
    with transaction(*([nouns.post(post.id)] if platforms is None else [])):
        post.require_move("edit")
        changes, platforms = fields_to_store(changes, platforms, now)
        platforms = editing.destinations_after(post, changes, platforms, now)
        changed = changes if platforms is None else {**changes, "platforms": platforms}
        changed = {name: value for name, value in changed.items() if getattr(post, name) != value}
        if not changed:
            return post
        _check(changed, post)
        post.require_unchanged(rev, changed)
        is_news = _write(post, changed, now, apart, facts if "content" in changed else None)
        post.note_changes()
        if is_news:  # one event per writing session, not one per autosave
            record("post.updated", now, post_id=post.id, fields=sorted(changed))
        return post


def _check(changed: dict[str, Any], post: Post | None = None) -> None:
    """Raise Invalid if a field breaks a rule. An unfinished post may be without a title."""
    fields = {name: value for name, value in changed.items() if value or name != "title"}
    rules.check(fields, changed.get("platforms"), post)


def _write(post: Post, changed: dict[str, Any], now: datetime, apart: bool, facts: TextFacts | None) -> bool:
    """Write the changes. Returns True if they began a writing session."""
    fields = {name: value for name, value in changed.items() if name != "platforms"}
    if "slug" in fields:
        lock_also(nouns.SLUGS)
        fields["slug"] = slugs.change_slug(post, fields["slug"])
    elif _changes_letters(post, fields) and _follows_title(post):
        lock_also(nouns.SLUGS)
        title, language = fields.get("title", post.title), fields.get("language", post.language)
        fields["slug"] = slugs.change_slug(post, slugs.free_slug(title, language, but=post))
    post.rewrite(fields, changed.get("platforms", post.platforms), now, facts)
    if not apart:
        return _store_autosave(post, now)
    before = post.revision_count
    post.revise("autosaved", now)
    return post.revision_count > before


def _store_autosave(post: Post, now: datetime) -> bool:
    """Store the working copy in the autosave revision of this writing session, or in a new one.

    A revision that is live or scheduled is never overwritten, nor is a text that the working copy shortens, unless
    the revision before has its words. Returns True if a session began.
    """
    last = post.latest_revision()
    if (
        last is None
        or not last.is_of_session(now)
        or last.id in (post.live_revision_id, post.site_revision_id)
        or last.fields() == post.fields()
    ):
        before = post.revision_count
        post.revise("autosaved", now)
        return post.revision_count > before
    kept_revision = _kept_revision(post)
    if _is_missed(last.content, post.content, kept_revision):
        last.reason = "before removal" if is_large_removal(last.content, post.content) else "longest"
        post.add_revision(post.fields(), "autosaved", now)
        return False
    if kept_revision is not None and _has_outgrown(post.content, kept_revision.content):
        _fold(post, kept_revision, last)
        last = kept_revision
    elif kept_revision is not None and is_large_removal(kept_revision.content, post.content):
        kept_revision.reason = "before removal"
    last.rewrite(post.fields(), now)
    return False


def _kept_revision(post: Post) -> Revision | None:
    """Return the revision before the latest, if an autosave of its session kept it."""
    with db.session.no_autoflush:
        before = Revision.find(post.id, post.revision_count - 1)
    return before if before is not None and before.reason in KEPT_REASONS else None


def _fold(post: Post, kept_revision: Revision, last: Revision) -> None:
    """Continue the session in the revision that was kept, and delete the latest one."""
    db.session.delete(last)
    db.session.flush()
    post.revision_count = kept_revision.number
    kept_revision.reason = "autosaved"


def _is_missed(old: str, new: str, kept_revision: Revision | None) -> bool:
    """Return True if an autosave must not replace the old text, given the revision that was kept before it."""
    if kept_revision is not None and not removed_words(old, new + "\n" + kept_revision.content):
        return False
    return written_words(new) < written_words(old) or is_large_removal(old, new)


def _has_outgrown(new_text: str, kept_text: str) -> bool:
    """Return True if a text has become as long as the one that was kept, and has nearly all of its words."""
    return written_words(new_text) >= written_words(kept_text) and not is_large_removal(kept_text, new_text)


def _changes_letters(post: Post, fields: dict[str, Any]) -> bool:
    """Return True if these changes may give the post another slug. The language decides how Chinese characters read."""
    return "title" in fields or ("language" in fields and not post.title.isascii())


def _follows_title(post: Post) -> bool:
    """Return True if the slug can follow the title: the post was never published and the slug comes from the title."""
    return post.state == "draft" and post.published_at is None and slugs.is_slug_of(post.title, post.slug)


def set_aside(post: Post, fields: dict[str, Any], now: datetime) -> Revision | None:
    """Store text that the author discarded in favour of another version, as a revision of its own.

    Returns None if it equals the current text.
    """
    with transaction(nouns.post(post.id)):
        post.require_move("edit")
        if all(getattr(post, name) == value for name, value in fields.items()):
            return None
        _check(fields, post)
        return post.set_aside(fields, now)


def update_schedule(post: Post, now: datetime) -> Post:
    """Schedule the current text in place of the pinned revision. Raises StateConflict if the post is not scheduled."""
    html = rendered(post.content, post.language)
    with transaction():
        if post.state != "scheduled":
            raise StateConflict("This post is no longer scheduled.", state=post.state)
        post.require_publishable("scheduled")
        post.pin("scheduled", now, html)
        post.updated_at = now
        record("post.updated", now, post_id=post.id, fields=[])
        return post
