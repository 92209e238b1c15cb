"""When the next delivery is due."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from blogsvc.models import Post
from blogsvc.models.due_deliveries import next_due_at
from tests.clock import NOW, Time
from tests.outside import Outside


def test_a_delivery_to_a_paused_connection_is_due_when_the_pause_ends(
    a_post: Callable[..., Post], connect: Callable[..., str], outside: Outside, tick: Callable[[], None], time: Time
) -> None:
    paused, other = connect("paused"), connect("other")
    outside.always(status=429, headers={"Retry-After": "3600"})
    a_post(live=True, platforms=[paused])
    tick()
    outside.always()
    time.passes(minutes=1)
    a_post(live=True, platforms=[paused])
    assert next_due_at() == NOW + timedelta(hours=1)
    a_post(live=True, platforms=[other])
    assert next_due_at() == time()
