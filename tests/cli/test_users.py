"""`blogsvc user`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pyotp
import pytest
from click.testing import Result

from blogsvc.auth import accounts, api_keys, totp, users
from blogsvc.context import Tools
from blogsvc.lib import passwords
from blogsvc.lib.time import utc_now
from blogsvc.models import Passkey, User, Webhook, db, transaction
from blogsvc.webhooks import manage
from tests.cli.conftest import Run, make_app
from tests.cli.test_cli import rows

GOOD, BETTER = "a horse, a staple", "a battery, correct"


def add(run: Run, email: str = "ada@example.org", role: str = "owner", password: str = GOOD, **more: Any) -> Result:
    words = ("--name", "Ada", "--role", role, "--zone", "Europe/Berlin")
    return run("user", "add", email, *words, stdin=f"{password}\n", **more)


def test_a_user_can_be_added_listed_and_removed(run: Run) -> None:
    assert add(run).stdout == "ada@example.org is owner.\n"
    add(run, "Bo@Example.org", "author")
    ada, bo = rows(run("user", "list", "--json"))
    assert (ada["role"], ada["zone"], ada["codes"], ada["sessions"]) == ("owner", "Europe/Berlin", "off", 0)
    assert bo["email"] == "bo@example.org"
    assert GOOD not in run("user", "list").stdout
    run("user", "role", "bo@example.org", "editor")
    run("user", "remove", "bo@example.org")
    assert [row["email"] for row in rows(run("user", "list", "--json"))] == ["ada@example.org"]


def test_the_last_owner_cannot_be_removed_or_demoted(run: Run) -> None:
    add(run)
    assert "the last owner" in run("user", "remove", "ada@example.org", code=1).stderr
    assert "the last owner" in run("user", "role", "ada@example.org", "editor", code=1).stderr
    add(run, "bo@example.org")
    run("user", "role", "ada@example.org", "editor")


def test_a_lower_role_ends_what_a_former_owner_made(run: Run, environment: dict[str, str]) -> None:
    add(run)
    add(run, "bo@example.org")
    with make_app(environment) as app, app.app_context():
        tools, bo = app.extensions["tools"], User.by_email("bo@example.org")
        assert bo is not None
        manage.subscribe("http://127.0.0.1:9/told", ["*"], "", None, tools, bo.id)
        _, text = api_keys.create("laptop", ["all"], None, utc_now(), created_by=bo.id)
        users.invite("owner", "Eve", utc_now(), bo.id)
    run("user", "role", "bo@example.org", "editor")
    assert rows(run("user", "invitations", "--json")) == []
    with make_app(environment) as app, app.app_context():
        assert [hook.disabled_reason for hook in db.session.query(Webhook)] == ["orphaned"]
        headers = {"Authorization": f"Bearer {text}"}
        answers = [app.test_client().get(f"/api/v1/{path}", headers=headers) for path in ("posts", "keys")]
        assert [answer.status_code for answer in answers] == [200, 403]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("user", "add", "ada@example.org", "--name", "Ada"), 1, "easy to guess"),
        (("user", "add", "ada", "--name", " ", "--zone", "Berlin"), 1, "did you mean Europe/Berlin"),
        (("user", "add", "ada@example.org"), 2, "Missing option"),
        (("user", "role", "ada@example.org", "king"), 2, "is not one of"),
        (("user", "remove", "ada@example.org"), 1, "There is no user with the e-mail address"),
        (("user", "password", "ada@example.org"), 1, "There is no user with the e-mail address"),
        (("user", "invitations", "--take-back", "inv_no"), 1, "already been used or revoked"),
    ],
)
def test_errors_give_the_reason(run: Run, words: tuple[str, ...], code: int, told: str) -> None:
    assert told in run(*words, code=code, stdin="ada@example.org\n").stderr


def test_a_locked_out_user_gets_a_new_password_and_no_two_factor_codes(run: Run, environment: dict[str, str]) -> None:
    add(run)
    with make_app(environment) as app, app.app_context():
        tools: Tools = app.extensions["tools"]
        session, _ = accounts.sign_in("ada@example.org", GOOD, "", "", utc_now())
        totp.begin(session.user, tools.vault)
        told = totp.enrollment(session.user, tools.vault)
        assert told is not None
        totp.confirm(session, pyotp.TOTP(told.secret).now(), tools.vault, utc_now())
    (row,) = rows(run("user", "list", "--json"))
    assert (row["codes"], row["sessions"]) == ("on", 1)

    run("user", "password", "ada@example.org", stdin=f"{BETTER}\n")
    (row,) = rows(run("user", "list", "--json"))
    assert (row["codes"], row["sessions"]) == ("on", 0)

    assert (
        "turned off two-factor codes"
        in run("user", "password", "ada@example.org", "--totp-off", stdin=f"{BETTER}\n").stdout
    )
    with make_app(environment) as app, app.app_context():
        session, _ = accounts.sign_in("ada@example.org", BETTER, "", "", utc_now())
        assert not session.awaits_code
    assert "out of 1 session." in run("user", "sign-out", "ada@example.org").stdout


def test_a_user_who_lost_the_only_passkey_gets_a_new_password_and_no_passkeys(
    run: Run, environment: dict[str, str]
) -> None:
    add(run)
    with make_app(environment) as app, app.app_context():
        user = User.by_email("ada@example.org")
        assert user is not None
        with transaction():
            Passkey.add(user, b"id", b"credential", 0, "Phone", utc_now())
    run("user", "password", "ada@example.org", stdin=f"{GOOD}\n")
    assert rows(run("user", "list", "--json"))[0]["passkeys"] == 1
    done = run("user", "password", "ada@example.org", "--passkeys-off", stdin=f"{BETTER}\n")
    assert "Removed the passkeys of ada@example.org." in done.stdout
    assert rows(run("user", "list", "--json"))[0]["passkeys"] == 0


def test_the_setup_link_is_available_until_the_first_user_exists(run: Run) -> None:
    first, second = (run("user", "setup-link").stdout for _ in range(2))
    assert first.startswith("http://127.0.0.1:8000/setup/")
    assert first != second
    add(run)
    assert "already set up" in run("user", "setup-link", code=1).stderr


def test_invite_prints_only_the_link_on_stdout_and_can_be_revoked(run: Run) -> None:
    result = run("user", "invite", "--role", "editor", "--note", "Bo")
    assert result.stdout.startswith("http://127.0.0.1:8000/login/invite/")
    assert "Valid for one use" in result.stderr
    (row,) = rows(run("user", "invitations", "--json"))
    assert (row["role"], row["note"]) == ("editor", "Bo")
    assert rows(run("user", "invitations", "--take-back", row["id"], "--json")) == []


def test_a_password_hash_with_old_parameters_is_upgraded_at_sign_in(run: Run, environment: dict[str, str]) -> None:
    from argon2 import PasswordHasher

    add(run)
    with make_app(environment) as app, app.app_context():
        from blogsvc.models import transaction

        ada = User.by_email("ada@example.org")
        assert ada is not None
        with transaction():
            ada.password_hash = old = PasswordHasher(time_cost=1, memory_cost=8192).hash(GOOD)
        accounts.sign_in("ada@example.org", GOOD, "", "", utc_now() + timedelta(seconds=1))
        assert ada.password_hash != old
        assert not passwords.is_outdated(ada.password_hash)
        accounts.sign_in("ada@example.org", GOOD, "", "", utc_now())
