"""Share links and comments: what their verbs store, refuse and end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from blogsvc.auth import accounts, users
from blogsvc.config import Config
from blogsvc.errors import Invalid, NotFound, StateConflict
from blogsvc.models import DraftComment, Post, ShareLink, User, db
from blogsvc.models.retention import delete_old_rows
from blogsvc.posts import editing, publishing, sharing, trash
from tests.clock import NOW

AN_HOUR, A_DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def draft(app: object) -> Post:
    return editing.create({"title": "The blue pencil", "content": "One word."}, None, NOW)


def test_a_link_works_until_it_ends_and_its_token_is_not_stored(draft: Post) -> None:
    link, token = sharing.share(draft, " For Anna ", 7, NOW)
    assert (link.name, link.expires_at) == ("For Anna", NOW + 7 * A_DAY)
    assert len(token) == 32, "192 bits in base64"
    assert token.encode() not in link.hash
    assert ShareLink.of_token(token, NOW + 6 * A_DAY) is link
    assert ShareLink.of_token(token, NOW + 7 * A_DAY) is None
    assert ShareLink.of_token(token + "x", NOW) is None


def test_a_revoked_link_and_a_replaced_address_end_at_once(draft: Post) -> None:
    link, first = sharing.share(draft, "", 1, NOW)
    second = sharing.renew(link, NOW)
    assert ShareLink.of_token(first, NOW) is None
    assert ShareLink.of_token(second, NOW) is link
    sharing.revoke(link, NOW + AN_HOUR)
    assert ShareLink.of_token(second, NOW + AN_HOUR) is None
    with pytest.raises(NotFound, match="has ended"):
        sharing.renew(link, NOW + AN_HOUR)


@pytest.mark.parametrize(("name", "days"), [("x" * 101, 7), ("two\nlines", 7), ("", 0), ("", 365)])
def test_links_have_a_short_name_and_always_end(draft: Post, name: str, days: int) -> None:
    with pytest.raises(Invalid):
        sharing.share(draft, name, days, NOW)


def test_a_post_has_a_bounded_number_of_links(draft: Post) -> None:
    for _ in range(sharing.MAX_OPEN_LINKS):
        link, _ = sharing.share(draft, "", 7, NOW)
    with pytest.raises(Invalid, match="20 share links"):
        sharing.share(draft, "", 7, NOW)
    sharing.revoke(link, NOW)
    assert sharing.share(draft, "", 7, NOW)


def test_a_published_post_is_not_shared_as_a_draft(draft: Post) -> None:
    link, _ = sharing.share(draft, "", 7, NOW)
    assert sharing.published_address(draft) is None
    publishing.publish(draft, NOW)
    assert (sharing.published_address(draft) or "").endswith("/the-blue-pencil")
    with pytest.raises(StateConflict, match="Share its address instead"):
        sharing.share(draft, "", 7, NOW)
    with pytest.raises(NotFound):
        sharing.comment(link, "Anna", "Too late", "", NOW)


@pytest.mark.parametrize(
    ("name", "text", "quote", "field"),
    [
        ("", "Fine", "", "#/name"),
        ("Anna\nBen", "Fine", "", "#/name"),
        ("x" * 101, "Fine", "", "#/name"),
        ("Anna", " \n ", "", "#/text"),
        ("Anna", "x" * 2_001, "", "#/text"),
        ("Anna", "a \0 byte", "", "#/text"),
        ("Anna", "Fine", "x" * 301, "#/quote"),
    ],
)
def test_comments_are_bounded_plain_text(draft: Post, name: str, text: str, quote: str, field: str) -> None:
    link, _ = sharing.share(draft, "", 7, NOW)
    with pytest.raises(Invalid) as refused:
        sharing.comment(link, name, text, quote, NOW)
    assert [fault.pointer for fault in refused.value.faults] == [field]
    assert DraftComment.of_post(draft.id) == []


def test_a_link_takes_a_bounded_number_of_comments(draft: Post) -> None:
    link, _ = sharing.share(draft, "", 7, NOW)
    for _ in range(sharing.MAX_COMMENTS):
        sharing.comment(link, "Anna", "One\r\ntwo", "", NOW)
    with pytest.raises(Invalid, match="This link has reached its limit of 200 comments"):
        sharing.comment(link, "Anna", "Three", "", NOW)
    assert {comment.text for comment in DraftComment.of_post(draft.id)} == {"One\ntwo"}


def test_comments_outlive_their_link_and_go_with_the_post(draft: Post, config: Config) -> None:
    link, _ = sharing.share(draft, "", 1, NOW)
    sharing.comment(link, "Anna", "Cut this", "One word.", NOW)
    delete_old_rows(config, NOW + 32 * A_DAY)
    db.session.expire_all()
    assert ShareLink.of_post(draft.id) == []
    (comment,) = DraftComment.of_post(draft.id)
    assert (comment.name, comment.link_id) == ("Anna", None)
    sharing.resolve(comment, NOW)
    assert DraftComment.count(DraftComment.are_open(draft.id)) == 0
    trash.discard(draft, NOW)
    trash.erase(draft, NOW)
    assert DraftComment.count() == 0


def test_removing_a_user_ends_their_links(draft: Post) -> None:
    for name in ("Ann", "Bo"):
        accounts.add_user(f"{name}@blog.example", name, "a sentence to sign in by", "owner", "UTC", NOW)
    ann, bo = User.all()
    mine, _ = sharing.share(draft, "", 7, NOW, ann.id)
    theirs, _ = sharing.share(draft, "", 7, NOW, bo.id)
    users.remove(bo.id, NOW, by=ann.id)
    assert [link.has_ended(NOW) for link in (mine, theirs)] == [False, True]
