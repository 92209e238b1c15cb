"""Metrics for Prometheus at /metrics, if BLOGSVC_METRICS_TOKEN is set.

Requests are counted by each process; everything else is read from the database when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from importlib.metadata import version
from time import perf_counter
from typing import Any

from flask import Flask, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_1_0_0
from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute

from blogsvc import context
from blogsvc.config import Config
from blogsvc.http.metrics_token import refusal
from blogsvc.http.processes import problems_of_processes
from blogsvc.models import Connection, Delivery, Media, Post, WebhookDelivery, db
from blogsvc.models.late_posts import late_after, late_posts
from blogsvc.models.process import is_shared, processes_seen
from blogsvc.models.setting import last_heartbeat

WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# The parts of the service by the beginning of the path; everything else is the blog.
AREAS = {
    "/api/": "api",
    "/desk": "desk",
    "/static/": "static",
    "/media/": "media",
    **dict.fromkeys(("/health", "/metrics", "/ready"), "monitoring"),
}
# In seconds. Most pages take milliseconds; publishing may wait 30 seconds for its outcome.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


def init(app: Flask) -> None:
    """Measure all requests of the application, and serve /metrics."""
    config: Config = app.extensions["tools"].config
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(Gauges())
    app.wsgi_app = Measured(app.wsgi_app, registry)  # type: ignore[method-assign]

    @app.get("/metrics")
    def metrics() -> Response:
        if (refused := refusal(config)) is not None:
            return refused
        answer = Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_1_0_0)
        answer.headers["Cache-Control"] = "no-store"
        return answer


class Measured:
    """A WSGI application whose requests are counted, and timed until their response begins."""

    def __init__(self, app: WsgiApp, registry: CollectorRegistry) -> None:
        self._app = app
        self._requests = Counter(
            "blogsvc_http_requests", "HTTP requests.", ["method", "area", "status"], registry=registry
        )
        self._seconds = Histogram(
            "blogsvc_http_request_duration_seconds",
            "Time until the response began.",
            ["area"],
            registry=registry,
            buckets=BUCKETS,
        )

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        began, area, method = perf_counter(), _area(environ["PATH_INFO"]), environ["REQUEST_METHOD"]
        method = method if method in METHODS else "other"

        def start(status: str, *rest: Any) -> Any:
            self._requests.labels(method, area, status[:3]).inc()
            self._seconds.labels(area).observe(perf_counter() - began)
            return start_response(status, *rest)

        return self._app(environ, start)


def _area(path: str) -> str:
    return next((area for prefix, area in AREAS.items() if path.startswith(prefix)), "blog")


class Gauges:
    """What the database says of the blog at the moment."""

    def describe(self) -> Iterable[Metric]:
        return ()  # else the registry would collect once at start, when there is no application context

    def collect(self) -> Iterator[Metric]:
        now, beat = context.now(), last_heartbeat()
        yield _gauge("blogsvc_build_info", "The version, as a label.", 1, version=version("blogsvc"))
        yield _by(
            "blogsvc_posts", "Posts by status, without the trash.", "status", Post.state, Post.deleted_at.is_(None)
        )
        yield _by("blogsvc_deliveries", "Deliveries by state.", "state", Delivery.state)
        yield _by("blogsvc_webhook_deliveries", "Webhook messages by state.", "state", WebhookDelivery.state)
        yield _by("blogsvc_connections", "Connections by state.", "state", Connection.state)
        late = late_posts(now, late_after(context.tools().config))
        text = "Scheduled posts that are more than 15 seconds late; 90 with BLOGSVC_SCHEDULER=0."
        yield _gauge("blogsvc_overdue_posts", text, late.number)
        seconds = (now - beat).total_seconds() if beat else float("nan")
        yield _gauge("blogsvc_scheduler_idle_seconds", "Time since the scheduler ran last; 90 means stalled.", seconds)
        if is_shared():
            yield _running_processes(now)
        problems = problems_of_processes(context.tools())
        text = "What is wrong with the processes that share the database; /health/all says it."
        yield _gauge("blogsvc_process_problems", text, len(problems))
        size = db.session.scalar(select(func.coalesce(func.sum(Media.bytes), 0))) or 0
        yield _gauge("blogsvc_media_bytes", "Size of all images in full size.", size)


def _by(name: str, text: str, label: str, column: InstrumentedAttribute[Any], *where: Any) -> Metric:
    """Return the number of rows by the value of a column."""
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, number in db.session.execute(select(column, func.count()).where(*where).group_by(column)):
        family.add_metric([value], number)
    return family


def _running_processes(now: datetime) -> Metric:
    family = GaugeMetricFamily("blogsvc_processes", "Running processes that share the database.", labels=["role"])
    roles = [process.role for process in processes_seen(now)]
    for role in ("server", "scheduler", "worker"):  # also those of which none runs, for alerts
        family.add_metric([role], roles.count(role))
    return family


def _gauge(name: str, text: str, value: float, **labels: str) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[*labels])
    family.add_metric([*labels.values()], value)
    return family
