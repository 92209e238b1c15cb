"""Field types that the schemas share: texts, URLs, times. Each has its own error messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError

from blogsvc.api.schemas.described import Described, note_defaults
from blogsvc.errors import Fault
from blogsvc.lib.text import languages
from blogsvc.lib.text.slug_letters import SLUG_PATTERN
from blogsvc.lib.time import parse, stamp
from blogsvc.models import delivery_states, post_fields, post_states
from blogsvc.posts import rules

FIVE_YEARS = timedelta(days=5 * 366)

# Patterns for the OpenAPI document, valid in Python and in JavaScript with the flag `u`. The functions below enforce
# the same rules with better error messages.
TEXT_PATTERN = r"^[^\x00]*$"
LINE = r"^[^\x00-\x1f\x7f-\x9f]*$"
FILLED_LINE = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"  # the trimmed text
WEB_ADDRESS = r"""^https?://[^\s\x00-\x20\x7f/?#<>"]+[^\s\x00-\x20\x7f<>"]*$"""


class Carried(ValueError):
    """Wraps a Fault so that it passes through pydantic."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.detail)
        self.fault = fault


def refuse(code: str, message: str) -> PydanticCustomError:
    """Return the error that makes pydantic reject a value with one of our codes."""
    return PydanticCustomError(code, "{message}", {"message": message.removesuffix(".")})


def _instant(value: Any) -> datetime:
    if not isinstance(value, str):
        raise refuse("wrong_type", "Must be a time such as 2026-11-24T09:00:00Z.")
    try:
        return parse(value)
    except ValueError as error:
        raise refuse("not_a_time", str(error)) from error


def _printable(value: str) -> str:
    if "\x00" in value:
        raise refuse("control_character", "Must not contain a NUL character.")
    if re.search("[\ud800-\udfff]", value):
        raise refuse("bad_encoding", "Must not contain an unpaired surrogate.")
    return value


def _line(value: str) -> str:
    value = value.strip()
    if not re.fullmatch(LINE, value):
        raise refuse("control_character", "Must be a single line without control characters.")
    return value


def _web_address(value: str) -> str:
    if not re.fullmatch(WEB_ADDRESS, value) or not _has_host(value):
        raise refuse("not_a_url", "Must be a URL that starts with https:// or http://.")
    return value


def _has_host(value: str) -> bool:
    try:
        return bool(urlsplit(value).hostname)
    except ValueError:
        return False


def spelled(pattern: str, message: str) -> tuple[Any, ...]:
    """Annotations for a text that must match a pattern, with the error message for texts that don't."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise refuse("invalid", message)
        return value

    return AfterValidator(check), Field(json_schema_extra={"pattern": f"^{pattern}$"})


def sized(min_length: int, max_length: int, message: str) -> tuple[Any, ...]:
    """Annotations for a text with a length limit, counted after trimming."""

    def check(value: str) -> str:
        if not min_length <= len(value) <= max_length:
            raise refuse("too_long" if len(value) > max_length else "too_short", message)
        return value

    return AfterValidator(check), Field(json_schema_extra={"minLength": min_length, "maxLength": max_length})


def ruled(name: str, *, trimmed: bool = False, **schema: Any) -> tuple[Any, ...]:
    """Annotations for a field of a post, whose rule is in `posts.rules`. `schema` repeats it as JSON Schema."""

    def check(value: Any) -> Any:
        value = value.strip() if trimmed else value
        if wrong := rules.wrong_value(name, value):
            raise Carried(wrong)
        return value

    return AfterValidator(check), Field(json_schema_extra=schema)


Instant = Annotated[
    datetime,
    BeforeValidator(_instant),
    PlainSerializer(stamp, when_used="unless-none"),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-11-24T09:00:00.000Z"]}),
]
Text = Annotated[str, AfterValidator(_printable), Field(json_schema_extra={"pattern": TEXT_PATTERN})]
Line = Annotated[Text, AfterValidator(_line), Field(json_schema_extra={"pattern": LINE})]
FILLED: dict[str, Any] = {"pattern": FILLED_LINE, "minLength": 1}  # for a line whose rule another module has
Url = Annotated[Text, Field(max_length=2000, json_schema_extra={"pattern": WEB_ADDRESS}), AfterValidator(_web_address)]
Title = Annotated[
    str, *ruled("title", trimmed=True, pattern=FILLED_LINE, minLength=1, maxLength=rules.MAX_TITLE_LENGTH)
]
Content = Annotated[str, *ruled("content", pattern=TEXT_PATTERN)]
Summary = Annotated[str, *ruled("summary", pattern=TEXT_PATTERN, minLength=0, maxLength=rules.MAX_SUMMARY_LENGTH)]
Slug = Annotated[str, *ruled("slug", pattern=SLUG_PATTERN, maxLength=rules.MAX_SLUG_LENGTH)]
PostUrl = Annotated[str, *ruled("canonical_url", pattern=WEB_ADDRESS, maxLength=rules.MAX_URL_LENGTH)]
CoverAlt = Annotated[
    str, *ruled("cover_alt", trimmed=True, pattern=LINE, minLength=0, maxLength=rules.MAX_COVER_ALT_LENGTH)
]
CoverCaption = Annotated[
    str, *ruled("cover_caption", trimmed=True, pattern=LINE, minLength=0, maxLength=rules.MAX_CAPTION_LENGTH)
]
MetaTitle = Annotated[
    str, *ruled("meta_title", trimmed=True, pattern=LINE, minLength=0, maxLength=rules.MAX_TITLE_LENGTH)
]
Authors = Annotated[
    list[Annotated[str, Field(json_schema_extra={"pattern": SLUG_PATTERN, "maxLength": rules.MAX_SLUG_LENGTH})]],
    *ruled("authors", maxItems=rules.MAX_AUTHORS),
]
Series = Annotated[str, *ruled("series", pattern=SLUG_PATTERN, maxLength=rules.MAX_SLUG_LENGTH)]
SeriesPart = Annotated[int, *ruled("series_part", minimum=1, maximum=rules.MAX_SERIES_PART)]
Tag = Annotated[str, *ruled("tag", trimmed=True, pattern=FILLED_LINE, minLength=1, maxLength=rules.MAX_TAG_LENGTH)]
Tags = Annotated[list[Tag], *ruled("tags", maxItems=rules.MAX_TAGS)]
Language = Annotated[str, *ruled("language", pattern=f"^{languages.TAG_PATTERN}$", maxLength=languages.MAX_TAG_LENGTH)]
PostKind = post_fields.Kind
PostStatus = post_states.State
DeliveryState = delivery_states.State


class In(Described):
    """Base class of request bodies: strict types, no unknown fields."""

    model_config = ConfigDict(
        extra="forbid", strict=True, alias_generator=to_camel, regex_engine="python-re", defer_build=True
    )

    # Fields whose value is valid if it equals the stored one.
    compared: ClassVar[frozenset[str]] = frozenset()
    # Objects that a change replaces as a whole, unless it is a merge patch.
    replaced: ClassVar[frozenset[str]] = frozenset()
    # The fields of the stored document that a change must not send with another value, and how to change each, if at
    # all. Other fields that are only read are ignored: the server computes them, and may have done so meanwhile.
    fixed: ClassVar[Mapping[str, str]] = {"id": "", "createdAt": "", "status": ""}
    # Fields of the response that are ignored in a body that itself names the object that it changes.
    computed: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        note_defaults(handler.resolve_ref_schema(schema))
        return schema

    def sent_fields(self) -> dict[str, Any]:
        """Return the fields that were sent, including nulls, by their Python names."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class Out(Described):
    """Base class of responses."""

    model_config = ConfigDict(
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        defer_build=True,
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        # Clients must accept fields that a later version adds.
        handler.resolve_ref_schema(schema).pop("additionalProperties", None)
        return schema


class Query(Described):
    """Base class of query strings, whose texts are converted to the field types."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, defer_build=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_plain(cls, value: Any, info: ValidationInfo) -> Any:
        """Reject spellings that pydantic would accept as a number or boolean: ` 1`, `1_0`, `1.0`, `yes`, `on`."""
        wanted = cls.model_fields[info.field_name or ""].annotation
        if wanted is int and not re.fullmatch("-?[0-9]+", value):
            raise refuse("wrong_type", "Must be a whole number.")
        if wanted is bool and value not in ("true", "false"):
            raise refuse("wrong_type", "Must be true or false.")
        return value
