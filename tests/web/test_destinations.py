"""The pages of destinations: contents, permissions, and secrets that are never shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from blogsvc.config import ROOT
from blogsvc.connectors import connectors
from blogsvc.context import Tools
from blogsvc.models import Connection, Post, Setting, User, db, transaction
from tests.api.hooks import SECRET, secret_of
from tests.clock import Time
from tests.connectors.fake_mastodon import SERVER, TOKEN, FakeMastodon
from tests.outside import Outside
from tests.web.page_walk import Pages

LIST = "/desk/settings/destinations"
Connect = Callable[..., str]
HOSTILE = '"><script>alert(1)</script>'


def page_text(page: str) -> str:
    """Return the text of a page."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2])).split())


def reload_connection(name: str) -> Connection:
    db.session.rollback()
    db.session.expire_all()
    return Connection.named(name)


def test_the_built_in_blog_is_listed_first_and_every_connector_is_offered(pages: Pages) -> None:
    page = pages.get(LIST).text
    assert "This blog blog.example" in page_text(page)
    for key, kind in connectors().items():
        assert (f'href="{LIST}/new/{key}"' in page) is not kind.is_local


@pytest.mark.parametrize("key", sorted(key for key, kind in connectors().items() if not kind.is_local))
def test_the_form_of_a_connector_shows_its_fields_and_limitations(key: str, pages: Pages) -> None:
    kind = connectors()[key]
    answer = pages.get(f"{LIST}/new/{key}")
    words = page_text(answer.text)
    for field in kind.fields:
        assert f'name="settings/{field.name}"' in answer.text
        assert field.label in words
        assert " ".join(field.help.rstrip(".").split()) in words
        if field.secret and not field.lines:
            assert re.search(rf'type="password"[^>]*|name="settings/{field.name}"', answer.text)
    assert all(" ".join(limitation.split()) in words for limitation in kind.limitations)
    assert not kind.docs or f'href="{kind.docs}"' in answer.text
    assert answer.status_code == 200


def test_an_account_can_be_connected_and_named(pages: Pages, outside: Outside, tools: Tools) -> None:
    FakeMastodon(outside)
    answer = pages.post(
        f"{LIST}/new/mastodon", **{"settings/url": SERVER, "settings/token": TOKEN, "name": "mastodon"}, follow=True
    )
    assert answer.request.path == "/desk/waiting/mastodon"
    assert "Mastodon is connected @ada@social.example" in page_text(answer.text)
    assert TOKEN not in answer.text
    assert reload_connection("mastodon").settings == {"url": SERVER}


def test_an_address_without_a_scheme_gets_https(pages: Pages, outside: Outside) -> None:
    FakeMastodon(outside)
    host = SERVER.removeprefix("https://")
    form = {"settings/url": host, "settings/token": TOKEN, "name": "mastodon"}
    assert pages.post(f"{LIST}/new/mastodon", **form).status_code == 303
    assert reload_connection("mastodon").settings == {"url": SERVER}


def test_a_rejected_credential_shows_the_error_at_its_field_and_stores_nothing(pages: Pages, outside: Outside) -> None:
    FakeMastodon(outside)
    form = {"settings/url": SERVER, "settings/token": "wr0ng", "name": "mastodon"}
    answer = pages.post(f"{LIST}/new/mastodon", **form)
    assert answer.status_code == 422
    fault = re.search(r'<p class="err" id="settings/token-fault">([^<]+)</p>', answer.text)
    assert fault
    assert fault[1].startswith("Mastodon doesn&#39;t accept this access token. It has 5 characters")
    assert f'value="{SERVER}"' in answer.text
    assert re.search(r'<input[^>]* autofocus[^>]* name="settings/token"', answer.text)
    assert Connection.all() == []


@pytest.mark.parametrize(
    "entered", ["@ada@social.example", "ada@social.example", f"{SERVER}/@ada", "social.example/@ada"]
)
def test_a_handle_or_a_profile_is_taken_as_its_server(pages: Pages, outside: Outside, entered: str) -> None:
    FakeMastodon(outside)
    form = {"settings/url": entered, "settings/token": TOKEN, "name": "mastodon"}
    assert pages.post(f"{LIST}/new/mastodon", **form).status_code == 303
    assert reload_connection("mastodon").settings == {"url": SERVER}


@pytest.mark.parametrize(
    ("token", "told"),
    [
        ("k" * 41, "access token. It has 41 characters, a Mastodon access token has 43. Copy it again."),
        (" k ", "access token. It has 1 character, a Mastodon access token has 43. Copy it again."),
        ("k" * 43, "Mastodon doesn't accept this access token. Copy it again."),
    ],
)
def test_a_rejected_token_of_another_length_is_told_its_length(
    pages: Pages, outside: Outside, token: str, told: str
) -> None:
    FakeMastodon(outside)
    form = {"settings/url": SERVER, "settings/token": token, "name": "mastodon"}
    assert told in unescape(pages.post(f"{LIST}/new/mastodon", **form).text)


def test_a_token_of_another_length_that_the_server_accepts_is_not_refused(pages: Pages, outside: Outside) -> None:
    FakeMastodon(outside)
    assert len(TOKEN) != 43
    form = {"settings/url": SERVER, "settings/token": TOKEN, "name": "mastodon"}
    assert pages.post(f"{LIST}/new/mastodon", **form).status_code == 303


def test_an_unavailable_platform_shows_the_error_above_the_form(pages: Pages, outside: Outside) -> None:
    outside.teach("POST", "https://hook.example/in", failure="hangs")
    answer = pages.post(
        f"{LIST}/new/webhook", **{"settings/url": "https://hook.example/in", "name": "hook", "settings/secret": SECRET}
    )
    assert answer.status_code == 422
    assert "Nothing was saved. Try again later." in answer.text


def test_an_address_where_no_server_answers_is_an_error_beside_its_field(pages: Pages, outside: Outside) -> None:
    outside.teach("POST", "https://hook.example/in", failure="refused")
    answer = pages.post(
        f"{LIST}/new/webhook", **{"settings/url": "https://hook.example/in", "name": "hook", "settings/secret": SECRET}
    )
    assert answer.status_code == 422
    assert re.search(r'id="settings/url-fault">[^<]*hook.example could not be reached', answer.text)


def test_a_secret_that_was_typed_stays_after_a_failure(pages: Pages, outside: Outside) -> None:
    outside.teach("POST", "https://hook.example/in", failure="refused")
    form = {"settings/url": "https://hook.example/in", "name": "hook", "settings/secret": SECRET}
    answer = pages.post(f"{LIST}/new/webhook", **form)
    assert re.search(f'type="password" value="{SECRET}"', answer.text)
    assert answer.headers["Cache-Control"] == "no-store"


def test_all_errors_of_a_form_are_shown_at_once(pages: Pages) -> None:
    answer = pages.post(f"{LIST}/new/wordpress", name="wordpress")
    assert answer.status_code == 422
    assert [f'id="settings/{name}-fault"' in answer.text for name in ("url", "username", "password")] == [True] * 3


@pytest.mark.parametrize("text", ["x" * 10_001, "a\x00b"])
def test_an_invalid_setting_is_rejected(text: str, pages: Pages) -> None:
    answer = pages.post(f"{LIST}/new/webhook", **{"settings/url": text, "name": "hook"})
    assert answer.status_code == 422
    assert 'id="settings/url-fault"' in answer.text


@pytest.mark.parametrize("name", ["site", "Capital", "", "a b", HOSTILE])
def test_an_invalid_name_shows_the_error_at_its_field(name: str, pages: Pages, outside: Outside) -> None:
    outside.teach("POST", "https://hook.example/in", status=200)
    answer = pages.post(f"{LIST}/new/webhook", **{"settings/url": "https://hook.example/in", "name": name})
    assert answer.status_code == 422
    assert 'id="name-fault"' in answer.text
    assert HOSTILE not in answer.text


def test_a_second_connection_is_offered_an_unused_name(pages: Pages, connect: Connect) -> None:
    connect("webhook")
    assert 'value="webhook-2"' in pages.get(f"{LIST}/new/webhook").text


def test_a_generated_secret_is_shown_once(pages: Pages, outside: Outside, tools: Tools) -> None:
    outside.teach("POST", "https://hook.example/in", status=200)
    answer = pages.post(f"{LIST}/new/webhook", **{"settings/url": "https://hook.example/in", "name": "hook"})
    secret = secret_of("hook", tools)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    assert secret in answer.text
    for path in ("", "/hook/reconnect", "/hook/rename", "/hook/disconnect", "/new/webhook"):
        assert secret not in pages.get(LIST + path).text


def test_account_names_and_errors_from_a_platform_are_escaped(pages: Pages, connect: Connect, outside: Outside) -> None:
    connect()
    with transaction():
        row = Connection.named("hook")
        row.account, row.account_url, row.last_error = HOSTILE, "https://a.example/?q=" + HOSTILE, HOSTILE
    for path in ("", "/hook/reconnect", "/hook/rename", "/hook/disconnect"):
        assert "<script>alert" not in pages.get(LIST + path).text
    with transaction():
        Connection.named("hook").account_url = "javascript:alert(1)"
    assert "javascript:" not in pages.get(LIST).text


def test_reconnecting_keeps_secrets_that_are_left_empty(
    pages: Pages, connect: Connect, outside: Outside, tools: Tools
) -> None:
    connect()
    before = secret_of("hook", tools)
    outside.teach("POST", "https://hook.example/new", status=200)
    form = {"settings/url": "https://hook.example/new", "settings/headers": "X-Pass: sesame"}
    answer = pages.post(f"{LIST}/hook/reconnect", **form)
    assert (answer.status_code, answer.headers["Location"]) == (303, LIST)
    assert secret_of("hook", tools) == before
    assert reload_connection("hook").settings["url"] == "https://hook.example/new"
    pages.post(f"{LIST}/hook/reconnect", **{"settings/url": "https://hook.example/new"})
    assert outside.requests[-1].headers["X-Pass"] == "sesame"
    forgotten = {"settings/url": "https://hook.example/new", "forget/headers": "y"}
    pages.post(f"{LIST}/hook/reconnect", **forgotten)
    assert "X-Pass" not in outside.requests[-1].headers


def test_reconnecting_with_another_account_says_so(
    pages: Pages, connect: Connect, outside: Outside, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    connect()
    a_post(live=True, platforms=["hook"])
    tick()
    outside.teach("POST", "https://new.example/in", status=200)
    form = {"settings/url": "https://new.example/in", "settings/secret": SECRET}
    answer = pages.post(f"{LIST}/hook/reconnect", **form, follow=True)
    assert "The account changed from hook.example to new.example" in unescape(answer.text)


def test_testing_a_connection_shows_what_broke_and_how_to_fix_it(
    pages: Pages, connect: Connect, outside: Outside, a_post: Callable[..., Post]
) -> None:
    connect()
    outside.always(status=410)
    answer = pages.post(f"{LIST}/hook/verify", follow=True)
    assert "has disabled this webhook" in answer.text
    assert reload_connection("hook").health == "disconnected"
    assert 'class="btn btn-small" href="/desk/settings/destinations/hook/reconnect"' in answer.text
    outside.always()
    fragment = pages.post(f"{LIST}/hook/verify", headers={"HX-Request": "true", "HX-Request-Type": "partial"})
    assert fragment.text.lstrip().startswith('<li class="dest conn" id="destination-hook">')
    assert "hook works. Account: hook.example." in fragment.text


def test_a_destination_with_a_wrong_address_says_when_it_is_checked_again(
    pages: Pages, connect: Connect, outside: Outside
) -> None:
    connect()
    outside.always(status=404)
    answer = pages.post(f"{LIST}/hook/verify", follow=True)
    assert "We'll test the connection again automatically:" in answer.text
    assert "We'll test the connection again automatically:" in pages.get("/desk").text


def test_a_connection_of_an_uninstalled_connector_can_be_disconnected(pages: Pages, connect: Connect) -> None:
    connect()
    with transaction():
        Connection.named("hook").connector = "friendster"
    assert "isn't installed" in pages.get(LIST).text
    assert pages.get(f"{LIST}/hook/reconnect").status_code == 404
    assert pages.get(f"{LIST}/hook/disconnect").status_code == 200
    assert pages.post(f"{LIST}/hook/disconnect").status_code == 303


def test_default_destinations_can_be_chosen(pages: Pages, connect: Connect) -> None:
    def usual() -> list[str]:
        db.session.rollback()
        db.session.expire_all()
        return Setting.read("default_platforms")

    connect()
    pages.post(f"{LIST}/hook/default", selected="1")
    assert usual() == ["site", "hook"]
    pages.post(f"{LIST}/site/default")
    assert usual() == ["hook"]
    assert pages.post(f"{LIST}/nowhere/default", selected="1").status_code == 422
    pages.post(f"{LIST}/hook/default")
    assert usual() == []


def test_a_connection_used_by_posts_cannot_be_renamed(
    pages: Pages, connect: Connect, a_post: Callable[..., Post]
) -> None:
    connect()
    assert pages.post(f"{LIST}/hook/rename", name="told").status_code == 303
    assert pages.post(f"{LIST}/told/rename", name="site").status_code == 422
    a_post(platforms=["told"])
    assert "because posts use this name" in pages.get(f"{LIST}/told/rename").text
    assert pages.post(f"{LIST}/told/rename", name="other").status_code == 409


def test_disconnecting_says_how_many_copies_stay(
    pages: Pages, connect: Connect, a_post: Callable[..., Post], tick: Callable[[], None], time: Time
) -> None:
    connect()
    for _ in range(2):
        a_post(live=True, platforms=["hook"])
    tick()
    assert "2 copies stay on Webhook. Your edits will no longer update them" in page_text(
        pages.get(f"{LIST}/hook/disconnect").text
    )
    pages.post(f"{LIST}/hook/withdraw")
    waiting = pages.fragment(f"{LIST}/hook/disconnect").text
    assert "2 deliveries are" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    tick()
    settled = pages.fragment(f"{LIST}/hook/disconnect").text
    assert "There are no copies on" in settled
    assert "hx-trigger" not in settled
    pages.post(f"{LIST}/hook/disconnect")
    db.session.rollback()
    assert Connection.all() == []


def test_a_platform_that_cannot_unpublish_says_so(
    pages: Pages, outside: Outside, a_post: Callable[..., Post], tools: Tools, connect: Connect
) -> None:
    connect()
    a_post(live=True, platforms=["hook"])
    with transaction():
        Connection.named("hook").connector = "slack-hook"
    assert "can't be unpublished from here" in pages.get(f"{LIST}/hook/disconnect").text
    assert pages.post(f"{LIST}/hook/withdraw").status_code == 409


@pytest.mark.parametrize("path", ["/site/rename", "/site/disconnect", "/site/reconnect"])
def test_the_built_in_blog_cannot_be_changed_or_disconnected(path: str, pages: Pages) -> None:
    assert pages.get(LIST + path).status_code == 409


@pytest.mark.parametrize("path", ["/nowhere/rename", "/nowhere/disconnect", "/nowhere/reconnect", "/new/friendster"])
def test_an_unknown_connection_returns_404(path: str, pages: Pages) -> None:
    assert pages.get(LIST + path).status_code == 404


def test_an_editor_sees_connections_without_actions(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], connect: Connect
) -> None:
    connect()
    page = browser_of(somebody("editor")).get(LIST).text
    assert "hook.example" in page
    assert 'method="post"' not in page.partition("<main")[2]
    assert f"{LIST}/" not in page.partition("<main")[2]


def test_every_platform_icon_used_exists() -> None:
    sprite = next(Path(ROOT / "static/vendor").glob("simple-icons@*")) / "platforms.svg"
    named = re.search(r"set drawn = \[(.*?)\]", (ROOT / "templates/desk/_platform.html").read_text(), re.DOTALL)
    assert named
    drawn = set(re.findall(r'<symbol id="([^"]+)"', sprite.read_text()))
    assert set(re.findall(r'"([^"]+)"', named[1])) == drawn
    assert drawn <= set(connectors())


def test_the_list_says_what_each_platform_takes_and_why_some_are_not_supported(pages: Pages) -> None:
    text = page_text(pages.get(LIST).text)
    assert "WordPress No text limit Application password Connect" in text
    assert "X 280 characters The API of X costs $0.20 for each post with a link. Add" in text
    assert "PeerTube Video only." in text


def test_platforms_and_accounts_can_be_found_by_name_or_alias(pages: Pages, connect: Connect) -> None:
    connect()
    found = page_text(pages.get(f"{LIST}?q=twitter").text)
    assert "280 characters" in found
    assert "Mastodon" not in found
    assert "hook.example" not in found
    assert "hook.example" in page_text(pages.get(f"{LIST}?q=HOOK.ex").text)


def test_what_is_not_found_can_be_added_by_hand(pages: Pages) -> None:
    page = pages.get(f"{LIST}?q=Square%20Space%3Cb%3E").text
    assert "No platform is named “Square Space<b>”." in page_text(page)
    assert "<b>" not in page
    form = pages.get(f"{LIST}/new/website?name=square-space-b").text
    assert 'value="square-space-b"' in form
    own = {"settings/editor": "https://square.example/new", "name": "square-space-b"}
    pages.post(f"{LIST}/new/website", **own)
    assert reload_connection("square-space-b").account == "square.example"


def test_a_website_by_hand_needs_the_address_of_its_editor(pages: Pages) -> None:
    assert pages.post(f"{LIST}/new/website", name="website").status_code == 422


def test_posts_that_wait_for_an_account_are_at_the_top(pages: Pages, a_post: Callable[..., Post]) -> None:
    a_post(live=True, platforms=["site", "wordpress"], title="Of maps")
    page = pages.get(LIST).text
    assert "1 post waits for WordPress" in page_text(page)
    assert "Of maps" in page
    assert 'href="/desk/waiting/wordpress"' in page
