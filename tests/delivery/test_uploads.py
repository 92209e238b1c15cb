"""Images are uploaded once, however many attempts a post takes and however many posts show them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from flask import Flask

from blogsvc.connections import manage
from blogsvc.connectors.base import ImageFile, Unavailable, Uploads
from blogsvc.context import Tools
from blogsvc.delivery import deliver as delivering
from blogsvc.lib.net.deadline import Deadline
from blogsvc.models import Delivery, Post, Upload, db, retention
from blogsvc.posts import editing, publishing
from tests.clock import Time
from tests.connectors.contract import AN_IMAGE, HTTPContract
from tests.connectors.test_exactly_once import WORLDS, Killed
from tests.images import png
from tests.outside import Outside, Seen

PHOTOS = [f"https://blog.example/photos/{number}.png" for number in range(20)]
# Those with whole articles: the others show one image.
BLOGS = ("ghost", "micropub", "wordpress")


def is_upload(seen: Seen) -> bool:
    paths = ("/images/upload/", "/wp-json/wp/v2/media", "media.me.example/upload", "/api/v2/media", "uploadBlob")
    return seen.method == "POST" and seen.url.partition("?")[0].endswith(paths)


class Journey:
    """Posts to one platform with its own fake, on a line that fails as the test says."""

    def __init__(self, key: str, tools: Tools, time: Time) -> None:
        self.world: HTTPContract = WORLDS[key]()
        self.outside, self.time = Outside(), time
        for number, url in enumerate([*PHOTOS, AN_IMAGE]):
            self.outside.teach("GET", url, body=png(40 + number, 30), headers={"Content-Type": "image/png"})
        made = self.world.make(self.outside)
        self.world.live(time())
        self.tools = replace(tools, http=self.outside.http())
        confirmed = made.http.origins
        self.lane, _ = manage.connect(made.key, key, dict(made.settings), self.tools, confirmed=confirmed)
        self.name, self.lane_id = key, self.lane.id

    def publish(self, slug: str, photos: list[str]) -> Post:
        text = "\n\n".join(f"![]({url})" for url in photos)
        words = {"title": slug.capitalize(), "content": f"Words.\n\n{text}", "slug": slug}
        if self.name not in BLOGS:
            words["cover_image"] = photos[0]
            words["overrides"] = {"mastodon": {"options": {"image": "attach"}}} if self.name == "mastodon" else {}
        post = editing.create(words, ["site", self.name], self.time())
        return publishing.publish(post, self.time())

    def deliver(self) -> None:
        with suppress(Killed):
            delivering.deliver_lane(self.lane_id, self.tools, is_closing=lambda: False)
        db.session.rollback()
        db.session.expire_all()

    def delivery(self, post: Post) -> Delivery:
        found = Post.get(post.id).delivery_to(self.name)
        assert found is not None
        return found

    @property
    def uploads(self) -> list[bytes]:
        """The bodies of the uploads so far."""
        return [seen.body for seen in self.outside.requests if is_upload(seen)]

    def fail_each_upload_after(self, most: int) -> None:
        """Refuse the connection to every upload after so many in one attempt, as on a line that breaks."""
        made = 0

        def is_refused(seen: Seen) -> bool:
            nonlocal made
            made += is_upload(seen)
            if made > most:
                made = 0
                return True
            return False

        self.outside.always(is_refused, failure="refused")

    def kill_at_upload(self, nth: int) -> None:
        """Kill the process once, when the nth upload has been received but not answered."""
        made = 0

        def is_killed(seen: Seen) -> bool:
            nonlocal made
            made += is_upload(seen)
            if made == nth and is_upload(seen):
                raise Killed
            return False

        self.outside.always(is_killed, failure="refused")


@pytest.fixture
def journey(app: Flask, tools: Tools, time: Time) -> Callable[[str], Journey]:
    return lambda key: Journey(key, tools, time)


@pytest.mark.parametrize("key", BLOGS)
def test_twenty_photos_are_uploaded_over_several_attempts_without_waiting(
    journey: Callable[[str], Journey], key: str
) -> None:
    run = journey(key)
    run.fail_each_upload_after(6)
    post = run.publish("photos", PHOTOS)
    run.deliver()
    delivery = run.delivery(post)
    assert (delivery.state, run.world.copies(run.outside)) == ("delivered", 1)
    refused = 3  # the seventh upload of each attempt but the last
    assert len(run.uploads) == len(PHOTOS) + refused
    assert delivery.connection is not None
    assert delivery.connection.failure_count == 0


@pytest.mark.parametrize("key", BLOGS)
def test_an_upload_that_was_finished_before_a_kill_is_used_again(journey: Callable[[str], Journey], key: str) -> None:
    run = journey(key)
    run.kill_at_upload(3)
    post = run.publish("photos", PHOTOS[:5])
    run.deliver()
    for _ in range(3):
        run.time.passes(minutes=31)
        delivering.expire_leases(run.tools)
        run.deliver()
    assert (run.delivery(post).state, run.world.copies(run.outside)) == ("delivered", 1)
    assert len(run.uploads) == 6  # the killed one twice


@pytest.mark.parametrize("key", [*BLOGS, "bluesky"])
def test_the_same_image_is_not_uploaded_again_for_another_post(journey: Callable[[str], Journey], key: str) -> None:
    run = journey(key)
    posts = [run.publish(slug, PHOTOS[:1]) for slug in ("first", "second")]
    run.deliver()
    assert [run.delivery(post).state for post in posts] == ["delivered", "delivered"]
    assert len(run.uploads) == 1


@pytest.mark.parametrize("key", ["ghost", "micropub"])
def test_an_image_that_the_platform_has_deleted_is_uploaded_again(journey: Callable[[str], Journey], key: str) -> None:
    run = journey(key)
    run.publish("first", PHOTOS[:1])
    run.deliver()
    run.world.fake.uploads.clear()  # type: ignore[attr-defined]
    second = run.publish("second", PHOTOS[:1])
    run.deliver()
    assert run.delivery(second).state == "delivered"
    assert len(run.uploads) == 2


def test_a_blob_that_may_be_deleted_is_uploaded_again(journey: Callable[[str], Journey]) -> None:
    run = journey("bluesky")
    run.publish("first", PHOTOS[:1])
    run.deliver()
    run.time.passes(hours=2)
    run.publish("second", PHOTOS[:1])
    run.deliver()
    assert len(run.uploads) == 2


def test_uploads_are_forgotten_with_the_connection_and_after_a_year(
    journey: Callable[[str], Journey], time: Time
) -> None:
    run = journey("ghost")
    run.publish("first", PHOTOS[:2])
    run.deliver()
    assert db.session.query(Upload).count() == 2
    retention.delete_old_rows(run.tools.config, time.passes(days=364))
    assert db.session.query(Upload).count() == 2
    retention.delete_old_rows(run.tools.config, time.passes(days=2))
    assert db.session.query(Upload).count() == 0


def test_uploads_stop_when_half_of_the_time_of_an_attempt_is_over() -> None:
    one, other = (ImageFile(png(size, size), "image/png") for size in (8, 9))
    uploads = Uploads()
    with Deadline.within(0):
        assert uploads.once(one, lambda image: "1") == "1"  # at least one in each attempt
        assert uploads.once(one, lambda image: "again") == "1"
        with pytest.raises(Unavailable, match=r"1 image is uploaded\. The next attempt continues"):
            uploads.once(other, lambda image: "2")
        with pytest.raises(Unavailable):
            uploads.leave_time()
    uploads.leave_time()
