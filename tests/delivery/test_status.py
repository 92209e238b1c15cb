"""The status of each copy, its text and the action for it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from blogsvc.connections import disconnect, manage
from blogsvc.connectors.sandbox import EXPIRED, FAILS, FAILS_ONCE, LOSES, REFUSES
from blogsvc.delivery import decide
from blogsvc.delivery.status import is_open, statuses
from blogsvc.models import Connection, transaction
from blogsvc.posts import editing, publishing
from blogsvc.web.framework.wording import action_label, delivery_status, post_status

HOME = "https://blog.example"


@pytest.fixture
def sent(app, tools, a_post, tick):
    """Return a function that publishes a post to a sandbox with an outcome and runs the scheduler once."""

    def make(outcome):
        manage.connect("sandbox", "sandbox", {"outcome": outcome}, tools)
        post = a_post(live=True, platforms=["site", "sandbox"])
        tick()
        return post

    return make


def sandbox_status(post):
    return next(one for one in statuses(post, HOME) if one.platform == "sandbox")


def heading(post):
    return post_status(post, statuses(post, HOME))


def test_a_delivered_copy_is_published_and_needs_no_action(sent):
    post = sent("works")
    one = sandbox_status(post)
    assert (one.phase, delivery_status(one), one.action) == ("live", "Live", None)
    assert heading(post) == "Live on 2 destinations"
    assert not is_open(statuses(post, HOME))


def test_the_built_in_blog_comes_first_with_its_address(sent):
    first = statuses(sent("works"), HOME)[0]
    assert (first.label, first.account, first.url) == ("This blog", "blog.example", "https://blog.example/a-post")


def test_an_automatic_retry_needs_no_person_and_has_a_time(sent, tools):
    post = sent(FAILS)
    one = sandbox_status(post)
    assert (one.phase, one.code, one.action, one.needs_person) == ("waiting", "retrying", "retry", False)
    assert delivery_status(one) == "Retrying"
    assert one.at > tools.now()
    assert "unreachable" in one.cause
    assert is_open(statuses(post, HOME))
    assert heading(post) == "Published, retrying Sandbox"


def test_a_rejected_post_can_be_edited_for_its_destination(sent):
    one = sandbox_status(sent(REFUSES))
    assert (one.phase, one.action, action_label(one)) == ("trouble", "edit", "Edit for Sandbox")


def test_a_rejected_account_can_be_reconnected(sent):
    one = sandbox_status(sent(EXPIRED))
    assert (one.phase, one.action, action_label(one)) == ("trouble", "reconnect", "Reconnect Sandbox")


def test_an_uncertain_delivery_asks_a_person_to_check(sent):
    one = sandbox_status(sent(LOSES))
    assert (one.phase, one.action) == ("trouble", "resolve")
    assert delivery_status(one) == "We can't tell whether this post reached Sandbox. Open Sandbox to check."


def test_a_delivery_that_failed_too_often_can_be_retried(sent, time, tick):
    post = sent(FAILS)
    time.passes(hours=25)
    tick()
    one = sandbox_status(post)
    assert (delivery_status(one), one.action) == ("Failed after several attempts", "retry")


def test_a_manual_retry_delivers_the_copy(sent, tools, tick):
    post = sent(FAILS_ONCE)
    decide.retry(post.delivery_to("sandbox"), tools.now())
    assert sandbox_status(post).phase == "queued"
    assert heading(post) == "Live on 1 of 2 destinations"
    tick()
    assert sandbox_status(post).phase == "live"


@pytest.mark.parametrize(
    ("drift", "phase", "label"), [("edited", "live", "Overwrite copy"), ("gone", "trouble", "Publish again")]
)
def test_a_copy_that_was_changed_on_the_platform_can_be_sent_again(sent, drift, phase, label):
    post = sent("works")
    with transaction():
        post.delivery_to("sandbox").drift = drift
    one = sandbox_status(post)
    assert (one.phase, one.action, action_label(one)) == (phase, "retry", label)


def test_a_copy_that_lost_something_is_live_and_can_be_dismissed(sent, tools):
    post = sent("works")
    with transaction():
        post.delivery_to("sandbox").record_losses(["The table is missing."])
    one = sandbox_status(post)
    assert (one.phase, one.action, action_label(one)) == ("live", "leave", "Dismiss")
    assert one.losses == ["The table is missing."]
    decide.leave(post.delivery_to("sandbox"), tools.now())
    assert (sandbox_status(post).code, sandbox_status(post).losses) == ("live", [])


@pytest.mark.parametrize(
    ("code", "action"),
    [
        ("conflict", "retry"),
        ("gone", "retry"),
        ("internal", "retry"),
        ("cancelled", "retry"),
        ("disconnected", "reconnect"),
        ("misconfigured", "reconnect"),
    ],
)
def test_every_failure_has_a_text_and_an_action(sent, tools, code, action):
    post = sent("works")
    with transaction():
        post.delivery_to("sandbox").fail(code, "Because.", tools.now())
    one = sandbox_status(post)
    assert (one.phase, one.action, one.cause) == ("trouble", action, "Because.")
    assert delivery_status(one)
    assert action_label(one)


def test_a_copy_that_cannot_be_unpublished_can_be_opened(sent, tools):
    post = sent("works")
    with transaction():
        post.delivery_to("sandbox").revision_id = None
        post.delivery_to("sandbox").fail("unsupported", "Do it there.", tools.now())
    assert sandbox_status(post).action == "open"


def test_a_scheduled_post_lists_its_destinations(app, tools, a_post, time):
    manage.connect("sandbox", "sandbox", {}, tools)
    post = a_post(platforms=["site", "sandbox"])
    publishing.schedule(post, time.passes(hours=1), tools.now())
    assert [(one.label, one.phase) for one in statuses(post, HOME)] == [("This blog", "queued"), ("Sandbox", "queued")]
    assert heading(post) == "Scheduled for 2 destinations"
    assert not is_open(statuses(post, HOME))


def test_a_missed_post_lists_its_destinations(app, tools, a_post, time, tick):
    manage.connect("sandbox", "sandbox", {}, tools)
    post = a_post(platforms=["site", "sandbox"])
    publishing.schedule(post, time() + timedelta(hours=1), tools.now())
    time.passes(days=3)
    tick()
    assert post.state == "missed"
    assert [one.platform for one in statuses(post, HOME)] == ["site", "sandbox"]


def test_a_scheduled_post_shows_which_destination_will_wait(app, tools, a_post, time):
    manage.connect("sandbox", "sandbox", {}, tools)
    manage.connect("sandbox", "other", {}, tools)
    post = a_post(platforms=["sandbox", "other"])
    publishing.schedule(post, time.passes(hours=1), tools.now())
    with transaction():
        Connection.named("sandbox").disconnect("Expired.")
    disconnect.disconnect(Connection.named("other"), tools.now())
    assert [(one.platform, action_label(one)) for one in statuses(post, HOME)] == [
        ("other", "Connect Sandbox"),
        ("sandbox", "Reconnect Sandbox"),
    ]


def test_an_unpublished_copy_is_not_counted(sent, tools, tick):
    post = sent("works")
    decide.withdraw(post.delivery_to("sandbox"), tools.now())
    assert delivery_status(sandbox_status(post)) == "Queued to unpublish"
    tick()
    assert sandbox_status(post).phase == "down"
    assert heading(post) == "Live on 1 destination"


def test_an_unpublished_post_shows_how_many_copies_are_left(sent, tools, tick):
    post = sent("works")
    publishing.unpublish(post, tools.now())
    assert heading(post) == "Unpublishing from 1 destination"
    tick()
    assert heading(post) == "Unpublished"


def test_a_draft_has_no_deliveries(a_post, tools):
    post = a_post()
    assert statuses(post, HOME) == []
    assert heading(post) == "Not published yet"
    editing.edit(post, {"title": "Another"}, None, tools.now())
    assert statuses(post, HOME) == []
