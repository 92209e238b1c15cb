"""The states of a delivery, and the moves that each allows."""

from __future__ import annotations

from typing import Literal

# blocked: no account is connected for the destination. With a disconnected account, the state stays (`is_held`).
# awaiting_hand: a person posts, updates or deletes the copy.
State = Literal[
    "queued", "blocked", "sending", "awaiting_hand", "delivered", "retrying", "failed", "uncertain", "withdrawn"
]
# The states with an attempt at `next_attempt_at`, if that is set. For a delivery by hand, that is a reminder.
PENDING = ("queued", "retrying", "uncertain", "awaiting_hand")
# The states in which a delivery is blocked while its connection is disconnected.
BLOCKABLE = ("queued", "retrying", "awaiting_hand")
DELIVERY_MOVES: dict[str, tuple[str, ...]] = {
    "queued": ("withdraw",),
    "blocked": ("retry", "withdraw"),
    "sending": ("withdraw",),
    "awaiting_hand": ("resolve", "withdraw"),
    "delivered": ("withdraw",),
    "retrying": ("retry", "withdraw"),
    "failed": ("retry", "withdraw"),
    "uncertain": ("resolve", "withdraw"),
    "withdrawn": (),
}
