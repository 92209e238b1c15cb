"""What fields are made of: the kinds of text, number and time, each with its own words for what is wrong."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated, Any
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
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from blogsvc.lib.text import LANGUAGE_TAG
from blogsvc.lib.time import parse, stamp
from blogsvc.models import delivery, post

MIB = 1024 * 1024
A_MINUTE_AGO = timedelta(seconds=60)
FIVE_YEARS = timedelta(days=5 * 366)

# What the functions below refuse, as the OpenAPI document says it: a pattern is told there, and checked here.
TEXT_PATTERN = r"^[^\x00]*$"
LINE = r"^[^\x00-\x1f\x7f-\x9f]*$"
FILLED_LINE = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"  # as it is kept, trimmed
WEB_ADDRESS = r"^https?://[^\s\x00-\x20\x7f/?#<>\"]+[^\s\x00-\x20\x7f<>\"]*$"


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
    if not re.fullmatch(LINE, value):
        raise refuse("control_character", "This is one line: take out line breaks and control characters.")
    return value


def _web_address(value: str) -> str:
    if not re.fullmatch(WEB_ADDRESS, value) or not _has_host(value):
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
Text = Annotated[str, AfterValidator(_printable), Field(json_schema_extra={"pattern": TEXT_PATTERN})]
Line = Annotated[Text, AfterValidator(_line), Field(json_schema_extra={"pattern": LINE})]
FilledLine = Annotated[Line, Field(json_schema_extra={"pattern": FILLED_LINE})]
Url = Annotated[Text, Field(max_length=2000, json_schema_extra={"pattern": WEB_ADDRESS}), AfterValidator(_web_address)]
Title = Annotated[FilledLine, *sized(1, 300, "A title has 1 to 300 characters.")]
Content = Annotated[Text, AfterValidator(_within_a_mib)]
Summary = Annotated[Text, *sized(0, 2000, "A summary has at most 2000 characters.")]
Slug = Annotated[
    str,
    Field(max_length=80),
    *spelled(r"[a-z0-9]+(-[a-z0-9]+)*", "A slug is lowercase letters and digits, joined by single hyphens."),
]
Tag = Annotated[FilledLine, *sized(1, 50, "A tag has 1 to 50 characters.")]
Tags = Annotated[list[Tag], Field(max_length=20)]
Language = Annotated[
    str,
    Field(max_length=35),
    *spelled(LANGUAGE_TAG, "Write a language tag such as en, de-AT or zh-Hant (BCP 47)."),
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

    @field_validator("*", mode="before")
    @classmethod
    def _is_plain(cls, value: Any, info: ValidationInfo) -> Any:
        """Read `1` as the number and `true` as the word: not ` 1`, `1_0`, `1.0`, `yes` or `on`, as pydantic would."""
        wanted = cls.model_fields[info.field_name or ""].annotation
        if wanted is int and not re.fullmatch("-?[0-9]+", value):
            raise refuse("wrong_type", "This must be a whole number.")
        if wanted is bool and value not in ("true", "false"):
            raise refuse("wrong_type", "This must be true or false.")
        return value
