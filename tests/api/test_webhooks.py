"""Webhooks through the API: create, read, change, enable, disable and delete; secrets are shown once."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable
from typing import Any

import pytest

from blogsvc.config import Config
from blogsvc.models import Post, db
from blogsvc.models.event_types import EVENT_TYPES
from blogsvc.models.webhook import PATTERNS
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside

Subscribe = Callable[..., dict[str, Any]]
Tick = Callable[[], None]
OWN_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def path(webhook: dict[str, Any]) -> str:
    return f"/webhooks/{webhook['id']}"


def log(api: Api, webhook: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    return api.get(f"{path(webhook)}/deliveries{query}").json["data"]


def test_a_webhook_can_be_created_and_read(api: Api, subscribe: Subscribe) -> None:
    made = subscribe("post.published", "delivery.*", description="The newsletter")
    assert made["id"].startswith("whk_")
    assert made["secret"].startswith("whsec_")
    found = api.get(path(made))
    assert found.json == {name: value for name, value in made.items() if name != "secret"}
    assert found.json["events"] == ["post.published", "delivery.*"]
    assert found.json["description"] == "The newsletter"
    assert found.json["enabled"] is True
    assert api.get(path(made), headers={"If-None-Match": found.headers["ETag"]}).status_code == 304


def test_creating_a_webhook_returns_its_location_and_forbids_caching(api: Api, outside: Outside) -> None:
    answer = api.post("/webhooks", url="https://hook.example/in")
    assert answer.headers["Location"] == f"/api/v1/webhooks/{answer.json['id']}"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "ETag" not in answer.headers
    assert answer.json["events"] == ["*"]


def test_webhooks_are_listed_newest_first_with_pages(api: Api, subscribe: Subscribe) -> None:
    made = [subscribe(name=f"hook{i}")["id"] for i in range(3)]
    first = api.get("/webhooks?limit=2")
    assert 'rel="next"' in first.headers["Link"]
    second = api.get(f"/webhooks?limit=2&cursor={first.json['nextCursor']}")
    assert [row["id"] for row in first.json["data"] + second.json["data"]] == made[::-1]
    assert second.json["nextCursor"] is None


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({}, {"#/url": "required"}),
        ({"url": "ftp://hook.example"}, {"#/url": "not_a_url"}),
        ({"url": "https://"}, {"#/url": "not_a_url"}),
        ({"url": "https://user:password@hook.example/"}, {"#/url": "refused_address"}),
        ({"url": "https://hook.example", "events": []}, {"#/events": "too_short"}),
        ({"url": "https://hook.example", "events": ["post.published", "post.nothing"]}, {"#/events/1": "not_one_of"}),
        ({"url": "https://hook.example", "events": ["post*"]}, {"#/events/0": "not_one_of"}),
        ({"url": "https://hook.example", "secret": "hunter2"}, {"#/secret": "invalid"}),
        ({"url": "https://hook.example", "secret": "whsec_c2hvcnQ="}, {"#/secret": "invalid"}),
        ({"url": "https://hook.example", "description": "x" * 301}, {"#/description": "too_long"}),
        (
            {"url": "nothing", "events": ["x"], "y": 1},
            {"#/url": "not_a_url", "#/events/0": "not_one_of", "#/y": "unknown"},
        ),
    ],
)
def test_an_invalid_webhook_is_rejected(api: Api, body: dict[str, Any], places: dict[str, str]) -> None:
    assert faults(api.post("/webhooks", json=body)) == places
    assert api.get("/webhooks").json["data"] == []


def test_the_error_for_an_unknown_event_lists_the_known_ones(api: Api) -> None:
    answer = api.post("/webhooks", url="https://hook.example", events=["post.gone"])
    for pattern in ("*", "post.*", *EVENT_TYPES):
        assert f"'{pattern}'" in answer.json["errors"][0]["detail"]


def test_every_event_pattern_can_be_subscribed_to(api: Api, subscribe: Subscribe) -> None:
    assert subscribe(*PATTERNS)["events"] == list(PATTERNS)


@pytest.mark.parametrize("address", ["10.0.0.7", "127.0.0.1", "::1"])
def test_a_private_address_is_rejected_and_the_error_names_the_setting(
    api: Api, outside: Outside, address: str
) -> None:
    outside.names["home.example"] = [address]
    answer = api.post("/webhooks", url="https://home.example/in")
    assert faults(answer) == {"#/url": "refused_address"}
    assert "BLOGSVC_ALLOW_PRIVATE_ADDRESSES" in answer.json["errors"][0]["detail"]


def test_an_address_that_no_setting_allows_is_rejected_without_advice(api: Api, outside: Outside) -> None:
    outside.names["metadata.example"] = ["169.254.169.254"]
    answer = api.post("/webhooks", url="https://metadata.example/in")
    assert faults(answer) == {"#/url": "refused_address"}
    assert "BLOGSVC" not in answer.text


def test_a_host_that_does_not_resolve_yet_is_accepted(api: Api, outside: Outside) -> None:
    outside.names["soon.example"] = []
    assert api.post("/webhooks", url="https://soon.example/in").status_code == 201


def test_a_51st_webhook_is_rejected(api: Api, outside: Outside) -> None:
    for i in range(50):
        assert api.post("/webhooks", url=f"https://hook{i}.example").status_code == 201
    assert faults(api.post("/webhooks", url="https://hook.example")) == {"#": "too_many"}


def test_a_patch_changes_only_the_given_fields(api: Api, subscribe: Subscribe, time: Time) -> None:
    made = subscribe("post.*", description="old")
    time.passes(minutes=1)
    changed = api.patch(path(made), description="new", url="https://other.example/in").json
    assert (changed["description"], changed["url"], changed["events"]) == (
        "new",
        "https://other.example/in",
        ["post.*"],
    )
    assert changed["updatedAt"] == "2026-11-24T09:01:00.000Z"
    assert api.get(path(made)).json == changed


@pytest.mark.parametrize("field", ["url", "events", "description", "enabled"])
def test_no_webhook_field_can_be_cleared(api: Api, subscribe: Subscribe, field: str) -> None:
    assert faults(api.patch(path(subscribe()), json={field: None})) == {f"#/{field}": "wrong_type"}


def test_a_change_to_a_private_address_is_rejected(api: Api, subscribe: Subscribe, outside: Outside) -> None:
    made = subscribe()
    outside.names["home.example"] = ["192.168.1.1"]
    assert faults(api.patch(path(made), url="https://home.example/in")) == {"#/url": "refused_address"}
    assert api.get(path(made)).json["url"] == made["url"]


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_with_an_outdated_if_match_is_rejected(api: Api, subscribe: Subscribe, method: str) -> None:
    made = subscribe()
    tag = api.get(path(made)).headers["ETag"]
    api.patch(path(made), description="meanwhile")
    body = {"json": {"description": "mine"}} if method == "PATCH" else {}
    assert api(method, path(made), headers={"If-Match": tag}, **body).status_code == 412
    tag = api.get(path(made)).headers["ETag"]
    assert api(method, path(made), headers={"If-Match": tag}, **body).status_code in (200, 204)


def test_deleting_a_webhook_deletes_its_log(
    api: Api, subscribe: Subscribe, a_post: Callable[..., Post], tick: Tick
) -> None:
    made, _ = subscribe(), a_post()
    tick()
    (told,) = log(api, made)
    assert api.delete(path(made)).status_code == 204
    for gone in (path(made), f"{path(made)}/deliveries", f"{path(made)}/deliveries/{told['id']}"):
        assert api.get(gone).status_code == 404
    a_post()
    tick()


def test_a_webhook_can_be_disabled_and_enabled(api: Api, subscribe: Subscribe) -> None:
    made = subscribe()
    off = api.patch(path(made), enabled=False).json
    assert (off["enabled"], off["disabledReason"], off["disabledAt"]) == (False, "owner", "2026-11-24T09:00:00.000Z")
    assert api.patch(path(made), enabled=False).json == off
    on = api.patch(path(made), enabled=True).json
    assert (on["enabled"], on["disabledReason"], on["disabledAt"]) == (True, None, None)


def test_a_custom_secret_is_accepted(api: Api, subscribe: Subscribe) -> None:
    made = subscribe(secret=OWN_SECRET)
    assert made["secret"] == OWN_SECRET
    longest = "whsec_" + base64.b64encode(bytes(range(64))).decode()
    assert api.post(f"{path(made)}/rotate-secret", secret=longest).json["secret"] == longest


def test_a_secret_is_rotated_with_an_overlap(api: Api, subscribe: Subscribe) -> None:
    made = subscribe()
    rotated = api.post(f"{path(made)}/rotate-secret")
    assert rotated.status_code == 200
    assert rotated.headers["Cache-Control"] == "no-store"
    assert rotated.json["secret"] not in ("", made["secret"])
    assert rotated.json["formerSecretUntil"] == "2026-11-25T09:00:00.000Z"
    at_once = api.post(f"{path(made)}/rotate-secret", overlapHours=0).json
    assert at_once["formerSecretUntil"] is None
    assert faults(api.post(f"{path(made)}/rotate-secret", overlapHours=169)) == {"#/overlapHours": "out_of_range"}


def test_a_secret_appears_in_no_other_response_in_no_log_and_not_in_the_database(
    api: Api,
    subscribe: Subscribe,
    a_post: Callable[..., Post],
    tick: Tick,
    outside: Outside,
    config: Config,
    time: Time,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    made = subscribe(secret=OWN_SECRET)
    secrets = [made["secret"], api.post(f"{path(made)}/rotate-secret").json["secret"]]
    # A receiver that repeats all secrets in its response, one of them truncated where storage ends.
    outside.always(status=500, body=f"{' '.join(secrets)} {'x' * 905}{OWN_SECRET}".encode())
    a_post()
    tick()
    outside.always(failure="lost")
    time.passes(minutes=1)
    tick()
    (told,) = log(api, made)
    assert told["attempts"] == 2
    answers = [
        api.get(where).text
        for where in ("/webhooks", path(made), f"{path(made)}/deliveries", f"{path(made)}/deliveries/{told['id']}")
    ]
    answers.append(api.patch(path(made), description="x").text)
    answers.append(api.post(f"{path(made)}/deliveries/{told['id']}/redeliver").text)
    assert "•••" in answers[3]
    db.session.remove()
    db.engine.dispose()
    files = b"".join(file.read_bytes() for file in config.instance.rglob("*") if file.is_file())
    for secret in secrets:
        for part in (secret, secret.removeprefix("whsec_")[:12]):
            assert part not in "".join(answers)
            assert part not in caplog.text
            assert part.encode() not in files
