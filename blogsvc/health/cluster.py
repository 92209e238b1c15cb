"""What is wrong with the processes that share a database: settings that differ, clocks, connectors that are missing.

Each process reports its own (`scheduler.presence`), so any of them can say what is wrong with all.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from blogsvc.context import Tools
from blogsvc.health.shared_settings import BASE_URL, BROKER, MEDIA, REDIS, SharedValue
from blogsvc.models.process import Process, is_shared, processes_seen

log = logging.getLogger(__name__)

# Settings of a process that was not seen for this long are not compared: it may have ended.
COMPARED_FOR = timedelta(seconds=10)
KEY = "BLOGSVC_SECRET_KEY"


class Difference(NamedTuple):
    """What it means if processes differ in a setting."""

    code: str
    title: str
    consequence: str
    remedy: str


DIFFERENCES = {
    REDIS: Difference(
        "redis",
        "Processes use different Redis servers.",
        "They share no rate limits, and learn late what others have changed.",
        f"Set {REDIS} to one server that all machines reach.",
    ),
    BROKER: Difference(
        "broker",
        "Processes use different brokers.",
        "Workers don't get what some of the servers send.",
        f"Set {BROKER} to one broker that all machines reach.",
    ),
    MEDIA: Difference(
        "media",
        "Processes keep images in different places.",
        "A process doesn't find the images of others.",
        f"Set {MEDIA} to one S3 bucket, or to one directory that is mounted on all machines.",
    ),
    BASE_URL: Difference(
        "address",
        "Processes use different addresses for the blog.",
        "Links in feeds, e-mails and copies differ.",
        f"Set {BASE_URL} to one address.",
    ),
    KEY: Difference(
        "key",
        "Processes encrypt with different keys.",
        "That is right only while the key is being replaced.",
        f"Go on with the steps for that, until all processes have the same {KEY}.",
    ),
}


class ClusterProblem(NamedTuple):
    """What is wrong, what to do about it, and with which processes.

    `code` is "counters", one of those in DIFFERENCES, "clock" or "connectors". `setting` is the variable that mends it;
    None if that is not a setting. Only `details` names machines.
    """

    code: str
    setting: str | None
    title: str
    advice: str
    details: str = ""
    processes: frozenset[str] = frozenset()

    @property
    def message(self) -> str:
        return f"{self.title} {self.advice}"

    @property
    def full_message(self) -> str:
        return f"{self.message} {self.details}".strip()


COUNT_ALONE = ClusterProblem(
    "counters",
    REDIS,
    "Each server process counts API requests by itself.",
    f"Clients may send more requests than the limits allow. Set {REDIS} to a server that all of them reach.",
)


def cluster_problems(now: datetime) -> list[ClusterProblem]:
    """Return what is wrong with the processes that run on this database. On SQLite, there are no others."""
    return problems_of(_compared(now)) if is_shared() else []


def _compared(now: datetime) -> list[Process]:
    return [process for process in processes_seen(now) if process.seen_at > now - COMPARED_FOR]


def problems_of(processes: Collection[Process]) -> list[ClusterProblem]:
    """Return what is wrong with these processes, which run on one database."""
    return [*_differences(processes), *_counting(processes), *_clocks(processes), *_connectors(processes)]


def _differences(processes: Collection[Process]) -> Iterator[ClusterProblem]:
    found: set[str] = set()
    for setting, difference in DIFFERENCES.items():
        values = {process: value for process in processes if (value := _value_of(process, setting)) is not None}
        is_other_difference = (
            setting == BROKER
            and REDIS in found
            and all(value == _value_of(process, REDIS) for process, value in values.items())
        )
        if len({value.id for value in values.values()}) > 1 and not is_other_difference:
            found.add(setting)
            shown = {process: value.shown or "not set" for process, value in values.items()}
            yield _problem(
                difference.code, setting, difference.title, f"{difference.consequence} {difference.remedy}", shown
            )


def _value_of(process: Process, setting: str) -> SharedValue | None:
    """Return None if the process does not say: it does not know, or has another version."""
    if setting == KEY:
        return SharedValue(process.key_fingerprint, process.key_fingerprint)
    value = process.shared_settings.get(setting)
    return None if value is None else SharedValue(*value)


def _counting(processes: Collection[Process]) -> Iterator[ClusterProblem]:
    values = {process: _value_of(process, REDIS) for process in processes if process.role == "server"}
    alone = frozenset(process.name for process, value in values.items() if value == ("", ""))
    if len(alone) > 1 and len(alone) == len(values):
        yield COUNT_ALONE._replace(processes=alone)


def _clocks(processes: Collection[Process]) -> Iterator[ClusterProblem]:
    wrong = {process: f"{process.seconds_ahead:+.0f} s" for process in processes if process.seconds_ahead}
    if wrong:
        title = "The clocks of some machines differ from the clock of the database."
        advice = (
            "blogsvc goes by that of the database. Set the time of these machines, for example with systemd-timesyncd;"
            " if all of them differ by the same, that of the database."
        )
        yield _problem("clock", None, title, advice, wrong)


def _connectors(processes: Collection[Process]) -> Iterator[ClusterProblem]:
    """Yield a problem if processes lack connectors that others have. If all lack one, its account is disconnected."""
    nowhere = set.intersection(*(set(process.missing) for process in processes)) if processes else set()
    lacking = {process: sorted(set(process.missing) - nowhere) for process in processes}
    lacking = {process: keys for process, keys in lacking.items() if keys}
    if lacking:
        title = "Some processes lack connectors that others have."
        advice = "They can't send to these connections. Install the packages of the connectors there, too."
        yield _problem("connectors", None, title, advice, {one: ", ".join(keys) for one, keys in lacking.items()})


def _problem(code: str, setting: str | None, title: str, advice: str, values: Mapping[Process, str]) -> ClusterProblem:
    """Return a problem whose details are a value of each process."""
    texts = sorted({f"{process.role} on {process.host}: {value}" for process, value in values.items()})
    details = "; ".join(texts)
    names = frozenset(process.name for process in values)
    return ClusterProblem(code, setting, title, advice, f"{details[:1].upper()}{details[1:]}.", names)


class ClusterWatch:
    """Logs once what is wrong with this process among the others, and once that it is mended."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._told: dict[str, ClusterProblem] = {}

    def look(self) -> None:
        own_name, processes = self._tools.process.name, _compared(self._tools.now())
        if own_name not in {process.name for process in processes}:
            return  # the database was away, so the others could not report either
        problems = {problem.code: problem for problem in problems_of(processes) if own_name in problem.processes}
        problems.pop("clock", None)  # `models.database_time` logs it at once
        for code, problem in problems.items():
            if code not in self._told:
                log.warning("%s", problem.full_message)
        for code in self._told.keys() - problems.keys():
            log.info("mended: %s", self._told[code].title)
        self._told = problems
