"""Rates: so many reads, writes and publishes a minute for each key, and so many bad keys for each address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from blogsvc import accounts, create_app
from blogsvc.config import Config
from blogsvc.models import ApiKey, Post, db, hang_up, transaction
from blogsvc.toolbox import Toolbox
from tests.api_client import Api


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
def test_each_tier_has_its_limit_and_the_429_names_it(
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


def test_every_answer_tells_what_is_left(api: Api) -> None:
    left = []
    for _ in range(3):
        answer = api.get("/me")
        left.append(answer.headers["X-RateLimit-Remaining"])
        assert answer.headers["X-RateLimit-Limit"] == "3"
        assert int(answer.headers["X-RateLimit-Reset"]) > 0
    assert left == ["2", "1", "0"]


def test_a_refused_or_faulty_request_counts_too(api: Api) -> None:
    api.post("/posts", titel="x")
    api.post("/posts")
    assert api.post("/posts", title="x").status_code == 429


def test_keys_do_not_share_a_limit(client: FlaskClient, new_key: Callable[..., str]) -> None:
    first, second = Api(client, new_key()), Api(client, new_key())
    assert [first.get("/me").status_code for _ in range(4)][-1] == 429
    assert second.get("/me").status_code == 200


def test_a_key_may_have_limits_of_its_own(api: Api) -> None:
    with transaction():
        ApiKey.of(api.key).limits = {"read": 5}
    assert [api.get("/me").status_code for _ in range(6)] == [200] * 5 + [429]


def test_forwarded_addresses_dodge_nothing(client: FlaskClient) -> None:
    codes = []
    for number in range(4):
        headers = {"Authorization": "Bearer nonsense", "X-Forwarded-For": f"198.51.100.{number}"}
        codes.append(Api(client, None).get("/me", headers=headers).status_code)
    assert codes == [401, 401, 429, 429]


def test_bad_keys_are_counted_by_address_and_stop_nobody_with_a_good_one(api: Api, stranger: Api) -> None:
    refused = [stranger.get("/me") for _ in range(3)][-1]
    assert (refused.status_code, refused.json["tier"], refused.json["limit"]) == (429, "bad-keys", 2)
    assert api.get("/me").status_code == 200
    elsewhere = api.client.get(
        "/api/v1/me", environ_base={"REMOTE_ADDR": "198.51.100.1"}, base_url="https://blog.example"
    )
    assert elsewhere.status_code == 401


def test_calls_are_let_through_uncounted_while_redis_is_down(tools: Toolbox) -> None:
    nowhere = replace(tools.config, redis_url="redis://127.0.0.1:1/0", reads_per_minute=1)
    app = create_app(tools=replace(tools, config=nowhere))
    with app.app_context():
        key = accounts.create_key("a test", ["all"], None, tools.now())[1]
        db.session.remove()
        api = Api(app.test_client(), key)

        assert [api.get("/me").status_code for _ in range(3)] == [200] * 3
        hang_up()
