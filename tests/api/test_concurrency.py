"""Fifty concurrent clients against the real server: one succeeds where only one can, and no change is lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from random import Random
from typing import Any

import pytest

from tests.receiver import Receiver
from tests.running_server import Answer, Served, at_once, serving

pytestmark = pytest.mark.exhaustive

CLIENTS = 50
HOOKS = ("hook", "other-hook")


@pytest.fixture(scope="module")
def receivers() -> Iterator[dict[str, Receiver]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(Receiver()) for name in HOOKS}


@pytest.fixture(scope="module")
def served(
    shared_database_url: str, tmp_path_factory: pytest.TempPathFactory, receivers: dict[str, Receiver]
) -> Iterator[Served]:
    urls = {name: receiver.url for name, receiver in receivers.items()}
    with serving(tmp_path_factory.mktemp("many"), shared_database_url, urls) as served:
        yield served


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_of_fifty_updates_with_the_same_if_match_exactly_one_succeeds(served: Served, method: str) -> None:
    path = f"/posts/{served.make()['id']}"
    for turn in range(4):
        tag = served.call("GET", path).headers["ETag"]
        answers = at_once(
            CLIENTS,
            lambda number, turn=turn, tag=tag: served.call(
                method, path, {"content": f"Turn {turn}, client {number}."}, {"If-Match": tag}
            ),
        )
        assert statuses(answers) == {200: 1, 412: CLIENTS - 1}
        (won,) = (answer for answer in answers if answer.status == 200)
        now = served.call("GET", path)
        assert now.json["content"] == won.json["content"] == f"Turn {turn}, client {answers.index(won)}."
        assert now.headers["ETag"] == won.headers["ETag"]


def test_of_updates_and_deletions_with_the_same_if_match_exactly_one_succeeds(served: Served) -> None:
    path = f"/posts/{served.make()['id']}"
    tag = served.call("GET", path).headers["ETag"]

    def one(number: int) -> Answer:
        if number % 2:
            return served.call("DELETE", path, None, {"If-Match": tag})
        return served.call("PUT", path, {"title": f"Client {number}"}, {"If-Match": tag})

    answers = at_once(CLIENTS, one)
    assert sum(answer.status < 300 for answer in answers) == 1
    assert set(statuses(answers)) <= {200, 204, 404, 412}


def test_fifty_concurrent_updates_without_if_match_all_succeed_and_the_last_one_is_stored(served: Served) -> None:
    path = f"/posts/{served.make()['id']}"
    answers = at_once(CLIENTS, lambda number: served.call("PUT", path, {"content": f"Client {number}."}))
    assert statuses(answers) == {200: CLIENTS}
    assert served.call("GET", path).json in [answer.json for answer in answers]


def test_fifty_concurrent_publishes_of_one_post_create_one_copy_per_destination(
    served: Served, receivers: dict[str, Receiver]
) -> None:
    post = served.make(title="Published by fifty", platforms=["site", *HOOKS])
    answers = at_once(CLIENTS, lambda number: served.call("POST", f"/posts/{post['id']}/publish"))
    assert statuses(answers) == {202: CLIENTS}
    published = wait_until_settled(served, post["id"])
    assert [copy["state"] for copy in published["deliveries"]] == ["delivered"] * 3
    for receiver in receivers.values():
        assert [message["type"] for message in messages(receiver, post["id"])] == ["post.published"]


def wait_until_settled(served: Served, post_id: str, seconds: float = 20.0) -> Any:
    """Return the post once none of its deliveries is in progress."""
    end = time.monotonic() + seconds
    while (post := served.call("GET", f"/posts/{post_id}").json)["status"] == "publishing":
        assert time.monotonic() < end, post["deliveries"]
        time.sleep(0.02)
    return post


def messages(receiver: Receiver, post_id: str) -> list[Any]:
    told = [request.json() for request in receiver.requests]
    return [message for message in told if message["data"].get("id") == post_id]


def test_fifty_concurrent_posts_with_the_same_title_get_different_slugs(served: Served) -> None:
    answers = at_once(CLIENTS, lambda number: served.call("POST", "/posts", {"title": "One title for all"}))
    assert statuses(answers) == {201: CLIENTS}
    for unique in ("id", "slug"):
        assert len({answer.json[unique] for answer in answers}) == CLIENTS
    assert {served.call("GET", f"/posts/{answer.json['id']}").status for answer in answers} == {200}


def test_of_fifty_concurrent_posts_with_the_same_slug_one_is_created(served: Served) -> None:
    answers = at_once(CLIENTS, lambda number: served.call("POST", "/posts", {"title": "x", "slug": "wanted-by-all"}))
    assert statuses(answers) == {201: 1, 422: CLIENTS - 1}


def test_of_fifty_concurrent_deletions_one_succeeds_and_the_others_return_404(served: Served) -> None:
    post_id = served.make()["id"]
    answers = at_once(CLIENTS, lambda number: served.call("DELETE", f"/posts/{post_id}"))
    assert statuses(answers) == {200: 1, 404: CLIENTS - 1}


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt", "title", "-updatedAt"])
def test_pagination_skips_and_repeats_nothing_while_posts_are_added(served: Served, sort: str) -> None:
    tag = f"walk {sort}"
    before = {served.make(title=f"{number % 10} before", tags=[tag])["id"] for number in range(30)}

    def write(writer: int) -> None:
        for number in range(50):
            served.make(title=f"{number % 10} during", tags=[tag])

    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(write, writer) for writer in range(4)]
        walks = 0
        while not walks or not all(each.done() for each in writing):
            ids = walk(served, f"/posts?tag={tag.replace(' ', '+')}&limit=7&fields=id&sort={sort}")
            assert len(ids) == len(set(ids))
            assert before <= set(ids)
            walks += 1
    assert [each.result() for each in writing] == [None] * 4
    assert walks > 1


def walk(served: Served, path: str) -> list[str]:
    ids: list[str] = []
    cursor = ""
    while True:
        page = served.call("GET", f"{path}&cursor={cursor}" if cursor else path).json
        ids += [post["id"] for post in page["data"]]
        if page["nextCursor"] is None:
            return ids
        cursor = page["nextCursor"]


MOVES = (
    ("GET", "", None),
    ("PUT", "", {"content": "Other words."}),
    ("PATCH", "", {"publish": True}),
    ("PUT", "", {"slug": "contended"}),
    ("PUT", "", {"schedule": {"localTime": "2027-05-05T05:05", "timeZone": "UTC"}}),
    ("PUT", "", {"scheduledAt": None}),
    ("DELETE", "", None),
    ("DELETE", "?withdraw=true", None),
    ("POST", "/restore", None),
    ("POST", "/publish", None),
    ("POST", "/dry-run", None),
    ("POST", "/unpublish", None),
    ("GET", "/events", None),
    ("GET", "/deliveries", None),
)


def test_fifty_clients_with_random_requests_to_two_posts_cause_no_errors(served: Served) -> None:
    posts = [served.make(title=f"Contended {number}", platforms=["site", *HOOKS])["id"] for number in range(2)]

    def one(number: int) -> Counter[int]:
        random = Random(number)
        told = Counter[int]()
        for _ in range(12):
            method, path, body = random.choice(MOVES)
            told[served.call(method, f"/posts/{random.choice(posts)}{path}", body).status] += 1
        return told

    told = sum(at_once(CLIENTS, one), Counter())
    assert set(told) <= {200, 202, 204, 404, 409, 422}, told
    for post_id in posts:
        served.call("POST", f"/posts/{post_id}/restore")
        assert served.call("GET", f"/posts/{post_id}").status == 200
        assert wait_until_settled(served, post_id)["status"] in {"draft", "scheduled", "published", "unpublished"}
