"""The interface as an installed app: what another app shares becomes a draft."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import PASSWORD, Desk, Watched

# What a phone does when a person chooses this app from its share menu: it sends a form to the share target.
SHARE = """async ({ words, images }) => {
    const { share_target: target } = await (await fetch(document.querySelector("link[rel=manifest]").href)).json();
    const form = Object.assign(document.createElement("form"), { method: target.method, action: target.action });
    form.enctype = target.enctype;
    const add = (name, type) => form.appendChild(Object.assign(document.createElement("input"), { name, type }));
    for (const [name, value] of Object.entries(words)) add(target.params[name], "hidden").value = value;
    const files = new DataTransfer();
    for (const [name, data] of Object.entries(images)) {
        const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
        files.items.add(new File([bytes], name, { type: "image/png" }));
    }
    add(target.params.files[0].name, "file").files = files.files;
    document.body.append(form);
    form.submit();
}"""


def an_image(colour: str) -> str:
    out = BytesIO()
    Image.new("RGB", (64, 48), colour).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


@pytest.fixture(autouse=True)
def worker_that_may_start_late(watched: Watched) -> None:
    watched.expect("status of 405")


def share(page: Page, words: dict[str, str], images: dict[str, str]) -> None:
    """Share as another app, again if the browser asks the server: on a busy machine, its worker starts too late."""
    for _ in range(5):
        page.goto("/desk")
        page.wait_for_function(
            "navigator.serviceWorker.getRegistration('/desk/shared-by-app')"
            ".then(one => one?.active?.state === 'activated')"
        )
        page.evaluate(SHARE, {"words": words, "images": images})
        page.wait_for_url("**/desk/shared-by-app")
        if page.get_by_label("Text").count():
            return
    raise AssertionError("the worker of the app never received what was shared")


def sign_in(page: Page) -> None:
    page.get_by_label("E-mail").fill("ann@blog.example")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_text_a_link_and_photos_that_another_app_shares_become_a_draft(page: Page, look: Callable[..., None]) -> None:
    words = {"title": "Fog", "text": "Seen from the pier.", "url": "https://other.example/fog"}
    share(page, words, {"pier.png": an_image("teal"), "gull.png": an_image("gold"), "thumb.png": an_image("red")})
    expect(page.get_by_label("Title")).to_have_value("Fog")
    expect(page.get_by_label("Text")).to_have_value("Seen from the pier.\n\nhttps://other.example/fog")
    look(page, "shared-by-app")

    page.get_by_label("thumb.png").uncheck()
    page.get_by_role("button", name="Start draft").click()
    page.wait_for_url("**/desk/posts/post_*")
    expect(page.get_by_label("Title")).to_have_value("Fog")
    text = page.get_by_label("Text, in Markdown").input_value()
    assert text.startswith("Seen from the pier.\n\nhttps://other.example/fog\n\n![](/media/pier-")
    assert "\n\n![](/media/gull-" in text
    assert "thumb" not in text

    page.goto("/desk/shared-by-app")
    expect(page.get_by_text("Nothing was shared.")).to_be_visible()
    expect(page.get_by_label("Text")).to_have_value("")


def test_an_image_that_cannot_be_used_is_named_and_what_was_shared_stays(page: Page) -> None:
    share(page, {"text": "With a broken photo."}, {"good.png": an_image("olive"), "broken.png": "AAAA"})
    page.get_by_role("button", name="Start draft").click()
    expect(page.locator("#notices")).to_contain_text("broken.png wasn't uploaded.")
    expect(page.get_by_label("Text")).to_have_value("With a broken photo.")
    page.reload()
    expect(page.get_by_label("Text")).to_have_value("With a broken photo.")
    page.get_by_label("broken.png").uncheck()
    page.get_by_role("button", name="Start draft").click()
    page.wait_for_url("**/desk/posts/post_*")
    expect(page.get_by_label("Text, in Markdown")).to_have_value(
        re.compile(r"^With a broken photo\.\n\n!\[\]\(/media/good-[0-9a-z]{10}\.png\)$")
    )


def test_what_was_shared_stays_until_the_draft_is_started(page: Page, desk: Desk, watched: Watched) -> None:
    watched.expect("net::ERR_FAILED", "status of 422")
    share(page, {"text": "Not to be lost."}, {})
    refusals: dict[str, Callable[[Route], None]] = {
        "The server can't be reached.": lambda route: route.abort(),
        "The draft was not started. The server returned status 422.": lambda route: route.fulfill(
            status=422, body="Too many posts."
        ),
    }
    for reason, refuse in refusals.items():
        page.route(f"{desk.url}/desk/posts", refuse, times=1)
        page.get_by_role("button", name="Start draft").click()
        expect(page.locator("#notices")).to_contain_text(reason)
        page.reload()
        expect(page.get_by_label("Text")).to_have_value("Not to be lost.")
    page.get_by_role("button", name="Start draft").click()
    expect(page.get_by_label("Text, in Markdown")).to_have_value("Not to be lost.")


def test_a_title_that_is_too_long_is_cut_and_the_text_has_all_of_it(page: Page) -> None:
    title = "Fog " * 100
    share(page, {"title": title, "text": "Seen from the pier."}, {})
    expect(page.get_by_label("Title")).to_have_value("Fog " * 75)
    expect(page.get_by_label("Text")).to_have_value(f"{title.strip()}\n\nSeen from the pier.")
    page.get_by_role("button", name="Start draft").click()
    page.wait_for_url("**/desk/posts/post_*")


def test_a_draft_that_the_server_refuses_is_not_started_for_a_reason(page: Page, watched: Watched) -> None:
    watched.expect("status of 413")
    line = "Seen from the pier. " * 1_000  # browsers take minutes for a field with 100,000 lines
    share(page, {"text": f"{line}\n" * 120}, {})
    page.get_by_role("button", name="Start draft").click()
    expect(page.locator("#notices")).to_contain_text("The draft was not started. This form can send at most 2 MiB")


def test_changes_of_what_was_shared_outlast_an_ended_session(page: Page, desk: Desk) -> None:
    share(page, {"text": "From the pier."}, {"pier.png": an_image("teal")})
    expect(page.get_by_label("pier.png")).to_be_visible()
    page.get_by_label("Title").fill("Changed")
    page.get_by_label("pier.png").uncheck()
    page.context.clear_cookies()
    page.get_by_role("button", name="Start draft").click()
    sign_in(page)
    expect(page.get_by_label("Title")).to_have_value("Changed")
    expect(page.get_by_label("Text")).to_have_value("From the pier.")
    expect(page.get_by_label("pier.png")).to_be_visible()


def test_what_was_shared_is_gone_after_signing_out(page: Page) -> None:
    share(page, {"text": "For me alone."}, {})
    expect(page.get_by_label("Text")).to_have_value("For me alone.")
    with page.expect_navigation():
        page.locator("form[action='/logout'] button").evaluate("button => button.click()")
    page.goto("/desk")
    sign_in(page)
    page.wait_for_url("**/desk")
    page.goto("/desk/shared-by-app")
    expect(page.get_by_text("Nothing was shared.")).to_be_visible()
    expect(page.get_by_label("Text")).to_have_value("")
