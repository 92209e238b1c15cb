"""Events: what happened, as a list and as a stream."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from flask import Response, current_app, g, request
from pydantic import Field

from blogsvc import context
from blogsvc.api import event_stream, schemas, serializers
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.framework.problems import Problem
from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.models import Event, Post
from blogsvc.models.event import ARE_LISTED_FOR, EVENT_TYPES, events_after, last_event, position_of, timeline
from blogsvc.server import rsgi

# How soon who listens should come back after the stream was closed, in milliseconds.
RETRY = 3000


class EventFilter(schemas.Query):
    after: Annotated[str | None, Field(description="The id of the last event that is known already.")] = None
    type: schemas.list_of(EVENT_TYPES, "Events of these types alone.") = None  # type: ignore[valid-type]
    post_id: Annotated[str | None, Field(description="Events of this post alone.")] = None


class EventsQuery(EventFilter, cursors.PageQuery):
    sort: Annotated[Literal["createdAt", "-createdAt"], Field(description="`-` is the newest first.")] = "createdAt"


@operation(
    "GET",
    "/events",
    "What happened in the last 30 days, oldest first",
    scope="posts:read",
    query=EventsQuery,
    answers={200: schemas.EventsOut},
)
def list_events(query: EventsQuery) -> Reply:
    conditions: list[Any] = [Event.created_at > context.now() - ARE_LISTED_FOR]
    if query.after is not None:
        conditions.append(Event.position > _known(query.after))
    if query.type is not None:
        conditions.append(Event.type.in_(query.type))
    if query.post_id is not None:
        conditions.append(Event.post_id == query.post_id)
    rows, cursor = cursors.by_id(Event, query, *conditions, by="position", falls=query.sort.startswith("-"))
    return cursors.listed(schemas.EventsOut, map(serializers.event, rows), cursor)


def _known(event_id: str) -> int:
    try:
        return position_of(event_id)
    except NotFound as error:
        raise Invalid(Fault("?after", "unknown", f"{error} Leave `after` out to begin with the oldest.")) from error


@operation(
    "GET",
    "/posts/<post_id>/events",
    "The timeline of a post, oldest first",
    scope="posts:read",
    answers={200: schemas.EventsOut},
    refuses=(404,),
)
def list_post_events(post_id: str) -> Reply:
    """Everything that happened to it, each attempt to send it included."""
    rows = timeline(Post.get(post_id).id)
    return Reply(schemas.EventsOut(data=[serializers.event(row) for row in rows]), has_etag=False)


@operation(
    "GET",
    "/events/stream",
    "The same as server-sent events, from now on or after a known one",
    scope="posts:read",
    query=EventFilter,
    answers={200: None},
    produces="text/event-stream",
)
def stream_events(query: EventFilter) -> Response:
    """One `event:` of the event's type, with its id and its document as `data:`, as soon as it happened.

    It goes on until the key is revoked or the server stops; `EventSource` and its like come back by themselves and
    miss nothing that is kept. A line that begins with a colon says that the stream is alive.
    """
    feed: event_stream.Feed = current_app.extensions["feed"]
    if feed.is_full:
        raise Problem("unavailable", "As many listen as can be served; try again in a minute.", {"Retry-After": "60"})
    position, last = _begin(query)
    listener = event_stream.Listener(g.key.id, position, frozenset(query.type or ()), query.post_id)
    # Who is cut off before the first event comes back with this id, and misses nothing.
    response = Response(f"retry: {RETRY}\n" + (f"id: {last}\n\n" if last else "\n"), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # nginx would hold it back
    if rsgi.STREAM in request.environ:
        request.environ[rsgi.STREAM] = partial(feed.tell, listener)
    else:  # another server: what there is now, and whoever listens comes back for more
        messages = map(event_stream.Message.of, events_after(listener.position, event_stream.MAX_EVENTS_PER_READ))
        response.data += b"".join(message.text for message in messages if listener.wants(message))
    return response


def _begin(query: EventFilter) -> tuple[int, str | None]:
    """After which position to begin, and the id of the event there, if there is one.

    A browser that comes back says so in a header, and keeps the old query.
    """
    named = request.headers.get("Last-Event-ID")
    if named:
        try:
            return position_of(named), named
        except NotFound:
            return 0, None  # it was away for so long that this is forgotten: all that is kept is news to it
    if query.after is not None:
        return _known(query.after), query.after
    newest = last_event()
    return (newest.position, newest.id) if newest else (0, None)
