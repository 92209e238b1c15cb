"""What a transaction can name as changed by it: docs/architecture.md ("Who waits for whom") says what each covers."""

from __future__ import annotations

# The positions of the events that were recorded.
EVENTS = "events"
# The slugs of all posts: which are taken. Locked after the others (`lock_also`).
SLUGS = "slugs"
# What was counted: page views, uses of redirects and missing addresses.
VIEWS = "views"
# When the scheduler ran last, and what the clocks said then.
HEARTBEAT = "heartbeat"
# Which process leads.
LEADER = "leader"


def lane(connection_id: str) -> str:
    """A connection, its deliveries and its staged drafts."""
    return f"lane:{connection_id}"


def post(post_id: str) -> str:
    """A post with its revisions, and its state."""
    return f"post:{post_id}"


def process(name: str) -> str:
    """What a process reported about itself."""
    return f"process:{name}"


def use_of(row_id: str) -> str:
    """When a session, an API key or a share link was used, and how often."""
    return f"use:{row_id}"


def webhook(webhook_id: str) -> str:
    """A webhook and its messages."""
    return f"webhook:{webhook_id}"
