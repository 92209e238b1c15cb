"""Never two, checked: a proxy holds the creation of a copy on real servers.

And withdrawing keeps what it can. The time is that of the test, so each case takes as long as its requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.delivery.extra_copies import remove_extra_copies
from blogsvc.lib.crypto import Vault
from blogsvc.lib.net.http import HttpClient, Timeout
from blogsvc.models import Post, db
from blogsvc.models.extra_copy import extra_copies_of
from blogsvc.posts import publishing
from tests.clock import Time
from tests.real.held_requests import HoldingProxy
from tests.real.pds.server import pds
from tests.real.synapse.server import synapse
from tests.tiers import matrix

__all__ = ["pds", "synapse"]


@pytest.fixture
def time():
    return Time(datetime.now(UTC))


@dataclass
class Place:
    """A real server, with what an author enters to connect it."""

    platform: str
    server: Any
    settings: dict[str, str]

    def ids(self, status=None):
        """Return the ids of all posts there, drafts too, or of those with this status."""
        return [str(post["id"]) for post in self.server.posts() if status in (None, post["status"])]

    def public(self):
        return self.ids("publish" if self.platform == "wordpress" else "published")

    def edit(self, post_id):
        self.server.edit(post_id, title="Of weeds")


class Documents:
    """A repository on a PDS, with what an author enters to connect it."""

    platform = "atproto"

    def __init__(self, pds):
        self.pds = pds
        self.settings = {**pds.account(), "blog_url": "https://blog.example", "blog_name": "Of everything"}

    def ids(self):
        return [record["uri"] for record in self.pds.records(self.settings, "site.standard.document")]


class Room:
    """A room on Synapse, with what an author enters to connect it."""

    platform = "matrix"

    def __init__(self, synapse):
        self.synapse = synapse
        self.room, alias = synapse.room()
        self.settings = {"homeserver": synapse.url, "token": synapse.blog, "room": alias}

    def ids(self):
        return [f"{self.room}/{one['event_id']}" for one in self.synapse.originals(self.room)]


@pytest.fixture(params=["wordpress", "ghost"])
def place(request):
    match request.param:
        case "atproto":
            return Documents(request.getfixturevalue("pds"))
        case "matrix":
            return Room(request.getfixturevalue("synapse"))
    server = request.getfixturevalue(f"{request.param}_site")
    names = ("url", "username", "password") if request.param == "wordpress" else ("url", "key")
    return Place(request.param, server, {name: getattr(server, name) for name in names})


@pytest.fixture
def proxy():
    creates = re.compile(
        "POST .*(/wp/v2/posts|/ghost/api/admin/posts/)|PUT .*/send/m.room.message/.*"
        '|POST .*putRecord .*"site.standard.document".*'
    )

    def is_creation(request):
        return creates.fullmatch(f"{request.method} {request.url.path}") or creates.fullmatch(
            f"{request.method} {request.url.path} {request.read().decode('utf-8', 'replace')}"
        )

    return HoldingProxy(is_creation)


@pytest.fixture
def tools(config, time, proxy):
    # PHP as WebAssembly is slow on a busy machine.
    http = HttpClient(allow_private=True, transport=proxy, timeout=Timeout(read=120, total=120))
    vault = Vault.open(config.instance / "secret.key")
    return Tools(config=config, vault=vault, http=http, now=time, steady=lambda: time().timestamp())


@pytest.fixture
def published(app, tools, place, a_post):
    """A post that is due there."""
    manage.connect(place.platform, "there", place.settings, tools)
    return a_post(live=True, platforms=["there"])


def copy(post):
    db.session.rollback()
    db.session.expire_all()
    return db.session.get_one(Post, post.id).delivery_to("there")


def until_settled(post, time, tick, passes_on_at=None, proxy=None):
    """Run the scheduler at each time that it has planned. The proxy passes the request on at its time."""
    while (one := copy(post)).state in ("uncertain", "queued", "retrying"):
        if passes_on_at is not None and one.next_attempt_at >= passes_on_at:
            proxy.passes_on()
        time.now = one.next_attempt_at
        tick()
    return one


# The first two are searched for the copy; the others take a repeated request as the same one.
@pytest.mark.parametrize("place", ["wordpress", "ghost", "atproto", "matrix"], indirect=True)
@matrix("seconds", [120, 30, 5])
def test_a_request_that_is_held_creates_one_copy(seconds, published, proxy, place, time, tick):
    proxy.holds_next()
    tick()
    assert (len(proxy.held), place.ids()) == (1, [])
    passes_on_at = time() + timedelta(seconds=seconds)
    found = until_settled(published, time, tick, passes_on_at, proxy)
    assert (found.state, place.ids()) == ("delivered", [found.remote_id])


def test_a_request_that_is_held_longer_is_told_as_two_copies_and_one_click_removes_the_second(
    published, proxy, place, time, tick
):
    proxy.holds_next()
    tick()
    ours = until_settled(published, time, tick).remote_id
    proxy.passes_on()
    assert len(place.public()) == 2
    time.passes(minutes=11)
    tick()
    found = copy(published)
    (extra,) = extra_copies_of(found.id)
    assert (found.state, found.extra_count, found.remote_id) == ("delivered", 1, ours)
    assert extra.remote_id != ours
    remove_extra_copies(found, time())
    tick()
    assert (place.public(), copy(published).extra_count) == ([ours], 0)


def test_withdrawing_after_a_doubt_leaves_no_public_copy(published, proxy, place, time, tick):
    proxy.holds_next()
    tick()
    until_settled(published, time, tick)
    proxy.passes_on()
    publishing.unpublish(published, time())
    tick()
    found = copy(published)
    assert (found.state, found.is_draft, found.extra_count) == ("withdrawn", True, 0)
    assert place.public() == []


def test_publishing_again_publishes_the_same_post(published, place, time, tick):
    tick()
    first = copy(published)
    remote_id, url = first.remote_id, first.url
    publishing.unpublish(published, time())
    tick()
    assert (place.ids("draft"), copy(published).is_draft) == ([remote_id], True)
    publishing.publish(published, time())
    tick()
    again = copy(published)
    assert (again.state, again.remote_id, again.url) == ("delivered", remote_id, url)
    assert (place.ids(), place.public()) == ([remote_id], [remote_id])


def test_the_comments_of_a_post_on_wordpress_stay(app, tools, wordpress_site, a_post, time, tick):
    settings = {key: getattr(wordpress_site, key) for key in ("url", "username", "password")}
    manage.connect("wordpress", "there", settings, tools)
    post = a_post(live=True, platforms=["there"])
    tick()
    remote_id = copy(post).remote_id
    wordpress_site.comment(remote_id, "Lovely trees.")
    publishing.unpublish(post, time())
    tick()
    publishing.publish(post, time())
    tick()
    assert len(wordpress_site.api("GET", f"comments?post={remote_id}")) == 1


def test_a_copy_that_was_edited_there_is_withdrawn_only_on_the_authors_word(published, place, time, tick):
    tick()
    first = copy(published)
    place.edit(first.remote_id)
    decide.withdraw(first, time(), delete=True)
    tick()
    asked = copy(published)
    assert (asked.state, asked.error_code) == ("failed", "edited")
    assert len(place.public()) == 1
    decide.retry(asked, time())
    tick()
    assert copy(published).state == "withdrawn"
    assert place.ids() == []
