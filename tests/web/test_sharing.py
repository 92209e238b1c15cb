"""The page on which users share a draft: its links, their comments, and who may see them."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest

from blogsvc.errors import NotFound
from blogsvc.models import DraftComment, Post, ShareLink, User, db
from blogsvc.posts import editing, publishing, sharing
from tests.clock import NOW, Time
from tests.web.page_walk import Pages

BrowserOf = Callable[[User], Pages]
Somebody = Callable[..., User]


@pytest.fixture
def post(owner: User) -> Post:
    return editing.create({"title": "The blue pencil", "content": "One word."}, None, NOW)


@pytest.fixture
def where(post: Post) -> str:
    return f"/desk/posts/{post.id}/share"


def address_in(page: str) -> str:
    found = re.search(r"/draft/[\w-]{32}", page)
    assert found is not None
    return found[0]


def only(table: type[ShareLink] | type[DraftComment]) -> str:
    db.session.rollback()
    return str(db.session.query(table.id).one()[0])


def test_a_link_is_made_shown_once_replaced_and_revoked(pages: Pages, visitor: Pages, where: str) -> None:
    made = pages.post(where, name="For Anna", days="1")
    first = address_in(made.text)
    assert "Draft shared with you by <bdi>Ann</bdi>" in visitor.get(first).text
    page = pages.get(where).text
    assert first not in page
    assert "For Anna" in page
    assert "opened once" in page
    link = f"{where}/{only(ShareLink)}"
    second = address_in(pages.post(link, do="renew").text)
    assert [visitor.get(path).status_code for path in (first, second)] == [404, 200]
    assert "The link is revoked" in pages.post(link, do="revoke", follow=True).text
    assert visitor.get(second).status_code == 404


def test_a_link_cannot_last_for_ever(pages: Pages, where: str) -> None:
    assert pages.post(where, days="9999").status_code == 422
    assert pages.post(where, name="x" * 101, days="7").status_code == 422
    assert "for ever" not in pages.get(where).text


def test_comments_are_resolved_reopened_and_deleted(pages: Pages, visitor: Pages, where: str, post: Post) -> None:
    address = address_in(pages.post(where, days="7").text)
    script = "<script>alert(1)</script>"
    visitor.client.post(address, data={"name": script, "text": script, "quote": script})
    page = pages.get(where).text
    assert page.count("&lt;script&gt;alert(1)") >= 3
    assert script not in page
    comment = f"/desk/posts/{post.id}/comments/{only(DraftComment)}"
    assert "1 resolved" in pages.post(comment, do="resolve", follow=True).text
    assert "alert(1)" not in visitor.get(address).text
    assert "1 resolved" not in pages.post(comment, do="reopen", follow=True).text
    assert "None yet" in pages.post(comment, do="delete", follow=True).text


def test_only_those_who_may_edit_the_post_share_it(
    pages: Pages, where: str, somebody: Somebody, browser_of: BrowserOf, post: Post
) -> None:
    address_in(pages.post(where, days="7").text)
    link = only(ShareLink)
    bo = somebody("author", "Bo")
    theirs = browser_of(bo)
    own = editing.create({"title": "Mine"}, None, NOW, author_id=bo.id)
    for path in (where, f"{where}/{link}", f"/desk/posts/{own.id}/share/{link}"):
        assert theirs.post(path, days="7", do="revoke").status_code == 404, path
    assert ShareLink.get(link).is_revoked is False
    assert theirs.post(f"/desk/posts/{own.id}/share", days="7").status_code == 200


def test_the_links_to_posts_that_a_user_may_no_longer_edit_end(
    pages: Pages, visitor: Pages, where: str, somebody: Somebody, browser_of: BrowserOf
) -> None:
    bo = somebody("editor", "Bo")
    theirs = browser_of(bo)
    own = editing.create({"title": "Mine"}, None, NOW, author_id=bo.id)
    of_owner = address_in(pages.post(where, days="7").text)
    of_bo = address_in(theirs.post(where, days="30").text)
    to_own = address_in(theirs.post(f"/desk/posts/{own.id}/share", days="7").text)
    pages.post(f"/desk/settings/users/{bo.id}/role", role="owner")
    assert [visitor.get(path).status_code for path in (of_owner, of_bo, to_own)] == [200, 200, 200]
    pages.post(f"/desk/settings/users/{bo.id}/role", role="author")
    assert [visitor.get(path).status_code for path in (of_owner, of_bo, to_own)] == [200, 404, 200]


@pytest.mark.parametrize("end", ["role", "remove"])
def test_a_renewed_link_ends_with_the_role_of_who_renewed_it(
    pages: Pages, visitor: Pages, where: str, owner: User, somebody: Somebody, browser_of: BrowserOf, end: str
) -> None:
    bo = somebody("owner", "Bo")
    theirs = browser_of(bo)
    pages.post(where, days="30")
    address = address_in(theirs.post(f"{where}/{only(ShareLink)}", do="renew").text)
    assert "Draft shared with you by <bdi>Bo</bdi>" in visitor.get(address).text
    pages.post(f"/desk/settings/users/{bo.id}/{end}", role="author", to=owner.id, posts=owner.id)
    assert visitor.get(address).status_code == 404


def test_a_user_with_a_lower_role_shares_no_post_of_others(post: Post, somebody: Somebody) -> None:
    """The request may have begun before the role was lowered."""
    with pytest.raises(NotFound):
        sharing.share(post, "", 7, NOW, somebody("author", "Bo").id)
    link, _ = sharing.share(post, "", 7, NOW)
    with pytest.raises(NotFound):
        sharing.renew(link, NOW, somebody("author", "Cy").id)


def test_a_published_post_is_not_shared_as_a_draft(pages: Pages, where: str, post: Post) -> None:
    publishing.publish(post, NOW)
    assert "This post is published" in pages.get(where).text
    assert pages.post(where, days="7").status_code == 409


def test_share_links_are_among_what_can_act_for_the_blog(pages: Pages, visitor: Pages, where: str) -> None:
    address = address_in(pages.post(where, name="For Anna", days="7").text)
    page = unescape(pages.get("/desk/settings/access").text)
    assert "For Anna" in page
    assert "The blue pencil" in page
    pages.post(f"/desk/settings/access/share/{only(ShareLink)}/end")
    assert visitor.get(address).status_code == 404


def test_comments_need_attention_until_they_are_resolved(
    pages: Pages, where: str, post: Post, somebody: Somebody, browser_of: BrowserOf, time: Time
) -> None:
    link, _ = sharing.share(post, "", 7, time())
    sharing.comment(link, "Anna", "Fine", "", time())
    page = unescape(pages.get("/desk").text)
    assert "Anna commented on “The blue pencil”" in page
    assert f'href="{where}#comments"' in page
    assert "commented on" not in browser_of(somebody("author", "Bo")).get("/desk").text
    sharing.comment(link, "Ben", "Fine too", "", time())
    assert "2 comments on “The blue pencil”, the last one by Ben." in unescape(pages.get("/desk").text)
    assert re.search(r">2<[^>]*> open comments", pages.get(f"/desk/posts/{post.id}").text)
    for comment in DraftComment.of_post(post.id):
        sharing.resolve(comment, time())
    assert "on “The blue pencil”" not in unescape(pages.get("/desk").text)
