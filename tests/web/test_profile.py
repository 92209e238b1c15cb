"""The profile: personal settings; sign-in methods only after a recent sign-in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyotp
import pytest
from flask import Flask

from blogsvc.models import Session, User, db
from tests.clock import Time
from tests.conftest import Visitor
from tests.web.conftest import PASSWORD
from tests.web.page_walk import Pages

PROFILE = "/desk/settings/profile"
YOU = {"name": "Ann", "time_zone": "Europe/Berlin", "scheme": "", "shortcuts": "y"}
BrowserOf = Callable[[User], Pages]


def test_name_time_zone_and_preferences_can_be_changed(pages: Pages, owner: User) -> None:
    assert "data-shortcuts" in pages.get("/desk").text
    told = {"name": "Ann B.", "time_zone": "Asia/Tokyo", "scheme": "dark"}
    assert "Profile saved." in pages.post(PROFILE, follow=True, **told).text
    page = pages.get("/desk").text
    assert 'data-scheme="dark"' in page
    assert "data-shortcuts" not in page
    ann = User.get(owner.id)
    db.session.refresh(ann)
    assert (ann.name, ann.time_zone) == ("Ann B.", "Asia/Tokyo")
    form = pages.get(PROFILE).text
    assert '<option selected value="Asia/Tokyo">' in form
    assert 'id="shortcuts" name="shortcuts" type="checkbox" value="y">' in form


def test_a_name_may_contain_the_joiners_of_its_script(pages: Pages, owner: User) -> None:
    name = "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627"
    pages.post(PROFILE, **YOU | {"name": name})
    db.session.expire_all()
    assert User.get(owner.id).name == name


def test_a_deprecated_time_zone_name_is_kept(pages: Pages) -> None:
    pages.post(PROFILE, **YOU | {"time_zone": "CET"})
    assert '<option selected value="CET">' in pages.get(PROFILE).text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"name": ""}, "Enter your name"),
        ({"name": " "}, "1 to 100 characters"),
        ({"name": "x" * 101}, "1 to 100 characters"),
        ({"name": "a\u0085b"}, "1 to 100 characters"),
        ({"time_zone": "Europe/Berln"}, "did you mean Europe/Berlin"),
        ({"scheme": "pink"}, "Not a valid choice"),
    ],
)
def test_invalid_profile_fields_show_an_error(pages: Pages, said: dict[str, Any], told: str) -> None:
    answer = pages.post(PROFILE, **YOU | said)
    assert answer.status_code == 422
    assert told in answer.text


def test_changing_the_email_address_changes_the_sign_in(
    pages: Pages, visitor: Pages, somebody: Callable[..., User]
) -> None:
    somebody("author", "Ben")
    assert "already" in pages.post(f"{PROFILE}/email", email="Ben@Blog.example").text
    assert pages.post(f"{PROFILE}/email", email="nonsense").status_code == 422
    assert pages.post(f"{PROFILE}/email", email="ANN@new.example").status_code == 303
    assert pages.post(f"{PROFILE}/email", email="ann@new.example").status_code == 303, "the own address is no conflict"
    assert visitor.post("/login", email="ann@blog.example", password=PASSWORD).status_code == 422
    assert visitor.post("/login", email="ann@new.example", password=PASSWORD).status_code == 303


def test_a_new_password_ends_every_other_session(
    pages: Pages, owner: User, browser_of: BrowserOf, visitor: Pages
) -> None:
    other = browser_of(owner)
    assert other.get("/desk").status_code == 200
    assert pages.post(f"{PROFILE}/password", password="short").status_code == 422
    assert (
        "1 other browser is signed out"
        in pages.post(f"{PROFILE}/password", password="a new one, ann", follow=True).text
    )
    assert (pages.get("/desk").status_code, other.get("/desk").status_code) == (200, 303)
    assert visitor.post("/login", email=owner.email, password=PASSWORD).status_code == 422
    assert visitor.post("/login", email=owner.email, password="a new one, ann").status_code == 303


def test_two_factor_codes_are_enabled_after_the_first_correct_code(pages: Pages, owner: User, time: Time) -> None:
    assert pages.get(f"{PROFILE}/codes").status_code == 303, "nothing was started"
    page = pages.post(f"{PROFILE}/codes", follow=True).text
    secret = re.search(r'data-copy="([A-Z2-7]{32})"', page)
    assert secret is not None
    assert "<svg" in page
    assert "style=" not in page
    assert pages.post(f"{PROFILE}/codes/first", code="000000").status_code == 422
    assert not User.get(owner.id).asks_for_code
    totp = pyotp.TOTP(secret[1])
    shown = pages.post(f"{PROFILE}/codes/first", code=totp.generate_otp(totp.timecode(time()))).text
    first = re.findall(r"<li><code>([\w-]+)</code>", shown)
    assert len(set(first)) == 10
    assert pages.get(f"{PROFILE}/codes").status_code == 303, "the secret is shown to nobody again"
    assert pages.post(f"{PROFILE}/codes").status_code == 409

    second = re.findall(r"<li><code>([\w-]+)</code>", pages.post(f"{PROFILE}/codes/recovery").text)
    assert not set(first) & set(second)
    assert pages.post(f"{PROFILE}/codes/off").status_code == 303
    db.session.expire_all()
    assert not User.get(owner.id).asks_for_code
    assert pages.post(f"{PROFILE}/codes/recovery").status_code == 409


def test_sessions_are_listed_and_can_be_ended_one_by_one_or_all_others(
    pages: Pages, owner: User, browser_of: BrowserOf, somebody: Callable[..., User], app: Flask
) -> None:
    others = [browser_of(owner) for _ in range(3)]
    assert pages.get(PROFILE).text.count(">Sign out<span") == 4
    with others[0].client.session_transaction() as cookie:
        one = Session._by(cookie["token"])
    assert one is not None
    eve = browser_of(somebody("owner", "Eve"))
    assert eve.post(f"{PROFILE}/sessions/{one.id}/end").status_code == 404
    assert pages.post(f"{PROFILE}/sessions/{one.id}/end").status_code == 303
    assert [other.get("/desk").status_code for other in others] == [303, 200, 200]
    pages.post(f"{PROFILE}/sessions/end")
    assert [other.get("/desk").status_code for other in others] == [303, 303, 303]
    assert (pages.get("/desk").status_code, eve.get("/desk").status_code) == (200, 200)


def test_the_current_session_can_be_ended(pages: Pages) -> None:
    section = pages.get(PROFILE).text.partition("<h2>Sessions</h2>")[2]
    (ours,) = re.findall(r'action="([^"]+)"', section)
    assert pages.post(ours).headers["Location"] == "/login"
    assert pages.get("/desk").status_code == 303


def test_the_profile_requires_signing_in(app: Flask, owner: User) -> None:
    assert Pages(Visitor(app)).get(PROFILE).headers["Location"].startswith("/login?next=/desk/settings/profile")
