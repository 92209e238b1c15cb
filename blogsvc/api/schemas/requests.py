"""What comes in: bodies and query strings."""

from __future__ import annotations

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

from blogsvc.api.schemas.destinations import Destination, OverrideIn, Platforms, with_known_options
from blogsvc.api.schemas.fields import Content, In, Instant, Language, Query, Slug, Summary, Tags, Title, Url, refuse
from blogsvc.api.schemas.responses import PostOut
from blogsvc.api.schemas.times import ScheduleIn, in_time
from blogsvc.lib.search_terms import terms
from blogsvc.posts.publishing import WallTime


class PostFields(In):
    """What a post may be made of. Absent leaves alone, null clears."""

    content: Content | None = None
    platforms: Platforms | None = None
    scheduled_at: Annotated[Instant | None, AfterValidator(in_time)] = None
    schedule: ScheduleIn | None = None
    summary: Summary | None = None
    slug: Slug | None = None
    tags: Tags | None = None
    canonical_url: Url | None = None
    cover_image: Url | None = None
    language: Language | None = None
    overrides: (
        Annotated[
            dict[Destination, OverrideIn],
            Field(max_length=100, json_schema_extra={"additionalProperties": False}),
            AfterValidator(with_known_options),
        ]
        | None
    ) = None

    @field_validator("tags")
    @classmethod
    def _are_different(cls, tags: list[str] | None) -> list[str] | None:
        if tags and len({tag.casefold() for tag in tags}) < len(tags):
            raise refuse("repeated", "Each tag may be given once; upper and lower case are the same.")
        return tags

    @field_validator("schedule")
    @classmethod
    def _is_ahead(cls, schedule: ScheduleIn | None, info: ValidationInfo) -> ScheduleIn | None:
        if schedule is not None:
            in_time(schedule.instant(), info)
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
    """A post to be written."""

    title: Title


class PostChange(PostFields):
    """What to change of a post. What is absent stays, null clears."""

    # Absent leaves it alone; unlike the rest it cannot be cleared.
    title: Title = Field(default_factory=str)
    publish: bool = False

    @model_validator(mode="after")
    def _has_one_wish(self) -> Self:
        if self.publish and self.when() is not None:
            raise refuse("ambiguous", "Give a time or publish, not both.")
        return self


SomePlatforms = Annotated[Platforms, Field(min_length=1)]
Ahead = Annotated[Instant, AfterValidator(in_time)]


class PublishIn(In):
    """Where it goes, by default to all of its platforms, and not before when."""

    platforms: SomePlatforms | None = None
    at: Ahead | None = None


class ResolveIn(In):
    """What a person found there."""

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
