"""Schemas of the time at which a post is published."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from blogsvc.api.schemas.fields import Carried, In, refuse
from blogsvc.lib.time import RepeatedTime, SkippedTime, UnknownZone, resolve
from blogsvc.posts import rules
from blogsvc.posts.publish_request import WallTime

LOCAL_TIME = r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?"


class ScheduleIn(In):
    """A local time in a time zone. It keeps its meaning if the rules of the zone change before it is reached."""

    local_time: Annotated[
        str,
        Field(
            examples=["2026-11-24T09:00"],
            json_schema_extra={"pattern": f"^{LOCAL_TIME}$"},
        ),
    ]
    """The local time without a UTC offset, for example `2026-11-24T09:00`. Seconds are optional."""
    time_zone: Annotated[str, Field(examples=["Europe/Berlin"])]
    """The IANA name of the time zone, for example `Europe/Berlin`."""
    fold: Annotated[int, Field(ge=0, le=1)] | None = None
    """Which time is meant if a clock change repeats or skips it (PEP 495). Without `fold`, such a time is rejected.

    0: the first of the two equal times, or the offset before the change. 1: the second, or the offset after the change.
    """

    @field_validator("local_time")
    @classmethod
    def _is_local(cls, value: str) -> str:
        if not re.fullmatch(LOCAL_TIME, value):
            raise refuse("not_a_time", "Must be a local time such as 2026-11-24T09:00, without a UTC offset.")
        try:
            datetime.fromisoformat(value)
        except ValueError as error:
            raise refuse("not_a_time", f"Must be an existing time: {error}.") from error
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


def in_past(value: datetime | None, info: ValidationInfo) -> datetime | None:
    """Check that a date that a post brings from elsewhere is in the past."""
    if value is not None and info.context and (wrong := rules.wrong_date(value, info.context["now"])):
        raise Carried(wrong)
    return value


def in_time(value: datetime | None, info: ValidationInfo) -> datetime | None:
    """Check that a time is in the future, and less than five years ahead."""
    now = info.context["now"] if info.context else None
    if value is None or now is None:
        return value
    if wrong := rules.wrong_time(value, now):
        raise Carried(wrong)
    return value
