"""One run: the server, rounds of schemathesis against it, and the log of the server.

The first round runs all phases, the later ones only those that find something new each time: the examples
and the coverage phase would repeat themselves.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from blogsvc import create_app, migrate
from blogsvc.api.framework.openapi import document
from blogsvc.auth import api_keys
from blogsvc.config import ROOT
from blogsvc.models import db
from tests.kill.server import Server, call

CONFIG = Path(__file__).with_name("schemathesis.toml")
REQUEST = re.compile(r" INFO ([A-Z]+) /api/v1(/.*) (\d{3}) [\d.]+ms \S+$")
# Statuses that no response may have. 502 is a rejection by a platform, and platforms in served.py fail randomly.
OURS = frozenset(range(500, 600)) - {502}
LATER_PHASES = "fuzzing,stateful"


class FuzzedServer(Server):
    seed = 0

    def command(self) -> list[str]:
        return [sys.executable, "-m", "tests.fuzz.served", str(self.seed)]


@dataclass
class Figures:
    """The number of requests and their statuses."""

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)

    @property
    def requests(self) -> int:
        return self.answers.total()

    @property
    def by_status(self) -> Counter[int]:
        found: Counter[int] = Counter()
        for (_, status), times in self.answers.items():
            found[status] += times
        return found

    @property
    def operations(self) -> set[str]:
        return {operation for operation, _ in self.answers}

    def __str__(self) -> str:
        lines = [f"{self.requests} requests"]
        lines += [f"  {status}: {times}" for status, times in sorted(self.by_status.items())]
        for operation in sorted(self.operations):
            told = {status: times for (name, status), times in sorted(self.answers.items()) if name == operation}
            lines.append(f"{operation}: {', '.join(f'{status} x {times}' for status, times in told.items())}")
        return "\n".join(lines)


class Fuzz:
    """A server on an instance of its own. `faults` lists failures found by schemathesis and in the log."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.server = FuzzedServer(folder / "instance")
        self.server.seed = seed
        self.key = self.key_id = ""
        self.faults: list[str] = []

    def __enter__(self) -> Fuzz:
        self._make_key()
        self.server.start()
        self.server.wait_until_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.kill()

    def run(self, requests: int, examples: int) -> Figures:
        """Run rounds until the server has had so many requests, or a failure was found."""
        figures, number = Figures(), 0
        while not self.faults and figures.requests < requests:
            self._round(number, examples)
            figures, number = self.figures(), number + 1
            print(f"round {number}: {figures.requests} requests", flush=True)
        return figures

    def _round(self, number: int, examples: int) -> None:
        command = [Path(sys.executable).with_name("schemathesis"), "--no-color", "--config-file", CONFIG, "run"]
        command += [f"http://127.0.0.1:{self.server.port}/api/v1/openapi.json", *self._options(number, examples)]
        done = subprocess.run(command, env=self._environment(), cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            self.faults.append(f"{_failures(done.stdout)}\n{done.stderr}")
        if call(self.server.port, "GET", "/api/v1/me", self.key)[0] != 200:
            self.faults.append("the fuzzer has locked itself out: see before_call in hooks.py")
        self.faults += self.server.tracebacks()
        self.faults += [f"{name} answered {status}" for name, status in self.figures().answers if status in OURS]

    def _options(self, number: int, examples: int) -> Iterator[str]:
        yield from ("-H", f"Authorization: Bearer {self.key}")
        yield from ("--seed", str(self.seed + number), "--max-examples", str(examples))
        for path in endless():
            yield from ("--exclude-path", path)
        if number:
            yield from ("--phases", LATER_PHASES)

    def _environment(self) -> dict[str, str]:
        now = datetime.now(UTC).replace(microsecond=0)
        times = {"SOON": timedelta(minutes=1), "TOMORROW": timedelta(days=1), "FAR": timedelta(days=4 * 365)}
        ahead = {f"FUZZ_{name}": (now + span).isoformat() for name, span in times.items()}
        return {**os.environ, **ahead, "FUZZ_KEY_ID": self.key_id, "PYTHONPATH": str(ROOT)}

    def _make_key(self) -> None:
        app = create_app(self.server.config)
        migrate(app)
        with app.app_context():
            key, self.key = api_keys.create("the fuzzer", ["all"], None, app.extensions["tools"].now())
            self.key_id = key.id
            db.session.remove()
            db.engine.dispose()

    def figures(self) -> Figures:
        found = Figures()
        for line in self.server.log.read_text(errors="replace").splitlines():
            if asked := REQUEST.search(line):
                method, path, status = asked.groups()
                found.answers[self._operation(method, path), int(status)] += 1
        return found

    def _operation(self, method: str, path: str) -> str:
        for pattern, template, methods in self._templates:
            if pattern.fullmatch(path):
                return f"{method} {template}" if method.lower() in methods else "other methods"
        return "other paths"

    @cached_property
    def _templates(self) -> list[tuple[re.Pattern[str], str, dict[str, Any]]]:
        """Return every path of the document, those without parameters first: `/posts/bulk` is not a post."""
        paths = sorted(document()["paths"].items(), key=lambda each: each[0].count("{"))
        return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path, methods) for path, methods in paths]


def endless() -> list[str]:
    """Return paths with endless responses: the event stream has its own tests."""
    return [
        path
        for path, methods in document()["paths"].items()
        if any(
            "text/event-stream" in answer.get("content", {})
            for answer in methods.get("get", {}).get("responses", {}).values()
        )
    ]


def expected_operations() -> set[str]:
    """Return the operations that a run must have called at least once."""
    left_out = set(endless())
    return {
        f"{method.upper()} {path}"
        for path, methods in document()["paths"].items()
        for method in methods
        if path not in left_out
    }


def _failures(output: str) -> str:
    """Return the failures in the output of schemathesis, with long values shortened."""
    told = re.split(r"^=+ (?=(?:ERRORS|FAILURES) =)", output, maxsplit=1, flags=re.MULTILINE)[-1]
    return re.sub(r"(.)\1{50,}", r"\1...\1", told)
