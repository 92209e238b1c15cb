"""Schemas of a post's destinations and of its overrides for each destination."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from blogsvc.api.schemas.fields import Content, In, Summary, Tags, Text, Title, refuse, spelled
from blogsvc.connections.manage import check_options, check_platforms, destinations
from blogsvc.errors import Fault, Invalid


class Carried(ValueError):
    """Wraps a Fault so that it passes through pydantic. `below` is its path relative to the validated value."""

    def __init__(self, fault: Fault, below: str = "") -> None:
        super().__init__(fault.detail)
        self.fault, self.below = fault, below


def _known_destination(name: str, info: ValidationInfo) -> str:
    try:
        check_platforms([name], known=info.context["destinations"] if info.context else destinations)
    except Invalid as error:
        raise Carried(error.faults[0]) from error
    return name


def _require_unique(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise refuse("repeated", "Each destination may be listed only once.")
    return names


PlatformName = Annotated[
    str,
    Field(max_length=64),
    *spelled(
        r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", "A destination name may contain only lowercase letters, digits and hyphens."
    ),
]
Destination = Annotated[PlatformName, AfterValidator(_known_destination)]
Platforms = Annotated[
    list[Destination], Field(max_length=100, json_schema_extra={"uniqueItems": True}), AfterValidator(_require_unique)
]


class OverrideIn(In):
    """Fields that differ for one destination, and the options of its connector, such as a visibility."""

    title: Title | None = None
    content: Content | None = None
    summary: Summary | None = None
    tags: Tags | None = None
    options: (
        Annotated[
            dict[Annotated[Text, Field(max_length=64)], Annotated[Text, Field(max_length=200)]],
            Field(
                max_length=20,
                description="Values by option name. `GET /platforms` lists each connector's options.",
                json_schema_extra={"additionalProperties": False},
            ),
        ]
        | None
    ) = None


def with_known_options(overrides: dict[str, OverrideIn] | None) -> dict[str, OverrideIn] | None:
    """Check that each option exists for its connector and has an allowed value."""
    for name, own in (overrides or {}).items():
        try:
            check_options(name, own.options or {})
        except Invalid as error:
            raise Carried(error.faults[0], below=f"/{name}/options") from error
    return overrides
