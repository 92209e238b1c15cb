"""The built-in blog as a destination."""

from __future__ import annotations

import pytest

from blogsvc.connectors.site import SiteConnector
from tests.connectors.contract import AN_ARTICLE
from tests.outside import Outside


@pytest.fixture
def site():
    return SiteConnector(http=Outside().http())


def test_the_account_is_this_blog(site):
    assert site.verify().name == "This blog"


def test_the_blog_is_delivered_by_the_publishing_transaction(site):
    assert site.is_local
    assert not site.can("publish")
    assert site.repeatable == {"create", "update", "delete"}


def test_the_payload_is_what_readers_see(site):
    body = site.compose(AN_ARTICLE, {}).body
    assert body["title"] == "Of trees"
    assert body["html"] == AN_ARTICLE.html
    assert body["tags"] == ["nature", "trees"]
    assert body["language"] == "en"


def test_composing_twice_gives_the_same_hash(site):
    assert site.compose(AN_ARTICLE, {}).hash == site.compose(AN_ARTICLE, {}).hash
