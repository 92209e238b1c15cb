"""The words of the API: every document that goes in or out. The OpenAPI document is made of these."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from blogsvc.accounts import check_platforms, destinations
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.time import RepeatedTime, SkippedTime, UnknownZone, parse, resolve, stamp
from blogsvc.models import delivery, post
from blogsvc.publishing import WallTime

MIB = 1024 * 1024
A_MINUTE_AGO = timedelta(seconds=60)
FIVE_YEARS = timedelta(days=5 * 366)


def refuse(code: str, sentence: str) -> PydanticCustomError:
    return PydanticCustomError(code, "{sentence}", {"sentence": sentence.removesuffix(".")})


def _instant(value: Any) -> datetime:
    if not isinstance(value, str):
        raise refuse("wrong_type", "This must be a time such as 2026-11-24T09:00:00Z.")
    try:
        return parse(value)
    except ValueError as error:
        raise refuse("not_a_time", str(error)) from error


def _printable(value: str) -> str:
    if "\x00" in value:
        raise refuse("control_character", "This holds a NUL character, which no text needs.")
    if re.search("[\ud800-\udfff]", value):
        raise refuse("bad_encoding", "This holds half of a surrogate pair, which is no character.")
    return value


def _line(value: str) -> str:
    value = value.strip()
    if any(ord(character) < 32 or ord(character) == 127 for character in value):
        raise refuse("control_character", "This is one line: take out line breaks and control characters.")
    return value


def _web_address(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s\x00-\x20\x7f/?#<>\"]+[^\s\x00-\x20\x7f<>\"]*", value) or not _has_host(value):
        raise refuse("not_a_url", "This must be an address that begins with https:// or http://.")
    return value


def _has_host(value: str) -> bool:
    try:
        return bool(urlsplit(value).hostname)
    except ValueError:
        return False


def _within_a_mib(value: str) -> str:
    if len(value.encode()) > MIB:
        raise refuse("too_long", "This may have at most 1 MiB.")
    return value


def spelled(pattern: str, sentence: str) -> tuple[Any, ...]:
    """The parts of a type whose texts match a pattern, with our own sentence for those that do not."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise refuse("invalid", sentence)
        return value

    return AfterValidator(check), Field(json_schema_extra={"pattern": f"^{pattern}$"})


def sized(least: int, most: int, sentence: str) -> tuple[Any, ...]:
    """The parts of a type whose texts have a length, counted once they are trimmed."""

    def check(value: str) -> str:
        if not least <= len(value) <= most:
            raise refuse("too_long" if len(value) > most else "too_short", sentence)
        return value

    return AfterValidator(check), Field(json_schema_extra={"minLength": least, "maxLength": most})


Instant = Annotated[
    datetime,
    BeforeValidator(_instant),
    PlainSerializer(stamp, when_used="unless-none"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Text = Annotated[str, AfterValidator(_printable)]
Line = Annotated[Text, AfterValidator(_line)]
Url = Annotated[Text, Field(max_length=2000), AfterValidator(_web_address)]
Title = Annotated[Line, *sized(1, 300, "A title has 1 to 300 characters.")]
Content = Annotated[Text, AfterValidator(_within_a_mib)]
Summary = Annotated[Text, *sized(0, 2000, "A summary has at most 2000 characters.")]
Slug = Annotated[
    str,
    Field(max_length=80),
    *spelled(r"[a-z0-9]+(-[a-z0-9]+)*", "A slug is lowercase letters and digits, joined by single hyphens."),
]
Tag = Annotated[Line, *sized(1, 50, "A tag has 1 to 50 characters.")]
Tags = Annotated[list[Tag], Field(max_length=20)]
Language = Annotated[
    str,
    Field(max_length=35),
    *spelled(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", "Write a language tag such as en, de-AT or zh-Hant (BCP 47)."),
]
PostStatus = post.State
DeliveryState = delivery.State


class In(BaseModel):
    """What comes in: strict, and free of surprises."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, regex_engine="python-re")

    def given(self) -> dict[str, Any]:
        """The fields that were sent, null or not, by their Python names."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class Out(BaseModel):
    """What goes out."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Query(BaseModel):
    """A query string: texts, read as what they must be."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


# --- in ---


class ScheduleIn(In):
    """A time as people say it. `fold` says which, where a clock change skips or repeats it (PEP 495)."""

    local_time: Annotated[str, Field(examples=["2026-11-24T09:00"])]
    time_zone: Annotated[str, Field(examples=["Europe/Berlin"])]
    fold: Annotated[int, Field(ge=0, le=1)] | None = None

    @field_validator("local_time")
    @classmethod
    def _is_local(cls, value: str) -> str:
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?", value, re.ASCII):
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
    """Words that differ at one destination."""

    title: Title | None = None
    content: Content | None = None
    summary: Summary | None = None
    tags: Tags | None = None


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
    """One of our own faults on its way through pydantic."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.detail)
        self.fault = fault


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
Platforms = Annotated[list[Destination], Field(max_length=100), AfterValidator(_different)]


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
    overrides: Annotated[dict[Destination, OverrideIn], Field(max_length=100)] | None = None

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
            _in_time(schedule.instant(), info)
        return schedule

    @model_validator(mode="after")
    def _has_one_time(self) -> Self:
        if self.schedule is not None and self.scheduled_at is not None:
            raise refuse("ambiguous", "Give scheduledAt or schedule, not both.")
        return self

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


class PublishIn(In):
    platforms: Annotated[Platforms, Field(min_length=1)] | None = None
    at: Annotated[Instant | None, AfterValidator(_in_time)] = None


class ResolveIn(In):
    outcome: Literal["delivered", "retry"]
    url: Url | None = None


# --- queries ---


def fields_of(document: type[BaseModel]) -> Any:
    """The type of a `fields` parameter: names of the document's fields, as the API spells them."""
    names = tuple(field.alias or name for name, field in document.model_fields.items())
    return Annotated[list[Literal[names]] | None, Field(json_schema_extra={"is_list": True})]  # type: ignore[valid-type]


class DeleteQuery(Query):
    withdraw: bool = False


class TrashedQuery(Query):
    trashed: bool = False


class PublishQuery(Query):
    dry_run: bool = False


# --- out ---


class ErrorOut(Out):
    code: str
    detail: str


class DeliveryOut(Out):
    id: str
    platform: str
    state: DeliveryState
    url: str | None
    remote_id: str | None
    attempts: int
    last_error: ErrorOut | None
    next_attempt_at: Instant | None
    delivered_at: Instant | None


class AttemptOut(Out):
    number: int
    operation: str
    started_at: Instant
    finished_at: Instant | None
    milliseconds: int | None
    outcome: str | None
    error: ErrorOut | None


class DeliveryDetailOut(DeliveryOut):
    post_id: str
    attempt_log: list[AttemptOut]


class DeliveriesOut(Out):
    data: list[DeliveryOut]
    next_cursor: str | None = None


class PostOut(Out):
    id: str
    title: str
    content: str
    summary: str
    slug: str
    tags: list[str]
    platforms: list[str]
    scheduled_at: Instant | None
    status: PostStatus
    canonical_url: str | None
    cover_image: str | None
    language: str | None
    overrides: dict[str, Any]
    url: str | None
    has_unpublished_changes: bool
    word_count: int
    created_at: Instant
    updated_at: Instant
    published_at: Instant | None
    deleted_at: Instant | None
    deliveries: list[DeliveryOut]


class PostsOut(Out):
    data: list[PostOut]
    next_cursor: str | None


class PostQuery(Query):
    fields: fields_of(PostOut) = None  # type: ignore[valid-type]
    trashed: bool = False


class EventOut(Out):
    id: str
    type: str
    post_id: str | None
    delivery_id: str | None
    data: dict[str, Any]
    created_at: Instant


class EventsOut(Out):
    data: list[EventOut]
    next_cursor: str | None = None


class TrialOut(Out):
    """What would be sent to one platform, were it published now."""

    platform: str
    operation: Literal["create", "update", "none"]
    payload: dict[str, Any] | None
    warnings: list[str]
    error: ErrorOut | None


class DryRunOut(Out):
    dry_run: Literal[True] = True
    platforms: list[TrialOut]


class FieldOut(Out):
    name: str
    label: str
    help: str
    secret: bool
    required: bool
    default: str
    choices: list[str]


class LimitOut(Out):
    part: str
    most: int
    unit: str


class ConnectorOut(Out):
    """A platform that can be connected."""

    key: str
    label: str
    kind: Literal["article", "announcement", "newsletter", "file", "event"]
    docs: str
    fields: list[FieldOut]
    limits: list[LimitOut]
    carries: list[str]
    abilities: list[str]


class ConnectionOut(Out):
    """What is connected. Secrets never come out."""

    name: str
    connector: str
    label: str
    kind: str
    account: str
    account_url: str | None
    health: Literal["ok", "failing", "disconnected"]
    last_error: str | None
    settings: dict[str, str]
    verified_at: Instant | None
    created_at: Instant | None


class PlatformsOut(Out):
    connected: list[ConnectionOut]
    available: list[ConnectorOut]


class RatesOut(Out):
    """Calls a minute."""

    read: int
    write: int
    publish: int


class MeOut(Out):
    id: str
    name: str
    prefix: str
    scopes: list[str]
    limits: RatesOut
    created_at: Instant
    last_used_at: Instant | None
    expires_at: Instant | None


class ProblemErrorOut(BaseModel):
    pointer: str | None = None
    parameter: str | None = None
    code: str
    detail: str
    platform: str | None = None
    rule: str | None = None
    remediation: str | None = None


class ProblemOut(BaseModel):
    """RFC 9457."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ProblemErrorOut] | None = None
