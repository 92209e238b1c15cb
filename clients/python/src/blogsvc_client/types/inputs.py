"""What lies within a field that is sent, as the API writes it. Generated (`make clients`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, TypedDict


class _BulkPublishInput(TypedDict):
    id: str
    operation: Literal["publish"]


class BulkPublishInput(_BulkPublishInput, total=False):
    """Publish a post, as `POST /posts/{id}/publish` does."""

    platforms: Sequence[str] | None
    at: datetime | str | None


class _ScheduleInput(TypedDict):
    localTime: str
    timeZone: str


class ScheduleInput(_ScheduleInput, total=False):
    """A time as people say it. `fold` says which, where a clock change skips or repeats it (PEP 495)."""

    fold: int | None


class OverrideInput(TypedDict, total=False):
    """Words that differ at one destination, and what its platform asks per post: a visibility, a newsletter."""

    title: str | None
    content: str | None
    summary: str | None
    tags: Sequence[str] | None
    options: Mapping[str, str] | None


class _PostInput(TypedDict):
    title: str


class PostInput(_PostInput, total=False):
    """A post to be written."""

    content: str | None
    platforms: Sequence[str] | None
    scheduledAt: datetime | str | None
    schedule: ScheduleInput | None
    summary: str | None
    slug: str | None
    tags: Sequence[str] | None
    canonicalUrl: str | None
    coverImage: str | None
    language: str | None
    overrides: Mapping[str, OverrideInput] | None


class CreateInput(TypedDict):
    """Write a post."""

    operation: Literal["create"]
    post: PostInput


class _DeleteInput(TypedDict):
    id: str
    operation: Literal["delete"]


class DeleteInput(_DeleteInput, total=False):
    """Put a post in the trash."""

    withdraw: bool


class DuplicateInput(TypedDict):
    """Write a draft with the words of another post."""

    id: str
    operation: Literal["duplicate"]


class LimitsInput(TypedDict, total=False):
    """Calls a minute, where they differ from the settings'; null is what the settings say."""

    read: int | None
    write: int | None
    publish: int | None


class RestoreInput(TypedDict):
    """Take a post out of the trash."""

    id: str
    operation: Literal["restore"]


class UnpublishInput(TypedDict):
    """Take a post down."""

    id: str
    operation: Literal["unpublish"]


class PostChange(TypedDict, total=False):
    """What to change of a post. What is absent stays, null clears."""

    content: str | None
    platforms: Sequence[str] | None
    scheduledAt: datetime | str | None
    schedule: ScheduleInput | None
    summary: str | None
    slug: str | None
    tags: Sequence[str] | None
    canonicalUrl: str | None
    coverImage: str | None
    language: str | None
    overrides: Mapping[str, OverrideInput] | None
    title: str
    publish: bool


class UpdateInput(TypedDict):
    """Change a post."""

    id: str
    operation: Literal["update"]
    post: PostChange
