"""Schemas of previews and dry runs: what publishing would send."""

from __future__ import annotations

from typing import Any, Literal

from blogsvc.api.schemas.deliveries import ErrorOut
from blogsvc.api.schemas.fields import Out
from blogsvc.api.schemas.posts import DestinationWarningOut


class LimitOut(Out):
    """The maximum size of one part of a post on a platform."""

    part: str
    """The part, for example `title` or `text`."""
    most: int
    """The maximum size, in `unit`."""
    unit: str
    """What the platform counts.

    `characters` (Unicode code points), `graphemes` (characters as people see them), `utf16` (UTF-16 code units),
    `bytes` (of UTF-8), `weighted` (characters, of which emoji and many scripts count twice), or `items`.
    """


class TrialOut(Out):
    """What publishing now would send to one destination, with warnings and limits."""

    platform: str
    """The name of the destination."""
    operation: Literal["create", "update", "none"]
    """What publishing would do: `create` a copy, `update` the copy, or `none` because the copy is up to date."""
    payload: dict[str, Any] | None
    """The body of the request to the platform, in the platform's own format. Null if there is an `error`.

    Of a destination without an account, what the defaults of the platform give, as far as that is possible.
    """
    warnings: list[str]
    """What would be shortened or left out, in sentences."""
    limits: list[LimitOut]
    """The limits of the platform."""
    error: ErrorOut | None
    """Why the post can't be sent to this destination. Null if it can."""


class PreviewOut(Out):
    """What publishing would send to each destination."""

    platforms: list[TrialOut]
    """The result for each destination."""
    warnings: list[DestinationWarningOut]
    """What to know about these destinations, such as that one has no account. Empty if there is nothing to say."""


class DryRunOut(Out):
    """What publishing would send to each destination. Nothing was sent."""

    dry_run: Literal[True] = True
    """Always true."""
    platforms: list[TrialOut]
    """The result for each destination."""
    warnings: list[DestinationWarningOut]
    """What to know about these destinations, such as that one has no account. Empty if there is nothing to say."""
