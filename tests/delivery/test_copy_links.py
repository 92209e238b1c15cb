"""The links to copies that a platform reports: only those that a page may link to are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest
from flask import Flask

from blogsvc import connectors
from blogsvc.connections import manage
from blogsvc.connectors.base import Account, Article, Connector, Keys, Payload, Receipt
from blogsvc.context import Tools
from blogsvc.models import Post
from tests.tiers import matrix

HOSTILE = [
    "javascript:alert(document.domain)",
    "JavaScript:alert(1)//https://",
    "java\tscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "//elsewhere.example/",
    "/desk/settings",
    "https://",
    "https:///path",
    "https://[::1",
    "https://elsewhere.example/a\nb",
    "https://elsewhere.example/a b",
    "https://elsewhere.example/" + "x" * 3000,
    "",
    7,
]
USUAL = (HOSTILE[0], "//elsewhere.example/", "https://[::1", "https://elsewhere.example/a b", HOSTILE[-3], 7)


class Stranger(Connector):
    """A platform that reports any link to its copies and its account."""

    key = "stranger"
    label = "Stranger"
    once = "It is only a test."
    link: ClassVar[Any] = None

    def verify(self) -> Account:
        return Account("Ada", self.link)

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return Payload({"title": article.title})

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        return Receipt("1", self.link)


@pytest.fixture
def copy_at(
    app: Flask, tools: Tools, monkeypatch: pytest.MonkeyPatch, a_post: Callable[..., Post], tick: Callable[[], None]
) -> Callable[[Any], tuple[Any, Any]]:
    """Publish a post to the stranger, and return the links of its copy and its account."""
    monkeypatch.setitem(connectors.connectors(), "stranger", Stranger)

    def publish(link: Any) -> tuple[Any, Any]:
        monkeypatch.setattr(Stranger, "link", link)
        manage.connect("stranger", "stranger", {}, tools)
        post = a_post(live=True, platforms=["stranger"])
        tick()
        copy = Post.get(post.id).deliveries[0]
        assert copy.state == "delivered"
        assert copy.connection is not None
        return copy.url, copy.connection.account_url

    return publish


@matrix("link", HOSTILE, default=lambda link: link in USUAL)
def test_a_link_that_is_no_web_address_is_dropped(copy_at: Callable[[Any], tuple[Any, Any]], link: Any) -> None:
    assert copy_at(link) == (None, None)


@pytest.mark.parametrize(
    "link", ["https://there.example/1", "http://there.example:8080/a?b=c#d", "HTTPS://there.example"]
)
def test_a_web_address_is_kept(copy_at: Callable[[Any], tuple[Any, Any]], link: str) -> None:
    assert copy_at(link) == (link, link)
