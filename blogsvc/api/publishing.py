"""Publishing: publish, preview and unpublish posts."""

from __future__ import annotations

from dataclasses import replace
from threading import BoundedSemaphore, Event
from time import monotonic

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import preferences
from blogsvc.api.framework.operations import Reply, follow_up, operation
from blogsvc.connections.aliases import without_aliases
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.context import InMemory
from blogsvc.delivery import preview
from blogsvc.errors import Invalid
from blogsvc.http import lanes
from blogsvc.models import Post, db, transaction
from blogsvc.models.transactions import has_recorded
from blogsvc.posts import prepare, publishing, rules
from blogsvc.posts.prepare import PreparedPost
from blogsvc.posts.publish_request import PublishRequest

# For `Prefer: wait=N`: how often to check the database without a signal.
POLL_SECONDS = 0.5


# Each request that waits for an outcome keeps its thread, so at most half of the threads may wait.
waiting = InMemory(lambda tools: BoundedSemaphore(max(1, tools.config.threads // 2)))


def prepare_publishing(post_id: str, body: schemas.PublishIn) -> PreparedPost:
    return prepare.publication(Post.get(post_id), PublishRequest(body.platforms, body.at), context.tools())


@operation(
    "POST",
    "/posts/<post_id>/publish",
    "Publish a post",
    scope=("posts:publish", "posts:read"),
    tier="publish",
    body=schemas.PublishIn,
    is_body_required=False,
    answers={202: schemas.PostOut, 200: schemas.PostOut},
    prefers="wait",
    refuses=(404, 409),
    prepare=prepare_publishing,
)
def publish_post(post_id: str, body: schemas.PublishIn, prepared: PreparedPost) -> Reply:
    """Publishes the post to all its destinations or to those in `platforms`, now or at the time `at`.

    The response does not wait for the deliveries: poll `deliveries`, or send `Prefer: wait=N` to wait up to 30 seconds
    and get status 200 when all deliveries have finished. The wait ends early if the others wait for a person
    (`blocked`, `awaiting_hand`): with status 200 if the post is published elsewhere, else with 202. Publishing again
    never creates a second copy: copies that are up to date stay as they are, outdated copies are updated, and failed
    deliveries are retried. If all copies are up to date, no event is emitted.
    """
    post = publish(post_id, PublishRequest(body.platforms, body.at), prepared)
    seconds = preferences.wait_seconds()
    if seconds and body.at is None:
        follow_up(lambda: _once_settled(post_id, seconds))
    return Reply(serializers.post(post), 202)


@operation(
    "POST",
    "/posts/<post_id>/dry-run",
    "Preview what publishing would send",
    scope=("posts:publish", "posts:read"),
    tier="publish",
    body=schemas.DryRunIn,
    is_body_required=False,
    answers={200: schemas.DryRunOut},
    has_dry_run=False,
    refuses=(404, 409),
)
def dry_run_post(post_id: str, body: schemas.DryRunIn) -> Reply:
    """Returns what each destination would receive, with warnings, and whether it would create or update a copy.

    The checks are those of publishing: a post that can't be published is an error. Nothing is sent or saved.
    """
    post = Post.get(post_id)
    platforms = without_aliases(body.platforms or post.platforms)
    post.require_publishable("published", platforms)
    rules.check({}, platforms, post)
    warnings = serializers.warnings(platforms, KnownDestinations())
    found = schemas.DryRunOut(platforms=_trials(post, platforms), warnings=warnings)
    return Reply(found, has_etag=False)


def publish(post_id: str, request: PublishRequest, prepared: PreparedPost) -> Post:
    with transaction():
        return publishing.publish_request(Post.get(post_id), request, context.now(), context.tools(), prepared)


def _once_settled(post_id: str, seconds: int) -> Reply:
    """Return the post with status 200 when all deliveries have finished, or 202 if that takes too long."""
    slot = waiting()
    if not slot.acquire(blocking=False):
        return Reply(serializers.post(Post.get(post_id)), 202)
    try:
        post = _settled(post_id, seconds)
    finally:
        slot.release()
    status = 202 if post.state == "publishing" else 200
    return Reply(serializers.post(post), status, {"Preference-Applied": f"wait={seconds}"})


def _is_under_way(post: Post) -> bool:
    """Return True if something still happens without a person, who has to connect an account for a blocked delivery."""
    moving = {"queued", "sending", "retrying"}
    return post.state == "publishing" and any(one.state in moving and not one.is_blocked for one in post.deliveries)


def _settled(post_id: str, seconds: int) -> Post:
    end, news = monotonic() + seconds, Event()

    def wake(_sender: object) -> None:
        news.set()

    with has_recorded.connected_to(wake):
        while True:
            news.clear()
            db.session.rollback()
            db.session.expire_all()
            post = Post.get(post_id)
            left = end - monotonic()
            if not _is_under_way(post) or left <= 0:
                return post
            db.session.rollback()  # don't keep a transaction open while waiting
            news.wait(min(left, POLL_SECONDS))


@operation(
    "POST",
    "/posts/<post_id>/unpublish",
    "Unpublish a post",
    scope=("posts:publish", "posts:read"),
    tier="publish",
    body=schemas.WithdrawIn,
    is_body_required=False,
    answers={202: schemas.PostOut},
    refuses=(404, 409),
)
def unpublish_post(post_id: str, body: schemas.WithdrawIn) -> Reply:
    """Removes the post from the blog at once, and unpublishes its copies where possible. Keeps the text.

    Copies become drafts where the platform has drafts. With `delete`, they are deleted.
    """
    post = publishing.unpublish(Post.get(post_id), context.now(), delete_copies=body.delete)
    return Reply(serializers.post(post), 202)


@operation(
    "GET",
    "/posts/<post_id>/preview",
    "Preview a post",
    scope="posts:read",
    query=schemas.PreviewQuery,
    answers={200: schemas.PreviewOut},
    refuses=(404,),
)
def preview_post(post_id: str, query: schemas.PreviewQuery) -> Reply:
    """Returns what publishing would send to each destination, with its limits. Nothing is sent."""
    post = Post.get(post_id)
    lanes.enter("costly")
    platforms = without_aliases(query.platform or post.platforms)
    if faults := rules.platform_faults(platforms, post.platforms):
        raise Invalid(*(replace(fault, pointer="?platform") for fault in faults))
    warnings = serializers.warnings(platforms, KnownDestinations())
    found = schemas.PreviewOut(platforms=_trials(post, platforms), warnings=warnings)
    return Reply(found, has_etag=False)


def _trials(post: Post, platforms: list[str]) -> list[schemas.TrialOut]:
    return [
        schemas.TrialOut(
            platform=trial.platform,
            operation=trial.operation,
            payload=dict(trial.payload.body) if trial.payload else None,
            warnings=list(trial.payload.warnings) if trial.payload else [],
            limits=[serializers.limit(limit) for limit in trial.limits],
            error=schemas.ErrorOut(code=trial.error.code, detail=str(trial.error)) if trial.error else None,
        )
        for trial in preview.previews(post, platforms, context.tools())
    ]
