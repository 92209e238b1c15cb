"""Settings that reach outside, in Chromium: destinations, API keys and webhooks."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.auth import accounts, api_keys
from blogsvc.models import Connection, Post, Setting, db, transaction
from blogsvc.posts import editing, publishing
from tests.browser.conftest import PASSWORD, Desk
from tests.receiver import Receiver

Look = Callable[..., None]
TOKEN = "t0ken-of-ann"
SENTENCE = re.compile(r".+\.")


@pytest.fixture
def mastodon() -> Iterator[Receiver]:
    """A minimal Mastodon server: every account is Ann, and every status is the same."""
    with Receiver(id="1", acct="ann", url="https://social.example/@ann/1", version="4.4.0") as server:
        yield server


def base_of(receiver: Receiver) -> str:
    return receiver.url.removesuffix("/in")


class Api:
    """An API client with a key."""

    def __init__(self, desk: Desk, key: str) -> None:
        self.base, self.key = f"{desk.url}/api/v1", key

    def __call__(self, method: str, path: str, **body: object) -> tuple[int, dict[str, object]]:
        data = json.dumps(body).encode() if body else None
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            with urlopen(Request(self.base + path, data, headers, method=method)) as answer:
                return answer.status, json.loads(answer.read() or b"{}")
        except HTTPError as error:
            return error.code, json.loads(error.read())

    def waits_for(self, path: str, status: str, seconds: float = 10.0) -> bool:
        """Poll until a post has this status; return False on timeout."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self("GET", path)[1]["status"] == status:
                return True
            time.sleep(0.05)
        return False


@pytest.fixture
def api(desk: Desk) -> Api:
    with desk.app() as (_, tools):
        return Api(desk, api_keys.create("a program", ["all"], None, tools.now())[1])


def test_a_destination_can_be_connected_reconnected_and_disconnected(
    page: Page, mastodon: Receiver, api: Api, look: Look
) -> None:
    page.goto("/desk/settings/destinations")
    expect(page.get_by_role("heading", name="Connect", exact=True)).to_be_visible()
    look(page, "destinations-empty")
    page.get_by_label("Find a platform or an account").fill("squarespace")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Add “squarespace” by hand")).to_be_visible()
    look(page, "destinations-not-found")
    page.get_by_label("Find a platform or an account").fill("masto")
    page.get_by_role("button", name="Find").click()

    # A rejected credential shows an error at its field and is removed from the page.
    page.get_by_role("link", name="Connect Mastodon").click()
    expect(page.get_by_role("heading", name="Connect Mastodon")).to_be_visible()
    look(page, "connect")
    page.get_by_label("Server", exact=True).fill(base_of(mastodon))
    page.get_by_label("Access token").fill("mistyped")
    page.get_by_role("button", name="Show Access token").click()
    expect(page.get_by_label("Access token")).to_have_attribute("type", "text")
    mastodon.will("401")
    page.get_by_role("button", name="Connect").click()
    refused = page.locator("p.err")
    expect(refused).to_have_text(SENTENCE)
    expect(page.get_by_label("Access token")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Access token")).to_have_value("mistyped")
    expect(page.get_by_label("Access token")).to_be_focused()
    expect(page.get_by_label("Server", exact=True)).to_have_value(base_of(mastodon))
    expect(page.get_by_role("alert")).to_contain_text("Mastodon isn't connected yet")
    page.get_by_role("link", name="Access token").click()
    expect(page.get_by_label("Access token")).to_be_focused()
    look(page, "connect-refused")

    page.get_by_label("Access token").fill(TOKEN)
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("heading", name="Mastodon is connected")).to_be_visible()
    expect(page.locator(".says")).to_contain_text("@ann@")
    look(page, "connected-alone")
    page.get_by_role("checkbox", name="Selected for new posts").check()
    page.get_by_role("button", name="Back to destinations").click()
    place = page.locator("#destination-mastodon")
    expect(place).to_contain_text("No copies yet")
    assert TOKEN not in page.content()

    # It is a default destination, and a new post is published there. The tick is saved at once.
    usual = place.get_by_role("checkbox", name="Selected for new posts")
    place.locator("summary").click()
    expect(usual).to_be_checked()
    usual.click()  # the page changes, so `check` could not see the tick
    expect(page.get_by_text("Mastodon is not selected for new posts.")).to_be_visible()
    place.locator("summary").click()
    usual.click()
    expect(page.get_by_text("Mastodon is selected for new posts.")).to_be_visible()
    status, post = api("POST", "/posts", title="A ferry in the fog", content="Words.")
    assert (status, post["platforms"]) == (201, ["site", "mastodon"])
    assert api("POST", f"/posts/{post['id']}/publish")[0] == 202
    assert api.waits_for(f"/posts/{post['id']}", "published")
    page.reload()
    expect(place).to_contain_text("1 copy")
    expect(place).to_contain_text("A ferry in the fog")

    # The list shows what broke and one action; reconnecting keeps the copies.
    mastodon.always("401")
    place.locator("summary").click()
    page.get_by_role("button", name="Test connection mastodon").click()
    expect(place.get_by_role("status")).to_have_text(SENTENCE)
    expect(place.get_by_role("link", name="Reconnect mastodon")).to_be_visible()
    look(page, "destinations-trouble")
    place.get_by_role("link", name="Reconnect mastodon").click()
    expect(page.get_by_text("1 copy stays linked to this destination")).to_be_visible()
    expect(page.get_by_label("Server", exact=True)).to_have_value(base_of(mastodon))
    expect(page.get_by_label("Access token")).to_have_value("")
    look(page, "reconnect")
    mastodon.always("ok")
    page.get_by_role("button", name="Reconnect").click()
    expect(place).to_contain_text("Works")
    expect(place).to_contain_text("1 copy")
    look(page, "destinations")

    place.locator("summary").click()
    place.get_by_role("link", name="Rename mastodon").click()
    expect(page.get_by_text("because posts use this name")).to_be_visible()
    look(page, "rename-used")
    page.get_by_role("link", name="Back").click()
    place.locator("summary").click()

    # Disconnecting says what happens to the copies, and can unpublish them first.
    place.get_by_role("link", name="Disconnect mastodon").click()
    expect(page.get_by_text("1 copy stays")).to_be_visible()
    look(page, "disconnect")
    page.get_by_role("button", name="Unpublish copies first").click()
    expect(page.get_by_text("There are no copies on")).to_be_visible()
    assert "DELETE" in {request.method for request in mastodon.requests}
    page.get_by_role("button", name="Disconnect").click()
    expect(page.get_by_role("status").first).to_contain_text("its secrets are deleted")
    expect(place).to_have_count(0)


def test_another_server_is_confirmed_with_one_button_and_not_with_enter(page: Page, look: Look) -> None:
    with Receiver() as site, Receiver() as other:
        site.headers = {"Link": f'<{base_of(other)}/micropub>; rel="micropub"'}
        page.goto("/desk/settings/destinations/new/micropub")
        page.get_by_label("Site URL").fill(base_of(site))
        page.get_by_label("Access token").fill(TOKEN)
        page.get_by_role("button", name="Connect Micropub").click()
        expect(page.get_by_role("alert")).to_contain_text("Send the access token there?")
        expect(page.get_by_role("alert")).to_contain_text(base_of(other))
        look(page, "connect-other-server")
        page.get_by_label("Access token").press("Enter")
        assert site.wait_for(2)
        expect(page.get_by_role("alert")).to_contain_text("Send the access token there?")
        assert other.requests == []
        page.get_by_role("button", name="Confirm server and connect").click()
        page.wait_for_url(lambda url: "/new/" not in url)
        assert other.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"


def test_a_destination_can_be_connected_and_renamed_without_javascript(plain_page: Page, look: Look) -> None:
    page = plain_page
    with Receiver() as receiver:
        page.goto("/desk/settings/destinations")
        page.get_by_role("link", name="Connect Webhook", exact=True).click()
        page.get_by_label("URL", exact=True).fill("http://127.0.0.1:1/in")
        page.get_by_role("button", name="Connect").click()
        expect(page.get_by_text("127.0.0.1 could not be reached")).to_be_visible()
        page.get_by_label("URL", exact=True).fill(receiver.url)
        page.get_by_label("Extra headers").fill("X-Pass: sesame\nX-Other: door")
        page.get_by_label("Destination name").fill("hook")
        page.get_by_role("button", name="Connect").click()
        secret = page.locator(".secret code")
        expect(secret).to_have_text(re.compile("^whsec_"))
        shown = secret.inner_text()
        assert receiver.requests[-1].headers["X-Other"] == "door"
        page.get_by_role("link", name="Done").click()
        page.get_by_role("button", name="Back to destinations").click()
        page.locator("#destination-hook summary").click()
        page.get_by_role("button", name="Test connection hook").click()
        expect(page.locator(".notice", has_text="hook works")).to_be_visible()
        assert shown not in page.content()

        page.locator("#destination-hook summary").click()
        page.get_by_role("link", name="Reconnect hook").click()
        assert shown not in page.content()
        assert "sesame" not in page.content()
        page.get_by_role("button", name="Reconnect").click()
        assert receiver.requests[-1].headers["X-Pass"] == "sesame", "empty secrets are kept"

        page.locator("#destination-hook summary").click()
        page.get_by_role("link", name="Rename hook").click()
        page.get_by_label("Name").fill("Not a name")
        page.get_by_role("button", name="Rename").click()
        expect(page.locator("p.err")).to_contain_text("lowercase letters")
        page.get_by_label("Name").fill("told")
        page.get_by_role("button", name="Rename").click()
        page.locator("#destination-told summary").click()
        page.get_by_role("link", name="Disconnect told").click()
        expect(page.get_by_text("There are no copies on")).to_be_visible()
        page.get_by_role("button", name="Disconnect").click()
        expect(page.get_by_text("told is disconnected")).to_be_visible()


def test_an_editor_sees_destinations_without_actions(
    desk: Desk, open_browser: Callable[..., BrowserContext], look: Look
) -> None:
    with desk.app() as (_, tools):
        accounts.add_user("ben@blog.example", "Ben", PASSWORD, "editor", "Europe/Berlin", tools.now())
    page = open_browser("ben@blog.example").new_page()
    page.goto("/desk/settings/destinations")
    expect(page.get_by_text("Ask an owner of this blog to connect an account.")).to_be_visible()
    expect(page.get_by_role("link", name="Connect Mastodon")).to_have_count(0)
    expect(page.get_by_text("Manage this blog")).to_have_count(0)
    look(page, "destinations-editor")


def test_a_key_can_be_created_used_rotated_and_revoked(page: Page, desk: Desk, look: Look) -> None:
    page.goto("/desk/settings/keys")
    look(page, "keys-first")
    page.goto("/desk/settings/keys/new")
    expect(page.get_by_role("checkbox").first).to_be_hidden()
    look(page, "key-new")
    page.get_by_role("radio", name="Selected permissions").check()
    expect(page.get_by_role("checkbox").first).to_be_visible()
    look(page, "key-new-scopes")
    page.get_by_label("Name").fill("Reader")
    page.get_by_role("button", name="Create key").click()
    expect(page.locator("p.err")).to_contain_text("at least one scope")
    page.get_by_role("checkbox", name="Read posts, drafts").check()
    page.get_by_role("button", name="Create key").click()
    first = page.locator(".secret code").inner_text()
    look(page, "key-made")
    assert Api(desk, first)("GET", "/posts")[0] == 200
    assert Api(desk, first)("POST", "/posts", title="No")[0] == 403

    page.get_by_role("link", name="Done").click()
    assert first not in page.content()
    expect(page.locator(".item", has_text="Reader")).to_contain_text("last used today")
    look(page, "keys")
    page.get_by_role("link", name="Edit Reader").click()
    page.get_by_label("Write and publish").check()
    page.get_by_label("Expires").select_option("never")
    page.get_by_text("Limits").click()
    page.get_by_role("spinbutton", name="Read requests").fill("7")
    look(page, "key-change")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".item", has_text="Reader")).to_contain_text("doesn't expire · 7 reads per minute")
    assert Api(desk, first)("POST", "/posts", title="Yes")[0] == 201

    page.get_by_role("link", name="Rotate Reader").click()
    look(page, "key-replace")
    page.get_by_label("The current key expires").select_option("now")
    page.get_by_role("button", name="Create new key").click()
    expect(page.get_by_text("no longer works")).to_be_visible()
    second = page.locator(".secret code").inner_text()
    assert Api(desk, first)("GET", "/me")[0] == 401
    assert Api(desk, second)("GET", "/me")[0] == 200

    page.goto("/desk/settings/keys")
    page.get_by_role("link", name="Revoke Reader").click()
    look(page, "key-revoke")
    page.get_by_role("button", name="Revoke key").click()
    expect(page.get_by_role("status").first).to_contain_text("Reader is revoked")
    assert Api(desk, second)("GET", "/me")[0] == 401
    page.get_by_text("Expired and revoked keys").click()
    look(page, "keys-ended")


def test_a_webhook_receives_messages_and_shows_its_log(page: Page, api: Api, look: Look) -> None:
    with Receiver(thanks="for the news") as receiver:
        page.goto("/desk/settings/webhooks")
        look(page, "webhooks-first")
        page.goto("/desk/settings/webhooks/new")
        look(page, "webhook-new")
        page.get_by_label("URL", exact=True).fill("ftp://no.example")
        page.get_by_role("button", name="Create webhook").click()
        expect(page.locator("p.err")).to_contain_text("must start with")
        page.get_by_label("URL", exact=True).fill(receiver.url)
        page.get_by_label("Description (optional)").fill("The build of the shop")
        page.get_by_role("radio", name="Selected events").check()
        look(page, "webhook-new-events")
        page.get_by_role("checkbox", name="post.created").check()
        page.get_by_role("button", name="Create webhook").click()
        secret = page.locator(".secret code").inner_text()
        assert secret.startswith("whsec_")
        look(page, "webhook-made")
        page.get_by_role("link", name="Done").click()
        assert secret not in page.content()

        # A test message is sent at once, and its response is shown.
        page.get_by_role("button", name="Send test message").click()
        expect(page.get_by_role("status").last).to_contain_text("Delivered")
        expect(page.locator("ol pre")).to_contain_text("for the news")
        look(page, "webhook-message")
        receiver.always("500")
        api("POST", "/posts", title="Heard of by nobody")
        assert receiver.wait_for(2)
        page.get_by_role("link", name="127.0.0.1").first.click()
        expect(page.locator("#log")).to_contain_text("Retrying")
        look(page, "webhook-failing")
        receiver.always("ok")
        page.get_by_role("link", name="post.created").first.click()
        page.get_by_role("button", name=re.compile("Retry now|Send again")).click()  # it also retries automatically
        expect(page.get_by_role("status").last).to_contain_text("Delivered")
        expect(page.locator("ol > li").first).to_contain_text("200")
        look(page, "webhook-message-resent")

        page.goto("/desk/settings/webhooks")
        look(page, "webhooks")
        page.get_by_role("link", name="127.0.0.1").first.click()
        page.get_by_role("link", name="Waiting").click()
        expect(page.get_by_text("No waiting messages.")).to_be_visible()
        page.get_by_role("button", name="Disable webhook").click()
        expect(page.get_by_text("Disabled by an owner")).to_be_visible()
        look(page, "webhook-off")
        page.get_by_role("button", name="Enable webhook").click()
        page.get_by_role("link", name="Edit webhook").click()
        expect(page.get_by_role("checkbox", name="post.created")).to_be_checked()
        page.get_by_label("All events").check()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Events: all events")).to_be_visible()
        page.get_by_role("link", name="Rotate secret").click()
        look(page, "webhook-secret")
        page.get_by_role("button", name="Rotate secret").click()
        assert page.locator(".secret code").inner_text() != secret
        expect(page.get_by_text("also signed with the previous secret")).to_be_visible()
        page.get_by_role("link", name="Done").click()
        page.get_by_role("link", name="Delete").click()
        look(page, "webhook-delete")
        page.get_by_role("button", name="Delete webhook").click()
        expect(page.get_by_role("status")).to_contain_text("Webhook to 127.0.0.1 deleted.")


def test_keys_and_webhooks_can_be_created_without_javascript(plain_page: Page, desk: Desk) -> None:
    page = plain_page
    with Receiver() as receiver:
        page.goto("/desk/settings/keys/new")
        page.get_by_label("Name").fill("Plain")
        page.get_by_role("button", name="Create key").click()
        assert Api(desk, page.locator(".secret code").inner_text())("GET", "/me")[0] == 200
        page.goto("/desk/settings/webhooks/new")
        page.get_by_label("URL", exact=True).fill(receiver.url)
        page.get_by_role("button", name="Create webhook").click()
        page.get_by_role("link", name="Done").click()
        page.get_by_role("button", name="Send test message").click()
        assert receiver.wait_for(1)
        page.get_by_role("link", name="Delete").or_(page.get_by_role("link", name="127.0.0.1")).first.click()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_connecting_from_the_publish_dialog_offers_late_posts_and_leads_back(
    open_browser: Callable[..., BrowserContext], desk: Desk, look: Look, scripts: bool
) -> None:
    name = "scripted" if scripts else "plain"
    with desk.app() as (_, tools):
        now = tools.now()
        with transaction():
            for other in Connection.by_name().values():  # with another account, the owner would choose one
                db.session.delete(other)
            Setting.write("former_accounts", {name: ["sandbox", ""]})
        late = [
            editing.create({"title": title, "content": "Some words."}, ["site", name], now).id
            for title in ("Letter to a new blogger", "Tide tables")
        ]
        for post_id in late:
            publishing.publish(Post.get(post_id), now)
            with transaction():
                delivery = Post.get(post_id).delivery_to(name)
                assert delivery is not None
                delivery.due_at = now - timedelta(days=5)
        draft = editing.create({"title": "A year of harbour notes", "content": "Words."}, ["site", name], now).id
    page = open_browser(scripts=scripts).new_page()
    page.goto(f"/desk/posts/{draft}/publish")
    page.get_by_role("link", name="Connect Sandbox").click()
    expect(page.get_by_text("Afterwards you return to “A year of harbour notes”.")).to_be_visible()
    page.get_by_role("button", name="Connect Sandbox").click()
    expect(page.get_by_role("heading", name="Sandbox is connected")).to_be_visible()
    expect(page.get_by_role("group", name="2 posts waited for Sandbox. Choose which to publish.")).to_be_visible()
    expect(page.get_by_text("5 days late")).to_have_count(2)
    if scripts:
        expect(page.get_by_role("button", name="Publish selected posts on Sandbox")).to_be_disabled()
    page.get_by_role("checkbox", name="Tide tables").check()
    if scripts:
        look(page, "connected")
        page.get_by_role("button", name="Publish 1 post on Sandbox").click()
    else:
        page.get_by_role("button", name="Publish selected posts on Sandbox").click()
    expect(page.get_by_text("1 post queued for publishing.")).to_be_visible()
    page.get_by_role("button", name="Don't publish this on Sandbox").click()
    expect(page.get_by_role("group")).to_have_count(0)
    page.get_by_role("button", name="Back to “A year of harbour notes”").click()
    expect(page).to_have_url(re.compile(f"/desk/posts/{draft}$"))
