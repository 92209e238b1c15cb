"""What is said of each copy, and what is offered to do about it."""

from __future__ import annotations

import pytest

from blogsvc.connections import disconnect, manage
from blogsvc.connectors.sandbox import EXPIRED, FAILS, FAILS_ONCE, LOSES, REFUSES
from blogsvc.delivery import deliver
from blogsvc.delivery.status import heading, is_open, statuses
from blogsvc.models import Connection, transaction
from blogsvc.posts import editing, publishing

HOME = "https://blog.example"


@pytest.fixture
def sent(app, tools, a_post, tick):
    """A post published to a sandbox with this outcome, after one pass of the clock."""

    def make(outcome):
        manage.connect("sandbox", "sandbox", {"outcome": outcome}, tools)
        post = a_post(live=True, platforms=["site", "sandbox"])
        tick()
        return post

    return make


def told(post):
    return next(one for one in statuses(post, HOME) if one.platform == "sandbox")


def test_a_copy_that_is_there_is_live_and_needs_nothing(sent):
    post = sent("works")
    one = told(post)
    assert (one.shape, one.words, one.action) == ("live", "Live", None)
    assert heading(post, statuses(post, HOME)) == "Live in 2 places"
    assert not is_open(statuses(post, HOME))


def test_our_own_blog_comes_first_and_has_its_address(sent):
    first = statuses(sent("works"), HOME)[0]
    assert (first.label, first.account, first.url) == ("This blog", "blog.example", "https://blog.example/a-post")


def test_an_automatic_retry_is_calm_and_says_when(sent, tools):
    post = sent(FAILS)
    one = told(post)
    assert (one.shape, one.words, one.action, one.needs_person) == ("waiting", "Trying again", "retry", False)
    assert one.at > tools.now()
    assert "not to be reached" in one.cause
    assert is_open(statuses(post, HOME))
    assert heading(post, statuses(post, HOME)) == "Live in 1 of 2 places"


def test_a_refused_text_asks_to_be_edited_for_that_place(sent):
    one = told(sent(REFUSES))
    assert (one.shape, one.action, one.does) == ("trouble", "edit", "Edit for Sandbox")


def test_a_refused_account_asks_to_be_reconnected(sent):
    one = told(sent(EXPIRED))
    assert (one.shape, one.action, one.does) == ("trouble", "reconnect", "Reconnect")


def test_an_unknown_outcome_asks_a_question(sent):
    one = told(sent(LOSES))
    assert (one.shape, one.action) == ("trouble", "resolve")
    assert "did it arrive?" in one.words


def test_giving_up_is_said(sent, time, tick):
    post = sent(FAILS)
    time.passes(hours=25)
    tick()
    assert (told(post).words, told(post).action) == ("Given up after many tries", "retry")


def test_a_retry_by_hand_brings_it_there(sent, tools, tick):
    post = sent(FAILS_ONCE)
    deliver.retry(post.delivery_to("sandbox"), tools.now())
    assert told(post).shape == "queued"
    assert heading(post, statuses(post, HOME)) == "Sending; live in 1 of 2 places"
    tick()
    assert told(post).shape == "live"


@pytest.mark.parametrize(
    ("drift", "shape", "does"), [("edited", "live", "Write over it"), ("gone", "trouble", "Make it anew")]
)
def test_a_copy_that_is_not_as_it_was_sent_may_be_made_so_again(sent, drift, shape, does):
    post = sent("works")
    with transaction():
        post.delivery_to("sandbox").drift = drift
    assert (told(post).shape, told(post).action, told(post).does) == (shape, "retry", does)


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
def test_every_failure_has_words_and_one_action(sent, tools, code, action):
    post = sent("works")
    with transaction():
        post.delivery_to("sandbox").fail(code, "Because.", tools.now())
    one = told(post)
    assert (one.shape, one.action, one.cause) == ("trouble", action, "Because.")
    assert one.words
    assert one.does


def test_what_cannot_be_taken_down_from_here_is_opened_there(sent, tools):
    post = sent("works")
    with transaction():
        post.delivery_to("sandbox").revision_id = None
        post.delivery_to("sandbox").fail("unsupported", "Do it there.", tools.now())
    assert told(post).action == "look"


def test_a_scheduled_post_names_its_places(app, tools, a_post, time):
    manage.connect("sandbox", "sandbox", {}, tools)
    post = a_post(platforms=["site", "sandbox"])
    publishing.schedule(post, time.passes(hours=1), tools.now())
    assert [(one.label, one.shape) for one in statuses(post, HOME)] == [("This blog", "queued"), ("Sandbox", "queued")]
    assert heading(post, statuses(post, HOME)) == "Scheduled in 2 places"
    assert not is_open(statuses(post, HOME))


def test_a_scheduled_post_says_which_place_will_fail(app, tools, a_post, time):
    manage.connect("sandbox", "sandbox", {}, tools)
    manage.connect("sandbox", "other", {}, tools)
    post = a_post(platforms=["sandbox", "other"])
    publishing.schedule(post, time.passes(hours=1), tools.now())
    with transaction():
        Connection.named("sandbox").disconnect("Expired.")
    disconnect.disconnect(Connection.named("other"), tools.now())
    assert [(one.platform, one.does) for one in statuses(post, HOME)] == [
        ("other", "Connect it"),
        ("sandbox", "Reconnect"),
    ]


def test_what_is_taken_down_is_counted_no_more(sent, tools, tick):
    post = sent("works")
    deliver.withdraw(post.delivery_to("sandbox"), tools.now())
    assert told(post).words == "Waiting to be taken down"
    tick()
    assert told(post).shape == "down"
    assert heading(post, statuses(post, HOME)) == "Live in 1 place"


def test_an_unpublished_post_says_what_is_still_there(sent, tools, tick):
    post = sent("works")
    publishing.unpublish(post, tools.now())
    assert heading(post, statuses(post, HOME)) == "Being taken down in 1 place"
    tick()
    assert heading(post, statuses(post, HOME)) == "Taken down"


def test_a_draft_went_nowhere_yet(a_post, tools):
    post = a_post()
    assert statuses(post, HOME) == []
    assert heading(post, []) == "Not published yet"
    editing.edit(post, {"title": "Another"}, None, tools.now())
    assert statuses(post, HOME) == []
