"""The time zone of the user on every page that shows it, once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from blogsvc.context import Tools
from blogsvc.models import Post, User
from blogsvc.posts import publishing, queue_slots
from tests.tiers import matrix
from tests.web.page_walk import Pages

# The pages that show a time zone with its UTC offset.
PAGES = (
    "/desk",
    "/desk/calendar",
    "/desk/calendar?view=list",
    "/desk/calendar?week=2026-11-23",
    "/desk/calendar/posts/{id}",
    "/desk/queue",
    "/desk/posts/{id}/publish",
    "/desk/posts/{id}/status",
)


@pytest.fixture
def post(a_post: Callable[..., Post], tools: Tools) -> Post:
    return publishing.schedule(a_post(), tools.now() + timedelta(hours=1), tools.now())


@pytest.mark.parametrize("page", PAGES)
@matrix(
    "zone, shown",
    [("UTC", "UTC"), ("Europe/Berlin", "Europe/Berlin (UTC+1)"), ("Africa/Abidjan", "Africa/Abidjan (UTC)")],
    default=lambda zone: zone[0] != "UTC",
)
def test_a_page_shows_a_time_zone_and_its_offset_once(
    somebody: Callable[..., User],
    browser_of: Callable[[User], Pages],
    post: Post,
    page: str,
    zone: str,
    shown: str,
) -> None:
    queue_slots.change_zone(zone)
    text = browser_of(somebody(time_zone=zone)).get(page.format(id=post.id)).text
    assert shown in text
    assert f"{zone}, UTC" not in text
    assert "UTC (UTC)" not in text
