"""Scheduled posts with images, which wait as drafts on a real Ghost, are published without a second upload."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.clock import eventually
from tests.kill.server import Server
from tests.real.staged_posts import StagedPosts
from tests.running_server import started
from tests.tiers import matrix

PATIENCE = 300  # seconds


@pytest.fixture
def waiting(tmp_path, ghost_site):
    """The real server, connected to Ghost."""
    server = Server(tmp_path / "instance", settings={"BLOGSVC_SEND_TIMEOUT_SECONDS": "40"})
    server.settings["BLOGSVC_BASE_URL"] = f"http://127.0.0.1:{server.port}"
    with started(server) as served:
        settings = {"url": ghost_site.url, "key": ghost_site.key}
        made = served.call("POST", "/platforms", {"connector": "ghost", "settings": settings})
        assert made.status == 201, made.body
        yield StagedPosts(f"http://127.0.0.1:{server.port}", served.key, ghost_site)


@matrix("posts", [5, 50])
def test_posts_of_one_second_are_published_from_their_drafts(waiting, posts):
    of_others = len(waiting.images())
    ids = waiting.stage(posts, PATIENCE)
    drafts, images = waiting.posts("draft"), waiting.images()
    assert waiting.count("published") == 0
    assert len(images) == of_others + 2 * posts
    waiting.move(ids, datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=30))
    eventually(lambda: waiting.count("published") == posts, seconds=PATIENCE)
    assert waiting.posts("published") == drafts
    ours = f'<img src="{waiting.site.url}/content/images/'
    assert all(html.count("<img ") == html.count(ours) == 2 for html in drafts.values())
    assert waiting.images() == images
