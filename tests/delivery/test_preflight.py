"""The preflight checks of the publish dialog."""

from __future__ import annotations

import pytest

from blogsvc.auth import accounts
from blogsvc.connections import manage
from blogsvc.connectors.sandbox import EXPIRED, Sandbox
from blogsvc.delivery import preflight
from blogsvc.delivery.preview import previews
from blogsvc.models import Connection, Setting, transaction
from blogsvc.posts import editing, publishing


@pytest.fixture
def sandbox(app, tools):
    def make(name="sandbox", outcome="works"):
        manage.connect("sandbox", name, {"outcome": outcome}, tools)
        return name

    return make


@pytest.fixture
def ready(tools):
    return lambda post: preflight.preflight(post, tools)


def place(found, name):
    return next(place for place in found.destinations if place.name == name)


def codes(found):
    return [check.code for check in found.checks]


def test_every_destination_has_a_status_line(a_post, ready, sandbox):
    sandbox()
    found = ready(a_post(platforms=["site", "sandbox"], summary="Of trees."))
    assert [(one.name, one.label) for one in found.destinations] == [("site", "This blog"), ("sandbox", "Sandbox")]
    assert place(found, "site").line == "Public, 2 words"
    assert place(found, "site").account == "blog.example"
    assert place(found, "sandbox").line.endswith(" of 500 characters")


def test_images_and_images_without_alt_text_are_counted(a_post, ready):
    post = a_post(content="![](https://x.example/1.png) and ![A tree](https://x.example/2.png)")
    found = ready(post)
    assert place(found, "site").line == "Public, 3 words, 2 images, 1 without alt text"
    assert "no_alt" in codes(found)


def test_a_canonical_url_elsewhere_is_named(a_post, ready):
    post = a_post(canonical_url="https://there.example/trees")
    assert place(ready(post), "site").line == "Public, 2 words, original on there.example"


def test_missing_parts_of_a_post_are_listed(a_post, ready):
    assert codes(ready(a_post(title="", content="The end is TK. TKO is no mark."))) == [
        "to_come",
        "no_title",
        "no_summary",
    ]
    assert codes(ready(a_post(summary="All is well."))) == []


def test_a_post_without_content_cannot_be_published(a_post, ready):
    found = ready(a_post(content="  "))
    assert codes(found) == ["empty"]
    assert found.is_blocked


def test_a_post_without_a_title_cannot_be_published(a_post, ready):
    assert ready(a_post(title="")).is_blocked
    assert not ready(a_post()).is_blocked


def test_text_too_long_for_one_destination_blocks_that_destination_only(a_post, ready, sandbox, tools):
    sandbox()
    own = {"sandbox": {"content": "long " * 99 + "words"}}
    post = a_post(platforms=["site", "sandbox"], overrides=own)
    over = len("\n\n") + len(f"https://blog.example/{post.slug}")  # the link makes it too long
    found = ready(post)
    assert place(found, "sandbox").remedy == "edit"
    assert place(found, "sandbox").line == f"{over} characters too many. Shorten the text to select Sandbox."
    assert place(found, "sandbox").announcement.count == f"{500 + over} of 500 characters"
    assert not place(found, "sandbox").is_ticked
    assert place(found, "site").is_ticked
    assert not preflight.refusals(previews(post, ["site"], tools))
    (refused,) = preflight.refusals(previews(post, ["site", "sandbox"], tools))
    assert refused.detail.startswith("Sandbox: ")
    assert "over the limit of 500" in refused.detail


def test_a_disconnected_connection_blocks_its_destination(a_post, ready, sandbox, tools):
    sandbox()
    with transaction():
        Connection.named("sandbox").disconnect("The token has expired.")
    found = place(ready(a_post(platforms=["site", "sandbox"])), "sandbox")
    assert (found.problem, found.remedy, found.cause) == (preflight.DISCONNECTED, "reconnect", "The token has expired.")


def test_destinations_chosen_for_the_post_are_selected(a_post, ready, sandbox):
    sandbox()
    found = ready(a_post(platforms=["sandbox"]))
    assert [one.name for one in found.destinations if one.is_ticked] == ["sandbox"]


def test_the_first_post_defaults_to_the_default_destinations(a_post, ready, sandbox):
    sandbox()
    with transaction():
        Setting.write("default_platforms", ["site", "sandbox"])
    assert [one.name for one in ready(a_post()).destinations if one.is_ticked] == ["site", "sandbox"]


def test_an_up_to_date_copy_of_a_live_post_is_not_sent_again(a_post, ready, sandbox, tick, tools):
    sandbox()
    post = a_post(live=True, platforms=["site", "sandbox"], summary="Of trees.")
    tick()
    assert not any(one.is_open for one in ready(post).destinations)
    editing.edit(post, {"content": "Other words."}, None, tools.now())
    found = ready(post)
    assert (place(found, "site").operation, place(found, "site").is_ticked) == ("update", True)
    assert place(found, "sandbox").line == "Up to date"  # its summary is the same


def test_an_option_shows_the_chosen_value(a_post, ready, sandbox):
    sandbox()
    own = {"sandbox": {"options": {"outcome": "is slow"}}}
    asked = place(ready(a_post(overrides=own)), "sandbox").asked
    assert [(one.option.name, one.value) for one in asked] == [("outcome", "is slow")]


def test_the_last_destinations_are_remembered_per_user(app, tools):
    user = accounts.add_user("ada@example.org", "Ada", "a long password", "author", "UTC", tools.now())
    assert preflight.last_used(user) == []
    preflight.remember(user, ["site", "sandbox"])
    assert preflight.last_used(user) == ["site", "sandbox"]


def test_an_uninstalled_connector_blocks_its_destination_and_is_named_by_its_key(a_post, ready, tools):
    with transaction():
        Connection.add("forum", "forum", tools.now())
    found = place(ready(a_post(platforms=["site", "forum"])), "forum")
    assert (found.label, found.remedy) == ("forum", "reconnect")
    assert "not installed" in found.line


def test_an_unpublished_post_defaults_to_its_former_destinations(a_post, ready, sandbox, tick, tools):
    sandbox()
    post = a_post(live=True, platforms=["sandbox"])
    tick()
    publishing.unpublish(post, tools.now())
    tick()
    assert [one.name for one in ready(post).destinations if one.is_ticked] == ["sandbox"]


def test_newsletters_of_an_account_are_choices_with_the_one_that_was_chosen(a_post, ready, tools):
    with transaction():
        Connection.add("letters", "ghost", tools.now()).facts = {"newsletter:weekly": 1234}
    own = {"letters": {"options": {"newsletter": "monthly"}}}
    asked = place(ready(a_post(platforms=["site", "letters"], overrides=own)), "letters").asked[0]
    assert asked.option.choices_with(asked.value) == ("", "weekly", "monthly")


def test_the_sandbox_account_outcome_is_not_a_post_option():
    assert EXPIRED not in Sandbox.options[0].choices
