"""Never two, checked: a proxy holds the creation of a copy on a real WordPress. And withdrawing keeps what it can.

The time is that of the test, so each case takes as long as its requests. `make test-real` runs all of them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

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


@pytest.fixture
def time():
    return Time(datetime.now(UTC))


@pytest.fixture
def proxy():
    return HoldingProxy(lambda request: request.method == "POST" and request.url.path.endswith("/wp/v2/posts"))


@pytest.fixture
def tools(config, time, proxy):
    # PHP as WebAssembly is slow on a busy machine.
    door = HttpClient(allow_private=True, transport=proxy, timeout=Timeout(read=120, total=120))
    vault = Vault.open(config.instance / "secret.key")
    return Tools(config=config, vault=vault, door=door, now=time, steady=lambda: time().timestamp())


@pytest.fixture
def published(app, tools, wordpress_site, a_post):
    """A post that is due on WordPress."""
    settings = {key: getattr(wordpress_site, key) for key in ("url", "username", "password")}
    manage.connect("wordpress", "wordpress", settings, tools)
    return a_post(live=True, platforms=["wordpress"])


def copy(post):
    db.session.rollback()
    db.session.expire_all()
    return db.session.get_one(Post, post.id).delivery_to("wordpress")


def until_settled(post, time, tick, passes_on_at=None, proxy=None):
    """Run the scheduler at each time that it has planned. The proxy passes the request on at its time."""
    while (one := copy(post)).state in ("uncertain", "queued", "retrying"):
        if passes_on_at is not None and one.next_attempt_at >= passes_on_at:
            proxy.passes_on()
        time.now = one.next_attempt_at
        tick()
    return one


@pytest.mark.parametrize("seconds", [5, 30, 120])
def test_a_request_that_is_held_creates_one_copy(seconds, published, proxy, wordpress_site, time, tick):
    proxy.holds_next()
    tick()
    passes_on_at = time() + timedelta(seconds=seconds)
    found = until_settled(published, time, tick, passes_on_at, proxy)
    (post,) = wordpress_site.posts()
    assert (found.state, found.remote_id) == ("delivered", str(post["id"]))


def test_a_request_that_is_held_longer_is_told_as_two_copies_and_one_click_removes_the_second(
    published, proxy, wordpress_site, time, tick
):
    proxy.holds_next()
    tick()
    ours = until_settled(published, time, tick)
    assert ours.state == "delivered"
    proxy.passes_on()
    assert len(wordpress_site.posts("publish")) == 2
    time.passes(minutes=11)
    tick()
    found = copy(published)
    (extra,) = extra_copies_of(found.id)
    assert (found.extra_count, found.remote_id) == (1, ours.remote_id)
    assert extra.remote_id != ours.remote_id
    remove_extra_copies(found, time())
    tick()
    assert [str(post["id"]) for post in wordpress_site.posts("publish")] == [ours.remote_id]
    assert copy(published).extra_count == 0


def test_withdrawing_after_a_doubt_leaves_no_public_copy(published, proxy, wordpress_site, time, tick):
    proxy.holds_next()
    tick()
    until_settled(published, time, tick)
    proxy.passes_on()
    publishing.unpublish(published, time())
    tick()
    found = copy(published)
    assert (found.state, found.is_draft, found.extra_count) == ("withdrawn", True, 0)
    assert wordpress_site.posts("publish") == []


def test_publishing_again_publishes_the_same_post_with_its_comments(published, wordpress_site, time, tick):
    tick()
    first = copy(published)
    wordpress_site.comment(first.remote_id, "Lovely trees.")
    publishing.unpublish(published, time())
    tick()
    (draft,) = wordpress_site.posts()
    assert (draft["status"], copy(published).is_draft) == ("draft", True)
    publishing.publish(published, time())
    tick()
    (post,) = wordpress_site.posts("publish")
    again = copy(published)
    assert (again.remote_id, again.url, str(post["id"])) == (first.remote_id, first.url, first.remote_id)
    assert len(wordpress_site.api("GET", f"comments?post={post['id']}")) == 1


def test_a_copy_that_was_edited_there_is_withdrawn_only_on_the_authors_word(published, wordpress_site, time, tick):
    tick()
    first = copy(published)
    wordpress_site.edit(first.remote_id, title="Of weeds")
    decide.withdraw(first, time(), delete=True)
    tick()
    asked = copy(published)
    assert (asked.state, asked.error_code) == ("failed", "edited")
    assert len(wordpress_site.posts("publish")) == 1
    decide.retry(asked, time())
    tick()
    assert copy(published).state == "withdrawn"
    assert wordpress_site.posts() == []
