"""Redirects of the owner: where addresses without a page lead, and which redirects are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event, select

from blogsvc.errors import Invalid
from blogsvc.models import Author, Post, Redirect, Series, db, transaction
from blogsvc.models.redirect import Target, keep, known
from blogsvc.posts import authors, editing, publishing
from blogsvc.redirects import listing, loops, manage
from tests.clock import Time

Make = Callable[..., Post]
BLOG = "https://blog.example"


@pytest.fixture(autouse=True)
def _in_app(app: object) -> None:
    """Every test needs the database."""


def add(path: str, target: str | None, status: int = 301) -> Redirect:
    return manage.create(path, target, status, BLOG)


def refusal(path: str, target: str | None, status: int = 301) -> str:
    with pytest.raises(Invalid) as refused:
        add(path, target, status)
    return str(refused.value)


def test_a_redirect_leads_to_a_path_or_to_another_site(client: FlaskClient) -> None:
    add("/old", "/archive")
    add("/shop/", "https://shop.example/all?x=1#top", 302)

    answer = client.get("/old/?utm=1")
    assert (answer.status_code, answer.location) == (301, "/archive")
    answer = client.head("/shop")
    assert (answer.status_code, answer.location) == (302, "https://shop.example/all?x=1#top")


def test_a_page_that_is_gone_says_so(client: FlaskClient) -> None:
    add("/mistake", None, 410)

    answer = client.get("/mistake/")
    assert answer.status_code == 410
    assert "This page is gone" in answer.text
    assert "noindex" in answer.text
    assert client.get("/mistakes").status_code == 404


def test_a_redirect_to_a_post_follows_its_slug(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, slug="before")
    add("/old", f"{BLOG}/before/")
    editing.edit(post, {"slug": "after"}, None, time.now)
    publishing.publish(post, time.now)
    assert client.get("/old").location == "/after"

    publishing.unpublish(post, time.passes(minutes=1))
    assert client.get("/old").status_code == 404


def test_a_star_stands_for_the_rest_of_the_path(client: FlaskClient) -> None:
    add("/old/*", "https://old.example/blog/*")
    add("/old/notes/*", "/archive")
    add("/old/notes/exact", "/feed.xml")

    locations = {
        "/old/a/b%20c/": "https://old.example/blog/a/b%20c",
        "/old": "https://old.example/blog",
        "/old/notes/one": "/archive",
        "/old/notes": "/archive",
        "/old/notes/exact": "/feed.xml",
    }
    assert {path: client.get(path).location for path in locations} == locations
    assert client.get("/older").status_code == 404


def test_a_star_at_the_root_leaves_the_authoring_pages_alone(client: FlaskClient) -> None:
    add("/*", "https://elsewhere.example/*")

    assert client.get("/a/b").location == "https://elsewhere.example/a/b"
    for path in ("/desk/none", "/static/none.css", "/api/v1/none"):
        assert client.get(path).location is None or client.get(path).location.startswith("/"), path


@pytest.mark.parametrize("path", ["/old//evil.example", "/old/\\evil.example", "/old///evil.example/x"])
def test_the_rest_of_a_path_never_leads_to_another_site(client: FlaskClient, path: str) -> None:
    add("/old/*", "/*")
    answer = client.get("/", environ_overrides={"PATH_INFO": path})
    assert (answer.status_code in (400, 404), answer.location) == (True, None)


def test_a_page_of_the_blog_wins_over_a_redirect(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="one", tags=["boats"])
    rows = [add(path, "https://other.example") for path in ("/one", "/archive", "/tag/boats", "/two")]

    assert [client.get(path).status_code for path in ("/one", "/archive", "/tag/boats", "/two")] == [200, 200, 200, 301]
    assert [shown.is_used for shown in listing.shown(rows)] == [False, False, False, True]


def test_a_redirect_of_a_list_or_feed_of_the_blog_is_not_used(client: FlaskClient, a_post: Make, time: Time) -> None:
    with transaction():
        Author.of("Ada", time.now)
        Author.of("Cy", time.now)  # who has neither posts nor a biography, and so no page
        Series.of("Ships", time.now)
    a_post(live=True, slug="one", tags=["boats"], series="ships", authors=["ada"])
    there = (
        "/author/ada",
        "/series/ships",
        "/archive/2026",
        "/feed/tag/boats",
        "/feed/author/ada",
        "/feed/series/ships",
    )
    missing = ("/author/bo", "/author/cy", "/series/trains", "/archive/2019", "/feed/tag/trains", "/feed/author/bo")
    rows = [add(path, "https://other.example") for path in (*there, *missing)]

    assert {client.get(path).status_code for path in there} == {200}
    assert {client.get(path).status_code for path in missing} == {301}
    assert [shown.row.path for shown in listing.shown(rows) if not shown.is_used] == list(there)


def test_many_redirects_are_listed_with_few_queries(a_post: Make) -> None:
    a_post(live=True, tags=["boats"])
    kinds = ("author", "series", "archive", "tag")
    with transaction():
        keep({f"/{kinds[number % 4]}/{number}": Target(tag=f"tag-{number}") for number in range(1200, 3200)})
    rows = db.session.scalars(select(Redirect)).all()
    queries: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        queries.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    assert [one.row.path for one in listing.shown(rows) if not one.is_used] == ["/archive/2026"]
    assert len(queries) <= 30


def test_a_redirect_of_a_query_counts_at_once(client: FlaskClient) -> None:
    assert client.get("/?p=12").status_code == 200
    row = add("https://old.example/?p=12", "/archive")
    assert client.get("/?p=12").location == "/archive"

    manage.remove(row)
    assert client.get("/?p=12").status_code == 200


def test_redirects_that_lead_in_a_circle_are_refused() -> None:
    assert "/old leads to itself" in refusal("/old", "/old/")
    add("/a", "/b")
    add("/b", "/c")
    assert refusal("/c", "/a").startswith("Redirects would lead in a circle: /")
    add("/x/*", "/y/*")
    assert "/y/*" in refusal("/y/*", "/x/z/*")
    assert "/y/one" in refusal("/y/one", "/x/one")
    assert "/grow/*" in refusal("/grow/*", "/grow/more/*")
    assert "/?p=3" in refusal("/?p=3", "/?p=3")


def test_a_star_that_leads_into_a_circle_is_refused() -> None:
    add("/y/one", "/x/one")
    assert "/y/one" in refusal("/x/*", "/y/*")
    add("/x/one", "/archive")  # wins over the star, so that there is no circle
    add("/x/*", "/y/*")


def test_more_than_three_redirects_in_a_row_are_refused() -> None:
    add("/a", "/b")
    add("/b", "/c")
    add("/c", "/d")
    assert refusal("/d", "/e") == "More than 3 redirects would follow each other: /a, /b, /c, /d."
    assert refusal("/0", "/a") == "More than 3 redirects would follow each other: /0, /a, /b, /c."


def test_chains_that_were_there_before_block_no_other_redirect() -> None:
    with transaction():
        for number in range(loops.MAX_FOUND + 1):
            keep({f"/here-{number}": Target(address=f"/there-{number}")})
            keep({f"/there-{number}": Target(address=f"/here-{number}")})
    add("/a", "/b")
    assert "/a" in refusal("/b", "/a")
    assert "/here-0" in refusal("/c", "/here-0")
    with transaction():
        manage.add_new([("/d", "/e", 301), ("/e", "/d", 301), ("/f", "/a", 301)], BLOG)
    assert known(["/d", "/e", "/f"]).keys() == {"/f"}


@pytest.mark.parametrize(
    ("target", "moved"),
    [
        ("/author/%C3%A9va", "/author/zo%C3%AB"),
        ("/author/éva/", "/author/zo%C3%AB"),
        ("/author/%C3%A9va#bio", "/author/zo%C3%AB#bio"),
        ("/author/%c3%a9va?from=old", "/author/zo%C3%AB?from=old"),
        ("https://other.example/author/%C3%A9va", "https://other.example/author/%C3%A9va"),
        ("/author/eva", "/author/eva"),
    ],
)
def test_what_leads_to_a_page_follows_it_to_its_new_path(
    client: FlaskClient, time: Time, target: str, moved: str
) -> None:
    with transaction():
        eva = Author.of("Éva", time.now, slug="éva")
    row = add("/team/eva", target)
    authors.change(eva, {"slug": "zoë", "bio": "Writes."})

    assert db.session.get_one(Redirect, row.id, populate_existing=True).target == moved
    assert client.get("/author/éva").location == "/author/zo%C3%AB"
    assert client.get("/author/zoë").status_code == 200


def test_a_change_is_checked_without_what_it_replaces() -> None:
    row = add("/a", "/b")
    add("/b", "/c")
    with pytest.raises(Invalid, match="circle"):
        manage.change(add("/c", "/d"), {"target": "/a"}, BLOG)
    manage.change(row, {"path": "/z", "target": "/y"}, BLOG)
    assert (row.path, row.target, row.status) == ("/z", "/y", 301)
    manage.change(row, {"status": 410}, BLOG)
    assert (row.target, row.status) == (None, 410)


@pytest.mark.parametrize(
    ("path", "target", "status", "says"),
    [
        ("", "/a", 301, "Enter a path"),
        ("/", "/a", 301, "The home page can't be redirected"),
        ("old", "/a", 301, "Enter a path"),
        ("/a/../b", "/a", 301, "Enter a path"),
        ("/a*", "/b", 301, "only be at the end"),
        ("/a?x=1", "/b", 301, "can't depend on this query"),
        ("/desk/old", "/b", 301, "belong to blogsvc"),
        ("/api/*", "/b", 301, "belong to blogsvc"),
        ("/" + "a" * 501, "/b", 301, "at most 500 characters"),
        ("/a", "", 301, "Enter a path of this blog"),
        ("/a", "//evil.example", 301, "Enter a path of this blog"),
        ("/a", "/\\evil.example", 301, "Enter a path of this blog"),
        ("/a", "javascript:alert(1)", 301, "Enter a path of this blog"),
        ("/a", "https://me:secret@other.example/", 301, "Enter a path of this blog"),
        ("/a", "https://", 301, "Enter a path of this blog"),
        ("/a", "/b\r\nX: y", 301, "Enter a path of this blog"),
        ("/a", "/b/*", 301, "A * in the target"),
        ("/a/*", "/*/b", 301, "A * in the target"),
        ("/a", "/b", 307, "301, 302 or 410"),
        ("/a", "/b", 410, "has no target"),
    ],
)
def test_a_redirect_that_can_not_work_is_refused(path: str, target: str, status: int, says: str) -> None:
    assert says in refusal(path, target, status)


def test_a_path_has_one_redirect() -> None:
    add("/day/день", "/a")
    assert "already a redirect of /day/день" in refusal("/day/%D0%B4%D0%B5%D0%BD%D1%8C/", "/b")


def test_a_missing_page_costs_few_queries_whatever_the_path(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True)
    for number in range(30):
        add(f"/x{number}/*", "/archive")
    client.get("/none")
    queries: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT"):
            queries.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    for path in ("/none", "/a" * 160, "/2020/01/02/none.html/amp/feed/2/3/4", "/*"):
        queries.clear()
        assert client.get(path, headers={"User-Agent": "a bot"}).status_code == 404  # which is not counted
        assert len(queries) <= 7, path
