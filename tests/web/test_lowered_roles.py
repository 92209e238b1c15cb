"""A user with a lower role loses the power of everything that they made, at once and however the role was changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from blogsvc.auth import api_keys, users
from blogsvc.context import Tools
from blogsvc.models import Connection, User, Webhook, db
from blogsvc.models.user import Role
from tests.api_client import Api
from tests.outside import Outside
from tests.web.page_walk import Pages
from tests.web.test_access import HOOK, fresh, make_key, text_of

KEYS, USERS, WEBHOOKS = (f"/desk/settings/{page}" for page in ("keys", "users", "webhooks"))
Lower = Callable[[Role], None]


@pytest.fixture
def ben(somebody: Callable[..., User]) -> User:
    """Another owner, whose role is lowered."""
    return somebody("owner", "Ben")


@pytest.fixture
def theirs(ben: User, browser_of: Callable[[User], Pages]) -> Pages:
    return browser_of(ben)


@pytest.fixture
def key(theirs: Pages, client: FlaskClient, outside: Outside) -> Api:
    """The client of an API key with all permissions, which Ben made."""
    outside.teach("POST", HOOK, status=200)
    return Api(client, make_key(theirs))


@pytest.fixture
def change(pages: Pages, ben: User) -> Lower:
    """Return a function that changes Ben's role on the page of users."""
    where = f"{USERS}/{ben.id}/role"

    def lower(role: Role) -> None:
        assert pages.post(where, role=role).status_code == 303
        fresh()

    return lower


def child_of(key: Api) -> Api:
    """Return the client of a key with all permissions that this key makes."""
    return Api(key.client, key.post("/keys", name="child", scopes=["all"]).json["key"])


def reach(key: Api) -> dict[str, int]:
    """Return what the server answers to requests that need different permissions."""
    return {
        "read": key.get("/posts").status_code,
        "write": key.post("/posts", title="x").status_code,
        "connect": key.post("/platforms", connector="sandbox", name="box").status_code,
        "let in": key.post("/keys", name="more", scopes=["posts:read"]).status_code,
        "listen": key.post("/webhooks", url=HOOK).status_code,
    }


def heard(outside: Outside) -> list[str]:
    return [seen.json()["type"] for seen in outside.requests if seen.url == HOOK]


OF_EDITORS = {"read": 200, "write": 201, "connect": 403, "let in": 403, "listen": 403}


@pytest.mark.parametrize("made", ["by the user", "by a key of the user"])
def test_a_key_does_no_more_than_the_role_of_the_user_behind_it_allows(key: Api, change: Lower, made: str) -> None:
    used = key if made == "by the user" else child_of(child_of(key))
    change("editor")
    assert reach(used) == OF_EDITORS
    change("author")
    assert set(reach(used).values()) == {403}, "authors may read and write their own posts only"
    change("owner")
    assert set(reach(used).values()) == {200, 201}


def test_a_key_says_what_it_may_do_now(key: Api, change: Lower, pages: Pages) -> None:
    assert key.get("/me").json["scopes"] == ["all"]
    change("editor")
    scopes = key.get("/me").json["scopes"]
    assert {"posts:read", "posts:publish", "media:write"} < set(scopes)
    assert not {"all", "keys:write", "platforms:write", "webhooks:write"} & set(scopes)
    refused = key.post("/keys", name="more", scopes=["posts:read"]).json
    assert refused["scopes"] == scopes
    assert "role" in refused["detail"]
    assert "Limited, because the user who made it is no owner any more" in text_of(pages.get(KEYS).text)


def test_the_key_of_a_former_owner_is_not_a_way_to_more_permissions(
    key: Api, change: Lower, api: Api, new_key: Callable[..., str]
) -> None:
    key_id = key.get("/me").json["id"]
    change("author")
    other = Api(api.client, new_key("keys:write"))
    assert other.post(f"/keys/{key_id}/rotate").status_code == 403
    assert other.patch(f"/keys/{key_id}", name="mine").status_code == 403


def test_an_owner_takes_over_a_key_by_rotating_it(key: Api, change: Lower, api: Api) -> None:
    change("author")
    new = api.post(f"/keys/{key.get('/me').json['id']}/rotate").json["key"]
    assert set(reach(Api(api.client, new)).values()) == {200, 201}


@pytest.mark.parametrize("role", ["editor", "author"])
@pytest.mark.parametrize("made", ["by the user", "by a key", "by a key of a key", "taken over"])
def test_the_webhooks_of_a_former_owner_hear_nothing_more(
    theirs: Pages,
    key: Api,
    change: Lower,
    api: Api,
    outside: Outside,
    tick: Callable[[], None],
    made: str,
    role: Role,
) -> None:
    match made:
        case "by the user":
            theirs.post(f"{WEBHOOKS}/new", url=HOOK, which="all")
        case "by a key":
            key.post("/webhooks", url=HOOK)
        case "by a key of a key":
            child_of(key).post("/webhooks", url=HOOK)
        case _:
            api.post("/webhooks", url=HOOK)
            theirs.post(f"{WEBHOOKS}/{hook().id}/adopt")
    api.post("/posts", title="before")
    tick()
    assert "post.created" in heard(outside)
    outside.requests.clear()
    change(role)
    assert (hook().is_enabled, hook().disabled_reason) == (False, "orphaned")
    api.post("/posts", title="after")
    tick()
    assert heard(outside) == []


@pytest.mark.parametrize("how", ["on the page", "by a key", "secret"])
def test_a_webhook_that_a_former_owner_took_over_by_a_change_hears_nothing_more(
    pages: Pages, theirs: Pages, key: Api, change: Lower, api: Api, outside: Outside, tick: Callable[[], None], how: str
) -> None:
    """They chose the address that it sends to, or know its secret."""
    theirs_to_hear = "https://ben.example/in"
    outside.teach("POST", theirs_to_hear, status=200)
    pages.post(f"{WEBHOOKS}/new", url=HOOK, which="all")
    match how:
        case "on the page":
            theirs.post(f"{WEBHOOKS}/{hook().id}/change", url=theirs_to_hear, which="all")
        case "by a key":
            key.patch(f"/webhooks/{hook().id}", url=theirs_to_hear)
        case _:
            theirs.post(f"{WEBHOOKS}/{hook().id}/secret", overlap="0")
    assert hook().url == (HOOK if how == "secret" else theirs_to_hear)
    change("author")
    assert (hook().is_enabled, hook().disabled_reason) == (False, "orphaned")
    outside.requests.clear()
    api.post("/posts", title="after")
    tick()
    assert outside.requests == []


def test_a_webhook_stays_with_its_owner_if_another_changes_its_description(
    pages: Pages, theirs: Pages, change: Lower
) -> None:
    pages.post(f"{WEBHOOKS}/new", url=HOOK, which="all")
    theirs.post(f"{WEBHOOKS}/{hook().id}/change", url=HOOK, which="all", description="Ours")
    change("author")
    assert (hook().description, hook().is_enabled) == ("Ours", True)


def hook() -> Webhook:
    fresh()
    return db.session.query(Webhook).one()


def test_waiting_messages_of_a_former_owner_are_not_sent(
    theirs: Pages, key: Api, change: Lower, api: Api, outside: Outside, tick: Callable[[], None]
) -> None:
    theirs.post(f"{WEBHOOKS}/new", url=HOOK, which="all")
    outside.always(lambda seen: seen.url == HOOK, status=503)
    api.post("/posts", title="x")
    tick()
    outside.always()
    change("editor")
    states = {sent["state"] for sent in api.get(f"/webhooks/{hook().id}/deliveries").json["data"]}
    assert states == {"failed"}


def test_an_invitation_makes_nobody_more_than_its_maker_may_invite(
    ben: User, change: Lower, visitor: Pages, tools: Tools
) -> None:
    """The request that invites may have begun before the role was lowered, and end after it."""
    change("editor")
    for role in ("owner", "author"):
        _, token = users.invite(role, "Eve", tools.now(), ben.id)  # type: ignore[arg-type]
        eve = {"name": "Eve", "email": "eve@blog.example", "password": "two ferries in the fog", "time_zone": "UTC"}
        assert visitor.get(f"/login/invite/{token}").status_code == 404
        assert visitor.post(f"/login/invite/{token}", **eve).status_code == 404
    assert User.by_email("eve@blog.example") is None


def test_the_invitation_of_a_removed_user_makes_nobody_a_user(
    ben: User, pages: Pages, visitor: Pages, tools: Tools
) -> None:
    ben_id = ben.id
    pages.post(f"{USERS}/{ben_id}/remove")
    _, token = users.invite("owner", "Eve", tools.now(), ben_id)
    assert visitor.get(f"/login/invite/{token}").status_code == 404


def test_the_destinations_of_a_former_owner_are_handed_over(
    theirs: Pages, change: Lower, owner: User, pages: Pages
) -> None:
    theirs.post("/desk/settings/destinations/new/sandbox", **{"settings/outcome": "works", "name": "box"})
    assert "With a lower role, their webhooks and open invitations end" in text_of(pages.get(USERS).text)
    change("editor")
    assert Connection.named("box").kept_by == owner.id


def test_a_key_that_a_removed_user_made_last_may_do_nothing(ben: User, key: Api, pages: Pages, tools: Tools) -> None:
    ben_id = ben.id
    pages.post(f"{USERS}/{ben_id}/remove")
    assert key.get("/posts").status_code == 401
    _, late = api_keys.create("late", ["all"], None, tools.now(), created_by=ben_id)
    assert set(reach(Api(key.client, late)).values()) == {403}
