"""A copy that is created long after its post was published has the date of the post; any other that of its creation."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from blogsvc.connectors.ghost import Ghost
from blogsvc.connectors.wordpress import WordPress
from blogsvc.lib.time import stamp
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE
from tests.connectors.test_exactly_once import WORLDS
from tests.images import png

PUBLISHED = AN_ARTICLE.published_at
# The field of the request, and the date of the post in its form.
FIELDS = {"ghost": ("published_at", "2026-11-20T10:00:00.000Z"), "wordpress": ("date_gmt", "2026-11-20T10:00:00")}


@pytest.fixture(params=FIELDS)
def sent(request, outside):
    """Return a function that creates and updates a copy this long after the post was published, and what was sent."""
    world = WORLDS[request.param]()
    outside.teach("GET", AN_IMAGE, body=png(), headers={"Content-Type": "image/png"})
    connector = world.make(outside)
    assert isinstance(connector, Ghost | WordPress)

    def send(late: timedelta, article=AN_ARTICLE, *, is_staged: bool = False, is_same: bool = False):
        keys = {**connector.mint(article), "operation": "op-1", "attempted_at": stamp(PUBLISHED + late)}
        payload = connector.compose(article, {})
        if is_staged:
            draft = connector.stage(connector.compose(replace(article, published_at=None), {}), keys, None)
            connector.publish_draft(payload, keys, draft, is_same)
            return posts()
        receipt = connector.publish(payload, keys)
        changed = connector.compose(replace(article, title="Of bushes"), {})
        connector.update(changed, {**keys, "operation": "op-2"}, receipt)
        return posts()

    def posts():
        found = [seen.json() for seen in outside.requests if seen.method in ("POST", "PUT") and "/posts" in seen.url]
        return [post["posts"][0] if "posts" in post else post for post in found]

    return request.param, send


@pytest.mark.parametrize("late", [timedelta(minutes=11), timedelta(days=3650)])
def test_a_late_copy_has_the_date_of_the_post_and_an_update_keeps_it(sent, late):
    key, send = sent
    field, date = FIELDS[key]
    created, updated = send(late)
    assert created[field] == date
    assert field not in updated


@pytest.mark.parametrize("late", [timedelta(minutes=-5), timedelta(0), timedelta(minutes=9)])
def test_the_platform_dates_a_post_published_now_by_its_own_clock(sent, late):
    key, send = sent
    created, updated = send(late)
    assert not {FIELDS[key][0], "date", "published_at"} & {*created, *updated}


def test_a_post_without_a_date_is_dated_by_the_platform(sent):
    key, send = sent
    created, _ = send(timedelta(days=1), replace(AN_ARTICLE, published_at=None))
    assert FIELDS[key][0] not in created


@pytest.mark.parametrize("is_same", [True, False])
def test_a_draft_that_was_staged_is_published_with_the_date_of_the_post(sent, is_same):
    key, send = sent
    field, date = FIELDS[key]
    assert send(timedelta(days=3650), is_staged=True, is_same=is_same)[-1][field] == date
    assert field not in send(timedelta(0), is_staged=True, is_same=is_same)[-1]
