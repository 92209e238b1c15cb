"""Schemas of the time at which a post is published."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from blogsvc.api.schemas.fields import Carried, In, refuse
from blogsvc.lib.time import RepeatedTime, SkippedTime, UnknownZone, resolve
from blogsvc.posts import rules
from blogsvc.posts.publishing import WallTime

LOCAL_TIME = r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?"


class ScheduleIn(In):
    """A local time in a time zone. `fold` chooses one if a clock change skips or repeats the time (PEP 495)."""

    local_time: Annotated[
        str,
        Field(
            examples=["2026-11-24T09:00"],
            description="A local time without a UTC offset.",
            json_schema_extra={"pattern": f"^{LOCAL_TIME}$"},
        ),
    ]
    time_zone: Annotated[str, Field(examples=["Europe/Berlin"], description="An IANA time zone name.")]
    fold: (
        Annotated[
            int, Field(ge=0, le=1, description="0 for the first, 1 for the second, if a clock change repeats the time.")
        ]
        | None
    ) = None

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


def in_time(value: datetime | None, info: ValidationInfo) -> datetime | None:
    """Check that a time is in the future, and less than five years ahead."""
    now = info.context["now"] if info.context else None
    if value is None or now is None:
        return value
    if wrong := rules.wrong_time(value, now):
        raise Carried(wrong)
    return value
