"""Schemas of request bodies and query strings."""

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

from blogsvc.api.schemas.destinations import OverrideIn, PlatformName, Platforms
from blogsvc.api.schemas.fields import (
    Content,
    CoverAlt,
    In,
    Instant,
    Language,
    PostUrl,
    Query,
    Slug,
    Summary,
    Tags,
    Title,
    Url,
    refuse,
)
from blogsvc.api.schemas.responses import PostOut
from blogsvc.api.schemas.times import ScheduleIn, in_time
from blogsvc.lib.search_terms import terms
from blogsvc.posts.publishing import WallTime


class PostFields(In):
    """The writable fields of a post. Absent fields keep their value; null clears a field."""

    content: Content | None = None
    platforms: Platforms | None = None
    scheduled_at: Annotated[Instant | None, AfterValidator(in_time)] = None
    schedule: ScheduleIn | None = None
    summary: Summary | None = None
    slug: Slug | None = None
    tags: Tags | None = None
    canonical_url: PostUrl | None = None
    cover_image: PostUrl | None = None
    cover_alt: CoverAlt | None = None
    language: Language | None = None
    overrides: (
        Annotated[
            dict[PlatformName, OverrideIn],
            Field(max_length=100, json_schema_extra={"additionalProperties": False}),
        ]
        | None
    ) = None

    @field_validator("schedule")
    @classmethod
    def _is_ahead(cls, schedule: ScheduleIn | None, info: ValidationInfo) -> ScheduleIn | None:
        if schedule is not None:
            in_time(schedule.instant(), info)
        return schedule

    @model_validator(mode="after")
    def _has_one_time(self) -> Self:
        if self.schedule is not None and self.scheduled_at is not None:
            raise refuse("ambiguous", "Send scheduledAt or schedule, not both.")
        return self

    @property
    def sets_time(self) -> bool:
        return bool({"scheduled_at", "schedule"} & self.model_fields_set)

    def clears(self, name: str) -> bool:
        """Return True if the field was sent as null."""
        return name in self.model_fields_set and getattr(self, name) is None

    def when(self) -> datetime | WallTime | None:
        return self.schedule.wall_time() if self.schedule else self.scheduled_at

    def text_fields(self) -> dict[str, Any]:
        """Return the text fields that were sent, with nulls replaced by empty values."""
        given = self.given()
        empty: dict[str, Any] = {"content": "", "summary": "", "cover_alt": "", "tags": [], "overrides": {}}
        sent = {
            name: empty.get(name) if value is None else value for name, value in given.items() if name in TEXT_FIELDS
        }
        if self.overrides:
            sent["overrides"] = {name: own.model_dump(exclude_none=True) for name, own in self.overrides.items()}
        return sent


TEXT_FIELDS = frozenset(
    (
        "title",
        "content",
        "summary",
        "slug",
        "tags",
        "canonical_url",
        "cover_image",
        "cover_alt",
        "language",
        "overrides",
    )
)


class PostIn(PostFields):
    """The fields of a new post."""

    title: Title


class PostChange(PostFields):
    """The fields to change. Absent fields keep their value; null clears a field. `publish` publishes the post."""

    # Not nullable: a title cannot be cleared.
    title: Title = Field(default_factory=str)
    publish: bool = False

    @model_validator(mode="after")
    def _is_unambiguous(self) -> Self:
        if self.publish and self.when() is not None:
            raise refuse("ambiguous", "Send a time or publish, not both.")
        return self


SomePlatforms = Annotated[Platforms, Field(min_length=1)]
Ahead = Annotated[Instant, AfterValidator(in_time)]


class PublishIn(In):
    """The destinations, by default all of the post's, and the time, by default now."""

    platforms: SomePlatforms | None = None
    at: Ahead | None = None


class WithdrawIn(In):
    """`delete`: delete copies even where the platform could keep them as drafts."""

    delete: bool = False


class ResolveIn(In):
    """The actual outcome of an uncertain delivery, with the URL of the copy if it was delivered."""

    outcome: Literal["delivered", "retry"]
    url: Url | None = None


def fields_of(document: type[BaseModel]) -> Any:
    """Return the type of a `fields` parameter: names of the document's fields, in camelCase."""
    names = (field.alias or name for name, field in document.model_fields.items())
    return list_of(names, "Return only these fields. Default: all.")


def list_of(names: Iterable[str], description: str) -> Any:
    """Return the type of an optional list parameter, which may be repeated or separated by commas."""
    choice = Literal[tuple(names)]  # type: ignore[valid-type]
    field = Field(json_schema_extra={"is_list": True}, description=description)
    return Annotated[list[choice] | None, field]  # type: ignore[valid-type]


class DeleteQuery(Query):
    withdraw: Annotated[
        bool, Field(description="Also unpublish the post's copies on other platforms: as drafts where possible.")
    ] = False
    delete_copies: Annotated[bool, Field(description="Also delete the post's copies on other platforms.")] = False
    permanent: Annotated[bool, Field(description="Delete the post permanently, even if it is in the trash.")] = False

    @model_validator(mode="after")
    def _is_unambiguous(self) -> Self:
        if (self.withdraw or self.delete_copies) and self.permanent:
            raise refuse(
                "ambiguous", "Send withdraw or permanent, not both. Withdraw first; delete when the copies are gone."
            )
        return self


class PreviewQuery(Query):
    platform: Annotated[
        Platforms | None,
        Field(
            json_schema_extra={"is_list": True},
            description="Only these destinations. Default: all of the post's.",
        ),
    ] = None


def _has_terms(query: str) -> str:
    if not terms(query):
        raise refuse("no_words", "Must contain at least one word to search for.")
    if len(terms(query)) > 20:
        raise refuse("too_long", "Must have at most 20 words or phrases.")
    return query


SearchQuery = Annotated[
    str,
    Field(max_length=200, description='Search terms: words, "quoted phrases" and -excluded words.'),
    AfterValidator(_has_terms),
]


class PublishQuery(Query):
    dry_run: Annotated[bool, Field(description="Return what would be sent, without sending it.")] = False


class PostQuery(Query):
    fields: fields_of(PostOut) = None  # type: ignore[valid-type]
    trashed: Annotated[bool, Field(description="Also find a post in the trash.")] = False
