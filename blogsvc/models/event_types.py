"""The types of events, and the fields of the `data` of each. The documentation and the OpenAPI document list them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

EVENT_TYPES = {
    "post.created": "A post was created.",
    "post.imported": "A post was imported; `data.source` is the file. It is not sent to any destination.",
    "post.updated": "The text, tags, destinations or publication date of a post were changed.",
    "post.scheduled": "A post was scheduled.",
    "post.unscheduled": "The schedule of a post was removed.",
    "post.publishing": "A post is being sent to its destinations.",
    "post.published": "A post is published at all its destinations, except those that wait for a person (`data.open`).",
    "post.partial": "A post is published at some destinations. The others need attention.",
    "post.failed": "A post could not be published at any destination.",
    "post.missed": "The scheduled time passed while the service was not running, or the system time leapt past it.",
    "post.unpublished": "A post was unpublished.",
    "post.deleted": "A post was moved to the trash.",
    "post.erased": "A post was deleted permanently, with all its data; `data.postId` is its former id.",
    "post.restored": "A post was restored from the trash.",
    "delivery.blocked": "No account is connected for a destination. The delivery waits for one.",
    "delivery.ready": "A person has to post, update or delete a copy, on a platform that blogsvc can't send to.",
    "delivery.claimed": "An attempt to send a copy started.",
    "delivery.succeeded": "A copy was created or updated.",
    "delivery.retrying": "An attempt failed. The delivery retries automatically.",
    "delivery.failed": "A delivery failed, and is not retried.",
    "delivery.uncertain": "A copy was sent, but no response arrived, so it may or may not exist.",
    "delivery.withdrawn": "A copy was unpublished: it is a draft there if `data.isDraft` is true, else it was deleted.",
    "delivery.drifted": "A copy was changed or deleted on the platform; `data.drift` is `edited` or `gone`.",
    "delivery.duplicated": "An extra copy was found on the platform, at `data.url`. Remove it, or keep it.",
    "delivery.degraded": "Readers miss something of a copy, such as a table; `data.losses` says what, in sentences.",
    "connection.disconnected": "The platform rejected the credentials of an account. Reconnect it.",
    "connection.connected": "An account was connected or reconnected.",
    "attention.needed": "Posts or accounts need a person. At most once an hour for each `data.kind`.",
    "webhook.disabled": "A webhook was disabled by an owner, by its receiver (410 Gone), or after 5 days of failures.",
    "scheduler.stalled": "The scheduler had not run for a while.",
    "scheduler.clock_jumped": "The system time was set by `data.seconds`. Posts that this made due are missed.",
}


class DataField(NamedTuple):
    """A field of the data of an event. `type` is that of its values: text, a number, or `str | None` and the like."""

    type: Any
    description: str


_PLATFORM = DataField(str, "The name of the destination.")
_URL = DataField(str | None, "The URL of the copy, if it has one.")
_DETAIL = DataField(str, "What went wrong, as a sentence.")

EVENT_DATA: Mapping[str, Mapping[str, DataField]] = {
    "post.imported": {"source": DataField(str, "The name of the imported file.")},
    "post.updated": {"fields": DataField(list[str], "The fields that were changed.")},
    "post.scheduled": {"at": DataField(str, "When the post will be published.")},
    "post.publishing": {
        "platforms": DataField(list[str], "The destinations that it is published to."),
        "first": DataField(bool, "True if it was not published before."),
    },
    "post.published": {
        "first": DataField(bool, "True if it was not published before."),
        "open": DataField(int, "The number of destinations that wait for a person."),
    },
    "post.missed": {"scheduledAt": DataField(str | None, "When it should have been published.")},
    "post.deleted": {"withdraw": DataField(bool, "True if its copies are unpublished too.")},
    "post.erased": {"postId": DataField(str, "The former id of the post.")},
    "delivery.blocked": {"code": DataField(str, "The reason, for programs: `not_connected`.")},
    "delivery.ready": {"operation": DataField(str, "What to do by hand: `create`, `update` or `delete`.")},
    "delivery.claimed": {
        "attempt": DataField(int, "The number of the attempt, from 1."),
        "operation": DataField(str, "What is sent: `create`, `update`, `delete` and the like."),
    },
    "delivery.succeeded": {
        "url": DataField(str | None, "The URL of the copy, if it has one. On this blog, only the path."),
        "note": DataField(str | None, "What the platform said about the copy, if anything."),
        "resolved": DataField(str, "`by hand` if a user or an API key said that the copy is there."),
        "by": DataField(str, "Who posted the copy by hand, if that is known."),
    },
    "delivery.retrying": {
        "detail": _DETAIL,
        "nextAttemptAt": DataField(str | None, "When the next attempt starts. Null if it waits for a person."),
    },
    "delivery.failed": {"code": DataField(str, "The reason, for programs."), "detail": _DETAIL},
    "delivery.uncertain": {"detail": _DETAIL},
    "delivery.withdrawn": {"isDraft": DataField(bool, "True if the copy is a draft on the platform now.")},
    "delivery.drifted": {"drift": DataField(str, "`edited` or `gone`."), "url": _URL},
    "delivery.duplicated": {"url": _URL, "remoteId": DataField(str, "The id of the extra copy on the platform.")},
    "delivery.degraded": {"losses": DataField(list[str], "What readers miss, in sentences."), "url": _URL},
    "connection.disconnected": {"platform": _PLATFORM, "detail": _DETAIL},
    "connection.connected": {"platform": _PLATFORM, "account": DataField(str, "The name of the account.")},
    "attention.needed": {
        "kind": DataField(str, "`failed`, `uncertain`, `disconnected`, `waiting`, `ready` or `missed`."),
        "count": DataField(int, "How many posts, or disconnected accounts, since the last event of this kind."),
        "url": DataField(str, "The page that shows what to do."),
    },
    "webhook.disabled": {
        "webhookId": DataField(str, "The id of the webhook."),
        "reason": DataField(str, "`failing`, `gone`, `owner` or `orphaned`."),
        "description": DataField(str, "The description of the webhook."),
    },
    "scheduler.stalled": {"since": DataField(str, "When the scheduler last ran.")},
    "scheduler.clock_jumped": {"seconds": DataField(int, "By how much the time was set, negative if back.")},
}


def data_of(type: str) -> Mapping[str, DataField]:
    """Return the fields of an event's data. Any may be absent. Raises KeyError if there is no such type."""
    if type not in EVENT_TYPES:
        raise KeyError(type)
    platform = {"platform": _PLATFORM} if type.startswith("delivery.") else {}
    return {**platform, **EVENT_DATA.get(type, {})}
