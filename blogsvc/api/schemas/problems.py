"""Schemas of error responses."""

from __future__ import annotations

from pydantic import ConfigDict

from blogsvc.api.schemas.described import Described


class ProblemErrorOut(Described):
    """A validation error of a field (`pointer`) or a query parameter (`parameter`)."""

    pointer: str | None = None
    """The JSON pointer of the field, for example `#/scheduledAt` or `#/tags/2`. Absent for parameters."""
    parameter: str | None = None
    """The name of the query parameter, for example `limit`. Absent for fields."""
    code: str
    """The code, for example `in_past` or `too_long`. New codes can be added at any time."""
    detail: str
    """What is wrong and how to fix it."""
    platform: str | None = None
    """The destination whose rule causes the error. Absent for other errors."""
    rule: str | None = None
    """The rule of the destination, for example `connected`. Absent for other errors."""
    remediation: str | None = None
    """What to do so that the rule is met. Absent for other errors."""


class ProblemOut(Described):
    """A problem document (RFC 9457). Some problem types have further fields, such as `scope` or `retryAfter`."""

    model_config = ConfigDict(extra="allow")

    type: str
    """The URL of a page that explains the problem. The last part identifies the type, for example `state-conflict`."""
    title: str
    """The name of the problem type, for example `Validation failed`."""
    status: int
    """The HTTP status code."""
    detail: str
    """What happened this time, and what to do."""
    instance: str
    """The id of the request as a URN, for example `urn:request:req_01m86a3kq7f2h9x4c5v8b1n6de`. The log contains it."""
    errors: list[ProblemErrorOut] | None = None
    """All validation errors of the request. Absent for other problems."""
