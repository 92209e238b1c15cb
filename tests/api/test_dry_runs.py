"""Dry runs: `dryRun=true` on a write returns what the write would return, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from blogsvc.config import Config
from blogsvc.models import Post, db
from tests.api.hooks import OTHER, SECRET, URL, connect_hook
from tests.api.test_media_uploads import stored_files
from tests.api_client import Api, File
from tests.images import png
from tests.outside import Outside
from tests.tiers import matrix

TITLE = {"title": "Rehearsed"}
SCHEDULED = {"content": "Text.", "scheduledAt": "2026-12-01T09:00:00Z"}
HOOK = {"connector": "webhook", "name": "other", "settings": {"url": f"{URL}/other", "secret": SECRET}}
ONE = "/posts/{post}"

# Each write: its method, path, body and the status that it has.
WRITES: dict[str, tuple[str, str, dict[str, Any] | None, int]] = {
    "create a post": ("POST", "/posts", TITLE, 201),
    "schedule a new post": ("POST", "/posts", TITLE | SCHEDULED, 201),
    "update a post": ("PATCH", ONE, TITLE, 200),
    "replace a post": ("PUT", ONE, TITLE, 200),
    "delete a post": ("DELETE", ONE, None, 200),
    "delete a post and its copies": ("DELETE", f"{ONE}?withdraw=true", None, 202),
    "delete a post permanently": ("DELETE", f"{ONE}?permanent=true", None, 204),
    "publish a post": ("POST", f"{ONE}/publish", None, 202),
    "unpublish a post": ("POST", f"{ONE}/unpublish", None, 202),
    "duplicate a post": ("POST", f"{ONE}/duplicate", None, 201),
    "restore a revision": ("POST", f"{ONE}/revisions/1/restore", None, 200),
    "check the copies": ("POST", f"{ONE}/verify", None, 200),
    "change many posts": ("POST", "/posts/bulk", {"operations": [{"operation": "create", "post": TITLE}]}, 200),
    "withdraw a copy": ("POST", "/deliveries/{delivery}/withdraw", None, 202),
    "create a key": ("POST", "/keys", {"name": "laptop", "scopes": ["posts:read"]}, 201),
    "create a webhook": ("POST", "/webhooks", {"url": "https://hook.example/in", "events": ["*"]}, 201),
    "describe an image": ("PATCH", "/media/{media}", {"alt": "A cat"}, 200),
    "delete an image": ("DELETE", "/media/{media}", None, 204),
    "connect an account": ("POST", "/platforms", HOOK, 201),
    "change a connection": ("PATCH", "/platforms/hook", {"settings": {"secret": OTHER}}, 200),
    "verify a connection": ("POST", "/platforms/hook/verify", None, 200),
    "disconnect an account": ("DELETE", "/platforms/hook", None, 204),
}
# What the default tier tests.
USUAL = ("update a post", "delete a post permanently", "publish a post", "connect an account")


@pytest.fixture
def stored(api: Api, outside: Outside, a_post: Callable[..., Post], tick: Callable[[], None]) -> dict[str, str]:
    """The ids of a changed published post, its delivery and an image, beside a connection named `hook`."""
    connect_hook(api, outside)
    outside.always(status=200)
    post = a_post(live=True, platforms=["site", "hook"])
    tick()
    deliveries = api.patch(f"/posts/{post.id}", content="Newer.").json["deliveries"]
    delivery = next(one["id"] for one in deliveries if one["platform"] == "hook")
    return {"post": post.id, "delivery": delivery, "media": api.post("/media", form={"file": File(png())}).json["id"]}


def rows() -> dict[str, list[str]]:
    """Return all rows of the database, by table."""
    db.session.rollback()
    return {name: sorted(map(repr, db.session.execute(table.select()))) for name, table in db.metadata.tables.items()}


@matrix("write", WRITES, default=lambda name: name in USUAL)
def test_a_dry_run_returns_what_the_write_returns_and_changes_nothing(
    api: Api, stored: dict[str, str], tick: Callable[[], None], outside: Outside, config: Config, write: str
) -> None:
    method, path, body, status = WRITES[write]
    path = path.format(**stored)
    before, files = rows(), stored_files(config)
    answer = api(method, f"{path}{'&' if '?' in path else '?'}dryRun=true", json=body)
    assert (answer.status_code, answer.headers["Dry-Run"]) == (status, "true"), answer.json
    assert not {"Location", "ETag"} & set(answer.headers.keys())
    assert (rows(), stored_files(config)) == (before, files)
    requests = len(outside.requests)
    tick()
    assert len(outside.requests) == requests

    done = api(method, path, json=body)
    assert (done.status_code, "Dry-Run" in done.headers) == (status, False)
    assert rows() != before or write in ("check the copies", "verify a connection")
    assert (done.json or {}).keys() == (answer.json or {}).keys()


def test_a_dry_run_of_an_upload_keeps_no_file(api: Api, config: Config) -> None:
    answer = api.post("/media?dryRun=true", form={"file": File(png())})
    assert (answer.status_code, answer.json["width"] > 0) == (201, True)
    assert api.get("/media").json["data"] == []
    assert stored_files(config) == set()


def test_a_dry_run_has_the_errors_of_the_write(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post()
    answer = api.patch(f"/posts/{post.id}?dryRun=true", slug="api")
    write = api.patch(f"/posts/{post.id}", slug="api")
    assert (answer.status_code, answer.json | {"instance": ""}) == (422, write.json | {"instance": ""})
    assert api.patch(f"/posts/{post.id}?dryRun=true", headers={"If-Match": '"old"'}, title="x").status_code == 412
    assert api.post(f"/posts/{post.id}/publish?dryRun=yes").json["errors"][0]["parameter"] == "dryRun"
    assert api.get(f"/posts/{post.id}?dryRun=true").json["errors"][0]["parameter"] == "dryRun"


def test_a_dry_run_leaves_its_idempotency_key_to_the_write(api: Api, a_post: Callable[..., Post]) -> None:
    path, key = f"/posts/{a_post().id}/publish", {"Idempotency-Key": "once"}
    assert api.post(f"{path}?dryRun=true", headers=key).headers["Dry-Run"] == "true"
    answer = api.post(path, headers=key)
    assert (answer.status_code, "Idempotency-Replayed" in answer.headers) == (202, False)
    assert api.post(f"{path}?dryRun=true", headers={"Idempotency-Key": "k" * 256}).status_code == 400


def test_a_dry_run_of_publishing_does_not_wait(api: Api, stored: dict[str, str]) -> None:
    answer = api.post(f"/posts/{stored['post']}/publish?dryRun=true", headers={"Prefer": "wait=30"})
    assert (answer.status_code, answer.json["status"]) == (202, "publishing")
