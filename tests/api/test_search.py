"""Full-text search in any language."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.models import Post
from blogsvc.models.post_conditions import COMMON
from tests.api.faults import faults
from tests.api_client import Api


def found(api: Api, question: str, **more: str) -> list[str]:
    """Return the titles of the results, oldest first."""
    answer = api.client.get(
        "/api/v1/posts",
        query_string={"q": question, "sort": "createdAt", **more},
        headers={"Authorization": f"Bearer {api.key}"},
    )
    assert answer.status_code == 200, answer.json
    return [post["title"] for post in answer.json["data"]]


@pytest.fixture
def posts(a_post: Callable[..., Post]) -> None:
    for title, content in (
        ("Crème brûlée", "Sugar, and a flame."),
        ("Straßenbahn", "Die Übergröße fährt durch Łódź."),
        ("東京の夜", "夜の東京を歩く。カメラを持って。"),
        ("Привет мир", "Ёлка и зелёный чай."),
        ("שלום", "עולם גדול"),
        ("กรุงเทพ", "สวัสดีชาวโลก"),
        ("Rye bread", "The quick brown fox bakes bread; the brown loaf is quick."),
    ):
        a_post(title=title, content=content)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("creme brulee", "Crème brûlée"),
        ("CRÈME", "Crème brûlée"),
        ("strassenbahn", "Straßenbahn"),
        ("ubergrosse lodz", "Straßenbahn"),
        ("übergröße", "Straßenbahn"),
        ("東京", "東京の夜"),
        ("カメラ", "東京の夜"),
        ("елка зеленый", "Привет мир"),
        ("שלום", "שלום"),
        ("สวัสดี", "กรุงเทพ"),
        ("sug", "Crème brûlée"),
        ("bread fox", "Rye bread"),
        ('"quick brown"', "Rye bread"),
        ('"brown loaf" fox', "Rye bread"),
    ],
)
@pytest.mark.usefixtures("posts")
def test_a_post_is_found_by_its_text(api: Api, question: str, title: str) -> None:
    assert found(api, question) == [title]


@pytest.mark.parametrize("question", ['"brown quick"', '"quick bro"', "bread -fox", "flame bread", "京東", "ugar"])
@pytest.mark.usefixtures("posts")
def test_a_query_that_does_not_match_finds_nothing(api: Api, question: str) -> None:
    assert found(api, question) == []


@pytest.mark.usefixtures("posts")
def test_excluded_words_are_left_out(api: Api) -> None:
    assert len(found(api, "-bread")) == 6
    assert found(api, '-"quick brown" -東京 -sugar -привет -שלום -กรุงเทพ') == ["Straßenbahn"]


@pytest.mark.parametrize(
    "question",
    ['a" OR b', "NEAR(a b)", "title:x", "a* AND", "x' OR 1=1 --", "a & b | !c", "(((", '"', "a\\b", "<->", "^a", "{a}"],
)
@pytest.mark.usefixtures("posts")
def test_query_syntax_characters_are_treated_as_text(api: Api, question: str) -> None:
    answer = api.client.get(
        "/api/v1/posts", query_string={"q": question}, headers={"Authorization": f"Bearer {api.key}"}
    )
    assert answer.status_code in {200, 422}


def test_search_covers_tags_and_summary_and_follows_edits(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(title="One", summary="About lighthouses", tags=["seaside"])
    assert found(api, "lighthouse") == found(api, "seaside") == ["One"]
    api.put(f"/posts/{post.id}", summary="About towers", tags=[], title="Two")
    assert found(api, "lighthouse") == found(api, "seaside") == []
    assert found(api, "towers two") == ["Two"]


def test_search_includes_the_trash_on_request(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(title="Lost")
    api.delete(f"/posts/{post.id}")
    assert found(api, "lost") == []
    assert found(api, "lost", trashed="true") == ["Lost"]
    api.delete(f"/posts/{post.id}?permanent=true")
    assert found(api, "lost", trashed="true") == []


def test_search_results_are_paged_and_filtered_like_any_list(api: Api, a_post: Callable[..., Post]) -> None:
    for number in range(5):
        a_post(title=f"Bread {number}", tags=["odd"] if number % 2 else [])
    assert found(api, "bread", tag="odd") == ["Bread 1", "Bread 3"]
    first = api.get("/posts?q=bread&limit=2")
    assert "q=bread" in first.headers["Link"]
    rest = api.get(f"/posts?q=bread&limit=100&cursor={first.json['nextCursor']}")
    titles = [post["title"] for post in first.json["data"] + rest.json["data"]]
    assert titles == [f"Bread {number}" for number in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize("question", ["", "...", '""', "- -"])
def test_a_query_without_a_word_is_rejected(api: Api, question: str) -> None:
    assert faults(api.get(f"/posts?q={question}")) == {"?q": "no_words"}


def test_a_long_query_is_rejected(api: Api) -> None:
    assert faults(api.get(f"/posts?q={'x' * 201}")) == {"?q": "too_long"}
    assert faults(api.get(f"/posts?q={'+'.join('abcdefghijklmnopqrstuvw')}")) == {"?q": "too_long"}


def test_a_very_long_text_is_found_by_its_first_words(api: Api, a_post: Callable[..., Post]) -> None:
    a_post(title="Long", content="needle " + "hay " * 200_000)
    assert found(api, "needle") == ["Long"]


@pytest.mark.parametrize(
    ("question", "is_found"),
    [
        ("quick", True),
        ("qui", True),
        ("uick", False),
        ('"quick brown"', True),
        ('"quick bro"', False),
        ('"brown quick"', False),
        ("fox creme", True),
        ("quick -fox", False),
        ("quick -fo", False),
        ('quick -"brown quick"', True),
        ("東京", True),
    ],
)
def test_words_of_many_posts_are_found_as_those_of_few(
    api: Api, a_post: Callable[..., Post], question: str, is_found: bool
) -> None:
    titles = [f"Crème {number}" for number in range(COMMON + 1)]
    for title in titles:
        a_post(title=title, content="The quick brown fox. 夜の東京")
    a_post(title="Another", content="Rye bread")
    assert found(api, question) == (titles if is_found else [])
