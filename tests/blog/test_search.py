"""The search of the blog: it finds what readers can see, and never a draft."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from blogsvc.models import Post, Revision, db, transaction
from blogsvc.models.site_search import store_site_words
from blogsvc.posts import editing, publishing, trash
from tests.blog.reading import HOSTILE, attributes, classed, parse_page, text
from tests.clock import Time

Make = Callable[..., Post]
HOSTILE_QUESTIONS = (
    "\0",
    "a\0b ink",
    "x" * 10_000,
    "ink " * 2_500,
    '"',
    '"ink',
    '""" OR "',
    "ink*",
    "NEAR(ink paper)",
    "title : ink",
    "ink AND NOT OR",
    "^ink",
    "-",
    "--ink",
    "(ink",
    "ink') --",
    "ink & | ! <-> :*",
    "'\\",
    "%_",
    HOSTILE,
    "🦊",
    "\ud800",
)


@pytest.fixture
def found(client: FlaskClient) -> Callable[[str], list[str]]:
    """Return a function that searches and returns the titles found. Each search comes from another address."""
    number = iter(range(1, 250))

    def ask(question: str) -> list[str]:
        answer = client.get(f"/search?q={quote(question)}", environ_base={"REMOTE_ADDR": f"203.0.113.{next(number)}"})
        assert answer.status_code == 200
        return [text(title) for title in parse_page(answer.text).iter("h2")]

    return ask


def test_a_draft_is_found_at_no_time(
    found: Callable[[str], list[str]], a_post: Make, time: Time, tick: Callable[[], None]
) -> None:
    def words() -> list[str]:
        return [word for word in ("albatross", "bittern", "curlew") if found(word)]

    post = a_post(title="Birds", content="An albatross.")
    assert words() == []  # a draft
    publishing.schedule(post, time.now + timedelta(minutes=5), time.now)
    assert words() == []
    time.passes(minutes=5)
    tick()
    assert words() == ["albatross"]  # published
    editing.edit(post, {"content": "A bittern."}, None, time.passes(minutes=1))
    assert words() == ["albatross"]  # the edit is no more than a draft
    editing.edit(post, {}, ["medium"], time.passes(minutes=1))
    publishing.publish(post, time.now)
    assert words() == ["albatross"]  # published elsewhere only
    editing.edit(post, {}, ["site"], time.passes(minutes=1))
    publishing.publish(post, time.now)
    assert words() == ["bittern"]  # published again
    publishing.unpublish(post, time.passes(minutes=1))
    assert words() == []
    publishing.publish(post, time.passes(minutes=1))
    assert words() == ["bittern"]
    trash.discard(post, time.passes(minutes=1))
    assert words() == []  # in the trash
    trash.restore(post, time.passes(minutes=1))
    assert words() == []  # restored as an unpublished post
    publishing.publish(post, time.passes(minutes=1))
    trash.discard(post, time.passes(minutes=1))
    trash.undo_discard(post, time.passes(minutes=1))
    assert words() == ["bittern"]
    editing.restore_revision(post, Revision(number=9, **post.fields() | {"content": "A curlew."}), time.now)
    assert words() == ["bittern"]
    trash.erase(post, time.passes(minutes=1))
    assert words() == []


def test_a_post_that_is_published_elsewhere_only_is_not_found(found: Callable[[str], list[str]], a_post: Make) -> None:
    a_post(live=True, content="A secret albatross.", platforms=["medium"])
    assert found("albatross") == []


@pytest.mark.parametrize("fields", [{"is_unlisted": True}, {"kind": "page", "slug": "404"}])
def test_what_strangers_may_not_find_is_not_found_even_if_its_words_are_stored(
    found: Callable[[str], list[str]], a_post: Make, fields: dict[str, Any]
) -> None:
    a_post(live=True, title="Birds", content="An albatross.")
    post = a_post(live=True, title="Secret birds", content="An albatross.", **fields)
    revision = post.live_revision()
    assert revision is not None
    with transaction():
        store_site_words(post.id, revision)
    assert found("albatross") == ["Birds"]


@pytest.mark.parametrize(
    "words",
    [
        {"content": "Read on <!-- albatross -->."},
        {"content": "[Read on](https://albatross.example/)."},
        {"overrides": {"mastodon": {"content": "albatross"}}},
        {"cover_image": "https://example.com/albatross.png"},
    ],
)
def test_what_readers_cannot_read_is_not_found(
    found: Callable[[str], list[str]], a_post: Make, words: dict[str, object]
) -> None:
    a_post(live=True, title="Birds", **words)
    assert found("birds") == ["Birds"]
    assert found("albatross") == []


@pytest.mark.parametrize(
    ("question", "is_found"),
    [
        ("FERRIES", True),
        ("ferr", True),
        ("fe", False),
        ("uber", True),
        ("Übergröße", True),
        ("salt", True),  # a tag
        ("crossing", True),  # the summary
        ("emphasised", True),  # a word with a mark inside
        ("ferries crossing salt", True),
        ("ferries -salt", False),
        ('"the night"', True),
        ('"night the"', False),
        ("& < code", True),
        ("nothing ferries", False),
        ("海", True),
    ],
)
def test_words_are_found_without_case_and_accents(
    found: Callable[[str], list[str]], a_post: Make, question: str, is_found: bool
) -> None:
    a_post(
        live=True,
        title="Ferries of the night",
        summary="A crossing.",
        tags=["Sea & Salt"],
        content="In *em*phasised Übergröße: `a < code & more`, 大海.",
    )
    assert found(question) == (["Ferries of the night"] if is_found else [])


def test_matches_in_the_title_come_first_and_then_the_newest(
    found: Callable[[str], list[str]], a_post: Make, time: Time
) -> None:
    for title in ("Ink, old", "Old", "Ink, new", "New"):
        a_post(live=True, title=title, content="About ink.")
        time.passes(days=1)
    assert found("ink") == ["Ink, new", "Ink, old", "New", "Old"]
    assert found("ink about") == ["New", "Ink, new", "Old", "Ink, old"]


def test_the_words_are_marked_in_the_title_and_the_excerpt(client: FlaskClient, a_post: Make) -> None:
    filler = "Nothing to see here. " * 40
    a_post(live=True, title="Inks & <paper>", slug="inks", content=f"{filler}\n\nÍnk is <b>wet</b>. {filler}")
    page = parse_page(client.get("/search?q=ink").text)

    (entry,) = classed(page, "h-entry")
    assert [text(mark) for mark in entry.iter("mark")] == ["Inks", "Ínk"]
    assert text(next(entry.iter("h2"))) == "Inks & <paper>"
    assert "Ínk is wet." in text(classed(entry, "p-summary")[0])
    assert len(text(classed(entry, "p-summary")[0])) < 300
    assert classed(entry, "u-url")[0].get("href") == "/inks"
    assert attributes(page, "input", name="q")[0]["value"] == "ink"


def test_the_excerpt_has_no_marks_of_footnotes(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, content="Ink needs no battery.[^1] [^2]Nor paper.\n\n[^1]: One.\n[^2]: Two.")
    (summary,) = classed(parse_page(client.get("/search?q=ink").text), "p-summary")
    assert text(summary).startswith("Ink needs no battery. Nor paper.")


def test_results_are_paged(client: FlaskClient, a_post: Make, time: Time) -> None:
    for number in range(45):
        a_post(live=True, title=f"Number {number}", content="ink & paper", tags=["x"])
        time.passes(minutes=1)
    seen, address = [], "/search?q=ink+%26+paper"
    while address:
        page = parse_page(client.get(address).text)
        seen += [text(title) for title in page.iter("h2")]
        address = next((link["href"] for link in attributes(page, "a", rel="next")), "")
    assert seen == [f"Number {number}" for number in reversed(range(45))]
    assert [link["href"] for link in attributes(page, "a", rel="prev")] == ["/search?q=ink+%26+paper&page=2"]
    for page_number in ("0", "-1", "x", "9" * 30):
        assert client.get(f"/search?q=ink&page={page_number}").status_code == 200


def test_without_a_question_there_is_the_form_alone(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True)
    for address in ("/search", "/search?q=", "/search?q=+%00+"):
        page = parse_page(client.get(address).text)
        (form,) = attributes(page, "form", role="search")
        assert form["action"] == "/search"
        assert not list(page.iter("h2"))
        assert not [element for element in page.iter() if element.get("role") == "status"]


@pytest.mark.parametrize("question", ["zebra", "-zebra", "?!"])
def test_a_search_without_results_says_so_and_leads_to_the_archive(
    client: FlaskClient, a_post: Make, question: str
) -> None:
    a_post(live=True)
    page = parse_page(client.get("/search", query_string={"q": question}).text)

    (status,) = [element for element in page.iter() if element.get("role") == "status"]
    assert question in text(status)
    assert attributes(status, "a", href="/archive")


@pytest.mark.parametrize("question", HOSTILE_QUESTIONS, ids=range(len(HOSTILE_QUESTIONS)))
def test_a_hostile_question_does_no_harm(client: FlaskClient, a_post: Make, question: str) -> None:
    a_post(live=True, title="Ink", content="Ink & paper.")
    answer = client.get(f"/search?q={quote(question, errors='surrogatepass')}")

    assert answer.status_code == 200
    page = parse_page(answer.text)
    assert not list(page.iter("img"))
    assert len(answer.data) < 10_000


def test_results_are_neither_indexed_nor_stored(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, title="One", content="ink")
    answer = client.get("/search?q=ink")
    assert (answer.headers["Cache-Control"], answer.headers["X-Robots-Tag"]) == ("private, no-store", "noindex")
    assert attributes(parse_page(answer.text), "meta", name="robots")[0]["content"] == "noindex"
    assert "Set-Cookie" not in answer.headers

    with transaction():  # without a new version of the site, which would empty the caches
        db.session.get_one(Revision, post.site_revision_id).title = "Changed"
    assert "Changed" in client.get("/search?q=ink").text


def test_too_many_searches_have_to_wait(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, title="One", content="ink")
    answers = [client.get("/search?q=ink") for _ in range(31)]

    assert {answer.status_code for answer in answers[:30]} == {200}
    assert answers[30].status_code == 429
    assert 1 <= int(answers[30].headers["Retry-After"]) <= 60
    page = parse_page(answers[30].text)
    assert "Too many searches" in text(page)
    assert not list(page.iter("h2"))
    assert client.get("/search").status_code == 200
    assert client.get("/search?q=ink", environ_base={"REMOTE_ADDR": "203.0.113.9"}).status_code == 200


def test_every_page_leads_to_the_search(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="one")
    for path in ("/", "/archive", "/one", "/nothing"):
        assert attributes(next(parse_page(client.get(path).text).iter("header")), "a", href="/search")
