"""Health checks for monitoring, outside the API prefix and without authentication."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from flask import Blueprint, Response, jsonify
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from blogsvc import context
from blogsvc.context import Tools
from blogsvc.health.cluster import ClusterProblem
from blogsvc.http.metrics_token import refusal
from blogsvc.http.processes import problems_of_processes, problems_of_this_process
from blogsvc.lib.time import stamp
from blogsvc.models import Post, db
from blogsvc.models.clock import ahead_of_servers
from blogsvc.models.database_time import ahead_of_database
from blogsvc.models.late_posts import late_after, late_posts
from blogsvc.models.leadership import leader
from blogsvc.models.process import UNSEEN_AFTER, is_shared, processes
from blogsvc.models.setting import STALLED_AFTER, last_heartbeat, recent_clock_jump

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def health() -> tuple[Response, int]:
    """Return 503 if the scheduler has stalled or a scheduled post is late: the server responds but publishes nothing.

    `clockJumpSeconds` is by how much the system time was set in the last day, or null. `clockAheadSeconds` is by how
    much it is ahead of that of other servers, or null if it is right or not known; posts wait for their time there.
    `clockAheadOfDatabaseSeconds` is by how much it is ahead of that of PostgreSQL, or null if they are about the same;
    the time of PostgreSQL counts. `problems` is what is wrong with this process among those that share the database:
    each has a `code`, the `setting` that mends it, or null, and a `message`.
    """
    tools = context.tools()
    code, document = _state(tools)
    return _answer(code, {**document, "problems": [_problem(found) for found in problems_of_this_process(tools)]})


@blueprint.get("/health/all")
def health_of_all() -> tuple[Response, int]:
    """Return what `/health` does, the problems of all processes that share a PostgreSQL, and a list of these processes.

    Needs BLOGSVC_METRICS_TOKEN as a Bearer token. The `details` of a problem name machines. A process is running if it
    has reported itself in the last 20 seconds.
    """
    tools = context.tools()
    if (refused := refusal(tools.config)) is not None:
        return refused, refused.status_code
    code, document = _state(tools)
    found = [{**_problem(problem), "details": problem.details} for problem in problems_of_processes(tools)]
    return _answer(code, {**document, "problems": found, "processes": _processes(tools.now())})


def _state(tools: Tools) -> tuple[int, dict[str, Any]]:
    now, beat = tools.now(), last_heartbeat()
    late, jump = late_posts(now, late_after(tools.config)), recent_clock_jump(now)
    ahead = ahead_of_servers(now, tools.http.dates, tools.boot)
    is_stalled = beat is None or now - beat > STALLED_AFTER or late.number > 0
    return 503 if is_stalled else 200, {
        "status": "stalled" if is_stalled else "ok",
        "lastTickAt": stamp(beat) if beat else None,
        "overduePosts": late.number,
        "clockJumpSeconds": _seconds(jump and jump[1]),
        "clockAheadSeconds": _seconds(ahead),
        "clockAheadOfDatabaseSeconds": _seconds(ahead_of_database(tools.now)),
    }


def _problem(problem: ClusterProblem) -> dict[str, str | None]:
    return {"code": problem.code, "setting": problem.setting, "message": problem.message}


def _processes(now: datetime) -> list[dict[str, Any]]:
    if not is_shared():
        return []
    first = leader(now)
    return [
        {
            "id": process.name,
            "role": process.role,
            "host": process.host,
            "version": process.version,
            "isRunning": process.seen_at > now - UNSEEN_AFTER,
            "isLeader": first is not None and first.process == process.name,
            "laneCount": process.lane_count,
            "startedAt": stamp(process.started_at),
            "seenAt": stamp(process.seen_at),
            "clockAheadOfDatabaseSeconds": round(process.seconds_ahead) or None,
            "keyFingerprint": process.key_fingerprint,
            "missingConnectors": process.missing,
        }
        for process in processes()
    ]


def _answer(code: int, document: dict[str, Any]) -> tuple[Response, int]:
    answer = jsonify(document)
    answer.headers["Cache-Control"] = "no-store"
    return answer, code


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
    return _answer(200 if is_ready else 503, {"status": "ready" if is_ready else "not ready"})
