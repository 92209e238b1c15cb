"""The page of what can act for the blog, and what happens to the things that a removed user made."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.auth import api_keys
from blogsvc.context import Tools
from blogsvc.models import ApiKey, Connection, Invitation, Session, User, Webhook, db
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside
from tests.web.page_walk import Pages

ACCESS = "/desk/settings/access"
USERS = "/desk/settings/users"
HOOK = "https://hook.example/told"
Somebody = Callable[..., User]
BrowserOf = Callable[[User], Pages]


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2])).split())


def make_key(pages: Pages, name: str = "laptop", access: str = "all") -> str:
    """Create an API key on its page, and return its text."""
    page = pages.post("/desk/settings/keys/new", name=name, access=access, ends="never")
    found = re.search(r"bsk_\w{40}", page.text)
    assert found is not None, page.status_code
    return found[0]


def make_all(pages: Pages, outside: Outside) -> str:
    """Create one of each kind, and return the text of the key."""
    outside.teach("POST", HOOK, status=200)
    key = make_key(pages)
    pages.post("/desk/settings/webhooks/new", url=HOOK, which="all")
    pages.post(f"{USERS}/invitations", role="editor", note="Cora")
    pages.post("/desk/settings/destinations/new/sandbox", **{"settings/outcome": "works", "name": "box"})
    return key


def fresh() -> None:
    db.session.rollback()
    db.session.expire_all()


def test_the_page_lists_everything_with_its_creator_and_last_use(
    pages: Pages, owner: User, outside: Outside, client: FlaskClient
) -> None:
    key = make_all(pages, outside)
    words = text_of(pages.get(ACCESS).text)
    for name in ("laptop", "hook.example", "Cora", "box"):
        created = rf"{re.escape(name)}\b[^·]*Created [^·]* by {re.escape(owner.name)}"
        assert re.search(created, words), name
    assert f"{owner.name} signed in" in words
    assert "this browser" in words
    assert re.search(r"laptop all Created [^·]* · never used", words)
    api = Api(client, key)
    api.get("/me")
    api.post("/webhooks", url=HOOK)
    words = text_of(pages.get(ACCESS).text)
    assert re.search(r"laptop all Created [^·]* · last used", words)
    assert "by the API key laptop" in words


def test_each_thing_can_be_ended_with_one_form(
    pages: Pages, owner: User, outside: Outside, client: FlaskClient, browser_of: BrowserOf
) -> None:
    key = make_all(pages, outside)
    other = browser_of(owner)
    fresh()
    (mine,) = ApiKey.all()
    (webhook,) = db.session.query(Webhook)
    (invitation,) = db.session.query(Invitation)
    ends = {
        "key": mine.id,
        "webhook": webhook.id,
        "invitation": invitation.id,
        "destination": Connection.named("box").id,
        "session": max(session.id for session in db.session.query(Session)),
    }
    for kind, id in ends.items():
        answer = pages.post(f"{ACCESS}/{kind}/{id}/end")
        assert (answer.status_code, answer.headers["Location"]) == (303, ACCESS), kind
    words = text_of(pages.get(ACCESS).text)
    for name in ("laptop", "hook.example", "Cora", "box"):
        assert name not in words
    assert Api(client, key).get("/me").status_code == 401
    assert other.get("/desk").status_code == 303
    assert pages.get("/desk").status_code == 200


def test_ending_the_session_of_this_browser_signs_out(pages: Pages) -> None:
    (session,) = db.session.query(Session)
    assert pages.post(f"{ACCESS}/session/{session.id}/end").headers["Location"] == "/login"
    assert pages.get("/desk").status_code == 303


@pytest.mark.parametrize("what", ["key/key_nothing", "session/ses_nothing", "webhook/whk_nothing", "army/1"])
def test_what_is_not_there_cannot_be_ended(pages: Pages, what: str) -> None:
    assert pages.post(f"{ACCESS}/{what}/end").status_code == 404


def test_only_owners_see_the_page(somebody: Somebody, browser_of: BrowserOf) -> None:
    ben = browser_of(somebody("editor", "Ben"))
    assert ben.get(ACCESS).status_code == 403
    assert ben.post(f"{ACCESS}/key/key_1/end").status_code == 403


def test_removing_a_user_ends_what_they_made(
    pages: Pages,
    owner: User,
    somebody: Somebody,
    browser_of: BrowserOf,
    outside: Outside,
    client: FlaskClient,
) -> None:
    ben = somebody("owner", "Ben")
    ben_id, theirs = ben.id, browser_of(ben)
    key = make_all(theirs, outside)
    made_by_key = Api(client, key).post("/keys", name="child", scopes=["webhooks:write", "posts:read"]).json["key"]
    Api(client, made_by_key).post("/webhooks", url=HOOK)
    mine = make_key(pages, "mine")
    page = text_of(pages.get(USERS).text)
    assert "Their API keys, webhooks, share links and open invitations end" in page
    assert "Their destinations become yours" in page
    pages.post(f"{USERS}/{ben_id}/remove")
    fresh()
    assert [Api(client, text).get("/me").status_code for text in (key, made_by_key, mine)] == [401, 401, 200]
    assert {(hook.is_enabled, hook.disabled_reason) for hook in db.session.query(Webhook)} == {(False, "orphaned")}
    assert db.session.query(Invitation).count() == 0
    assert Connection.named("box").kept_by == owner.id
    assert f"taken over by {owner.name}" in text_of(pages.get(ACCESS).text)
    there = Api(client, mine).get("/platforms/box").json
    assert there["createdBy"] == {"type": "user", "id": ben_id, "name": None}
    assert there["adoptedBy"]["name"] == owner.name


@pytest.mark.parametrize("is_ended", [False, True])
def test_an_owner_takes_over_the_webhook_of_a_key(
    pages: Pages,
    owner: User,
    outside: Outside,
    client: FlaskClient,
    api: Api,
    tick: Callable[[], None],
    is_ended: bool,
) -> None:
    outside.teach("POST", HOOK, status=200)
    maker = Api(client, make_key(pages))
    webhook_id = maker.post("/webhooks", url=HOOK).json["id"]
    where = f"/desk/settings/webhooks/{webhook_id}"
    key_id = maker.get("/me").json["id"]
    if is_ended:
        api.delete(f"/keys/{key_id}")
        assert "has no access any more" in pages.get(where).text
    assert "Take over" in pages.get(where).text
    assert pages.post(f"{where}/adopt").headers["Location"] == where
    if not is_ended:
        api.delete(f"/keys/{key_id}")
    assert "Take over" not in pages.get(where).text
    assert f"taken over by {owner.name}" in text_of(pages.get(where).text)
    api.post("/posts", title="x")
    tick()
    assert [seen.json()["type"] for seen in outside.requests if seen.url == HOOK] == ["post.created"]


def test_what_the_command_line_made_says_so(pages: Pages, tools: Tools, app: Flask, time: Time) -> None:
    api_keys.create("cron", ["all"], None, tools.now())
    assert re.search(r"cron all Created [^·]* on the command line", text_of(pages.get(ACCESS).text))
