"""Publish with a few seconds to undo: until then, nothing changes and nothing leaves the server.

The request is stored with the time at which it becomes due, so that a restart neither loses nor repeats it. The pages
publish in this way. The API publishes at once.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from blogsvc.connections.aliases import by_stored_name, without_aliases
from blogsvc.connections.by_hand import names_to_store
from blogsvc.context import Tools
from blogsvc.delivery.preflight import remember, with_choices
from blogsvc.errors import Busy
from blogsvc.models import PendingPublish, Post, Setting, User, db, transaction
from blogsvc.models.pending_publish import MAX_UNDO, is_any_pending_due, next_pending, take_back
from blogsvc.posts import autosave, editing, publishing, rules
from blogsvc.posts.prepare import PreparedPost
from blogsvc.posts.publish_request import PublishRequest

log = logging.getLogger(__name__)

# How long the author of a published post can undo that, in seconds; 0 publishes at once.
UNDO_CHOICES = (0, 5, 10, 20, 30)
TRY_AGAIN_AFTER = timedelta(seconds=20)


def undo_time() -> timedelta:
    """Return how long publishing can be undone, as the settings say."""
    return min(timedelta(seconds=Setting.read("undo_seconds")), MAX_UNDO)


def publish_with_undo(
    post: Post, request: PublishRequest, by: User, now: datetime, tools: Tools, prepared: PreparedPost
) -> Post:
    """Publish a post after the time to undo, or schedule it at once, which can be undone later.

    Raises Invalid as `publish_request` does, which also says what `prepared` is.
    """
    wait = undo_time()
    with transaction():
        if request.when is None and wait:
            return _hold(post, request, by, now + wait, now, tools, prepared)
        is_first = not post.is_live
        if is_first and request.platforms is not None:
            editing.edit(post, {}, request.platforms, now)
        publishing.publish_request(post, request, now, tools, prepared)
        if is_first:
            remember(by, post.platforms)
        return post


def _hold(
    post: Post,
    request: PublishRequest,
    by: User,
    due_at: datetime,
    now: datetime,
    tools: Tools,
    prepared: PreparedPost,
) -> Post:
    """Store the request with the current text.

    The choices for a draft are stored with it, and stay if this is undone. Texts for destinations are saved in any
    state, as the editor saves what is typed.
    """
    platforms = names_to_store(post.platforms if request.platforms is None else request.platforms, now)
    overrides = with_choices(post.overrides, request.overrides, platforms)
    publishing.require_ready(post, "published", platforms, tools, prepared, {"overrides": overrides})
    if not post.is_live and post.state != "scheduled":
        editing.edit(post, {"overrides": overrides}, platforms, now)
    else:
        rules.check({"overrides": overrides}, platforms, post)
        texts = {"overrides": with_choices(post.overrides, request.overrides, selected=())}
        autosave.autosave(post, texts, None, post.rev, now)
    revision = post.revise_with({"overrides": overrides}, now)
    revision.html = revision.html or prepared.html_for(post)
    revision.render()
    PendingPublish(
        post_id=post.id,
        revision_id=revision.id,
        platforms=list(platforms),
        options={name: own.get("options", {}) for name, own in request.overrides.items() if name in platforms},
        user_id=by.id,
        due_at=due_at,
    ).store()
    return post


def undo(post: Post) -> bool:
    """Undo publishing. Returns False if it is too late, or there is nothing to undo."""
    with transaction():
        return take_back(post.id)


def publish_pending(now: datetime) -> bool:
    """Publish a post whose time to undo has passed. Returns False if there is none. Call again until then."""
    if not is_any_pending_due(now):
        return False
    try:
        with transaction():
            pending = next_pending(now)
            if pending is not None:
                _publish(pending, now)
            return pending is not None
    except Busy:
        raise
    except Exception:
        log.exception("a post can't be published after its time to undo; trying again in %s", TRY_AGAIN_AFTER)
        with transaction():
            if (pending := next_pending(now)) is not None:
                pending.due_at = now + TRY_AGAIN_AFTER
        return True


def _publish(pending: PendingPublish, now: datetime) -> None:
    """Publish the text that the author saw."""
    post, revision, platforms = pending.post, pending.revision, without_aliases(pending.platforms)
    is_first = not post.is_live
    revision.overrides = by_stored_name(revision.overrides)
    if is_first or pending.options:
        choices = {name: {"options": chosen} for name, chosen in by_stored_name(pending.options).items()}
        overrides = with_choices(post.overrides, choices, platforms)
        post.rewrite({"overrides": overrides}, platforms if is_first else post.platforms, now)
    if revision.reason == "saved":
        revision.reason = "published"
    publishing.publish_revision(post, revision, now, platforms)
    user = db.session.get(User, pending.user_id)
    if is_first and user is not None:
        remember(user, platforms)
