"""Reconciliation: statistics of copies, and whether they were edited or removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any, ClassVar

import pytest
from flask import Flask
from PIL import Image

from blogsvc import connectors
from blogsvc.connections import manage
from blogsvc.connections.load import connector_of
from blogsvc.connectors.base import (
    Account,
    Article,
    Conflict,
    Connector,
    Field,
    Figures,
    Gone,
    Keys,
    Option,
    Payload,
    RateLimited,
    Receipt,
)
from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import Connection, CopyStats, Delivery, Event, Post, db
from blogsvc.scheduler.one_pass import one_pass
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.images import an_image, encoded, noise, opened, png
from tests.outside import Outside
from tests.tiers import exhaustive

Posts = Callable[..., Post]
Tick = Callable[[], None]


class Wall(Connector):
    """A platform in a dictionary: copies by number, each with a version and readers."""

    key = "wall"
    label = "Wall"
    accepts = "html"
    fields = (Field("token", "Token", secret=True),)
    options = (Option("visibility", "Who sees it", ("public", "unlisted"), "public"), Option("group", "Group"))
    once = "It is only a test."
    copies: ClassVar[dict[str, dict[str, Any]]] = {}
    asked: ClassVar[list[str]] = []
    trouble: ClassVar[list[Exception]] = []
    # Callbacks that run between a look and its response.
    meanwhile: ClassVar[list[Callable[[], None]]] = []

    def verify(self) -> Account:
        self.session["token"] = "t-1"
        return Account("Ada", facts={"most": 500})

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return Payload({"title": article.title, **options, "most": self.facts.get("most", 0)})

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        self.session["token"] = self.session.get("token", "t-0") + "+"
        number = str(len(self.copies) + 1)
        self.copies[number] = {**payload.body, "version": 1, "likes": 0}
        return Receipt(number, f"https://wall.example/{number}", "1", {"first": number})

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        copy = self._copy(receipt)
        if receipt.version not in (None, str(copy["version"])):
            raise Conflict("The copy was changed on Wall. Retry to overwrite the changes.")
        copy.update(payload.body, version=copy["version"] + 1)
        return replace(receipt, version=str(copy["version"]))

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self.copies.pop(receipt.remote_id, None)

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        self.asked.append("fetch_version")
        found = replace(receipt, version=str(self._copy(receipt)["version"]))
        if self.meanwhile:
            self.meanwhile.pop()()
        return found

    def stats(self, receipt: Receipt) -> Figures:
        self.asked.append("stats")
        if self.trouble:
            raise self.trouble.pop()
        return Figures(likes=self._copy(receipt)["likes"])

    def _copy(self, receipt: Receipt) -> dict[str, Any]:
        try:
            return self.copies[receipt.remote_id]
        except KeyError:
            raise Gone("Wall has it no more.") from None


@pytest.fixture(autouse=True)
def wall(app: Flask, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account on the wall."""
    monkeypatch.setitem(connectors.connectors(), "wall", Wall)
    for kept in (Wall.copies, Wall.asked, Wall.trouble, Wall.meanwhile):
        kept.clear()
    manage.connect("wall", "wall", {"token": "s3cret"}, tools)


@pytest.fixture
def copy(a_post: Posts, tick: Tick) -> Callable[[], Delivery]:
    """Publish a post to the wall, and return a function that loads its delivery."""
    post_id = a_post(live=True, platforms=["wall"], title="Of trees").id
    tick()

    def read() -> Delivery:
        db.session.rollback()
        db.session.expire_all()
        return db.session.get_one(Post, post_id).deliveries[0]

    return read


def pass_time(time: Time, tick: Tick, times: int = 1, **span: float) -> None:
    for _ in range(times):
        time.passes(**span)
        tick()


def snapshots() -> list[tuple[timedelta, int | None]]:
    return [(stat.taken_at - NOW, stat.likes) for stat in db.session.query(CopyStats).order_by(CopyStats.id)]


@exhaustive
def test_likes_are_fetched_hourly_for_a_day_daily_for_a_month_and_weekly_afterwards(
    copy: Callable[[], Delivery], time: Time, tick: Tick
) -> None:
    pass_time(time, tick, 24 * 40, hours=1)
    taken = [at for at, _ in snapshots()]
    steps = [later - earlier for earlier, later in pairwise(taken)]
    assert taken[0] == timedelta(hours=1)
    assert steps.count(timedelta(hours=1)) == 23
    assert 28 <= steps.count(timedelta(days=1)) <= 30
    assert steps[-1] == timedelta(weeks=1)


def test_analytics_reports_added_likes_by_day_post_and_platform(
    copy: Callable[[], Delivery], time: Time, tick: Tick, api: Api
) -> None:
    for likes in (3, 10, 7):
        Wall.copies["1"]["likes"] = likes
        pass_time(time, tick, 25, hours=1)
    told = api.get("/analytics?from=2026-11-24&to=2026-11-28").json
    assert told["totals"]["likes"] == 7
    assert told["totals"]["shares"] is None
    assert [day["likes"] for day in told["series"]] == [3, 0, 7, 0, 0]
    (wall,) = (row for row in told["byPlatform"] if row["platform"] == "wall")
    assert (wall["likes"], wall["views"]) == (7, None)
    assert [row["likes"] for row in told["byPost"]] == [7]
    later = api.get("/analytics?from=2026-11-26&to=2026-11-28").json
    assert [day["likes"] for day in later["series"]] == [7, 0, 0]
    assert api.get("/analytics?platform=site").json["totals"]["likes"] is None
    assert api.get(f"/posts/{copy().post_id}/analytics?metric=likes").json["totals"]["likes"] == 7


def test_stats_of_a_rate_limited_platform_wait_as_long_as_it_says(
    copy: Callable[[], Delivery], time: Time, tick: Tick
) -> None:
    Wall.trouble.append(RateLimited("Slow down.", 3 * 3600))
    pass_time(time, tick, hours=1)
    Wall.asked.clear()
    pass_time(time, tick, 2, hours=1)
    assert Wall.asked == []
    pass_time(time, tick, hours=1)
    assert Wall.asked == ["stats"]
    assert copy().state == "delivered"


def test_fetching_stats_does_not_change_the_version_of_the_post(
    copy: Callable[[], Delivery], time: Time, tick: Tick
) -> None:
    version = copy().post.version
    pass_time(time, tick, 30, hours=1)
    assert "fetch_version" in Wall.asked
    assert copy().post.version == version


def test_a_copy_edited_on_the_platform_is_noticed_within_a_day_and_left_unchanged(
    copy: Callable[[], Delivery], time: Time, tick: Tick, api: Api
) -> None:
    Wall.copies["1"].update(title="Of trees, by a colleague", version=9)
    pass_time(time, tick, 26, hours=1)
    assert copy().drift == "edited"
    told = [event for event in db.session.query(Event) if event.type == "delivery.drifted"]
    assert [event.data["drift"] for event in told] == ["edited"]
    assert api.get(f"/deliveries/{copy().id}").json["drift"] == "edited"

    api.patch(f"/posts/{copy().post_id}", json={"title": "Of bushes", "publish": True})
    tick()
    assert (copy().state, copy().error_code) == ("failed", "conflict")
    assert Wall.copies["1"]["title"] == "Of trees, by a colleague"
    assert api.post(f"/deliveries/{copy().id}/retry").status_code == 202
    tick()
    assert (copy().state, copy().drift) == ("delivered", None)
    assert Wall.copies["1"]["title"] == "Of bushes"


def test_a_retry_overwrites_an_edited_copy_even_if_the_post_is_unchanged(
    copy: Callable[[], Delivery], tick: Tick, api: Api
) -> None:
    Wall.copies["1"].update(title="Of trees, by a colleague", version=9)
    assert verified(api, copy()) == ["edited"]
    api.post(f"/deliveries/{copy().id}/retry")
    tick()
    assert Wall.copies["1"]["title"] == "Of trees"
    assert verified(api, copy()) == ["in-step"]


def test_a_copy_removed_on_the_platform_is_created_again_only_on_retry(
    copy: Callable[[], Delivery], tick: Tick, time: Time, api: Api
) -> None:
    del Wall.copies["1"]
    assert verified(api, copy()) == ["gone"]
    pass_time(time, tick, 30, hours=1)
    assert Wall.copies == {}
    Wall.copies["0"] = {}
    assert api.post(f"/deliveries/{copy().id}/retry").status_code == 202
    tick()
    assert Wall.copies["2"]["title"] == "Of trees"
    assert copy().url == "https://wall.example/2"


def test_a_copy_created_again_and_then_edited_is_noticed_within_a_day(
    copy: Callable[[], Delivery], tick: Tick, time: Time, api: Api
) -> None:
    del Wall.copies["1"]
    assert verified(api, copy()) == ["gone"]
    Wall.copies["0"] = {}
    api.post(f"/deliveries/{copy().id}/retry")
    tick()
    assert copy().drift is None
    Wall.copies["2"].update(title="Of trees, by a colleague", version=9)
    pass_time(time, tick, 26, hours=1)
    assert copy().drift == "edited"
    told = [event.data["drift"] for event in db.session.query(Event) if event.type == "delivery.drifted"]
    assert told == ["gone", "edited"]


def test_a_drift_check_overtaken_by_a_new_delivery_is_ignored(
    copy: Callable[[], Delivery], app: Flask, tools: Tools, api: Api
) -> None:
    Wall.copies["1"].update(title="Of trees, by a colleague", version=9)
    assert verified(api, copy()) == ["edited"]
    retry = f"/deliveries/{copy().id}/retry"

    def send_anew() -> None:
        assert api.post(retry).status_code == 202
        one_pass(app, tools)

    Wall.meanwhile.append(send_anew)
    verified(api, copy())
    assert Wall.copies["1"]["title"] == "Of trees"
    assert (copy().state, copy().drift) == ("delivered", None)
    assert verified(api, copy()) == ["in-step"]


def verified(api: Api, delivery: Delivery) -> list[str]:
    return [row["state"] for row in api.post(f"/posts/{delivery.post_id}/verify").json["data"]]


def test_a_copy_in_sync_cannot_be_retried(copy: Callable[[], Delivery], api: Api) -> None:
    assert verified(api, copy()) == ["in-step"]
    assert api.post(f"/deliveries/{copy().id}/retry").status_code == 409


def test_a_platform_that_cannot_report_copies_returns_unknown(
    a_post: Posts, connect: Callable[..., str], tick: Tick, api: Api
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()
    (row,) = api.post(f"/posts/{post.id}/verify").json["data"]
    assert (row["platform"], row["state"]) == ("hook", "unknown")
    assert "can't report" in row["detail"]


def test_a_session_is_stored_encrypted_between_deliveries(
    copy: Callable[[], Delivery], a_post: Posts, tick: Tick, tools: Tools
) -> None:
    a_post(live=True, platforms=["wall"])
    tick()
    sealed = Connection.named("wall").session
    assert sealed is not None
    assert b"t-1" not in sealed
    assert tools.vault.unseal(sealed) == '{"token": "t-1++"}'


def test_account_facts_and_options_reach_compose(copy: Callable[[], Delivery], api: Api, tick: Tick) -> None:
    assert Wall.copies["1"] == {
        "title": "Of trees",
        "visibility": "public",
        "group": "",
        "most": 500,
        "version": 1,
        "likes": 0,
    }
    own = {"wall": {"options": {"visibility": "unlisted", "group": "ink"}}}
    made = api.post("/posts", title="Two", content="Words.", platforms=["wall"], overrides=own).json
    previewed = api.get(f"/posts/{made['id']}/preview").json["platforms"][0]["payload"]
    api.post(f"/posts/{made['id']}/publish")
    tick()
    assert (Wall.copies["2"]["visibility"], Wall.copies["2"]["group"]) == ("unlisted", "ink")
    assert previewed["visibility"] == "unlisted"


@pytest.mark.parametrize(
    ("platform", "options", "said"),
    [
        ("wall", {"visibilty": "public"}, "Available: visibility, group."),
        ("wall", {"visibility": "secret"}, "one of: public, unlisted"),
        ("site", {"visibility": "public"}, "It has no options."),
    ],
)
def test_an_option_unknown_to_the_platform_is_rejected(
    api: Api, platform: str, options: dict[str, str], said: str
) -> None:
    answer = api.post("/posts", title="Two", overrides={platform: {"options": options}})
    assert answer.status_code == 422
    (fault,) = answer.json["errors"]
    assert fault["pointer"] == f"#/overrides/{platform}/options"
    assert said in fault["detail"]


def test_an_uploaded_image_is_read_from_disk(tools: Tools) -> None:
    media = images.add(png(), "tree.png", "A tree", tools)
    source = connector_of(Connection.named("wall"), tools).images
    found = source.get(f"https://blog.example{media.path}")
    assert found is not None
    assert (found.media_type, found.data[:4]) == ("image/png", b"\x89PNG")
    assert source.get(f"https://blog.example{media.path}", max_bytes=10) is None


def test_the_full_size_of_an_image_wins_even_if_a_smaller_size_has_more_bytes(tools: Tools) -> None:
    checks = Image.new("1", (1160, 1160), 1)  # like a QR code: tiny as PNG, larger when smoothed
    checks.putdata([(x // 40 + y // 40) % 2 for y in range(1160) for x in range(1160)])
    media = images.add(encoded(checks, "PNG"), "code.png", "A code", tools)
    assert media.bytes < max(size["bytes"] for size in media.sizes)

    found = connector_of(Connection.named("wall"), tools).images.get(f"https://blog.example{media.path}")
    assert found is not None
    assert (found.media_type, opened(found.data).size) == ("image/png", (1160, 1160))


def test_an_image_that_does_not_fit_is_sent_in_the_largest_size_that_does(tools: Tools) -> None:
    photo = images.add(noise(1200, 900), "photo.png", "", tools)
    source = connector_of(Connection.named("wall"), tools).images
    most = next(size["bytes"] for size in photo.sizes if size["width"] == 960)
    found = source.get(f"https://blog.example{photo.path}", max_bytes=most)
    assert found is not None
    assert opened(found.data).size == (960, 720)


def test_an_image_of_a_type_that_a_platform_rejects_is_converted(tools: Tools, outside: Outside) -> None:
    small = images.add(encoded(an_image(64, 48), "AVIF"), "small.avif", "", tools)
    elsewhere = "https://elsewhere.example/small.avif"
    body = encoded(an_image(64, 48), "AVIF")
    outside.teach("GET", elsewhere, status=200, body=body, headers={"Content-Type": "image/avif"})
    source = connector_of(Connection.named("wall"), tools).images
    for url in (f"https://blog.example{small.path}", elsewhere):
        found = source.get(url, types=("image/png", "image/webp"))
        assert found is not None
        assert (found.media_type, opened(found.data).size) == ("image/webp", (64, 48))
