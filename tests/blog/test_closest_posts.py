"""The page of an address that is not found: a search form, and the posts that may be meant."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from blogsvc.models import Post, Setting, transaction
from blogsvc.posts import editing, publishing, trash
from tests.blog.reading import HOSTILE, attributes, classed, parse_page
from tests.clock import Time

Make = Callable[..., Post]
OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"


@pytest.fixture
def suggested(client: FlaskClient) -> Callable[[str], list[str | None]]:
    """Return a function that asks for an unknown address and returns the addresses of the suggested posts."""

    def ask(path: str) -> list[str | None]:
        answer = client.get(path)
        assert answer.status_code == 404
        assert "closest posts" not in answer.text
        main = next(parse_page(answer.text).iter("main"))
        return [link.get("href") for row in classed(main, "entry") for link in row.iter("a")]

    return ask


def test_the_closest_posts_are_suggested(suggested: Callable[[str], list[str | None]], a_post: Make) -> None:
    for slug in ("ferries-of-the-north", "ferries-of-the-south", "ferry-food", "ink", "日本の船"):
        a_post(live=True, slug=slug, title=slug)

    assert suggested("/feries-of-the-north") == ["/ferries-of-the-north", "/ferries-of-the-south"]
    assert suggested("/2019/05/ferry-foood.html")[0] == "/ferry-food"
    assert suggested("/FERRY_FOOD/")[0] == "/ferry-food"
    assert suggested("/inks") == ["/ink"]
    assert len(suggested("/日本の舟")) == 1
    for path in ("/zebra", "/wp-login.php", "/%00", "/a/", "/" + "x" * 5000, "/%F0%9F%A6%8A"):
        assert suggested(path) == [], path


def test_no_more_than_three_posts_are_suggested(suggested: Callable[[str], list[str | None]], a_post: Make) -> None:
    for number in range(5):
        a_post(live=True, slug=f"ferries-{number}")
    assert len(suggested("/ferries-of")) == 3


def test_only_posts_that_readers_see_are_suggested(
    suggested: Callable[[str], list[str | None]], a_post: Make, time: Time
) -> None:
    a_post(slug="merger-draft")
    publishing.schedule(a_post(slug="merger-planned"), time.now.replace(year=2027), time.now)
    trash.discard(a_post(live=True, slug="merger-trashed"), time.now)
    a_post(live=True, slug="merger-elsewhere", platforms=["medium"])
    post = a_post(live=True, slug="merger-public", title="Public")
    editing.edit(post, {"slug": "merger-next", "title": "Next"}, None, time.now)
    assert suggested("/merger") == ["/merger-public"]

    publishing.unpublish(post, time.now)
    assert suggested("/merger") == []


def test_the_page_has_the_search_form_and_is_the_same_for_other_addresses(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="ferries", title="</ul>& <b>")
    (form,) = attributes(parse_page(client.get("/ferry").text), "form", role="search")
    assert form["action"] == "/search"
    assert "&lt;/ul&gt;&amp; &lt;b&gt;" in client.get("/ferries2").text
    assert client.get("/zebra").text == client.get("/zoo").text


def test_a_browser_can_add_the_search(client: FlaskClient, a_post: Make) -> None:
    with transaction():
        Setting.write("blog_title", "A blog with a long title & more")
    page = parse_page(client.get("/").text)
    (link,) = attributes(page, "link", rel="search")
    answer = client.get(link["href"])

    assert answer.mimetype == link["type"] == "application/opensearchdescription+xml"
    tree = ElementTree.fromstring(answer.data)
    assert 0 < len(tree.findtext(f"{OPENSEARCH}ShortName") or "") <= 16
    (address,) = tree.iter(f"{OPENSEARCH}Url")
    assert address.get("template") == "https://blog.example/search?q={searchTerms}"


def test_the_description_of_the_search_is_escaped(client: FlaskClient) -> None:
    with transaction():
        Setting.write("blog_title", HOSTILE)
    tree = ElementTree.fromstring(client.get("/-/opensearch.xml").data)
    assert tree.findtext(f"{OPENSEARCH}ShortName") == HOSTILE[:16]
