"""What is wrong with the processes that share a database, as far as the process of a request knows."""

from __future__ import annotations

import logging
from threading import Lock

from flask import request

from blogsvc.context import InMemory, Tools
from blogsvc.health.cluster import COUNT_ALONE, ClusterProblem, cluster_problems
from blogsvc.models.process import is_shared

log = logging.getLogger(__name__)

_is_told = InMemory(lambda _tools: Lock())


def problems_of_processes(tools: Tools) -> list[ClusterProblem]:
    """Return what is wrong with the processes of this database."""
    return [*cluster_problems(tools.now()), *([COUNT_ALONE] if _counts_alone(tools) else [])]


def problems_of_this_process(tools: Tools) -> list[ClusterProblem]:
    """Return what is wrong with this process among those of the database."""
    problems = problems_of_processes(tools)
    return [problem for problem in problems if not is_shared() or tools.process.name in problem.processes]


def log_counting_alone(tools: Tools) -> None:
    """Log once that this process counts requests by itself, although others get some of them."""
    if _counts_alone(tools) and _is_told().acquire(blocking=False):
        log.warning("%s", COUNT_ALONE.message)


def _counts_alone(tools: Tools) -> bool:
    """Return True if the WSGI server runs several processes (PEP 3333) that share only SQLite.

    Those that share a PostgreSQL report themselves.
    """
    return bool(request.environ.get("wsgi.multiprocess")) and not tools.config.redis_url and not is_shared()
