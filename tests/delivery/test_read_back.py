"""Copies are read back as readers see them, and their author is told what the platform lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from flask import Flask

from blogsvc import connectors
from blogsvc.connections import manage
from blogsvc.connectors.base import (
    Account,
    Article,
    Connector,
    Gone,
    Keys,
    Payload,
    Receipt,
    TextPart,
    Unavailable,
)
from blogsvc.context import Tools
from blogsvc.lib.text.losses import MAX_LENGTH
from blogsvc.models import Delivery, Event, Post, db
from tests.api_client import Api
from tests.clock import Time
from tests.tiers import matrix

Posts = Callable[..., Post]
Tick = Callable[[], None]
TEXT = """\
# Oaks

Oaks grow ==slowly==.

| Tree | Height |
|------|-------:|
| Oak  |   20 m |

1. Plant
2. Wait
"""
TABLE = "The table “Tree Height Oak 20 m” is missing."


class Page(Connector):
    """A platform whose pages show what `theme` makes of a copy."""

    key = "page"
    label = "Page"
    shows = (("title", "title"), ("html", "html"))
    once = "It is only a test."
    copies: ClassVar[dict[str, dict[str, Any]]] = {}
    theme: ClassVar[Callable[[str], str]] = str
    trouble: ClassVar[list[Exception]] = []

    def verify(self) -> Account:
        return Account("Ada")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        link = f'<p><a href="{article.canonical_url}">Original</a></p>' if article.canonical_url else ""
        return Payload({"title": article.title, "html": article.html + link}, ("Pages have no comments.",))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        number = str(len(self.copies) + 1)
        self.copies[number] = {**payload.body, "version": 1}
        return Receipt(number, f"https://page.example/{number}", "1")

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        version = self.copies[receipt.remote_id]["version"] + 1
        self.copies[receipt.remote_id] = {**payload.body, "version": version}
        return replace(receipt, version=str(version))

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self.copies.pop(receipt.remote_id, None)

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return replace(receipt, version=str(self._copy(receipt)["version"]))

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        if self.trouble:
            raise self.trouble.pop()
        copy = self._copy(receipt)
        return TextPart("title", copy["title"]), TextPart("html", type(self).theme(copy["html"]))

    def _copy(self, receipt: Receipt) -> dict[str, Any]:
        try:
            return self.copies[receipt.remote_id]
        except KeyError:
            raise Gone("The page is gone.") from None


def without_tables(html: str) -> str:
    return re.sub(r"<table>.*?</table>", "", html, flags=re.DOTALL)


@pytest.fixture(autouse=True)
def page(app: Flask, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account on the platform, which shows copies as they were sent."""
    monkeypatch.setitem(connectors.connectors(), "page", Page)
    Page.copies.clear()
    Page.trouble.clear()
    monkeypatch.setattr(Page, "theme", str)
    manage.connect("page", "page", {}, tools)


@pytest.fixture
def publish(a_post: Posts, tick: Tick) -> Callable[..., Callable[[], Delivery]]:
    """Publish a post, and return a function that loads its delivery."""

    def make(text: str = TEXT, **fields: Any) -> Callable[[], Delivery]:
        post_id = a_post(live=True, platforms=["page"], content=text, **fields).id
        tick()

        def read() -> Delivery:
            db.session.rollback()
            db.session.expire_all()
            return db.session.get_one(Post, post_id).deliveries[0]

        return read

    return make


def after(time: Time, tick: Tick, **span: float) -> None:
    time.passes(**span)
    tick()


def degraded() -> list[list[str]]:
    return [event.data["losses"] for event in db.session.query(Event).filter_by(type="delivery.degraded")]


def preview(api: Api, text: str) -> list[str]:
    """Return the warnings of the dry run of a new post."""
    post = api.post("/posts", title="Of elms", content=text, platforms=["page"]).json
    return api.post(f"/posts/{post['id']}/dry-run").json["platforms"][0]["warnings"]


def test_a_copy_is_read_back_a_minute_after_it_was_sent(publish, api: Api, time: Time, tick: Tick) -> None:
    Page.theme = without_tables
    copy = publish()
    after(time, tick, seconds=59)
    assert copy().losses is None
    after(time, tick, seconds=1)
    assert TABLE in copy().losses
    assert degraded() == [copy().losses]
    assert api.get(f"/deliveries/{copy().id}").json["losses"] == copy().losses


def test_a_whole_copy_is_no_news(publish, api: Api, time: Time, tick: Tick) -> None:
    copy = publish()
    after(time, tick, minutes=1)
    assert copy().looked_at is not None
    assert api.get(f"/deliveries/{copy().id}").json["losses"] == []
    assert degraded() == []


def test_the_same_losses_are_told_once(publish, time: Time, tick: Tick) -> None:
    Page.theme = without_tables
    publish()
    for _ in range(3):
        after(time, tick, days=1, minutes=1)
    assert len(degraded()) == 1


def test_a_loss_that_begins_later_is_told_at_the_daily_look(publish, time: Time, tick: Tick) -> None:
    copy = publish()
    after(time, tick, minutes=1)
    Page.theme = without_tables
    after(time, tick, days=1)
    assert TABLE in copy().losses
    assert len(degraded()) == 1


def test_another_loss_is_told_after_the_first_was_dismissed(publish, api: Api, time: Time, tick: Tick) -> None:
    Page.theme = without_tables
    copy = publish()
    after(time, tick, minutes=1)
    assert api.post(f"/deliveries/{copy().id}/leave").status_code == 200
    after(time, tick, days=1)
    assert copy().losses_dismissed_at is not None
    Page.theme = lambda html: without_tables(html).replace("<ol>", "").replace("</ol>", "")
    after(time, tick, days=1)
    assert copy().losses_dismissed_at is None
    assert len(degraded()) == 2


def test_losses_are_forgotten_when_the_copy_is_whole_again(publish, time: Time, tick: Tick) -> None:
    Page.theme = without_tables
    copy = publish()
    after(time, tick, minutes=1)
    Page.theme = str
    after(time, tick, days=1)
    assert copy().losses is None


def test_nothing_can_be_dismissed_at_a_whole_copy(publish, api: Api, time: Time, tick: Tick) -> None:
    copy = publish()
    after(time, tick, minutes=1)
    assert api.post(f"/deliveries/{copy().id}/leave").status_code == 409


def test_a_copy_that_was_edited_there_is_not_compared(publish, time: Time, tick: Tick) -> None:
    """Its changes are told as such."""
    copy = publish()
    after(time, tick, minutes=1)
    Page.copies["1"].update(html="<p>Other words.</p>", version=7)
    after(time, tick, days=1)
    assert copy().drift == "edited"
    assert copy().losses is None
    assert degraded() == []


@pytest.mark.parametrize("change", [lambda: Page.copies.clear(), lambda: Page.copies["1"].update(version=7)])
def test_a_new_copy_that_is_shown_late_is_not_reported_as_changed_or_deleted(
    publish, time: Time, tick: Tick, change: Callable[[], object]
) -> None:
    copy = publish()
    known = dict(Page.copies["1"])
    change()
    after(time, tick, minutes=1)
    assert copy().drift is None
    Page.copies["1"] = known
    after(time, tick, days=1)
    assert copy().drift is None
    assert degraded() == []


def test_a_platform_that_fails_to_return_a_copy_is_asked_a_day_later(publish, time: Time, tick: Tick) -> None:
    Page.theme = without_tables
    Page.trouble.append(Unavailable("Page is down."))
    copy = publish()
    after(time, tick, minutes=1)
    assert copy().losses is None
    after(time, tick, days=1)
    assert TABLE in copy().losses


@matrix(
    "shown",
    ["", "<" * 100_000, "a" * (MAX_LENGTH + 1), "<div>" * 30_000],
    ids=lambda shown: shown[:5],
    default=lambda shown: "div" not in shown,
)
def test_a_hostile_page_ends_no_check(publish, time: Time, tick: Tick, shown: str) -> None:
    Page.theme = lambda html: shown
    copy = publish()
    after(time, tick, minutes=1)
    assert copy().looked_at is not None


def test_a_copy_without_a_link_to_the_original_is_compared_without_it(publish, time: Time, tick: Tick) -> None:
    """The post is on this platform only, so its first copy becomes the original."""
    copy = publish()
    assert "Original" not in Page.copies["1"]["html"]
    Page.theme = without_tables
    after(time, tick, minutes=1)
    assert [loss for loss in copy().losses if "table" in loss] == [TABLE]


def test_an_updated_copy_is_read_back_again(publish, api: Api, time: Time, tick: Tick) -> None:
    Page.theme = without_tables
    copy = publish()
    after(time, tick, minutes=1)
    api.patch(f"/posts/{copy().post_id}", content="No more tables.")
    api.post(f"/posts/{copy().post_id}/publish")
    tick()
    after(time, tick, minutes=1)
    assert copy().losses is None


def test_a_verification_reads_the_copies_back(publish, api: Api, time: Time, tick: Tick) -> None:
    Page.theme = without_tables
    copy = publish()
    assert api.post(f"/posts/{copy().post_id}/verify").json["data"][0]["state"] == "in-step"
    assert TABLE in copy().losses


def test_what_a_platform_lost_becomes_a_warning_of_the_preview(publish, api: Api, time: Time, tick: Tick) -> None:
    own = ["Pages have no comments."]
    assert preview(api, TEXT) == own
    Page.theme = without_tables
    publish()
    after(time, tick, minutes=1)
    assert preview(api, TEXT) == [*own, "Page lost parts of an earlier post that this one has, too: tables."]
    assert preview(api, "No table.") == own
    Page.theme = str
    publish()
    after(time, tick, minutes=1)
    assert preview(api, TEXT) == own


def test_a_removed_copy_has_no_losses(publish, api: Api, time: Time, tick: Tick) -> None:
    Page.theme = without_tables
    copy = publish()
    after(time, tick, minutes=1)
    api.post(f"/deliveries/{copy().id}/withdraw")
    tick()
    assert (copy().state, copy().losses) == ("withdrawn", None)
