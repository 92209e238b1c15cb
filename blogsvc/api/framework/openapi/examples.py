"""The recorded examples of the API. `make docs` records them from the running application."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from blogsvc.config import DOCS
from blogsvc.lib.text.plain import slugify

FILE = DOCS / "examples.json"


@dataclass(frozen=True)
class Exchange:
    """A request and its response. `operation` is None if the request matched no operation."""

    operation: str | None
    title: str
    request: dict[str, Any]
    answer: dict[str, Any]

    @property
    def name(self) -> str:
        return slugify(self.title)

    @property
    def status(self) -> int:
        status: int = self.answer["status"]
        return status

    @property
    def problem(self) -> str | None:
        """The slug of the problem in the response, if it is one."""
        is_problem = self.answer.get("type") == "application/problem+json"
        return str(self.answer["body"]["type"]).rpartition("/")[2] if is_problem else None


@cache
def exchanges() -> tuple[Exchange, ...]:
    return tuple(Exchange(**found) for found in json.loads(FILE.read_text()))


def of_operation(name: str) -> list[Exchange]:
    return [exchange for exchange in exchanges() if exchange.operation == name]


def of_problem(slug: str) -> Exchange | None:
    """Return the first example of a problem, if there is one."""
    return next((exchange for exchange in exchanges() if exchange.problem == slug), None)


def example(exchange: Exchange) -> dict[str, Any]:
    """Return the Example Object of a response."""
    return {"summary": exchange.title, "value": exchange.answer.get("body", exchange.answer.get("text"))}
