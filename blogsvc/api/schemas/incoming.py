"""What comes in: bodies and query strings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from blogsvc.api.schemas.kinds import (
    A_MINUTE_AGO,
    FIVE_YEARS,
    Content,
    In,
    Instant,
    Language,
    Query,
    Slug,
    Summary,
    Tags,
    Text,
    Title,
    Url,
    refuse,
    spelled,
)
from blogsvc.api.schemas.outgoing import PostOut
from blogsvc.connections import check_options, check_platforms, destinations
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.search import terms
from blogsvc.lib.time import RepeatedTime, SkippedTime, UnknownZone, resolve
from blogsvc.publishing import WallTime

LOCAL_TIME = r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?"


class ScheduleIn(In):
    """A time as people say it. `fold` says which, where a clock change skips or repeats it (PEP 495)."""

    local_time: Annotated[
        str,
        Field(
            examples=["2026-11-24T09:00"],
            description="Without an offset.",
            json_schema_extra={"pattern": f"^{LOCAL_TIME}$"},
        ),
    ]
    time_zone: Annotated[str, Field(examples=["Europe/Berlin"], description="By its IANA name.")]
    fold: (
        Annotated[int, Field(ge=0, le=1, description="Which one, where a change of the clocks repeats or skips it.")]
        | None
    ) = None

    @field_validator("local_time")
    @classmethod
    def _is_local(cls, value: str) -> str:
        if not re.fullmatch(LOCAL_TIME, value):
            raise refuse("not_a_time", "Write a local time such as 2026-11-24T09:00, without an offset.")
        try:
            datetime.fromisoformat(value)
        except ValueError as error:
            raise refuse("not_a_time", f"There is no such time: {error}.") from error
        return value

    @model_validator(mode="after")
    def _is_one_instant(self) -> Self:
        try:
            self.wall_time().instant()
        except UnknownZone as error:
            raise refuse("unknown_zone", str(error)) from error
        except SkippedTime as error:
            raise refuse("skipped_time", f"{error} Set fold to 0 or 1 to choose.") from error
        except RepeatedTime as error:
            raise refuse("repeated_time", f"{error} Set fold to 0 or 1 to choose.") from error
        except ValueError as error:
            raise refuse("not_a_time", str(error)) from error
        return self

    def wall_time(self) -> WallTime:
        return WallTime(datetime.fromisoformat(self.local_time), self.time_zone, self.fold)

    def instant(self) -> datetime:
        return resolve(datetime.fromisoformat(self.local_time), self.time_zone, self.fold)


class OverrideIn(In):
    """Words that differ at one destination, and what its platform asks per post: a visibility, a newsletter."""

    title: Title | None = None
    content: Content | None = None
    summary: Summary | None = None
    tags: Tags | None = None
    options: (
        Annotated[
            dict[Annotated[Text, Field(max_length=64)], Annotated[Text, Field(max_length=200)]],
            Field(max_length=20, description="By name, as `GET /platforms` lists them for the connector."),
        ]
        | None
    ) = None


def _in_time(value: datetime | None, info: ValidationInfo) -> datetime | None:
    now = info.context["now"] if info.context else None
    if value is None or now is None:
        return value
    if value < now - A_MINUTE_AGO:
        raise refuse("in_past", "This time has passed; choose one ahead, or publish now.")
    if value > now + FIVE_YEARS:
        raise refuse("too_far_ahead", "This is more than five years ahead; choose a time before that.")
    return value


class Carried(ValueError):
    """One of our own faults on its way through pydantic; `below` leads from the value that was looked at to it."""

    def __init__(self, fault: Fault, below: str = "") -> None:
        super().__init__(fault.detail)
        self.fault, self.below = fault, below


def _connected(name: str, info: ValidationInfo) -> str:
    try:
        check_platforms([name], known=info.context["destinations"] if info.context else destinations)
    except Invalid as error:
        raise Carried(error.faults[0]) from error
    return name


def _different(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise refuse("repeated", "Each platform may be named once.")
    return names


PlatformName = Annotated[
    str,
    Field(max_length=64),
    *spelled(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", "A platform's name is lowercase letters, digits and hyphens."),
]
Destination = Annotated[PlatformName, AfterValidator(_connected)]
Platforms = Annotated[
    list[Destination], Field(max_length=100, json_schema_extra={"uniqueItems": True}), AfterValidator(_different)
]


class PostFields(In):
    """What a post may be made of. Absent leaves alone, null clears."""

    content: Content | None = None
    platforms: Platforms | None = None
    scheduled_at: Annotated[Instant | None, AfterValidator(_in_time)] = None
    schedule: ScheduleIn | None = None
    summary: Summary | None = None
    slug: Slug | None = None
    tags: Tags | None = None
    canonical_url: Url | None = None
    cover_image: Url | None = None
    language: Language | None = None
    overrides: (
        Annotated[
            dict[Destination, OverrideIn], Field(max_length=100, json_schema_extra={"additionalProperties": False})
        ]
        | None
    ) = None

    @field_validator("tags")
    @classmethod
    def _are_different(cls, tags: list[str] | None) -> list[str] | None:
        if tags and len({tag.casefold() for tag in tags}) < len(tags):
            raise refuse("repeated", "Each tag may be given once; upper and lower case are the same.")
        return tags

    @field_validator("overrides")
    @classmethod
    def _have_known_options(cls, overrides: dict[str, OverrideIn] | None) -> dict[str, OverrideIn] | None:
        for name, own in (overrides or {}).items():
            try:
                check_options(name, own.options or {})
            except Invalid as error:
                raise Carried(error.faults[0], below=f"/{name}/options") from error
        return overrides

    @field_validator("schedule")
    @classmethod
    def _is_ahead(cls, schedule: ScheduleIn | None, info: ValidationInfo) -> ScheduleIn | None:
        if schedule is not None:
            _in_time(schedule.instant(), info)
        return schedule

    @model_validator(mode="after")
    def _has_one_time(self) -> Self:
        if self.schedule is not None and self.scheduled_at is not None:
            raise refuse("ambiguous", "Give scheduledAt or schedule, not both.")
        return self

    @property
    def sets_time(self) -> bool:
        return bool({"scheduled_at", "schedule"} & self.model_fields_set)

    def clears(self, name: str) -> bool:
        """Whether a field was sent as null."""
        return name in self.model_fields_set and getattr(self, name) is None

    def when(self) -> datetime | WallTime | None:
        return self.schedule.wall_time() if self.schedule else self.scheduled_at

    def words(self) -> dict[str, Any]:
        """The fields that are words, those cleared by null as the empty value they stand for."""
        given = self.given()
        empty: dict[str, Any] = {"content": "", "summary": "", "tags": [], "overrides": {}}
        words = {
            name: empty.get(name) if value is None else value for name, value in given.items() if name in WORD_FIELDS
        }
        if self.overrides:
            words["overrides"] = {name: own.model_dump(exclude_none=True) for name, own in self.overrides.items()}
        return words


WORD_FIELDS = frozenset(
    ("title", "content", "summary", "slug", "tags", "canonical_url", "cover_image", "language", "overrides")
)


class PostIn(PostFields):
    title: Title


class PostChange(PostFields):
    # Absent leaves it alone; unlike the rest it cannot be cleared.
    title: Title = Field(default_factory=str)
    publish: bool = False

    @model_validator(mode="after")
    def _has_one_wish(self) -> Self:
        if self.publish and self.when() is not None:
            raise refuse("ambiguous", "Give a time or publish, not both.")
        return self


SomePlatforms = Annotated[Platforms, Field(min_length=1)]
Ahead = Annotated[Instant, AfterValidator(_in_time)]


class PublishIn(In):
    platforms: SomePlatforms | None = None
    at: Ahead | None = None


class ResolveIn(In):
    outcome: Literal["delivered", "retry"]
    url: Url | None = None


def fields_of(document: type[BaseModel]) -> Any:
    """The type of a `fields` parameter: names of the document's fields, as the API spells them."""
    names = (field.alias or name for name, field in document.model_fields.items())
    return list_of(names, "These fields alone; by default all.")


def list_of(names: Iterable[str], description: str) -> Any:
    """The type of a parameter that holds any of these, repeated or with commas; None where it is absent."""
    one = Literal[tuple(names)]  # type: ignore[valid-type]
    said = Field(json_schema_extra={"is_list": True}, description=description)
    return Annotated[list[one] | None, said]  # type: ignore[valid-type]


class DeleteQuery(Query):
    withdraw: Annotated[bool, Field(description="Take its copies down too.")] = False
    permanent: Annotated[bool, Field(description="Erase it for good, from the trash too.")] = False

    @model_validator(mode="after")
    def _has_one_wish(self) -> Self:
        if self.withdraw and self.permanent:
            raise refuse("ambiguous", "Withdraw first, and erase once its copies are down: this follows them.")
        return self


class PreviewQuery(Query):
    platform: Annotated[
        Platforms | None,
        Field(json_schema_extra={"is_list": True}, description="These alone; by default all of the post's own."),
    ] = None


def _has_words(question: str) -> str:
    if not terms(question):
        raise refuse("no_words", "There is no word in this to look for.")
    if len(terms(question)) > 20:
        raise refuse("too_long", "This may have at most 20 words or phrases.")
    return question


Question = Annotated[
    str,
    Field(max_length=200, description='Words, "quoted phrases", and -what is not wanted.'),
    AfterValidator(_has_words),
]


class PublishQuery(Query):
    dry_run: Annotated[bool, Field(description="Answer what would be sent, and send nothing.")] = False


class PostQuery(Query):
    fields: fields_of(PostOut) = None  # type: ignore[valid-type]
    trashed: Annotated[bool, Field(description="Look in the trash too.")] = False
