"""The blog proves ownership of its AT Protocol publication and documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from blogsvc.connections import manage
from blogsvc.connectors.atproto import PUBLICATION
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Post
from tests.blog.reading import attributes, parse_page
from tests.clock import Time
from tests.connectors.fake_pds import SETTINGS, FakePDS
from tests.outside import Outside

Make = Callable[..., Post]
WELL_KNOWN = "/.well-known/site.standard.publication"


@pytest.fixture
def pds(outside: Outside) -> FakePDS:
    return FakePDS(outside)


@pytest.fixture
def atproto(pds: FakePDS, tools: Tools) -> str:
    return connect(tools, "https://blog.example/")


def connect(tools: Tools, blog_url: str) -> str:
    manage.connect("atproto", "atproto", {**SETTINGS, "blog_url": blog_url, "blog_name": "Of everything"}, tools)
    return "atproto"


def link(client: FlaskClient, path: str) -> list[str]:
    return [
        each["href"] for each in attributes(parse_page(client.get(path).text), "link", rel="site.standard.document")
    ]


def test_the_well_known_url_names_the_publication_of_the_blog(client: FlaskClient, pds: FakePDS, atproto: str) -> None:
    answer = client.get(WELL_KNOWN)
    [(rkey, record)] = pds.of(PUBLICATION).items()
    assert answer.text == f"at://did:plc:alice/{PUBLICATION}/{rkey}"
    assert answer.mimetype == "text/plain"
    assert record["url"] == "https://blog.example"


def test_a_blog_without_a_publication_returns_404(client: FlaskClient) -> None:
    assert client.get(WELL_KNOWN).status_code == 404


def test_the_publication_of_another_blog_is_not_claimed(client: FlaskClient, pds: FakePDS, tools: Tools) -> None:
    connect(tools, "https://another.example")
    assert client.get(WELL_KNOWN).status_code == 404


def test_a_post_links_to_its_document_while_it_exists(
    client: FlaskClient, a_post: Make, pds: FakePDS, atproto: str, tick: Callable[[], None], time: Time
) -> None:
    post = a_post(live=True, slug="of-trees", platforms=["site", atproto])
    assert link(client, "/of-trees") == []

    tick()
    [(rkey, record)] = pds.of("site.standard.document").items()
    assert link(client, "/of-trees") == [f"at://did:plc:alice/site.standard.document/{rkey}"]
    assert (record["site"], record["path"]) == (client.get(WELL_KNOWN).text, "/of-trees")

    decide.withdraw(post.delivery_to(atproto), time.passes(minutes=1))
    tick()
    assert pds.of("site.standard.document") == {}
    assert link(client, "/of-trees") == []
    assert pds.sign_ins == 1  # from connecting; the session is kept


def test_a_post_on_the_blog_only_links_to_no_document(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="of-trees")
    assert link(client, "/of-trees") == []
