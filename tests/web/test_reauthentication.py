"""Delicate actions need a fresh proof of identity, and go on as they were sent once it is given."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from blogsvc.auth.reauthentication import Effect
from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import DraftComment, Invitation, Media, Passkey, Session, User, db, transaction
from blogsvc.posts import editing, sharing
from blogsvc.web.framework.routes import DEMANDS, EFFECTS, route
from tests.api_client import Api
from tests.clock import Time
from tests.conftest import Visitor
from tests.images import png
from tests.outside import Outside
from tests.tiers import matrix
from tests.web.authenticator import Authenticator
from tests.web.conftest import PASSWORD, code
from tests.web.page_walk import Pages
from tests.web.test_access import HOOK
from tests.web.test_passkeys import add, post
from tests.web.test_routes import rules

PROFILE, USERS = "/desk/settings/profile", "/desk/settings/users"
# The actions that need a proof, by their effect.
DELICATE = {
    Effect.LET_IN: {
        *("invite", "change_role", "require_second_factor"),
        *("new_api_key", "change_api_key", "rotate_api_key"),
    },
    Effect.KEEP_OUT: {"remove_user", "sign_out_user", "end_session", "end_other_sessions", "end_user_session"},
    Effect.CHANGE_SIGN_IN: {
        *("change_email", "change_password", "ask_for_new_passkey", "add_passkey", "remove_passkey"),
        *("code_setup", "begin_codes", "confirm_codes", "renew_recovery_codes", "stop_codes"),
    },
    Effect.REVEAL: {"rotate_webhook_secret"},
    Effect.SEND_ELSEWHERE: {
        *("export", "export_file", "connect_destination", "reconnect_destination"),
        *("new_webhook", "change_webhook", "enable_webhook", "adopt_webhook"),
    },
    Effect.ERASE: {"erase_posts"},
}
LISTED = sorted(endpoint for endpoints in DELICATE.values() for endpoint in endpoints)


def test_every_change_declares_its_effect(app: Flask) -> None:
    changing = {endpoint for endpoint, method, _ in rules(app) if method != "GET" and DEMANDS[endpoint] is not None}
    assert {endpoint for endpoint in changing if EFFECTS[endpoint] is Effect.READ} == set()
    with pytest.raises(TypeError, match="declare its effect"):
        route("GET POST", "/desk/new-page", role="owner")


def test_what_needs_proof_is_listed_by_its_effect() -> None:
    found: dict[Effect, set[str]] = {}
    for endpoint, effect in EFFECTS.items():
        if effect.needs_reauthentication:
            found.setdefault(effect, set()).add(endpoint)
    assert found == DELICATE


def is_asked(answer: TestResponse) -> bool:
    """Return True if the response asks for proof: a page, a redirect, or a document for a script."""
    if answer.is_json:
        return answer.status_code == 401 and answer.json["go"].startswith("/desk/confirm")
    if answer.status_code == 303:
        return answer.headers["Location"].startswith("/desk/confirm")
    return "<h1>Confirm it&#39;s you</h1>" in answer.text or "<h1>Confirm it's you</h1>" in answer.text


# The first test shows that every delicate endpoint is marked. These have the different responses and bodies.
USUAL = (
    *("add_passkey", "ask_for_new_passkey", "change_password", "connect_destination", "enable_webhook"),
    *("erase_posts", "export_file", "new_webhook", "sign_out_user"),
)


@matrix("endpoint", LISTED, default=lambda endpoint: endpoint in USUAL)
def test_a_delicate_action_asks_for_proof_after_ten_minutes(
    pages: Pages, app: Flask, time: Time, endpoint: str
) -> None:
    routes = [(method, path) for name, method, path in rules(app) if name == endpoint]
    token = pages.token()
    is_json = endpoint in ("ask_for_new_passkey", "add_passkey")
    options: dict[str, Any] = {"headers": {"X-CSRFToken": token}, **({"json": {}} if is_json else {})}
    for method, path in routes:
        time.passes(minutes=9)
        assert not is_asked(pages.client.open(path, method=method, **options)) or endpoint == "sign_out_user"
        time.passes(minutes=2)
        assert is_asked(pages.client.open(path, method=method, **options))
        wrong = pages.post("/desk/confirm", **{"reauthentication-password": "a guess of eve's"})
        assert (wrong.status_code, "Wrong password" in wrong.text) == (422, True)
        assert is_asked(pages.client.open(path, method=method, **options))
        assert pages.post("/desk/confirm", **{"reauthentication-password": PASSWORD}).headers["Location"] == "/desk"
        assert not is_asked(pages.client.open(path, method=method, **options))


def held(answer: TestResponse) -> str:
    found = re.search(r'name="reauthentication-held" value="([^"]+)"', answer.text)
    assert found is not None, answer.text
    return found[1]


def invitations() -> list[Invitation]:
    db.session.rollback()  # or the test reads what it read before
    return list(db.session.query(Invitation))


def test_the_action_goes_on_as_it_was_sent_together_with_the_proof(pages: Pages, time: Time) -> None:
    time.passes(minutes=11)
    asked = pages.post(f"{USERS}/invitations", role="editor", note="Ben")
    assert asked.status_code == 401
    assert len(invitations()) == 0
    wrong = pages.post(
        f"{USERS}/invitations", **{"reauthentication-held": held(asked), "reauthentication-password": "a guess"}
    )
    assert (wrong.status_code, "Wrong password" in wrong.text) == (422, True)
    assert len(invitations()) == 0
    done = pages.post(
        f"{USERS}/invitations", **{"reauthentication-held": held(wrong), "reauthentication-password": PASSWORD}
    )
    assert done.status_code == 200
    (invitation,) = invitations()
    assert (invitation.role, invitation.note) == ("editor", "Ben")


def test_the_page_that_asks_for_proof_contains_no_password_of_the_form(
    pages: Pages, visitor: Pages, owner: User, time: Time
) -> None:
    time.passes(minutes=11)
    asked = pages.post(f"{PROFILE}/password", password="another ferry, less fog")
    assert "another ferry" not in asked.text
    done = pages.post(
        f"{PROFILE}/password", **{"reauthentication-held": held(asked), "reauthentication-password": PASSWORD}
    )
    assert done.status_code == 303
    assert visitor.post("/login", email=owner.email, password="another ferry, less fog").status_code == 303


def test_a_held_form_works_for_its_user_and_its_action_only(
    pages: Pages, somebody: Callable[..., User], browser_of: Callable[[User], Pages], time: Time
) -> None:
    eve = browser_of(somebody("owner", "Eve"))
    ben = somebody("author", "Ben")
    time.passes(minutes=11)
    kept = held(pages.post(f"{USERS}/{ben.id}/role", role="owner"))
    proved = {"reauthentication-held": kept, "reauthentication-password": PASSWORD}
    assert eve.post(f"{USERS}/{ben.id}/role", **proved).status_code == 409
    assert pages.post(f"{USERS}/{ben.id}/remove", **proved).status_code == 409
    assert pages.post(f"{USERS}/{ben.id}/role", **proved | {"reauthentication-held": "nonsense"}).status_code == 409
    assert User.get(ben.id).role == "author"


def test_a_page_that_needs_proof_is_shown_after_it(pages: Pages, time: Time) -> None:
    time.passes(minutes=11)
    asked = pages.get("/desk/settings/export")
    assert asked.headers["Location"] == "/desk/confirm?next=/desk/settings/export"
    done = pages.post("/desk/confirm?next=/desk/settings/export", **{"reauthentication-password": PASSWORD})
    assert done.headers["Location"] == "/desk/settings/export"
    assert pages.get("/desk/settings/export").status_code == 200
    away = pages.post("/desk/confirm?next=https://evil.example/desk", **{"reauthentication-password": PASSWORD})
    assert away.headers["Location"] == "/desk"


def test_htmx_and_scripts_are_led_to_the_page_that_asks_for_proof(pages: Pages, time: Time) -> None:
    time.passes(minutes=11)
    address = "https://blog.example/desk/trash?after=x"
    answer = pages.post("/desk/trash/erase", headers={"HX-Request": "true", "HX-Current-URL": address}, all="yes")
    assert answer.headers["HX-Redirect"] == "/desk/confirm?next=/desk/trash?after%3Dx"
    answer = post(pages, f"{PROFILE}/passkeys/new")
    assert (answer.status_code, answer.json["go"][:13]) == (401, "/desk/confirm")


def test_a_passkey_is_a_proof(pages: Pages, owner: User, time: Time) -> None:
    device = Authenticator()
    add(pages, device)
    time.passes(minutes=11)
    asked = pages.post(f"{USERS}/invitations", role="editor", note="Ben")
    assert "Use a passkey" in asked.text
    assert show(pages, Authenticator(handle=device.handle)).status_code == 422
    assert is_asked(
        pages.post(f"{USERS}/invitations", **{"reauthentication-held": held(asked), "reauthentication-password": ""})
    )
    assert show(pages, device).status_code == 200
    assert (
        pages.post(
            f"{USERS}/invitations", **{"reauthentication-held": held(asked), "reauthentication-password": ""}
        ).status_code
        == 200
    )
    assert len(invitations()) == 1


def test_a_passkey_of_another_user_is_no_proof(
    pages: Pages, somebody: Callable[..., User], browser_of: Callable[[User], Pages], time: Time
) -> None:
    device = Authenticator()
    add(browser_of(somebody("author", "Eve")), device)
    time.passes(minutes=11)
    assert show(pages, device).status_code == 422
    assert is_asked(pages.get("/desk/settings/export"))


def show(browser: Pages, device: Authenticator) -> TestResponse:
    options: Any = post(browser, "/login/passkey").json
    return post(browser, "/desk/confirm/passkey", device.get(options))


def test_with_two_factor_codes_the_proof_needs_a_code_as_well(
    browser_of: Callable[[User], Pages], owner: User, secret: str, time: Time
) -> None:
    pages = browser_of(owner)
    time.passes(minutes=11)
    form = {
        "reauthentication-held": held(pages.post(f"{USERS}/invitations", role="editor")),
        "reauthentication-password": PASSWORD,
    }
    assert "Wrong, expired or used code" in pages.post(f"{USERS}/invitations", **form).text
    assert pages.post(f"{USERS}/invitations", **form, **{"reauthentication-code": "000000"}).status_code == 422
    assert len(invitations()) == 0
    assert (
        pages.post(f"{USERS}/invitations", **form, **{"reauthentication-code": code(secret, time)}).status_code == 200
    )
    assert len(invitations()) == 1


def add_codes(browser: Pages, time: Time) -> str:
    """Enable two-factor codes and return the secret."""
    page = browser.post(f"{PROFILE}/codes", follow=True).text
    secret = re.search(r'data-copy="([A-Z2-7]{32})"', page)
    assert secret is not None
    assert browser.post(f"{PROFILE}/codes/first", code=code(secret[1], time)).status_code == 200
    return secret[1]


def test_a_session_from_before_two_factor_codes_must_give_one(
    pages: Pages, browser_of: Callable[[User], Pages], owner: User, time: Time
) -> None:
    older = browser_of(owner)
    secret = add_codes(pages, time)
    asked = older.post(f"{PROFILE}/codes/off")
    assert is_asked(asked)
    assert is_asked(older.get("/desk/settings/export"))
    form = {"reauthentication-held": held(asked), "reauthentication-password": PASSWORD}
    assert older.post(f"{PROFILE}/codes/off", **form).status_code == 422, "a password is not enough"
    assert (
        older.post(f"{PROFILE}/codes/off", **form, **{"reauthentication-code": code(secret, time, 1)}).status_code
        == 303
    )
    assert "Two-factor codes are off" in older.get(PROFILE).text


def test_a_session_without_a_code_is_no_proof_while_codes_are_on(
    browser_of: Callable[[User], Pages], owner: User, secret: str
) -> None:
    pages = browser_of(owner)
    assert not is_asked(pages.get("/desk/settings/export"))
    with transaction():  # as a session that gave its password while the codes were turned on
        db.session.query(Session).one().is_two_factor = False
    assert is_asked(pages.get("/desk/settings/export"))


@pytest.mark.parametrize("factor", ["codes", "a passkey"])
def test_a_new_factor_ends_the_proofs_of_other_sessions(
    pages: Pages, browser_of: Callable[[User], Pages], owner: User, time: Time, factor: str
) -> None:
    other, device = browser_of(owner), Authenticator()
    add(other, device)
    assert not is_asked(other.get("/desk/settings/export"))
    pages.prove()
    if factor == "codes":
        add_codes(pages, time)
    else:
        add(pages, Authenticator())
    assert not is_asked(pages.get("/desk/settings/export")), "this session has just used the factor"
    assert is_asked(other.get("/desk/settings/export"))
    assert show(other, device).status_code == 200
    assert not is_asked(other.get("/desk/settings/export"))


def test_a_removed_factor_proves_nothing_any_more(
    pages: Pages, browser_of: Callable[[User], Pages], owner: User, time: Time
) -> None:
    other = browser_of(owner)
    add(other, Authenticator())
    pages.prove()
    passkey = re.search(rf'action="({PROFILE}/passkeys/\w+/remove)"', pages.get(PROFILE).text)
    assert passkey is not None
    assert pages.post(passkey[1]).status_code == 303
    assert is_asked(other.get("/desk/settings/export"))
    add_codes(pages, time)
    assert pages.post(f"{PROFILE}/codes/off").status_code == 303
    db.session.expire_all()
    assert {session.is_two_factor for session in db.session.query(Session)} == {False}


def test_an_orphaned_webhook_is_enabled_only_with_proof(
    pages: Pages, api: Api, new_key: Callable[..., str], outside: Outside, time: Time
) -> None:
    outside.teach("POST", HOOK, status=200)
    maker = Api(api.client, new_key())
    where = f"/desk/settings/webhooks/{maker.post('/webhooks', url=HOOK).json['id']}"
    api.delete(f"/keys/{maker.get('/me').json['id']}")
    time.passes(minutes=11)
    for way in ("adopt", "enable"):
        assert is_asked(pages.post(f"{where}/{way}"))
    assert "Take over and enable webhook" in pages.get(where).text
    pages.prove()
    pages.post(f"{where}/enable")
    time.passes(minutes=11)
    pages.post(f"{where}/disable")
    assert "Enable webhook" in pages.get(where).text, "nothing delays the end"


def test_a_program_loses_its_access_without_delay_and_a_person_only_with_proof(
    pages: Pages, owner: User, browser_of: Callable[[User], Pages], time: Time
) -> None:
    browser_of(owner)
    pages.post("/desk/settings/keys/new", name="laptop", access="all", ends="never")
    time.passes(minutes=11)
    access = "/desk/settings/access"
    ends = set(re.findall(rf"{access}/\w+/\w+/end", pages.get(access).text))
    asked = {path.split("/")[4]: is_asked(pages.post(path)) for path in sorted(ends)}
    assert asked == {"key": False, "session": True}


@pytest.mark.settings(sign_ins_per_minute=100)
def test_codes_that_are_guessed_as_a_proof_count_as_those_at_sign_in(
    browser_of: Callable[[User], Pages], owner: User, secret: str, app: Flask, time: Time
) -> None:
    pages, other = browser_of(owner), Pages(Visitor(app))
    time.passes(minutes=11)
    guess = {"reauthentication-password": PASSWORD, "reauthentication-code": "000000"}
    assert [pages.post("/desk/confirm", **guess).status_code for _ in range(10)] == [422] * 10
    other.post("/login", email=owner.email, password=PASSWORD)
    assert [other.post("/login/code", code="000000").status_code for _ in range(6)] == [422] * 5 + [429]
    assert pages.post("/desk/confirm", **guess).status_code == 429


@pytest.mark.settings(sign_ins_per_minute=3)
def test_passwords_that_are_guessed_as_a_proof_are_limited(pages: Pages, time: Time) -> None:
    time.passes(minutes=11)
    answers = [pages.post("/desk/confirm", **{"reauthentication-password": "a guess"}).status_code for _ in range(4)]
    assert answers == [422] * 3 + [429]


def test_owners_sign_others_out_everywhere(
    pages: Pages, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    ben = somebody("author", "Ben")
    browsers = [browser_of(ben), browser_of(ben)]
    answer = pages.post(f"{USERS}/{ben.id}/sign-out", follow=True)
    assert "Ben is signed out of 2 browsers" in answer.text
    assert [browser.get("/desk").status_code for browser in browsers] == [303, 303]
    assert browser_of(ben).post(f"{USERS}/{ben.id}/sign-out").status_code == 403, "but authors can't"
    assert [session.user.name for session in db.session.query(Session)].count("Ann") == 1


class TestRequiredSecondFactor:
    @pytest.fixture(autouse=True)
    def required(self, pages: Pages) -> None:
        assert pages.post(f"{USERS}/second-factor", to="on").status_code == 303

    def test_whoever_has_none_is_led_to_set_it_up_before_anything_else(
        self, app: Flask, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
    ) -> None:
        ben = browser_of(somebody("owner", "Ben"))
        token = ben.token()
        is_open = {"code_setup", "begin_codes", "confirm_codes", "ask_for_new_passkey", "add_passkey"}
        is_open |= {"confirm_identity", "confirm_by_passkey", "missing_second_factor"}
        for endpoint, method, path in rules(app):
            if DEMANDS[endpoint] is not None:
                answer = ben.client.open(path, method=method, headers={"X-CSRFToken": token}, json={})
                is_led = answer.headers.get("Location") == "/desk/second-factor"
                assert is_led is (endpoint not in is_open), f"{method} {path}"

    def test_codes_open_the_blog(
        self, somebody: Callable[..., User], browser_of: Callable[[User], Pages], time: Time
    ) -> None:
        ben = browser_of(somebody("author", "Ben"))
        assert "Set up a second factor" in ben.get("/desk", follow_redirects=True).text
        page = ben.post(f"{PROFILE}/codes", follow=True).text
        secret = re.search(r'data-copy="([A-Z2-7]{32})"', page)
        assert secret is not None
        assert ben.post(f"{PROFILE}/codes/first", code=code(secret[1], time)).status_code == 200
        assert ben.get("/desk").status_code == 200
        answer = ben.post(f"{PROFILE}/codes/off")
        assert (answer.status_code, "requires a second factor" in answer.text) == (409, True)

    def test_a_passkey_opens_the_blog_and_the_last_one_stays(
        self, somebody: Callable[..., User], browser_of: Callable[[User], Pages], app: Flask
    ) -> None:
        device, user = Authenticator(), somebody("author", "Ben")
        ben = browser_of(user)
        ben.token()
        options = post_from_setup(ben, f"{PROFILE}/passkeys/new", {}).json
        assert post_from_setup(ben, f"{PROFILE}/passkeys?name=Phone", device.create(options)).status_code == 200
        assert ben.get("/desk").status_code == 200
        (passkey,) = db.session.query(Passkey)
        assert ben.post(f"{PROFILE}/passkeys/{passkey.id}/remove").status_code == 409

        by_password = Pages(Visitor(app))
        by_password.post("/login", email=user.email, password=PASSWORD)
        assert by_password.get("/desk").headers["Location"] == "/desk/second-factor"
        asked = by_password.get("/desk", follow_redirects=True)
        assert "your password alone" in asked.text
        assert post_from_setup(by_password, f"{PROFILE}/passkeys/new", {}).status_code == 303, "no second one either"
        assert post_from_setup(by_password, f"{PROFILE}/codes", {}).status_code == 303
        by_password.post("/desk/confirm", **{"reauthentication-password": PASSWORD})
        assert by_password.get("/desk").status_code == 303
        options = post_from_setup(by_password, "/login/passkey", {}).json
        assert post_from_setup(by_password, "/desk/confirm/passkey", device.get(options)).status_code == 200
        assert by_password.get("/desk").status_code == 200

    def test_owners_can_stop_requiring_it(
        self, pages: Pages, somebody: Callable[..., User], browser_of: Callable[[User], Pages], time: Time
    ) -> None:
        page = pages.get(USERS, follow_redirects=True)
        assert "Set up a second factor" in page.text, "the owner is led as well"
        secret = re.search(r'data-copy="([A-Z2-7]{32})"', pages.post(f"{PROFILE}/codes", follow=True).text)
        assert secret is not None
        pages.post(f"{PROFILE}/codes/first", code=code(secret[1], time))
        assert "Stop requiring it" in pages.get(USERS).text
        pages.post(f"{USERS}/second-factor", to="off")
        assert browser_of(somebody("author", "Ben")).get("/desk").status_code == 200


def post_from_setup(browser: Pages, path: str, document: Any) -> TestResponse:
    token = browser.token()
    return browser.client.post(path, json=document, headers={"X-CSRFToken": token})


def test_one_image_or_comment_is_deleted_without_proof(pages: Pages, tools: Tools, time: Time) -> None:
    """It is everyday work, and loses no text of a post."""
    image = images.add(png(), "ferry.png", "", tools).id
    post = editing.create({"title": "Trees", "content": "One word."}, None, tools.now())
    link, _ = sharing.share(post, "", 7, tools.now())
    comment = sharing.comment(link, "Anna", "Good", "", tools.now()).id
    time.passes(minutes=30)
    pages.post(f"/desk/media/{image}/delete")
    pages.post(f"/desk/posts/{post.id}/comments/{comment}", do="delete")
    db.session.rollback()
    assert (db.session.get(Media, image), db.session.get(DraftComment, comment)) == (None, None)
