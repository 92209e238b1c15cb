"""Bulk tagging: tags are added and removed without publishing unfinished edits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from blogsvc.errors import Invalid
from blogsvc.models import Post, Revision
from blogsvc.posts import editing, publishing
from blogsvc.posts.rules import MAX_TAGS
from blogsvc.posts.tagging import tag, untag
from tests.clock import Time

Make = Callable[..., Post]


def test_a_tag_is_added_once_and_removed_in_any_case(a_post: Make, time: Time) -> None:
    post = a_post(tags=["Craft"])
    assert tag(post, "  blue   pencil ", time()).tags == ["Craft", "blue pencil"]
    assert tag(post, "CRAFT", time()).tags == ["Craft", "blue pencil"]
    assert untag(post, "craft", time()).tags == ["blue pencil"]
    assert untag(post, "none", time()).tags == ["blue pencil"]
    assert post.revision_count == 3


@pytest.mark.parametrize("name", ["", "  ", "x" * 51, "a\0b"])
def test_an_invalid_tag_is_rejected(a_post: Make, time: Time, name: str) -> None:
    with pytest.raises(Invalid):
        tag(a_post(), name, time())


def test_the_number_of_tags_is_limited(a_post: Make, time: Time) -> None:
    post = a_post(tags=[str(n) for n in range(MAX_TAGS)])
    with pytest.raises(Invalid, match="at most"):
        tag(post, "another", time())
    assert tag(post, "7", time()).tags == post.tags


def test_tagging_a_scheduled_post_updates_its_pinned_revision(a_post: Make, time: Time) -> None:
    post = publishing.schedule(a_post(), time() + timedelta(days=1), time())
    tag(post, "craft", time())
    assert post.state == "scheduled"
    assert post.live_revision().tags == ["craft"]
    assert not post.has_unpublished_changes


def test_tagging_a_scheduled_post_with_unpublished_edits_does_not_publish_them(a_post: Make, time: Time) -> None:
    post = publishing.schedule(a_post(content="Finished."), time() + timedelta(days=1), time())
    editing.restore_revision(post, Revision(number=9, **post.fields() | {"content": "Unfinished"}), time())
    tag(post, "craft", time())
    assert post.live_revision().content == "Finished."
    assert post.live_revision().tags == []
    assert post.has_unpublished_changes


def test_tagging_a_live_post_waits_until_it_is_published_again(a_post: Make, time: Time) -> None:
    post = tag(a_post(live=True), "craft", time())
    assert post.has_unpublished_changes
    assert post.live_revision().tags == []
