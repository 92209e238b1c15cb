"""A proxy holds a request that changes a copy, and passes it on after a newer one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from flask import Flask

from blogsvc.context import Tools
from blogsvc.models import Delivery, Event, Post, db
from blogsvc.posts import editing, publishing
from tests.clock import Time
from tests.faults.conftest import Beside, reload_rows
from tests.faulty_platform import Account, FaultyPlatform

Tick = Callable[[], None]
UNVERSIONED, VERSIONED = "faulty-key", "faulty-draft"
KINDS = pytest.mark.parametrize("kind", [UNVERSIONED, VERSIONED])
WITH_VERSIONS = pytest.mark.parametrize("kind", [VERSIONED])


@dataclass
class Published:
    """A post with one copy, called "First"."""

    kind: str
    post: Post
    platform: FaultyPlatform
    time: Time
    tick: Tick
    find: Callable[[Post, str], Delivery]

    def edit(self, title: str) -> None:
        """Publish another title."""
        self.change_title(title)
        self.tick()

    def change_title(self, title: str) -> None:
        reload_rows()
        editing.edit(self.post, {"title": title}, None, self.time())
        publishing.publish(self.post, self.time())

    def unpublish(self) -> None:
        publishing.unpublish(self.post, self.time())
        self.tick()

    def publish(self) -> None:
        publishing.publish(self.post, self.time())
        self.tick()

    def fail_next_change(self, behaviour: str = "held") -> int:
        """Set what happens to the next change. Returns how many requests that needs: its version is read before."""
        behaviours = ["ok", behaviour] if self.kind == VERSIONED else [behaviour]
        self.platform.will(*behaviours)
        return len(behaviours)

    def retry(self) -> None:
        self.time.passes(seconds=15)
        self.tick()

    def pass_on(self, title: str, status: str = "published") -> None:
        """Pass the held request on, and wait until the copy has what it wrote."""
        self.platform.goes_on()
        assert self.platform.wait_for(lambda: self.copy == (title, status))

    def wait_for_late_requests(self) -> None:
        """Let the time pass in which requests may arrive late, and the scheduler do what is due then."""
        self.time.passes(minutes=3)
        self.tick()
        self.tick()

    @property
    def account(self) -> Account:
        return self.platform.account(self.kind)

    @property
    def copy(self) -> tuple[str, str]:
        """The title and the status of the only copy."""
        (copy,) = self.account.copies.values()
        return copy["title"], copy.get("status", "published")

    @property
    def delivery(self) -> Delivery:
        return self.find(self.post, self.kind)

    @property
    def status(self) -> tuple[str, str, str]:
        """The state of the delivery, and the title and the status of the copy."""
        return self.delivery.state, *self.copy


@pytest.fixture
def published(
    kind: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Callable[[Post, str], Delivery],
) -> Published:
    link(kind)
    post = a_post(live=True, platforms=[kind], title="First")
    tick()
    return Published(kind, post, platform, time, tick, delivery)


@pytest.fixture
def overtaken(published: Published) -> Published:
    """Return a post whose update to "Second" was held and repeated, and was followed by one to "Third"."""
    published.fail_next_change()
    published.edit("Second")
    published.retry()
    published.edit("Third")
    assert published.status == ("delivered", "Third", "published")
    return published


@KINDS
def test_an_older_text_that_arrives_late_is_put_right(overtaken: Published) -> None:
    overtaken.pass_on("Second")
    overtaken.wait_for_late_requests()
    assert overtaken.status == ("delivered", "Third", "published")
    assert overtaken.delivery.drift is None

    calls = len(overtaken.account.calls)
    overtaken.time.passes(minutes=30)
    overtaken.tick()
    assert len(overtaken.account.calls) == calls, "nothing is left to put right"


@KINDS
def test_the_next_edit_is_no_conflict_with_an_older_text_that_arrived_late(overtaken: Published) -> None:
    overtaken.pass_on("Second")
    overtaken.edit("Fourth")
    assert overtaken.status == ("delivered", "Fourth", "published")


@KINDS
def test_an_update_that_is_held_while_the_server_is_killed_does_not_come_back(
    app: Flask, tools: Tools, published: Published
) -> None:
    published.change_title("Second")
    calls = len(published.account.calls) + published.fail_next_change()
    killed = Beside(app, replace(tools))
    killed.tick()
    assert published.platform.wait_for(lambda: len(published.account.calls) == calls)
    killed.pass_[1].process.release()
    published.tick()
    published.retry()
    published.edit("Third")
    assert published.status == ("delivered", "Third", "published")
    published.pass_on("Second")
    killed.wait()
    published.wait_for_late_requests()
    assert published.status == ("delivered", "Third", "published")


@WITH_VERSIONS
def test_a_withdrawal_that_arrives_late_is_put_right(published: Published) -> None:
    published.fail_next_change()
    published.unpublish()
    published.retry()
    published.publish()
    assert published.status == ("delivered", "First", "published")
    published.pass_on("First", "draft")
    published.wait_for_late_requests()
    assert published.status == ("delivered", "First", "published")


@WITH_VERSIONS
def test_an_update_that_arrives_after_the_withdrawal_does_not_publish_the_copy_again(published: Published) -> None:
    published.fail_next_change()
    published.edit("Second")
    published.retry()
    published.unpublish()
    assert published.status == ("withdrawn", "Second", "draft")
    published.pass_on("Second")
    published.wait_for_late_requests()
    assert published.status == ("withdrawn", "Second", "draft")
    assert published.delivery.is_draft


@WITH_VERSIONS
def test_what_a_person_wrote_meanwhile_is_left_and_shown(overtaken: Published) -> None:
    overtaken.pass_on("Second")
    (there,) = overtaken.account.copies.values()
    there["title"] = "Mine"
    overtaken.wait_for_late_requests()
    assert overtaken.status == ("delivered", "Mine", "published")
    assert overtaken.delivery.drift == "edited"
    assert [event.type for event in db.session.query(Event)].count("delivery.drifted") == 1


@WITH_VERSIONS
def test_a_copy_that_no_late_request_changed_is_left_alone(published: Published) -> None:
    published.fail_next_change("hang")
    published.edit("Second")
    published.retry()
    writes = [call for call in published.account.calls if call.method != "GET"]
    rev = published.delivery.post.rev
    published.wait_for_late_requests()
    assert [call for call in published.account.calls if call.method != "GET"] == writes
    assert published.delivery.post.rev == rev


@pytest.mark.parametrize("kind", [UNVERSIONED, "faulty-blind"])
def test_a_deletion_that_arrives_late_does_not_remove_what_was_published_again(published: Published) -> None:
    published.fail_next_change()
    published.unpublish()
    published.publish()
    assert published.status == ("delivered", "First", "published")
    published.platform.goes_on()
    assert published.platform.wait_for(lambda: not published.platform.held)
    published.wait_for_late_requests()
    assert published.status == ("delivered", "First", "published")
    assert published.delivery.drift is None


@pytest.mark.parametrize("kind", [UNVERSIONED, "faulty-blind"])
@pytest.mark.parametrize("title", ["First", "Second"])
def test_a_deletion_that_was_executed_despite_a_rate_limit_is_undone(published: Published, title: str) -> None:
    published.fail_next_change("429-after")
    published.unpublish()
    published.change_title(title)
    for _ in range(2):
        published.retry()
    assert published.status == ("delivered", title, "published")


@KINDS
def test_an_update_that_was_executed_despite_a_rate_limit_is_undone(published: Published) -> None:
    published.fail_next_change("429-after")
    published.edit("Second")
    published.change_title("First")
    for _ in range(2):
        published.retry()
    assert published.status == ("delivered", "First", "published")
