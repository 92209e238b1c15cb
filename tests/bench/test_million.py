"""The cursors of the lists that the benchmark reads, in a database of any size."""

from __future__ import annotations

import pytest

from blogsvc.context import Tools
from tests.api_client import Api
from tests.bench.million import LAST_PAGE, QUESTIONS, fill, last_cursor
from tests.bench.servers import Place


@pytest.mark.parametrize("posts", [1, 100, 2 * LAST_PAGE])
def test_each_list_of_the_benchmark_has_a_cursor_near_its_end(api: Api, tools: Tools, posts: int) -> None:
    place = Place(tools.config.instance, tools.config.database_url or "")
    fill(place, posts)
    for question in QUESTIONS:
        page = api.get(f"/posts?{question}&fields=id&cursor={last_cursor(place, question)}")
        assert page.status_code == 200, question
