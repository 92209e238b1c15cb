"""The log of a webhook, as its page reads it."""

from __future__ import annotations

from blogsvc.models import Webhook
from blogsvc.webhooks.log import latest, log_of, subscribers, tally
from tests.api_client import Api
from tests.outside import Outside
from tests.webhooks.receiving import Posts, Subscribe, Tick


def test_the_log_is_listed_newest_first_and_filtered_by_state(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    outside.teach("POST", "https://hook.example/told", status=500)
    webhook = subscribe("post.created")
    other = subscribe("post.created", name="other")
    a_post(title="First")
    tick()
    outside.teach("POST", "https://hook.example/told", status=200)
    a_post(title="Second")
    tick()
    rows, more = log_of(webhook["id"])
    assert ([row.state for row in rows], more) == (["delivered", "retrying"], None)
    assert [row.state for row in log_of(webhook["id"], ["retrying"])[0]] == ["retrying"]
    assert tally(webhook["id"]) == {"delivered": 1, "retrying": 1}
    assert latest(webhook["id"]) is rows[0]
    assert [row.id for row in subscribers()] == [other["id"], webhook["id"]]


def test_the_log_is_paged(subscribe: Subscribe, a_post: Posts, tick: Tick) -> None:
    webhook = subscribe("post.created")
    for _ in range(5):
        a_post()
    tick()
    pages, before = [], None
    while True:
        rows, before = log_of(webhook["id"], before=before, limit=2)
        pages.append([row.id for row in rows])
        if before is None:
            break
    assert [len(page) for page in pages] == [2, 2, 1]
    assert sorted((one for page in pages for one in page), reverse=True) == [one for page in pages for one in page]


def test_a_new_webhook_has_an_empty_log(subscribe: Subscribe) -> None:
    webhook = subscribe()
    assert (log_of(webhook["id"]), latest(webhook["id"]), tally(webhook["id"])) == (([], None), None, {})
    assert Webhook.get(webhook["id"]).is_enabled
