"""Health checks for monitoring, outside the API prefix and without authentication."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, Response, jsonify
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from blogsvc import context
from blogsvc.lib.time import stamp
from blogsvc.models import Post, db
from blogsvc.models.clock import ahead_of_servers
from blogsvc.models.database_time import ahead_of_database
from blogsvc.models.late_posts import late_after, late_posts
from blogsvc.models.setting import STALLED_AFTER, last_heartbeat, recent_clock_jump

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def health() -> tuple[Response, int]:
    """Return 503 if the scheduler has stalled or a scheduled post is late: the server responds but publishes nothing.

    `clockJumpSeconds` is by how much the system time was set in the last day, or null. `clockAheadSeconds` is by how
    much it is ahead of that of other servers, or null if it is right or not known; posts wait for their time there.
    `clockAheadOfDatabaseSeconds` is by how much it is ahead of that of PostgreSQL, or null if they are about the same;
    the time of PostgreSQL counts.
    """
    tools = context.tools()
    now, beat = tools.now(), last_heartbeat()
    late, jump = late_posts(now, late_after(tools.config)), recent_clock_jump(now)
    ahead = ahead_of_servers(now, tools.http.dates, tools.boot)
    is_stalled = beat is None or now - beat > STALLED_AFTER or late.number > 0
    answer = jsonify(
        status="stalled" if is_stalled else "ok",
        lastTickAt=stamp(beat) if beat else None,
        overduePosts=late.number,
        clockJumpSeconds=_seconds(jump and jump[1]),
        clockAheadSeconds=_seconds(ahead),
        clockAheadOfDatabaseSeconds=_seconds(ahead_of_database(tools.now)),
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer, 503 if is_stalled else 200


def _seconds(span: timedelta | None) -> int | None:
    return None if span is None else round(span.total_seconds())


@blueprint.get("/ready")
def ready() -> tuple[Response, int]:
    """Return 200 if the database is reachable and has its schema."""
    try:
        db.session.execute(select(Post.id).limit(1))
        is_ready = True
    except SQLAlchemyError:
        is_ready = False
    answer = jsonify(status="ready" if is_ready else "not ready")
    answer.headers["Cache-Control"] = "no-store"
    return answer, 200 if is_ready else 503
