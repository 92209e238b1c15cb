"""The bodies of webhook messages."""

from __future__ import annotations

import json
import logging
from datetime import datetime
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from blogsvc.delivery.article import address_of
from blogsvc.lib.time import stamp
from blogsvc.models import Event, Post, db

log = logging.getLogger(__name__)

# The Standard Webhooks specification recommends less than 20 kB.
MAX_PAYLOAD_BYTES = 20_000


def message(type: str, at: datetime, data: dict[str, Any]) -> bytes:
    """Return the body of a message. These exact bytes are signed, sent and stored for redelivery."""
    body = {"type": type, "timestamp": stamp(at), "data": data}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def announcement(event: Event, public_url: str) -> bytes:
    """Return the body for an event: the event and a summary of its post. The API has the details.

    Leaves out the event's data if the body would exceed MAX_PAYLOAD_BYTES.
    """
    data = {"event": _event(event, event.data), "post": _post(event, public_url)}
    body = message(event.type, event.created_at, data)
    if len(body) <= MAX_PAYLOAD_BYTES:
        return body
    return message(event.type, event.created_at, data | {"event": _event(event, {})})


def _event(event: Event, data: dict[str, Any]) -> dict[str, Any]:
    """Return an event with the fields that the API uses."""
    return {
        "id": event.id,
        "type": event.type,
        "postId": event.post_id,
        "deliveryId": event.delivery_id,
        "data": data,
        "createdAt": stamp(event.created_at),
    }


def _post(event: Event, public_url: str) -> dict[str, Any] | None:
    """Return the post of an event, if any. An error here must not block later events, so it returns None."""
    post = db.session.get(Post, event.post_id) if event.post_id else None
    try:
        return None if post is None else _post_summary(post, public_url)
    except SQLAlchemyError:
        raise
    except Exception:
        log.exception("%s is announced without its post", event.id)
        return None


def _post_summary(post: Post, public_url: str) -> dict[str, Any]:
    """Return the short fields of the API's post, with the same names."""
    return {
        "id": post.id,
        "title": post.title,
        "slug": post.slug,
        "status": post.state,
        "url": address_of(post, public_url),
        "scheduledAt": _stamp(post.scheduled_at),
        "publishedAt": _stamp(post.first_published_at),
        "updatedAt": _stamp(post.updated_at),
        "deletedAt": _stamp(post.deleted_at),
    }


def _stamp(at: datetime | None) -> str | None:
    return stamp(at) if at else None
