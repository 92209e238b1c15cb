"""The form of the publish dialog."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from werkzeug.datastructures import MultiDict

from blogsvc import context
from blogsvc.connections.aliases import by_stored_name
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.time import resolve, stamp, wall
from blogsvc.media.external_images import text_with_image_at
from blogsvc.models import Post
from blogsvc.posts import queue_slots
from blogsvc.posts.calendar import DEFAULT_TIME
from blogsvc.posts.publish_request import WallTime
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import unix_newlines

# The fields of a destination: option:mastodon:visibility; text:mastodon, and shown:mastodon as it was shown.
OPTION, TEXT, SHOWN = "option", "text", "shown"


@dataclass(frozen=True)
class PublishForm:
    """The submitted values.

    `when` is "now", "slot" or "at". `platforms_or_none` is None before the first submission; the post's
    destinations are then selected. `at` is the local time as typed, and `fold` chooses between its two
    readings if it is ambiguous; it is valid only if `asked_at`, the time that was asked about, is still the
    same. `overrides` are the chosen options and changed texts, by destination. `shown_texts` are the texts of
    announcements, and the digests of those of articles, as the dialog first showed them. `wanted` are the
    destinations to select when their texts fit.
    `leaves_images` is True if the author leaves images on other websites.
    """

    platforms_or_none: list[str] | None
    when: str
    at: str
    slot: str = ""
    fold: int | None = None
    asked_at: str = ""
    overrides: dict[str, dict[str, Any]] = field(default_factory=dict)
    shown_texts: dict[str, str] = field(default_factory=dict)
    wanted: frozenset[str] = frozenset()
    leaves_images: bool = False

    @classmethod
    def of(cls, post: Post, at: str | None) -> PublishForm:
        """Return the initial values: the time of the post, else `at` from the link, else now."""
        zone, now = current_user.user().time_zone, context.now()
        if post.state == "scheduled" and post.scheduled_at is not None:
            return cls(None, "at", typed(wall(post.scheduled_at, zone)))
        if at and not post.is_live:
            return cls(None, "at", at)
        tomorrow = datetime.combine(wall(now, zone).date() + timedelta(days=1), DEFAULT_TIME)
        return cls(None, "now", typed(tomorrow))

    @classmethod
    def sent(cls, form: MultiDict[str, str], offered: Collection[str]) -> PublishForm:
        """Return the submitted values. Options and texts are taken only for the destinations that are `offered`."""
        overrides, shown_texts = _choices(form, offered)
        at, asked_at = form.get("at", "").strip(), form.get("asked_at", "")
        fold = form.get("fold", "")
        return cls(
            platforms_or_none=list(dict.fromkeys(form.getlist("platforms"))),
            when=form.get("when", "now"),
            at=at,
            slot=form.get("slot", ""),
            # Ignore the answer if the time was changed after the question.
            fold=int(fold) if fold in ("0", "1") and at == asked_at else None,
            asked_at=asked_at,
            overrides=overrides,
            shown_texts=shown_texts,
            wanted=frozenset(form.getlist("wanted")),
            leaves_images="leave_images" in form,
        )

    @property
    def platforms(self) -> list[str]:
        return self.platforms_or_none or []

    def text(self, name: str) -> str | None:
        """Return the text for a destination as it was changed, None if it was not."""
        return self.overrides.get(name, {}).get("content")

    def with_images_at(self, paths: Mapping[str, str]) -> PublishForm:
        """Return the form with images of this blog, by their paths, in place of those at these URLs."""
        overrides = {name: dict(own) for name, own in self.overrides.items()}
        for own in overrides.values():
            for url, path in paths.items() if "content" in own else ():
                own["content"] = text_with_image_at(own["content"], url, path)
        return replace(self, overrides=overrides)

    def option(self, name: str, option: str, stored: str) -> str:
        """Return the value of an option: as chosen, else as `stored`."""
        value: str = self.overrides.get(name, {}).get("options", {}).get(option, stored)
        return value

    def is_ticked(self, name: str, usually: bool) -> bool:
        return usually if self.platforms_or_none is None else name in self.platforms_or_none

    def time(self, zone: str, now: datetime) -> WallTime | None:
        """Return the chosen time, None for now. Raises Invalid if it is malformed, or the slot is no longer free."""
        if self.when == "slot":
            slot = queue_slots.next_slot(now)
            if slot is None or stamp(slot.at) != self.slot:
                raise Invalid(Fault("#/slot", "taken", "That queue slot was taken. The next free slot is selected."))
            return WallTime(slot.wall, slot.time_zone, slot.fold)
        if self.when != "at":
            return None
        wall_time = WallTime(self._local(), zone, self.fold)
        wall_time.instant()  # raises UnclearTime
        return wall_time

    def _local(self) -> datetime:
        """Return the local time. Raises Invalid."""
        try:
            local = datetime.fromisoformat(self.at)
            if local.tzinfo is not None or not 1970 < local.year < 9000:
                raise ValueError(self.at)
        except ValueError:
            raise Invalid(Fault("#/at", "not_a_time", "Enter a date and a time.")) from None
        return local

    def local_or_none(self) -> datetime | None:
        """Return the local time as typed, None if it is not valid."""
        try:
            return self._local()
        except Invalid:
            return None

    def likely_instant(self, zone: str, now: datetime) -> datetime:
        """Return an instant near the typed time, to show its UTC offset."""
        local = self.local_or_none()
        return now if local is None else resolve(local, zone, self.fold or 0)


def _choices(form: MultiDict[str, str], offered: Collection[str]) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the chosen options with the changed texts, and the texts as they were shown, by destination.

    A text that was not changed is no choice: it goes on following the post.
    """
    chosen: dict[str, dict[str, Any]] = {}
    texts: dict[str, dict[str, str]] = {TEXT: {}, SHOWN: {}}
    for key, value in form.items():
        match key.split(":"):
            case [kind, name, option] if kind == OPTION:
                chosen.setdefault(name, {}).setdefault("options", {})[option] = value.strip()
            case [kind, name] if kind in texts:
                texts[kind][name] = unix_newlines(value).strip()
    for name, text in texts[TEXT].items():
        if texts[SHOWN].get(name) not in (text, digest(text)):
            chosen.setdefault(name, {})["content"] = text
    return {name: own for name, own in by_stored_name(chosen).items() if name in offered}, texts[SHOWN]


def digest(text: str) -> str:
    """Return what stands for the text of an article as it was shown, so that the form has it only once."""
    return f"sha256:{sha256(unix_newlines(text).strip().encode()).hexdigest()}"


def typed(local: datetime) -> str:
    """Return a local time in the format of a datetime-local field."""
    return local.replace(tzinfo=None).isoformat(timespec="minutes")
