"""The pages of webhooks: create, test, disable, rotate the secret, and read the log."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest

from blogsvc.context import Tools
from blogsvc.models import Post, Webhook, WebhookDelivery, db, transaction
from blogsvc.models.webhook import PATTERNS
from blogsvc.webhooks.log import log_of
from tests.api.hooks import OTHER, SECRET
from tests.clock import NOW, Time
from tests.outside import Outside
from tests.web.page_walk import Pages

LIST = "/desk/settings/webhooks"
URL = "https://hook.example/told"
WHSEC = re.compile(r"whsec_[A-Za-z0-9+/=]{32,}")
HOSTILE = '"><script>alert(1)</script>'
FORM = {"url": URL, "which": "all"}
Tick = Callable[[], None]


@pytest.fixture
def hook(pages: Pages, outside: Outside) -> str:
    """Return the path of the page of a webhook whose receiver accepts everything."""
    outside.teach("POST", URL, status=200, body=b"thank you")
    pages.post(f"{LIST}/new", **FORM)
    return f"{LIST}/{only().id}"


def only() -> Webhook:
    db.session.rollback()
    db.session.expire_all()
    (row,) = db.session.query(Webhook).all()
    return row


def message(hook: str) -> WebhookDelivery:
    db.session.rollback()
    db.session.expire_all()
    return log_of(hook.rpartition("/")[2])[0][0]


def test_a_signing_secret_is_shown_once(pages: Pages, tools: Tools) -> None:
    answer = pages.post(f"{LIST}/new", **FORM)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    (secret,) = set(WHSEC.findall(unescape(answer.text)))
    assert tools.vault.unseal(only().secret) == secret
    path = f"{LIST}/{only().id}"
    for there in (LIST, path, f"{path}/change", f"{path}/secret", f"{path}/delete"):
        assert secret not in unescape(pages.get(there).text)


def test_a_custom_secret_is_accepted_and_not_shown_again(pages: Pages, tools: Tools) -> None:
    answer = pages.post(f"{LIST}/new", **{**FORM, "url": "nowhere", "secret": SECRET})
    assert answer.status_code == 422
    assert SECRET not in answer.text
    pages.post(f"{LIST}/new", **FORM, secret=SECRET)
    assert tools.vault.unseal(only().secret) == SECRET


def test_a_webhook_subscribes_to_the_selected_events(pages: Pages) -> None:
    pages.post(f"{LIST}/new", url=URL, which="these", events=["post.*", "scheduler.stalled"], description="A shop")
    assert (only().events, only().description) == (["post.*", "scheduler.stalled"], "A shop")
    page = pages.get(LIST).text
    assert "Events: all about posts, scheduler.stalled" in page
    form = pages.get(f"{LIST}/{only().id}/change").text
    assert form.count(" checked><span><code>") == 2
    assert all(f'value="{one}"' in form for one in PATTERNS if one != "*")


@pytest.mark.parametrize(
    ("form", "where"),
    [
        ({"url": ""}, "url-fault"),
        ({"url": "ftp://hook.example"}, "url-fault"),
        ({"url": "https://hook.example/\x00"}, "url-fault"),
        ({"url": "https://hook.example/" + "x" * 2000}, "url-fault"),
        ({"url": "http://127.0.0.1/in"}, "url-fault"),
        ({"description": "x" * 301}, "description-fault"),
        ({"description": "two\nlines"}, "description-fault"),
        ({"which": "these"}, "events-fault"),
        ({"which": "these", "events": ["post.eaten"]}, "events-fault"),
        ({"which": "some"}, "which-fault"),
        ({"secret": "open sesame"}, "secret-fault"),
    ],
)
def test_an_invalid_webhook_form_shows_the_error_at_its_field(
    form: dict[str, object], where: str, pages: Pages
) -> None:
    answer = pages.post(f"{LIST}/new", **{**FORM, **form})
    assert answer.status_code == 422
    assert f'id="{where}"' in answer.text
    assert db.session.query(Webhook).count() == 0


def test_a_test_message_is_sent_and_its_response_is_shown(pages: Pages, hook: str, tick: Tick, time: Time) -> None:
    sent = pages.post(f"{hook}/test")
    assert sent.status_code == 303
    waiting = pages.fragment(sent.headers["Location"]).text
    assert 'hx-trigger="every 1s"' in waiting
    tick()
    settled = pages.get(sent.headers["Location"]).text
    assert "thank you" in settled
    assert "200" in settled
    assert "hx-trigger" not in settled
    assert "webhook.test" in pages.get(hook).text


def test_the_log_shows_failed_messages_and_can_redeliver_them(
    pages: Pages, hook: str, tick: Tick, outside: Outside, a_post: Callable[..., Post], time: Time
) -> None:
    outside.always(status=500, body=b"<b>broken</b>")
    a_post()
    tick()
    page = pages.get(hook).text
    assert "Retrying" in page
    assert "The receiver returned 500" in page
    there = f"{hook}/messages/{message(hook).id}"
    shown = pages.get(there).text
    assert "&lt;b&gt;broken&lt;/b&gt;" in shown
    assert "&#34;type&#34;: &#34;post.created&#34;" in shown
    outside.always()
    assert pages.post(f"{there}/resend").status_code == 303
    assert "We'll send the message again, with the same ID." in unescape(pages.get(there).text)
    tick()
    assert message(hook).state == "delivered"
    assert "2 attempts" in pages.get(there).text


def test_the_log_can_be_filtered_by_state_and_paged(
    pages: Pages, hook: str, tick: Tick, a_post: Callable[..., Post]
) -> None:
    for _ in range(30):
        a_post()
    tick()
    page = pages.get(hook).text
    assert page.count("<code>post.created</code>") == 25
    older = re.search(r'href="([^"]+)">Older', page)
    assert older
    assert pages.get(unescape(older[1]).partition("#")[0]).text.count("<code>post.created</code>") == 5
    assert "No failed messages." in pages.get(f"{hook}?show=failed").text
    assert "No waiting messages." in pages.get(f"{hook}?show=waiting").text
    assert pages.get(f"{hook}?show={HOSTILE}&before={HOSTILE}").status_code == 200


def test_a_webhook_can_be_disabled_and_enabled(pages: Pages, hook: str) -> None:
    pages.post(f"{hook}/disable")
    assert not only().is_enabled
    page = pages.get(hook).text
    assert "Disabled by an owner" in page
    assert "Send test message" not in page
    assert pages.post(f"{hook}/test").status_code == 409
    pages.post(f"{hook}/enable")
    assert only().is_enabled


@pytest.mark.parametrize(("reason", "words"), [("gone", "410 Gone"), ("failing", "after five days of failures")])
def test_an_automatically_disabled_webhook_shows_the_reason(reason: str, words: str, pages: Pages, hook: str) -> None:
    with transaction():
        only().disable(reason, NOW)  # type: ignore[arg-type]
    for path in (LIST, hook):
        assert words in pages.get(path).text
    assert "Enable webhook" in pages.get(hook).text


def test_a_changed_url_is_validated_first(pages: Pages, hook: str) -> None:
    answer = pages.post(f"{hook}/change", url="http://10.0.0.1/in", which="all")
    assert answer.status_code == 422
    assert "BLOGSVC_ALLOW_PRIVATE_ADDRESSES" in answer.text
    assert only().url == URL
    pages.post(f"{hook}/change", url="https://new.example/in", which="these", events=["post.created"])
    assert (only().url, only().events) == ("https://new.example/in", ["post.created"])


def test_both_secrets_sign_during_the_rotation_overlap(pages: Pages, hook: str, tools: Tools, time: Time) -> None:
    former = tools.vault.unseal(only().secret)
    assert pages.post(f"{hook}/secret", overlap="1", secret="short").status_code == 422
    answer = pages.post(f"{hook}/secret", overlap="1", secret=OTHER)
    assert answer.status_code == 201
    assert OTHER in answer.text
    assert former not in answer.text
    assert [tools.vault.unseal(one) for one in only().secrets(NOW)] == [OTHER, former]
    assert [tools.vault.unseal(one) for one in only().secrets(time.passes(hours=2))] == [OTHER]


def test_a_webhook_is_deleted_with_its_log(pages: Pages, hook: str) -> None:
    assert "Delete the webhook to hook.example?" in pages.get(f"{hook}/delete").text
    pages.post(f"{hook}/delete")
    assert pages.get(hook).status_code == 404
    assert "No webhooks yet" in pages.get(LIST).text


def test_text_from_users_and_receivers_is_escaped(
    pages: Pages, outside: Outside, tick: Tick, a_post: Callable[..., Post]
) -> None:
    outside.teach("POST", URL, status=400, body=HOSTILE.encode())
    pages.post(f"{LIST}/new", **FORM, description=HOSTILE)
    path = f"{LIST}/{only().id}"
    a_post(title=HOSTILE)
    tick()
    for there in (LIST, path, f"{path}/change", f"{path}/secret", f"{path}/messages/{message(path).id}"):
        assert "<script>alert" not in pages.get(there).text


def test_unknown_webhooks_and_messages_return_404(pages: Pages, hook: str) -> None:
    for path in ("", "/change", "/secret", "/delete"):
        assert pages.get(f"{LIST}/whk_1{path}").status_code == 404
    assert pages.get(f"{hook}/messages/msg_1").status_code == 404
