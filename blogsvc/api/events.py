"""Events: changes to posts and deliveries, as a list and as a stream."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from flask import Response, g, request, url_for

from blogsvc import context
from blogsvc.api import event_stream, schemas, serializers
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.auth import stream_tickets
from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.http import streams
from blogsvc.models import Event, Post
from blogsvc.models.event import ARE_LISTED_FOR, events_after, last_event, number_events, position_of, timeline
from blogsvc.models.event_types import EVENT_TYPES

# How long a client waits before it reconnects, in milliseconds.
RETRY = 3000


class EventFilter(schemas.Query):
    after: str | None = None
    """Only events after the event with this id."""
    type: schemas.list_of(EVENT_TYPES, "Only events of these types.") = None  # type: ignore[valid-type]
    post_id: str | None = None
    """Only events of the post with this id."""


class StreamQuery(EventFilter):
    ticket: str | None = None
    """A ticket from `POST /events/tickets`, for clients that can't send the `Authorization` header."""


class StreamTicketOut(schemas.Out):
    """A ticket for opening the event stream without the `Authorization` header."""

    ticket: str
    """The ticket. It stands for the key of this request, at the event stream only."""
    url: str
    """The URL of the stream with the ticket, after the newest event. You can add other parameters of the stream."""
    opens_until: schemas.Instant
    """When the ticket can no longer be opened for the first time: one minute from now."""
    expires_at: schemas.Instant
    """When the same client can no longer reconnect: one hour from now. A stream that is open then stays open."""


class EventsQuery(EventFilter, cursors.PageQuery):
    sort: Literal["createdAt", "-createdAt"] = "createdAt"
    """The order: `createdAt` for oldest first, `-createdAt` for newest first."""


@operation(
    "GET",
    "/events",
    "List events",
    scope="posts:read",
    query=EventsQuery,
    answers={200: schemas.EventsOut},
)
def list_events(query: EventsQuery) -> Reply:
    """Returns the events of the last 30 days, oldest first."""
    number_events()
    conditions: list[Any] = [Event.position > 0, Event.created_at > context.now() - ARE_LISTED_FOR]
    if query.after is not None:
        conditions.append(Event.position > _known(query.after))
    if query.type is not None:
        conditions.append(Event.type.in_(query.type))
    if query.post_id is not None:
        conditions.append(Event.post_id == query.post_id)
    rows, cursor = cursors.by_id(Event, query, *conditions, by="position", descending=query.sort.startswith("-"))
    return cursors.listed(schemas.EventsOut, map(serializers.event, rows), cursor)


def _known(event_id: str) -> int:
    try:
        return position_of(event_id)
    except NotFound as error:
        raise Invalid(Fault("?after", "unknown", f"{error} Omit `after` to start with the oldest event.")) from error


@operation(
    "GET",
    "/posts/<post_id>/events",
    "List the events of a post",
    scope="posts:read",
    answers={200: schemas.EventsOut},
    refuses=(404,),
)
def list_post_events(post_id: str) -> Reply:
    """Returns the timeline of the post, oldest first, including every delivery attempt.

    After a year by default, only the latest event of the post and of each delivery stay.
    """
    rows = timeline(Post.get(post_id).id)
    return Reply(schemas.EventsOut(data=[serializers.event(row) for row in rows]), has_etag=False)


@operation(
    "POST",
    "/events/tickets",
    "Create a ticket for the event stream",
    scope="posts:read",
    tier="write",
    answers={201: StreamTicketOut},
    has_dry_run=False,
)
def create_stream_ticket() -> Reply:
    """A browser's `EventSource` can't send headers. Create a ticket on your server, and open the `url` in the browser.

    The first client that opens it can use it, from the same network: `EventSource` reconnects with the same URL. If a
    stream ends after `expiresAt`, create another ticket and pass the id of the last event as `after`. The origin of the
    page has to be listed in `BLOGSVC_CORS_ORIGINS`.
    """
    ticket, text = stream_tickets.create(g.key, context.tools())
    newest = last_event()
    path = url_for("api.stream_events", ticket=text, after=newest.id if newest else None)
    document = StreamTicketOut.model_construct(
        ticket=text, url=serializers.public_url() + path, opens_until=ticket.opens_until, expires_at=ticket.expires_at
    )
    return Reply(document, 201, has_etag=False)


@operation(
    "GET",
    "/events/stream",
    "Stream events",
    scope="posts:read",
    query=StreamQuery,
    takes_ticket=True,
    answers={200: None},
    produces="text/event-stream",
)
def stream_events(query: StreamQuery) -> Response:
    """Streams events as server-sent events, from now on or after a given event.

    Each message has the event's type as `event:`, its id as `id:` and its document as `data:`. The stream ends when the
    key may not read posts any more or the server stops; clients such as `EventSource` reconnect and resume without
    losing events. Lines that start with a colon are heartbeats. A key can have 20 streams at the same time.
    """
    position, last = _begin(query)
    listener = event_stream.Listener(g.key.id, position, frozenset(query.type or ()), query.post_id)
    # A client that is disconnected before the first event resumes from this id.
    response = Response(f"retry: {RETRY}\n" + (f"id: {last}\n\n" if last else "\n"), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # nginx would buffer the stream
    if request.method == "GET" and streams.STREAM in request.environ:
        feed = event_stream.feed()
        feed.take_place(g.key.id)
        request.environ[streams.STREAM] = partial(feed.tell, listener)
    else:  # other servers can't stream: send what exists now and let the client reconnect
        messages = map(event_stream.Message.of, events_after(listener.position, event_stream.MAX_EVENTS_PER_READ))
        response.data += b"".join(message.text for message in messages if listener.wants(message))
    return response


def _begin(query: EventFilter) -> tuple[int, str | None]:
    """Return the position to start after, and the id of the event at it, if any.

    A browser that reconnects sends `Last-Event-ID` along with its original query, so the header wins.
    """
    named = request.headers.get("Last-Event-ID")
    if named:
        try:
            return position_of(named), named
        except NotFound:
            return 0, None  # the event has been deleted since, so send all that remain
    if query.after is not None:
        return _known(query.after), query.after
    newest = last_event()
    return (newest.position, newest.id) if newest else (0, None)
