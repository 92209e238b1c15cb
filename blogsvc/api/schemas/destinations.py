"""Schemas of a post's destinations and of its overrides for each destination."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from blogsvc.api.schemas.fields import Content, In, Line, Summary, Tags, Text, Title, refuse, spelled


def _require_unique(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise refuse("repeated", "Each destination may be listed only once.")
    return names


ConnectionName = Annotated[
    str,
    Field(max_length=64),
    *spelled(
        r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", "A connection name may contain only lowercase letters, digits and hyphens."
    ),
]
# The name or alias of a destination. `posts` replaces aliases, among them other names of platforms such as `dev.to`.
PlatformName = Annotated[
    str,
    Field(max_length=64),
    *spelled(
        r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?",
        "A destination name may contain only lowercase letters, digits, hyphens and dots.",
    ),
]
# Whether a destination exists is a rule about posts: see `posts.rules`.
Platforms = Annotated[
    list[PlatformName], Field(max_length=100, json_schema_extra={"uniqueItems": True}), AfterValidator(_require_unique)
]


class OverrideIn(In):
    """Fields that differ for one destination, and the options of its connector, such as a visibility.

    Absent fields and null use the value of the post.
    """

    title: Title | None = None
    """The title for this destination, 1 to 300 characters."""
    content: Content | None = None
    """The text for this destination in Markdown, up to 1 MiB. For an announcement, what it says, as it is; of Markdown,
    only links are read there."""
    summary: Summary | None = None
    """The summary for this destination, up to 2,000 characters."""
    tags: Tags | None = None
    """The tags for this destination, up to 20 with up to 50 characters each."""
    options: (
        Annotated[
            dict[Annotated[Text, Field(max_length=64)], Annotated[Line, Field(max_length=200)]],
            Field(
                max_length=20,
                json_schema_extra={"additionalProperties": False},
            ),
        ]
        | None
    ) = None
    """Values by option name, for example `{"visibility": "unlisted"}`. `GET /platforms` lists the options.

    Up to 20 options, whose values have up to 200 characters. Other options have their defaults.
    """
