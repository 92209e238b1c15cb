"""Each user can switch the e-mails off, and owners can test them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask

from blogsvc.context import Tools, attach
from blogsvc.lib.net.smtp import Mailer
from blogsvc.models import User
from tests.mail_server import MailServer
from tests.web.page_walk import Pages

PROFILE = "/desk/settings/profile"
TEST = f"{PROFILE}/notices/test"
Somebody = Callable[..., User]
BrowserOf = Callable[[User], Pages]


def section(page: str) -> str:
    """Return the part of the profile about notices."""
    return page.partition("<h2>Notices</h2>")[2].partition("</section>")[0]


def test_the_emails_are_on_by_default_and_can_be_switched_off(pages: Pages) -> None:
    assert "checked" in section(pages.get(PROFILE).text)
    assert pages.post(f"{PROFILE}/notices").headers["Location"] == PROFILE
    assert "checked" not in section(pages.get(PROFILE).text)
    pages.post(f"{PROFILE}/notices", notices="y")
    assert "checked" in section(pages.get(PROFILE).text)


def test_the_profile_form_keeps_the_choice(pages: Pages) -> None:
    pages.post(f"{PROFILE}/notices")
    pages.post(PROFILE, name="Ann", time_zone="UTC", scheme="dark")
    assert "checked" not in section(pages.get(PROFILE).text)


def test_an_owner_sends_a_test_email_to_their_own_address(pages: Pages, server: MailServer) -> None:
    page = pages.post(TEST, follow=True).text
    assert "The mail server accepted a test e-mail to ann@blog.example." in page
    (message,) = server.accepted
    assert message["Subject"] == "Test e-mail - A blog"


def test_the_test_shows_why_it_failed(pages: Pages, server: MailServer) -> None:
    server.reply = "554 <b>Not today</b>"
    page = pages.post(TEST, follow=True).text
    assert "The test e-mail was not sent. 127.0.0.1 rejected the e-mail (554 &lt;b&gt;Not today&lt;/b&gt;)." in page
    server.stop()
    assert "Check BLOGSVC_SMTP_HOST and BLOGSVC_SMTP_PORT." in pages.post(TEST, follow=True).text


@pytest.mark.parametrize("role", ["author", "editor"])
def test_only_owners_send_test_emails(
    role: str, somebody: Somebody, browser_of: BrowserOf, server: MailServer, owner: User
) -> None:
    browser = browser_of(somebody(role, "Ben"))
    assert "Send a test e-mail" not in browser.get(PROFILE).text
    assert browser.post(TEST).status_code == 403
    assert server.accepted == []


def test_without_a_mail_server_the_page_says_how_an_operator_sets_it_up(pages: Pages, app: Flask, tools: Tools) -> None:
    attach(app, replace(tools, mailer=Mailer()))
    found = section(pages.get(PROFILE).text)
    assert "BLOGSVC_SMTP_HOST" in found
    assert "<form" not in found
    assert "E-mail is not set up." in pages.post(TEST, follow=True).text
