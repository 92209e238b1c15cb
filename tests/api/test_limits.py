"""Rate limits: reads, writes and publishes per minute and key, and bad keys per address."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from blogsvc import create_app
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.models import ApiKey, Post, close_connections, transaction
from tests.api_client import Api
from tests.clock import eventually
from tests.receiver import free_port


@pytest.fixture
def config(config: Config) -> Config:
    return replace(
        config,
        reads_per_minute=3,
        writes_per_minute=2,
        publishes_per_minute=1,
        bad_keys_per_minute=2,
        trusted_proxies=0,
    )


@pytest.mark.parametrize(("tier", "limit"), [("read", 3), ("write", 2), ("publish", 1)])
def test_each_tier_has_its_own_limit_and_the_429_names_the_tier(
    api: Api, a_post: Callable[..., Post], tier: str, limit: int
) -> None:
    path = f"/posts/{a_post().id}"

    def ask() -> object:
        match tier:
            case "read":
                return api.get(path)
            case "write":
                return api.put(path, summary="x")
        return api.post(f"{path}/publish")

    answers = [ask() for _ in range(limit + 1)]
    assert [answer.status_code < 300 for answer in answers] == [True] * limit + [False]
    refused = answers[-1]
    assert refused.status_code == 429
    assert (refused.json["tier"], refused.json["limit"]) == (tier, limit)
    assert 1 <= refused.json["retryAfter"] <= 60
    assert refused.headers["Retry-After"] == str(refused.json["retryAfter"])
    assert refused.headers["RateLimit-Policy"] == f'"{tier}";q={limit};w=60'
    assert refused.headers["RateLimit"].startswith(f'"{tier}";r=0;t=')


def test_every_response_says_how_many_requests_remain(api: Api) -> None:
    left = []
    for _ in range(3):
        answer = api.get("/me")
        left.append(answer.headers["X-RateLimit-Remaining"])
        assert answer.headers["X-RateLimit-Limit"] == "3"
        assert int(answer.headers["X-RateLimit-Reset"]) > 0
    assert left == ["2", "1", "0"]


def test_rejected_and_invalid_requests_count_against_the_limit(api: Api) -> None:
    api.post("/posts", titel="x")
    api.post("/posts")
    assert api.post("/posts", title="x").status_code == 429


def test_keys_do_not_share_a_limit(client: FlaskClient, new_key: Callable[..., str]) -> None:
    first, second = Api(client, new_key()), Api(client, new_key())
    assert [first.get("/me").status_code for _ in range(4)][-1] == 429
    assert second.get("/me").status_code == 200


def test_a_key_can_have_its_own_limits(api: Api) -> None:
    with transaction():
        ApiKey.of(api.key).limits = {"read": 5}
    assert [api.get("/me").status_code for _ in range(6)] == [200] * 5 + [429]


def test_forwarded_addresses_do_not_evade_the_limit(client: FlaskClient) -> None:
    codes = []
    for number in range(4):
        headers = {"Authorization": "Bearer nonsense", "X-Forwarded-For": f"198.51.100.{number}"}
        codes.append(Api(client, None).get("/me", headers=headers).status_code)
    assert codes == [401, 401, 429, 429]


def test_bad_keys_are_limited_by_address_and_do_not_block_good_keys(api: Api, stranger: Api) -> None:
    refused = [stranger.get("/me") for _ in range(3)][-1]
    assert (refused.status_code, refused.json["tier"], refused.json["limit"]) == (429, "bad-keys", 2)
    assert api.get("/me").status_code == 200
    elsewhere = api.client.get(
        "/api/v1/me", environ_base={"REMOTE_ADDR": "198.51.100.1"}, base_url="https://blog.example"
    )
    assert elsewhere.status_code == 401


def test_one_ipv6_network_counts_as_one_address(client: FlaskClient) -> None:
    def ask(address: str) -> int:
        request = {"base_url": "https://blog.example", "environ_base": {"REMOTE_ADDR": address}}
        return client.get("/api/v1/me", **request).status_code  # type: ignore[arg-type]

    assert [ask(f"2001:db8:1:2::{number}") for number in range(3)] == [401, 401, 429]
    assert ask("2001:db8:1:3::1") == 401


# --- shared by Redis ---


@contextmanager
def served(tools: Tools, **settings: Any) -> Iterator[FlaskClient]:
    """Yield a client of another application on the same database, with other settings."""
    app = create_app(tools=replace(tools, config=replace(tools.config, **settings)))
    yield app.test_client()
    with app.app_context():
        close_connections()
    (limiter,) = app.extensions["limiter"]
    if "redis_url" in settings:
        limiter.storage.storage.close()


@pytest.fixture(scope="module")
def redis_url() -> str:
    try:
        redis.Redis(port=6379).ping()
    except redis.RedisError as error:
        pytest.skip(f"NOT SHOWN: two applications share limits; no Redis on 127.0.0.1:6379 ({error})")
    return "redis://127.0.0.1:6379/0"


def codes(client: FlaskClient, key: str, times: int) -> list[int]:
    return [Api(client, key).get("/me").status_code for _ in range(times)]


def test_two_applications_with_one_redis_share_their_counts(
    tools: Tools, new_key: Callable[..., str], redis_url: str
) -> None:
    key, other = new_key(), new_key()
    with served(tools, redis_url=redis_url) as first, served(tools, redis_url=redis_url) as second:
        assert (codes(first, key, 2), codes(second, key, 2)) == ([200, 200], [200, 429])
        assert codes(first, key, 1) == [429]
        assert codes(second, other, 1) == [200], "another key is counted separately"


def test_without_redis_each_application_counts_separately(tools: Tools, new_key: Callable[..., str]) -> None:
    key = new_key()
    with served(tools) as first, served(tools) as second:
        assert (codes(first, key, 4), codes(second, key, 3)) == ([200] * 3 + [429], [200] * 3)


ANOTHER_PROCESS = """
import sys
from blogsvc import Config, create_app
client = create_app(Config.load()).test_client()
for _ in range(2):
    print(client.get("/api/v1/me", headers={"Authorization": "Bearer " + sys.argv[1]}).status_code)
"""


def test_two_processes_with_one_redis_share_their_counts(
    tools: Tools, new_key: Callable[..., str], redis_url: str
) -> None:
    key, instance = new_key(), str(tools.config.instance)
    settings = {"BLOGSVC_INSTANCE": instance, "BLOGSVC_REDIS_URL": redis_url, "BLOGSVC_READS_PER_MINUTE": "3"}
    settings["BLOGSVC_DATABASE_URL"] = tools.config.database_url
    command = [sys.executable, "-c", ANOTHER_PROCESS, key]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.split() == ["200", "200"]
    with served(tools, redis_url=redis_url) as here:
        assert codes(here, key, 2) == [200, 429]


def test_a_limit_set_on_a_key_is_counted_in_redis_too(
    tools: Tools, new_key: Callable[..., str], redis_url: str
) -> None:
    key = new_key()
    with transaction():
        ApiKey.of(key).limits = {"read": 2}
    with served(tools, redis_url=redis_url) as first, served(tools, redis_url=redis_url) as second:
        assert codes(first, key, 1) + codes(second, key, 2) == [200, 200, 429]


@contextmanager
def redis_server(port: int) -> Iterator[None]:
    """Run a Redis server while the block runs."""
    command = shutil.which("redis-server")
    if command is None:
        pytest.skip("NOT SHOWN: what happens while Redis is down; redis-server is not installed")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen([command, *options], stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int) -> None:
    deadline = monotonic() + 10
    while monotonic() < deadline:
        with suppress(redis.RedisError):
            redis.Redis(port=port).ping()
            return
    raise AssertionError("Redis did not start")


def test_while_redis_is_down_each_application_counts_in_memory(
    tools: Tools, new_key: Callable[..., str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "flask-limiter")
    key, port = new_key(), free_port()
    with served(tools, redis_url=f"redis://127.0.0.1:{port}/0") as client:
        with redis_server(port):
            assert codes(client, key, 4) == [200] * 3 + [429]
        answers = [Api(client, key).get("/me") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429]
        assert answers[0].headers["X-RateLimit-Remaining"] == "2"
        with redis_server(port):
            # Redis is empty. As soon as it is asked again, it counts from the beginning.
            eventually(lambda: codes(client, key, 1) == [200] and "storage recovered" in caplog.text, seconds=60)
            assert codes(client, new_key(), 4) == [200] * 3 + [429]
    assert caplog.text.count("Rate limit storage unreachable") == 1


def test_requests_at_the_same_time_are_answered_when_redis_fails(tools: Tools, new_key: Callable[..., str]) -> None:
    keys = [new_key() for _ in range(8)]
    with served(tools, redis_url=f"redis://127.0.0.1:{free_port()}/0") as client, ThreadPoolExecutor(8) as pool:
        clients = [client.application.test_client() for _ in keys]
        found = list(pool.map(lambda each, key: codes(each, key, 2), clients, keys))
    assert found == [[200, 200]] * 8


def test_a_change_that_was_saved_is_answered_although_redis_fails_meanwhile(
    tools: Tools, new_key: Callable[..., str]
) -> None:
    key, port = new_key(), free_port()
    with redis_server(port), served(tools, redis_url=f"redis://127.0.0.1:{port}/0") as client:
        (limiter,) = client.application.extensions["limiter"]
        before_headers: list[Any] = [lambda response: stop(limiter.storage.storage) or response]
        client.application.after_request_funcs[None] += before_headers  # the functions added last run first
        assert Api(client, key).post("/posts", title="Saved").status_code == 201


def stop(server: redis.Redis) -> None:
    """Stop a Redis server from outside."""
    with suppress(redis.RedisError):
        server.shutdown(nosave=True)


def test_readers_never_wait_for_redis(tools: Tools, new_key: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"redis://127.0.0.1:{deaf.getsockname()[1]}/0"
        with served(tools, redis_url=url) as client:
            assert codes(client, new_key(), 1) == [200]
            assert count_waiting(deaf) > 0
            end = monotonic() + 3  # after a second, the next request that is counted asks Redis again
            while monotonic() < end:
                assert client.get("/no-such-page").status_code == 404  # pages that exist come from memory
            assert count_waiting(deaf) == 0


def test_a_hanging_redis_is_not_asked_for_each_request(tools: Tools, new_key: Callable[..., str]) -> None:
    key = new_key()
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"redis://127.0.0.1:{deaf.getsockname()[1]}/0"
        with served(tools, redis_url=url) as client:
            assert codes(client, key, 20) == [200] * 3 + [429] * 17
            assert 1 <= count_waiting(deaf) < 10


def test_a_key_tried_without_redis_is_still_limited(tools: Tools) -> None:
    with served(tools, redis_url="redis://127.0.0.1:1/0") as client:
        assert codes(client, "nonsense", 3) == [401, 401, 429]


def count_waiting(server: socket.socket) -> int:
    """Return the number of connections waiting to be accepted."""
    server.setblocking(False)
    count = 0
    with suppress(BlockingIOError):
        while True:
            server.accept()[0].close()
            count += 1
    return count
