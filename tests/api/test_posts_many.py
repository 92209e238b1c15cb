"""Lists of more posts than are looked up and sorted: the list walks through the posts in its order instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.context import Tools
from blogsvc.models.post_conditions import FEW
from tests.api_client import Api
from tests.bench.million import fill, id_of
from tests.bench.servers import Place

COUNT = 2 * FEW + 2000

Number = Callable[[int], int | bool]


@pytest.fixture
def many_posts(api: Api, tools: Tools) -> None:
    """Posts with a number: every second one is published, and every thousandth has the tag "rare"."""
    fill(Place(tools.config.instance, tools.config.database_url or ""), COUNT)


def title_of(number: int) -> int:
    return number * 7919 % 1_000_003


# The query, the numbers of the posts that it lists, and by what they are sorted.
LISTS: tuple[tuple[str, Number, Number], ...] = (
    ("status=draft", lambda number: number % 2, lambda number: -number),
    ("status=published&sort=title", lambda number: number % 2 == 0, title_of),
    ("status=draft,published&sort=-updatedAt", lambda number: True, lambda number: -number),
    ("tag=common&sort=createdAt", lambda number: True, lambda number: number),
    ("tag=common&status=published&sort=title", lambda number: number % 2 == 0, title_of),
    ("tag=rare&status=published", lambda number: number % 1000 == 0, lambda number: -number),
    ("platform=site&sort=updatedAt", lambda number: True, lambda number: number),
    ("q=bench&sort=title", lambda number: True, title_of),
    ("q=bench+-rare&sort=createdAt", lambda number: number % 1000, lambda number: number),
    ("q=rare+-bench", lambda number: False, lambda number: number),
    (
        "q=%22some+words%22+-1&tag=common&sort=createdAt",
        lambda number: str(number)[0] != "1",
        lambda number: number,
    ),
)


def test_a_filter_that_very_many_posts_meet_lists_those_posts_in_order(api: Api, many_posts: None) -> None:
    for query, is_listed, place in LISTS:
        expected = [id_of(number) for number in sorted(filter(is_listed, range(COUNT)), key=place)]
        first = api.get(f"/posts?{query}&limit=15&fields=id").json
        assert [post["id"] for post in first["data"]] == expected[:15], query
        if len(expected) > 15:
            second = api.get(f"/posts?{query}&limit=15&fields=id&cursor={first['nextCursor']}").json
            assert [post["id"] for post in second["data"]] == expected[15:30], query
