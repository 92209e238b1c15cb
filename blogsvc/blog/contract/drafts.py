"""Shared drafts, and the messages in their place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DraftComment:
    """A comment on a shared draft."""

    name: str
    """Name that the reader gave."""
    text: str
    """The comment in plain text."""
    quote: str
    """Beginning of the paragraph that it is about. May be empty."""
    created_at: datetime
    """Time of the comment in UTC."""


@dataclass(frozen=True, slots=True)
class CommentForm:
    """The form for comments on a shared draft, with what the reader typed."""

    name: str
    """Name of the reader."""
    quote: str
    """Chosen paragraph. Empty for the whole text."""
    text: str
    """The comment."""
    faults: tuple[str, ...]
    """Errors, as sentences."""
    is_sent: bool
    """True if the comment was just sent."""
    paragraphs: tuple[str, ...]
    """Beginnings of the paragraphs that a comment can be about."""
    max_name_length: int
    """Maximum length of the name in characters."""
    max_text_length: int
    """Maximum length of the comment in characters."""


@dataclass(frozen=True, slots=True)
class SharedDraft:
    """What the page of a shared draft shows besides the draft."""

    sharer: str | None
    """Name of the user who shared the draft."""
    expires_at: datetime
    """Time at which the link ends, in UTC."""
    comments: tuple[DraftComment, ...]
    """Comments so far, oldest first."""
    form: CommentForm
    """Form for another comment."""


@dataclass(frozen=True, slots=True)
class DraftMessage:
    """What is shown instead of a draft."""

    problem: str
    """One of `unknown`, `deleted`, `published` and `often`."""
    heading: str
    """Heading of the page."""
    published_url: str | None
    """URL of the published post. None if it is not known."""
    published_title: str
    """Title of the published post."""
    unsent: str
    """Comment that could not be sent. Empty if there is none."""
