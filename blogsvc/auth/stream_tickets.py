"""Tickets for the event stream: a browser's `EventSource` can't send the header with an API key.

A ticket is part of a URL, which proxies write to their logs. So it must be opened within a minute, and then only the
same client can use it for an hour, to reconnect with the URL that it has. The key is looked up again each time that the
stream is opened and while it is open, so that revoking the key ends it.
"""

from __future__ import annotations

from blogsvc.context import Tools
from blogsvc.models import ApiKey, StreamTicket, transaction


def create(key: ApiKey, tools: Tools) -> tuple[StreamTicket, str]:
    """Return a ticket for the stream of a key, and its text."""
    with transaction():
        return StreamTicket.make(key, tools.now())


def key_of(text: str, network: str, tools: Tools) -> ApiKey | None:
    """Return the key of a ticket, which a client in this network opens the stream with.

    Returns None if the ticket is unknown, has expired or belongs to another client, or if the key is no longer valid.
    """
    ticket = StreamTicket.of_text(text)
    if ticket is not None and ticket.opened_from is None:
        with transaction():
            ticket = StreamTicket.of_text(text)
            if ticket is not None and ticket.can_open(network, tools.now()):
                ticket.opened_from = network
    if ticket is None or not ticket.can_open(network, tools.now()):
        return None
    return ticket.key if ticket.key.is_valid(tools.now()) else None
