"""The pages of tags: they follow the version of a post that readers see, never the one its author works on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from blogsvc.models import Post
from blogsvc.posts import editing, publishing, trash
from tests.blog.reading import attributes, parse_page
from tests.clock import Time

Make = Callable[..., Post]


def test_a_tag_page_follows_each_change_that_readers_see(client: FlaskClient, a_post: Make, time: Time) -> None:
    def tags() -> list[str]:
        return [tag for tag in ("old", "new") if client.get(f"/tag/{tag}").status_code == 200]

    post = a_post(tags=["old"])
    assert tags() == []
    publishing.publish(post, time.now)
    assert tags() == ["old"]
    editing.edit(post, {"tags": ["new"]}, None, time.passes(minutes=1))
    assert tags() == ["old"]
    editing.edit(post, {"tags": ["new"]}, ["medium"], time.passes(minutes=1))
    publishing.publish(post, time.now)  # only there, so that the blog keeps the former version
    assert tags() == ["old"]
    editing.edit(post, {}, ["site"], time.passes(minutes=1))
    publishing.publish(post, time.now)
    assert tags() == ["new"]
    publishing.unpublish(post, time.passes(minutes=1))
    assert tags() == []
    publishing.publish(post, time.passes(minutes=1))
    trash.discard(post, time.passes(minutes=1))
    assert tags() == []
    trash.undo_discard(post, time.passes(minutes=1))
    assert tags() == ["new"]


def test_a_deleted_post_leaves_no_tag(client: FlaskClient, a_post: Make, time: Time) -> None:
    trash.erase(a_post(live=True, tags=["gone"]), time.now)
    assert client.get("/tag/gone").status_code == 404


@pytest.mark.parametrize("change", [publishing.unpublish, trash.discard])
def test_related_posts_share_tags_that_readers_see(
    client: FlaskClient, a_post: Make, time: Time, change: Callable[..., object]
) -> None:
    for slug, tags in (("ink-only", ["ink"]), ("both", ["ink", "paper"])):
        a_post(live=True, slug=slug, title=slug, tags=tags)
        time.passes(days=1)
    change(a_post(live=True, title="Gone", tags=["ink", "paper"]), time.now)
    changed = a_post(live=True, title="Changed", tags=["glue"])
    editing.edit(changed, {"tags": ["ink", "paper"]}, None, time.now)
    a_post(live=True, slug="last", tags=["ink", "paper"])

    (related,) = parse_page(client.get("/last").text).iter("aside")
    assert [link["href"] for link in attributes(related, "a")] == ["/both", "/ink-only"]
