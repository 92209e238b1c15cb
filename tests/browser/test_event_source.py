"""A page of another site follows the event stream with `EventSource` and a ticket."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from blogsvc.auth import api_keys
from blogsvc.posts import editing
from tests.browser.conftest import Desk, Watched, a_desk
from tests.kill.server import call
from tests.receiver import Receiver

LISTENS = """url => {
    window.posts = [];
    window.source = new EventSource(url + "&type=post.created");
    const ready = new Promise(resolve => window.source.addEventListener("open", resolve, {once: true}));
    window.source.addEventListener("post.created", event => window.posts.push(JSON.parse(event.data).postId));
    return ready.then(() => true);
}"""


@pytest.fixture(scope="module")
def other_site() -> Iterator[str]:
    """The address of a page on another origin."""
    with Receiver() as site:
        site.always("html")
        yield site.url


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str, other_site: str) -> Iterator[Desk]:
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(other_site))
    with a_desk(tmp_path_factory.mktemp("desk"), shared_database_url, BLOGSVC_CORS_ORIGINS=origin) as desk:
        yield desk


def test_a_page_of_another_site_follows_the_events_with_one_ticket_over_a_restart(
    page: Page, desk: Desk, other_site: str, watched: Watched
) -> None:
    watched.expect("ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_REFUSED")  # while the server restarts

    def create() -> str:
        with desk.app() as (_, tools):
            return editing.create({"title": "Ink", "content": "Words."}, [], tools.now()).id

    with desk.app() as (_, tools):
        _, key = api_keys.create("a site", ["posts:read"], None, tools.now())
    status, ticket = call(desk.server.port, "POST", "/api/v1/events/tickets", key)
    assert status == 201
    page.goto(other_site)
    assert page.evaluate(LISTENS, ticket["url"])
    first = create()
    page.wait_for_function("window.posts.length === 1")
    desk.server.kill()
    second = create()
    desk.server.start()
    page.wait_for_function("window.posts.length === 2")
    third = create()
    page.wait_for_function("window.posts.length === 3")
    assert page.evaluate("window.posts") == [first, second, third]
