"""Publication: send a post out, see beforehand what would be sent, take it down again."""

from __future__ import annotations

import re
from threading import BoundedSemaphore, Event
from time import monotonic

from flask import Flask, current_app, request

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework.operations import Reply, follow_up, operation
from blogsvc.delivery import preview
from blogsvc.models import Post, db, transaction
from blogsvc.models.base import has_recorded
from blogsvc.models.revision import rendered
from blogsvc.posts import editing, publishing

# `Prefer: wait=N` (RFC 7240): so many seconds at most, and looked at so often where no signal comes.
MAX_WAIT_SECONDS = 30
POLL_SECONDS = 0.5


def init(app: Flask) -> None:
    """Who waits keeps a thread, so that at most half of them may be waited on."""
    threads: int = app.extensions["toolbox"].config.threads
    app.extensions["waiters"] = BoundedSemaphore(max(1, threads // 2))


def _render_ahead(post_id: str, **_given: object) -> None:
    rendered(Post.get(post_id).content)


@operation(
    "POST",
    "/posts/<post_id>/publish",
    "Publish a post, or bring its copies in step",
    scope="posts:publish",
    tier="publish",
    query=schemas.PublishQuery,
    body=schemas.PublishIn,
    is_body_needed=False,
    answers={202: schemas.PostOut, 200: schemas.PublishedOut},
    refuses=(404, 409),
    prepare=_render_ahead,
)
def publish_post(post_id: str, query: schemas.PublishQuery, body: schemas.PublishIn) -> Reply:
    """To all of its platforms, or to those that are named; with `at`, not before then.

    The answer comes before the copies are there: follow `deliveries`, or wait for up to 30 s with `Prefer: wait=N`
    and be answered 200 once they have come to rest. Asking again never makes a second copy: one that is in step is
    left alone, a changed one is updated, a failed one is tried again. `dryRun` answers what each platform would be
    sent, with warnings, and sends nothing.
    """
    if query.dry_run:
        post = Post.get(post_id)
        post.demand_words("published")
        trials = _trials(post, body.platforms or post.platforms)
        return Reply(schemas.PublishedOut(schemas.DryRunOut(platforms=trials)), has_etag=False)
    post = publish(post_id, body)
    seconds = _preferred_wait()
    if seconds and body.at is None:
        follow_up(lambda: _once_settled(post_id, seconds))
    return Reply(serializers.post(post), 202)


def publish(post_id: str, body: schemas.PublishIn) -> Post:
    now = context.now()
    with transaction():
        post = Post.get(post_id)
        if body.at is None:
            return publishing.publish(post, now, body.platforms)
        if body.platforms is not None:
            editing.edit(post, {}, body.platforms, now)
        return publishing.schedule(post, body.at, now)


def _preferred_wait() -> int:
    """Seconds to wait for the outcome; 0 where nobody asked, or in words that nobody knows."""
    wait = re.search(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})", request.headers.get("Prefer", ""), re.ASCII)
    return min(int(wait[1]), MAX_WAIT_SECONDS) if wait else 0


def _once_settled(post_id: str, seconds: int) -> Reply:
    """The post as soon as every delivery has come to rest: 200. 202 where that takes longer, or too many wait."""
    waiters: BoundedSemaphore = current_app.extensions["waiters"]
    if not waiters.acquire(blocking=False):
        return Reply(serializers.post(Post.get(post_id)), 202)
    try:
        post = _settled(post_id, seconds)
    finally:
        waiters.release()
    status = 202 if post.state == "publishing" else 200
    return Reply(serializers.post(post), status, {"Preference-Applied": f"wait={seconds}"})


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
            if post.state != "publishing" or left <= 0:
                return post
            db.session.rollback()  # keeps no transaction open over the wait
            news.wait(min(left, POLL_SECONDS))


@operation(
    "POST",
    "/posts/<post_id>/unpublish",
    "Take a post down here, and its copies wherever that can be done",
    scope="posts:publish",
    tier="publish",
    answers={202: schemas.PostOut},
    refuses=(404, 409),
)
def unpublish_post(post_id: str) -> Reply:
    """It is off the blog at once, and elsewhere as soon as the platforms have answered; the text stays here."""
    return Reply(serializers.post(publishing.unpublish(Post.get(post_id), context.now())), 202)


@operation(
    "GET",
    "/posts/<post_id>/preview",
    "What each destination would be sent, with what it allows; nothing is sent",
    scope="posts:read",
    query=schemas.PreviewQuery,
    answers={200: schemas.PreviewOut},
    refuses=(404,),
)
def preview_post(post_id: str, query: schemas.PreviewQuery) -> Reply:
    """The words as they stand, composed by the same code that publishes them."""
    post = Post.get(post_id)
    return Reply(schemas.PreviewOut(platforms=_trials(post, query.platform or post.platforms)), has_etag=False)


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
