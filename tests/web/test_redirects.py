"""The settings page of redirects and missing addresses, without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from urllib.parse import unquote

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from blogsvc.models import Post, Redirect, User, db, transaction
from blogsvc.models.redirect import Target, keep
from blogsvc.redirects import listing
from tests.blog.reading import CHROME
from tests.web.page_walk import Pages

PAGE = "/desk/settings/redirects"
Make = Callable[..., Post]


def rows() -> list[Redirect]:
    db.session.rollback()
    db.session.expire_all()
    return list(db.session.scalars(select(Redirect).order_by(Redirect.id)))


def send(pages: Pages, action: str, **form: str) -> TestResponse:
    """Send a form with a field `path`, and follow the redirect."""
    headers = {"X-CSRFToken": pages.token()}
    return pages.client.post(f"{PAGE}/{action}", data=form, headers=headers, follow_redirects=True)


def upload(pages: Pages, text: str, follow: bool = True) -> str:
    answer = pages.post(f"{PAGE}/csv", follow=follow, file=(BytesIO(text.encode()), "redirects.csv"))
    return str(answer.text)


def test_a_redirect_is_added_edited_and_removed(pages: Pages, client: FlaskClient) -> None:
    assert "No redirects yet." in pages.get(PAGE).text
    page = send(pages, "new", path="/old/", target="/archive", status="301").text
    assert "The redirect of /old is saved." in page
    (row,) = rows()
    assert client.get("/old").location == "/archive"

    assert 'value="/archive"' in pages.get(f"{PAGE}/{row.id}").text
    send(pages, row.id, path="/old/*", target="https://other.example/*", status="302")
    assert client.get("/old/a").location == "https://other.example/a"
    assert "temporary (302)" in pages.get(PAGE).text

    assert "The redirect of /old/* is removed." in pages.post(f"{PAGE}/{row.id}/remove", follow=True).text
    assert rows() == []


def test_a_redirect_to_a_path_without_a_page_is_saved_and_says_so(pages: Pages, a_post: Make) -> None:
    a_post(live=True, slug="here", tags=["ink"])
    a_post(slug="soon")
    send(pages, "new", path="/known", target="/here", status="301")
    for number, target in enumerate(("/nowhere", "/soon", "/tag/none", "/a/b?x=1#c", "/caf%C3%A9", "/old.html")):
        page = send(pages, "new", path=f"/old-{number}", target=target, status="301").text
        path = unquote(target.partition("?")[0])
        assert f"Saved. There is no page at {path} yet." in page, target
    assert len(rows()) == 7


@pytest.mark.parametrize(
    "target",
    [
        "/", "/here", "/here?x=1#c", "/here/", "/known", "/tag/ink", "/archive/2026", "/subscribe", "/feed.xml",
        "/search?q=a", "/media/a.png", "/static/a", "/theme.css", "https://other.example/x", "/sub/*",
    ],
)  # fmt: skip
def test_a_redirect_to_a_page_is_saved_without_a_remark(pages: Pages, a_post: Make, target: str) -> None:
    a_post(live=True, slug="here", tags=["ink"])
    send(pages, "new", path="/known", target="/here", status="301")
    assert "The redirect of /old/* is saved." in send(pages, "new", path="/old/*", target=target, status="301").text


@pytest.mark.parametrize(
    ("form", "where"),
    [
        ({"path": "", "target": "/a"}, "path-fault"),
        ({"path": "/desk/x", "target": "/a"}, "path-fault"),
        ({"path": "/a", "target": "ftp://x"}, "target-fault"),
        ({"path": "/a", "target": "/a"}, "target-fault"),
        ({"path": "/a", "target": "/b", "status": "307"}, "status-fault"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(pages: Pages, form: dict[str, str], where: str) -> None:
    answer = send(pages, "new", **{"status": "301"} | form)
    assert answer.status_code == 422
    assert f'id="{where}"' in answer.text
    assert rows() == []


def test_the_list_shows_where_each_redirect_leads(pages: Pages, a_post: Make) -> None:
    post, draft = a_post(live=True, slug="one"), a_post(slug="later")
    with transaction():
        keep({"/2020/one": Target(post_id=post.id), "/2020/draft": Target(post_id=draft.id)})
    page = pages.get(PAGE).text
    assert "<bdi>/one</bdi>" in page
    assert "Not used yet · imported" in page
    assert page.count("because the page isn't public") + page.count("because the page isn&#39;t public") == 1

    shadowed = send(pages, "new", path="/one", target="/archive", status="301").text
    assert shadowed.count(listing.UNUSED) == 2  # in the notice and in the list


def test_redirects_are_found_by_their_addresses_and_shown_in_pages(pages: Pages) -> None:
    text = "".join(f"/old-{number},/new\n" for number in range(listing.PAGE_SIZE + 1))
    assert f"{listing.PAGE_SIZE + 1} added, 0 changed, 0 unchanged." in upload(pages, text)
    first = pages.get(PAGE).text
    older = re.search(r'href="([^"]+)" rel="next"', first)
    assert older
    assert pages.get(older[1].replace("&amp;", "&")).text.count('<li class="item">') == 1

    assert pages.get(f"{PAGE}?q=OLD-17").text.count('<li class="item">') == 1
    assert "No redirect matches." in pages.get(f"{PAGE}?q=50%25").text


def test_a_missing_address_is_redirected_to_the_closest_post_with_one_click(
    pages: Pages, client: FlaskClient, a_post: Make
) -> None:
    a_post(live=True, slug="ferries-of-norway")
    for path in ("/blog/ferries-in-norway", "/<script>"):
        client.get(path, headers={"User-Agent": CHROME, "Referer": "https://other.example/"})
    page = pages.get(PAGE).text
    assert "Asked for once" in page
    assert "linked from <bdi>other.example</bdi>" in page
    assert "<script>" not in page.partition('id="missing"')[2].partition("</section>")[0]
    form = re.search(r'name="path" value="(/blog[^"]+)">.*?name="target" value="([^"]*)"', page, re.DOTALL)
    assert form

    send(pages, "new", path=form[1], target=form[2], status="301")
    assert client.get("/blog/ferries-in-norway").location == "/ferries-of-norway"
    page = send(pages, "missing/ignore", path="/<script>").text
    assert "No missing addresses." in page


def test_a_wrong_file_changes_nothing_and_names_each_line(pages: Pages) -> None:
    page = upload(pages, "/a,/b\nnowhere,/b\n/c,\n", follow=False)
    assert "Line 2: Enter a path" in page
    assert "Line 3: Enter a path" in page
    assert rows() == []
    assert "Select a file first." in pages.post(f"{PAGE}/csv").text


def test_the_downloaded_file_can_be_uploaded_again(pages: Pages) -> None:
    upload(pages, "/a,/b,302\n/gone,,410\n")
    answer = pages.get(f"{PAGE}.csv")
    assert "attachment" in answer.headers["Content-Disposition"]
    assert "0 added, 0 changed, 2 unchanged." in upload(pages, answer.text.removeprefix("\ufeff"))


def test_only_owners_see_redirects(somebody: Callable[..., User], browser_of: Callable[[User], Pages]) -> None:
    editor = browser_of(somebody("editor", name="Ed"))
    assert editor.get(PAGE).status_code == 403
    assert send(editor, "new", path="/a", target="/b", status="301").status_code == 403
    assert rows() == []
