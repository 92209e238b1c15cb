"""Any single failed request leads to exactly one copy, or to an uncertain delivery for the author.

A request that a proxy passes on after a newer one is put right.

The engine runs each HTTP connector with the fake of its own test (`TestContract.make`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from flask import Flask

from blogsvc.connections import manage
from blogsvc.connectors.base import Connector, Gone, Unsupported
from blogsvc.context import Tools
from blogsvc.delivery import decide, reconcile
from blogsvc.delivery import deliver as delivering
from blogsvc.models import Connection, Delivery, Post, db
from blogsvc.posts import editing, publishing
from tests.clock import Time
from tests.connectors.contract import AN_IMAGE, HTTPContract
from tests.images import png
from tests.outside import Outside, Reply, Seen, Strike
from tests.tiers import matrix

MODULES = sorted(file.stem for file in Path(__file__).parent.glob("test_*.py"))
WORLDS = {
    name.removeprefix("test_"): world
    for name in MODULES
    if name != Path(__file__).stem
    and isinstance(world := getattr(import_module(f"tests.connectors.{name}"), "TestContract", None), type)
    and issubclass(world, HTTPContract)
    and name != "test_readme"
}
TEXT = f"A *tree*.\n\n![A tree]({AN_IMAGE})\n"


class Killed(BaseException):
    """The process was killed: nothing more is executed or stored."""


def lost(answer: Callable[[], Reply]) -> Reply:
    return Reply(failure="lost")


def lost_after(answer: Callable[[], Reply]) -> Reply:
    answer()
    return Reply(failure="lost")


def refused(answer: Callable[[], Reply]) -> Reply:
    return Reply(failure="refused")


def broken(answer: Callable[[], Reply]) -> Reply:
    return Reply(500, {"error": "oops"})


def broken_after(answer: Callable[[], Reply]) -> Reply:
    answer()
    return Reply(500, {"error": "oops"})


def page_after(answer: Callable[[], Reply]) -> Reply:
    """A plugin or a firewall replaces the response."""
    answer()
    return Reply(200, body=b"<!doctype html>", headers={"Content-Type": "text/html"})


def killed(answer: Callable[[], Reply]) -> Reply:
    raise Killed


def killed_after(answer: Callable[[], Reply]) -> Reply:
    answer()
    raise Killed


FAULTS: dict[str, Strike] = {
    one.__name__: one for one in (lost, lost_after, refused, broken, broken_after, page_after, killed, killed_after)
}


class Run:
    """One post to one platform with its own fake."""

    def __init__(
        self, world: type[HTTPContract], tools: Tools, time: Time, name: str, options: Mapping[str, str] | None = None
    ) -> None:
        self.contract, self.outside, self.time = world(), Outside(), time
        self.outside.teach("GET", AN_IMAGE, body=png(), headers={"Content-Type": "image/png"})
        made = self.contract.make(self.outside)
        self.contract.live(time())
        self.tools = replace(tools, http=self.outside.http())
        confirmed = made.http.origins
        self.lane, _ = manage.connect(made.key, name, dict(made.settings), self.tools, confirmed=confirmed)
        self.lane_id = self.lane.id
        words = {"title": "Of trees", "content": TEXT, "summary": "About trees.", "slug": f"of-trees-{name}"}
        overrides = {name: {"options": dict(options)}} if options else {}
        self.post = editing.create({**words, "tags": ["nature"], "overrides": overrides}, ["site", name], time())
        self.connector = made
        publishing.publish(self.post, time())

    def strike(self, nth: int, how: Strike) -> None:
        self.outside.strike(nth, how)

    def deliver(self) -> Delivery:
        """Run the scheduler for a day."""
        for _ in range(12):
            with suppress(Killed):
                delivering.deliver_lane(self.lane_id, self.tools, is_closing=lambda: False)
            db.session.rollback()
            self.time.passes(minutes=61)
            delivering.expire_leases(self.tools)
            connection = db.session.get_one(Connection, self.lane_id)
            if connection.state == "disconnected":
                manage.verify(connection, self.tools)
        return self.delivery

    def goes_on(self, minutes: float = 1) -> None:
        """Let this time pass in steps of twelve seconds, and do what is due."""
        for _ in range(round(minutes * 5)):
            self.time.passes(seconds=12)
            delivering.deliver_lane(self.lane_id, self.tools, is_closing=lambda: False)
            if reconcile.check_next(self.lane_id, self.tools):
                delivering.deliver_lane(self.lane_id, self.tools, is_closing=lambda: False)
            db.session.rollback()

    def writes(self, since: int = 0) -> list[tuple[int, Seen]]:
        """Return the requests that change something after this one, with their numbers, 1 being the next."""
        sent = enumerate(self.outside.requests[since:], 1)
        return [(nth, seen) for nth, seen in sent if seen.method not in ("GET", "HEAD")]

    @property
    def delivery(self) -> Delivery:
        db.session.expire_all()
        found = db.session.get_one(Post, self.post.id).delivery_to(self.lane.name)
        assert found is not None
        return found

    @property
    def copies(self) -> int:
        return self.contract.copies(self.outside)

    @property
    def readable(self) -> int:
        return self.contract.readable(self.outside)

    @property
    def is_newer_text_sent(self) -> bool:
        """Return True if the text that the author published last is the one that is being sent."""
        return self.delivery.armed_revision_id == self.delivery.revision_id

    @property
    def is_as_delivered(self) -> bool:
        """Return True if the platform has the version that was delivered. Without versions, that can't be told."""
        delivery, receipt = self.delivery, self.delivery.receipt
        assert receipt is not None
        with suppress(Gone, Unsupported):
            return self.connector.fetch_version(delivery.keys, receipt).version == delivery.version
        return False

    def change(self, title: str = "Of bushes") -> None:
        editing.edit(self.post, {"title": title, "content": f"{TEXT}\n{title}.\n"}, None, self.time())
        publishing.publish(self.post, self.time())

    def withdraw(self) -> None:
        decide.withdraw(self.delivery, self.time())


def requests_of(world: type[HTTPContract], tools: Tools, time: Time, name: str) -> int:
    """Return the number of requests of a delivery without failures."""
    run = Run(world, tools, time, name)
    before = len(run.outside.requests)
    assert run.deliver().state == "delivered"
    assert run.copies == 1
    return len(run.outside.requests) - before


@matrix("fault", FAULTS, default=lambda fault: fault in ("refused", "lost_after", "page_after", "killed"))
@matrix("key", WORLDS, default=lambda key: key in ("webhook", "wordpress"))
def test_a_copy_is_created_once_whichever_request_fails(
    app: Flask, tools: Tools, time: Time, key: str, fault: str
) -> None:
    word = re.sub("_", "-", key)
    for nth in range(1, 1 + requests_of(WORLDS[key], tools, time, f"{word}-well")):
        run = Run(WORLDS[key], tools, time, f"{word}-{nth}")
        run.strike(nth, FAULTS[fault])
        delivery = run.deliver()
        asks = "create" not in run.connector.repeatable and not run.connector.can("find")
        if delivery.state == "uncertain" and asks:
            assert run.copies <= 1, f"two copies, where request {nth} was {fault}"
        else:
            assert (delivery.state, run.copies) == ("delivered", 1), f"where request {nth} was {fault}"


def struck(world: type[HTTPContract], tools: Tools, time: Time, word: str, wish: str, fault: str) -> None:
    """Test an update or withdrawal with a failure of its first request, then of its second, ..."""
    nth, requests = 0, 1
    while nth <= requests:
        run = Run(world, tools, time, f"{word}-{nth}")
        assert run.deliver().state == "delivered"
        before = len(run.outside.requests)
        getattr(run, wish)()
        if nth:
            run.strike(nth, FAULTS[fault])
        delivery = run.deliver()
        requests = requests if nth else len(run.outside.requests) - before
        expected = {"change": ("delivered", 1), "withdraw": ("withdrawn", 0)}[wish]
        assert (delivery.state, run.readable) == expected, f"where request {nth} was {fault}: {delivery.error_detail}"
        nth += 1


@matrix("fault", ["lost_after", "broken_after", "page_after", "killed_after"])
@pytest.mark.parametrize("wish", ["change", "withdraw"])
@matrix("key", WORLDS, default=lambda key: key in ("webhook", "wordpress"))
def test_an_update_or_withdrawal_is_completed_whichever_request_fails(
    app: Flask, tools: Tools, time: Time, key: str, wish: str, fault: str
) -> None:
    """In particular, our own update whose response was lost is not mistaken for somebody else's."""
    if not Run(WORLDS[key], tools, time, "once").connector.can({"change": "update", "withdraw": "delete"}[wish]):
        pytest.skip("the connector has no such ability")
    struck(WORLDS[key], tools, time, re.sub("_", "-", key), wish, fault)


class Proxy:
    """Holds one request, and passes it on when the test says so."""

    def hold(self, answer: Callable[[], Reply]) -> Reply:
        self.pass_on = answer
        return Reply(failure="hangs")


def last_write(
    world: type[HTTPContract], tools: Tools, time: Time, name: str, wish: str, options: Mapping[str, str] | None = None
) -> int:
    """Return which request of an operation is the last one that changes something."""
    run = Run(world, tools, time, name, options)
    before = len(run.outside.requests)
    run.goes_on()
    if wish != "create":
        before = len(run.outside.requests)
        getattr(run, wish)()
        run.goes_on()
    return run.writes(before)[-1][0]


def can(connector: Connector, wish: str) -> bool:
    """Return True if a request for this wish can be executed twice, or late, without another copy."""
    if wish == "create":
        return "create" in connector.repeatable and connector.can("update")
    return connector.can({"change": "update", "withdraw": "unpublish"}[wish])


@pytest.mark.parametrize("wish", ["create", "change", "withdraw"])
@matrix("key", WORLDS, default=lambda key: key in ("webhook", "wordpress", "mastodon"))
def test_a_request_that_is_executed_after_a_newer_one_is_put_right(
    app: Flask, tools: Tools, time: Time, key: str, wish: str
) -> None:
    """A proxy holds an update or a withdrawal. The copy is as wanted in the end, and is not taken for edited."""
    word = re.sub("_", "-", key)
    if not can(Run(WORLDS[key], tools, time, "once").connector, wish):
        pytest.skip("the connector has no such ability")
    nth, proxy = last_write(WORLDS[key], tools, time, f"{word}-well", wish), Proxy()
    run = Run(WORLDS[key], tools, time, f"{word}-late")
    if wish != "create":
        run.goes_on()
        getattr(run, wish)()
    run.strike(nth, proxy.hold)
    run.goes_on()
    run.change("Of shrubs")
    run.goes_on(0.4)
    assert (run.delivery.state, run.readable) == ("delivered", 1)

    is_executed = proxy.pass_on().status < 400
    is_changed = is_executed and not run.is_as_delivered
    before = len(run.outside.requests)
    run.goes_on(4)
    assert (run.delivery.state, run.delivery.drift, run.readable) == ("delivered", None, 1)
    assert run.is_as_delivered or not run.connector.can("fetch_version")
    is_sent_again = any(b"Of shrubs" in seen.body for _, seen in run.writes(before))
    assert is_changed == is_sent_again, "the text is sent again if an older one came late"


@matrix("key", ["devto", "ghost", "micropub", "wordpress"], default=lambda key: key in ("devto", "wordpress"))
def test_an_update_that_is_executed_after_the_withdrawal_is_put_right(
    app: Flask, tools: Tools, time: Time, key: str
) -> None:
    nth, proxy = last_write(WORLDS[key], tools, time, f"{key}-well", "change"), Proxy()
    run = Run(WORLDS[key], tools, time, f"{key}-late")
    run.goes_on()
    run.change()
    run.strike(nth, proxy.hold)
    run.goes_on()
    run.withdraw()
    run.goes_on(0.4)
    assert (run.delivery.state, run.readable) == ("withdrawn", 0)
    proxy.pass_on()
    run.goes_on(4)
    assert (run.delivery.state, run.delivery.is_draft, run.readable) == ("withdrawn", True, 0)
    time.passes(hours=2)
    run.goes_on()
    before = len(run.outside.requests)
    time.passes(hours=2)
    run.goes_on()
    assert len(run.outside.requests) == before, "the draft is no longer looked at"


@pytest.mark.parametrize("key", ["atproto", "bluesky"])
def test_a_copy_that_a_late_request_creates_after_it_was_deleted_is_deleted_again(
    app: Flask, tools: Tools, time: Time, key: str
) -> None:
    nth, proxy = last_write(WORLDS[key], tools, time, f"{key}-well", "create"), Proxy()
    run = Run(WORLDS[key], tools, time, f"{key}-late")
    run.strike(nth, proxy.hold)
    run.goes_on()
    run.withdraw()
    run.goes_on(0.4)
    assert run.copies == 0
    proxy.pass_on()
    assert run.copies == 1
    run.goes_on(4)
    assert (run.delivery.state, run.copies) == ("withdrawn", 0)


@matrix("key", ["buttondown", "ghost", "wordpress"])
def test_a_copy_with_an_older_text_that_appears_late_is_updated(app: Flask, tools: Tools, time: Time, key: str) -> None:
    """It is found in place of the newer text, which was about to be sent."""
    options = {"send": "everyone"} if key == "buttondown" else {}
    nth, proxy = last_write(WORLDS[key], tools, time, f"{key}-well", "create", options), Proxy()
    run = Run(WORLDS[key], tools, time, f"{key}-late", options)
    run.strike(nth, proxy.hold)
    run.goes_on()
    run.change("Of bushes")
    is_looked_up = key == "wordpress"  # the others look for a draft before they create one
    run.outside.always(
        lambda seen: run.is_newer_text_sent and (run.contract.is_creation(seen) or not is_looked_up), status=503
    )
    run.goes_on(2.4)
    assert run.is_newer_text_sent
    run.outside.always()
    proxy.pass_on()
    before = len(run.outside.requests)
    run.contract.finish_sending()
    assert run.deliver().state == "delivered"
    assert run.is_as_delivered
    assert len(run.connector.find_all(run.delivery.keys)) == 1
    assert any(b"Of bushes" in seen.body for _, seen in run.writes(before)), "the copy had the older text"


def test_every_http_connector_is_tested_here() -> None:
    assert {"webhook"} <= set(WORLDS)
