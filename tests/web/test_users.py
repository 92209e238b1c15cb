"""Users: invited by a link that can be used once; changed and removed by owners, one of whom must remain."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from blogsvc.context import Tools
from blogsvc.models import Post, User, db, transaction
from blogsvc.posts import editing
from tests.clock import Time
from tests.conftest import Visitor
from tests.web.page_walk import Pages

USERS = "/desk/settings/users"
BEN = {"name": "Ben", "email": "ben@blog.example", "password": "two ferries in the fog", "time_zone": "Asia/Calcutta"}
Somebody = Callable[..., User]
BrowserOf = Callable[[User], Pages]


def invite(pages: Pages, role: str = "editor") -> str:
    page = pages.post(f"{USERS}/invitations", role=role, note="Ben")
    link = re.search(r"https://blog\.example(/login/invite/[\w-]+)<", page.text)
    assert link is not None
    return link[1]


def test_an_invited_user_can_create_an_account(pages: Pages, visitor: Pages) -> None:
    link = invite(pages)
    assert "invited as an editor" in visitor.get(link).text
    assert visitor.post(link, **BEN).headers["Location"] == "/desk"
    assert "ben@blog.example" in visitor.get("/desk").text
    ben = User.by_email("ben@blog.example")
    assert ben is not None
    assert (ben.role, ben.time_zone) == ("editor", "Asia/Calcutta")
    assert "Open invitations" not in pages.get(USERS).text


def test_an_invitation_can_be_used_once(pages: Pages, visitor: Pages, app: Flask) -> None:
    link = invite(pages)
    visitor.post(link, **BEN)
    other = Pages(Visitor(app))
    assert other.get(link).status_code == 404
    assert other.post(link, **BEN | {"email": "eve@blog.example"}).status_code == 404
    assert User.count() == 2


def test_an_invitation_expires_after_seven_days_or_when_revoked(
    pages: Pages, visitor: Pages, time: Time, owner: User, browser_of: BrowserOf
) -> None:
    link = invite(pages)
    time.passes(days=7, seconds=-1)
    assert visitor.get(link).status_code == 200
    time.passes(seconds=1)
    assert visitor.get(link).status_code == 404

    pages.prove()
    link = invite(pages)
    taken_back = re.search(rf"{USERS}/invitations/inv_\w+/take-back", pages.get(USERS).text)
    assert taken_back is not None
    pages.post(taken_back[0])
    assert visitor.get(link).status_code == 404


def test_an_invalid_sign_up_does_not_use_up_the_invitation(pages: Pages, visitor: Pages) -> None:
    link = invite(pages)
    taken = visitor.post(link, **BEN | {"email": "Ann@Blog.example"})
    assert (taken.status_code, "This e-mail address is already in use" in taken.text) == (422, True)
    assert visitor.post(link, **BEN | {"password": "short"}).status_code == 422
    assert visitor.post(link, **BEN).status_code == 303


def test_the_invitation_link_is_shown_once(pages: Pages) -> None:
    link = invite(pages)
    page = pages.get(USERS).text
    assert link not in page
    assert "Ben" in page


@pytest.mark.parametrize("role", ["king", ""])
def test_an_unknown_role_is_rejected(pages: Pages, somebody: Somebody, role: str) -> None:
    assert pages.post(f"{USERS}/invitations", role=role, note="").status_code == 422
    assert pages.post(f"{USERS}/{somebody('author', 'Ben').id}/role", role=role).status_code == 422


def test_a_role_change_takes_effect_at_once(pages: Pages, somebody: Somebody, browser_of: BrowserOf) -> None:
    ben = somebody("author", "Ben")
    browser = browser_of(ben)
    assert browser.get(USERS).status_code == 403
    pages.post(f"{USERS}/{ben.id}/role", role="owner")
    assert browser.get(USERS).status_code == 200
    pages.post(f"{USERS}/{ben.id}/role", role="author")
    assert browser.get(USERS).status_code == 403


def test_the_invitations_of_a_former_owner_end(
    pages: Pages, visitor: Pages, somebody: Somebody, browser_of: BrowserOf
) -> None:
    ben = somebody("owner", "Ben")
    own, theirs = invite(pages), invite(browser_of(ben), "owner")
    pages.post(f"{USERS}/{ben.id}/role", role="editor")
    assert [visitor.get(path).status_code for path in (own, theirs)] == [200, 404]


def test_the_last_owner_cannot_be_demoted_or_removed(pages: Pages, owner: User, somebody: Somebody) -> None:
    somebody("editor", "Ben")
    for answer in (pages.post(f"{USERS}/{owner.id}/role", role="editor"), pages.post(f"{USERS}/{owner.id}/remove")):
        assert answer.status_code == 409
        assert "the last owner" in answer.text
    assert User.get(owner.id).role == "owner"


def test_a_removed_user_is_signed_out_and_their_posts_stay(
    pages: Pages, somebody: Somebody, browser_of: BrowserOf, tools: Tools, a_post: Callable[..., Post]
) -> None:
    ben = somebody("author", "Ben")
    browser = browser_of(ben)
    post = a_post(live=True)
    with transaction():
        post.author_id = ben.id
    assert browser.get("/desk").status_code == 200
    path = f"{USERS}/{ben.id}/remove"
    assert "Their posts are kept" in pages.post(path, follow=True).text
    assert browser.get("/desk").status_code == 303
    db.session.expire_all()
    assert (Post.get(post.id).author_id, Post.get(post.id).state) == (None, "published")
    assert pages.post(path).status_code == 404


def test_an_owner_can_leave_when_there_is_another(pages: Pages, owner: User, somebody: Somebody) -> None:
    somebody("owner", "Ben")
    assert pages.post(f"{USERS}/{owner.id}/remove").headers["Location"] == "/login"
    assert pages.get("/desk").status_code == 303
    db.session.rollback()
    assert User.count() == 1


def test_an_owner_who_demotes_themselves_is_redirected_to_an_allowed_page(
    pages: Pages, owner: User, somebody: Somebody
) -> None:
    somebody("owner", "Ben")
    answer = pages.post(f"{USERS}/{owner.id}/role", role="author")
    assert answer.headers["Location"].startswith("/desk/settings/profile")


def test_editors_can_see_drafts_of_a_removed_user(pages: Pages, somebody: Somebody, tools: Tools, owner: User) -> None:
    ben = somebody("author", "Ben")
    with transaction():
        post = editing.create({"title": "Half done"}, None, tools.now())
        post.author_id = ben.id
    pages.post(f"{USERS}/{ben.id}/remove")
    db.session.expire_all()
    assert User.get(owner.id).can_see(Post.get(post.id))
