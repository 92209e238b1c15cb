"""A connector that fails in a way it should not is an error of its destination only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import pytest
from flask import Flask

from blogsvc import connectors
from blogsvc.connections import manage
from blogsvc.connectors.base import Account, Article, Connector, Keys, Payload, Receipt
from blogsvc.context import Tools
from blogsvc.delivery import preflight
from blogsvc.models import Post
from tests.api_client import Api


class Crooked(Connector):
    """A platform whose connector can't compose a post."""

    key = "crooked"
    label = "Crooked"
    accepts = "html"
    once = "It is only a test."

    def verify(self) -> Account:
        return Account("Ada")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return Payload({"first": article.html.split("<hr>")[1]})

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        raise AssertionError("nothing was composed")


@pytest.fixture(autouse=True)
def crooked(app: Flask, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connectors.connectors(), "crooked", Crooked)
    manage.connect("crooked", "crooked", {}, tools)


def test_publishing_fails_there_and_nowhere_else(
    api: Api, tick: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    made = api.post("/posts", title="Of trees", content="A *tree*.", platforms=["site", "crooked"])
    with caplog.at_level(logging.ERROR):
        answer = api.post(f"/posts/{made.json['id']}/publish")
    assert answer.status_code in (200, 202), answer.text
    assert "IndexError" in caplog.text
    tick()
    deliveries = {one["platform"]: one for one in api.get(f"/posts/{made.json['id']}").json["deliveries"]}
    assert deliveries["site"]["state"] == "delivered"
    assert deliveries["crooked"]["state"] == "failed"
    assert deliveries["crooked"]["lastError"] == {
        "code": "internal",
        "detail": "The connector for Crooked failed. The log has the details.",
    }


def test_the_preview_names_the_destination(api: Api) -> None:
    made = api.post("/posts", title="Of trees", content="A *tree*.", platforms=["site", "crooked"])
    previews = {one["platform"]: one for one in api.get(f"/posts/{made.json['id']}/preview").json["platforms"]}
    assert previews["site"]["error"] is None
    assert previews["crooked"]["error"]["code"] == "internal"


def test_the_publish_dialog_names_it(a_post: Callable[..., Post], tools: Tools) -> None:
    found = preflight.preflight(a_post(platforms=["site", "crooked"]), tools)
    problems = {place.name: place.problem for place in found.destinations}
    assert problems == {"site": None, "crooked": "The connector for Crooked failed. The log has the details."}
