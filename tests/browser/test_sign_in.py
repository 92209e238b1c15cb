"""Sign-in, profile and users in a real browser: two-factor codes, a passkey of a virtual device, an invitation."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pyotp
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from blogsvc.auth import accounts, second_factor
from blogsvc.models import RecoveryCode, Session, User, transaction
from blogsvc.models.session import REAUTHENTICATION_LASTS
from tests.browser.conftest import PASSWORD, Desk

Look = Callable[..., None]
OpenBrowser = Callable[..., BrowserContext]
PROFILE = "/desk/settings/profile"


def somebody(desk: Desk, name: str) -> str:
    """Create a user for one test and return the e-mail address."""
    email = f"{name.lower()}@blog.example"
    with desk.app() as (_, tools):
        accounts.add_user(email, name, PASSWORD, "editor", "Europe/Berlin", tools.now())
    return email


def sign_in(page: Page, email: str, home: str = "") -> None:
    page.goto(f"{home}/login")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def a_while_ago(desk: Desk, email: str) -> None:
    """Make the sign-in of this user too old for sensitive changes."""
    with desk.app() as (_, tools), transaction():
        user = User.by_email(email)
        assert user is not None
        for session in Session.all_of(user, tools.now()):
            session.reauthenticated_at -= REAUTHENTICATION_LASTS


def next_code(secret: str) -> str:
    """Return the code of the next half minute, which is already valid and still unused."""
    return pyotp.TOTP(secret).at(int(time.time()), counter_offset=1)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_two_factor_codes_can_be_set_up_used_and_disabled(
    open_browser: OpenBrowser, desk: Desk, look: Look, scripts: bool
) -> None:
    email = somebody(desk, f"Cod{scripts}")
    page = open_browser(None, scripts=scripts).new_page()
    sign_in(page, email)
    page.goto(PROFILE)
    page.get_by_role("button", name="Set up two-factor codes").click()
    page.get_by_label("6-digit code").fill("000000")
    page.get_by_role("button", name="Turn on two-factor codes").click()
    expect(page.get_by_text("Wrong, expired or used code")).to_be_visible()
    secret = page.locator(".secret code").inner_text().replace(" ", "").strip()
    if scripts:
        look(page, "codes-setup")
    page.get_by_label("6-digit code").fill(pyotp.TOTP(secret).now())
    page.get_by_role("button", name="Turn on two-factor codes").click()
    expect(page.get_by_role("heading", name="Save your recovery codes")).to_be_visible()
    codes = page.locator(".codes code").all_inner_texts()
    assert len(codes) == 10
    if scripts:
        look(page, "codes-recovery")
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_text("You have 10 recovery codes left")).to_be_visible()
    if scripts:
        look(page, "profile-codes")

    fresh = open_browser(None, scripts=scripts).new_page()
    sign_in(fresh, email)
    expect(fresh.get_by_role("heading", name="Enter your two-factor code")).to_be_visible()
    if scripts:
        look(fresh, "login-code")
    fresh.get_by_label("Code").fill(next_code(secret))
    fresh.get_by_role("button", name="Continue").click()
    expect(fresh).to_have_url(f"{desk.url}/desk")

    lost = open_browser(None, scripts=scripts).new_page()
    sign_in(lost, email)
    lost.get_by_label("Code").fill(codes[0])
    lost.get_by_role("button", name="Continue").click()
    expect(lost).to_have_url(f"{desk.url}/desk")
    lost.goto(PROFILE)
    lost.get_by_role("button", name="Turn off two-factor codes").click()
    expect(lost.get_by_text("Two-factor codes are off")).to_be_visible()
    with desk.app():
        user = User.by_email(email)
        assert user is not None
        assert (user.asks_for_code, RecoveryCode.left(user)) == (False, 0)


def test_a_passkey_can_be_added_and_used_to_sign_in(
    chromium: Browser, desk: Desk, open_browser: OpenBrowser, look: Look
) -> None:
    email = somebody(desk, "Pat")
    page = open_browser(None).new_page()
    sign_in(page, email)
    page.goto(PROFILE)
    expect(page.get_by_text("Passkeys work on one address only")).to_be_visible()

    # Browsers do not accept IP addresses for passkeys; localhost is the same server.
    home = f"http://localhost:{desk.server.port}"
    page = open_browser(None).new_page()
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    device = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    held = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": device})["authenticatorId"]
    sign_in(page, email, home)
    page.goto(f"{home}{PROFILE}")
    page.get_by_label("Name of the new passkey").fill("This laptop")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_text("This laptop is added")).to_be_visible()
    assert len(devtools.send("WebAuthn.getCredentials", {"authenticatorId": held})["credentials"]) == 1
    page.get_by_label("Name of the new passkey").fill("The same again")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_text("This device already has one of your passkeys")).to_be_visible()
    page.locator("summary", has_text="Change").last.click()
    look(page, "profile-passkey")

    page.get_by_role("button", name="settings and sign-out").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page).to_have_url(f"{home}/login")
    page.goto(f"{home}/login?next={PROFILE}")
    look(page, "login-passkey")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_url(f"{home}{PROFILE}")
    expect(page.get_by_text("last used")).to_be_visible()

    page.get_by_label("Edit This laptop").click()
    page.get_by_role("textbox", name="Name of the passkey").fill("My laptop")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_text("My laptop", exact=True)).to_be_visible()
    a_while_ago(desk, email)
    page.get_by_label("Edit My laptop").click()
    page.locator("#passkeys").get_by_role("button", name="Remove").click()
    look(page, "confirm-passkey")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("Passkey removed")).to_be_visible()
    a_while_ago(desk, email)
    page.get_by_label("Name of the new passkey").fill("Another")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_role("heading", name="Confirm it's you")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    expect(page).to_have_url(re.compile(re.escape(PROFILE)))


def test_a_password_change_asks_for_the_password_and_ends_other_sessions(
    open_browser: OpenBrowser, desk: Desk, look: Look
) -> None:
    email = somebody(desk, "Cleo")
    other = open_browser(email).new_page()
    page = open_browser(email).new_page()
    page.goto(PROFILE)
    look(page, "profile")
    page.get_by_text("Password Change").click()
    look(page, "profile-open")
    a_while_ago(desk, email)
    page.get_by_label("New password").fill("another ferry, less fog")
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_role("heading", name="Confirm it's you")).to_be_visible()
    look(page, "confirm")
    page.get_by_label("Password").fill("a wrong guess")
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("Wrong password")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("1 other browser is signed out")).to_be_visible()
    other.goto("/desk")
    expect(other).to_have_url(f"{desk.url}/login?next=/desk")


def test_a_user_can_be_invited_join_and_be_removed(open_browser: OpenBrowser, desk: Desk, look: Look) -> None:
    page = open_browser().new_page()
    page.goto("/desk/settings/users")
    page.get_by_label("Role").last.select_option("author")
    page.get_by_label("Name").fill("Dora")
    page.get_by_role("button", name="Create invitation link").click()
    link = page.locator("#link").inner_text()
    look(page, "users-link")

    joining = open_browser(None, timezone_id="Asia/Tokyo").new_page()
    joining.goto(link)
    expect(joining.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
    look(joining, "invited")
    joining.get_by_label("Your name").fill("Dora")
    joining.get_by_label("E-mail").fill("dora@blog.example")
    joining.get_by_label("Password").fill("a lamp in the harbour")
    joining.get_by_role("button", name="Create account").click()
    expect(joining).to_have_url(f"{desk.url}/desk")

    page.goto("/desk/settings/users")
    page.get_by_label("Edit Dora").click()
    look(page, "users")
    page.get_by_role("button", name="Sign out everywhere Dora").click()
    expect(page.get_by_text("Dora is signed out of 1 browser")).to_be_visible()
    joining.goto("/desk")
    expect(joining).to_have_url(f"{desk.url}/login?next=/desk")
    page.get_by_label("Edit Dora").click()
    page.get_by_role("button", name="Remove user Dora").click()
    expect(page.get_by_text("Dora is removed")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_required_second_factor_leads_to_its_setup(
    open_browser: OpenBrowser, desk: Desk, look: Look, scripts: bool
) -> None:
    email = somebody(desk, f"Fay{scripts}")
    with desk.app():
        second_factor.require(True)
    try:
        page = open_browser(email, scripts=scripts).new_page()
        page.goto("/desk/calendar")
        expect(page.get_by_role("heading", name="Set up a second factor")).to_be_visible()
        if scripts:
            look(page, "second-factor")
        page.get_by_role("button", name="Set up two-factor codes").click()
        secret = page.locator(".secret code").inner_text().replace(" ", "").strip()
        page.get_by_label("6-digit code").fill(pyotp.TOTP(secret).now())
        page.get_by_role("button", name="Turn on two-factor codes").click()
        expect(page.get_by_role("heading", name="Save your recovery codes")).to_be_visible()
        page.goto("/desk/calendar")
        expect(page).to_have_url(f"{desk.url}/desk/calendar")
    finally:
        with desk.app():
            second_factor.require(False)
