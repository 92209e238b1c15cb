"""How soon a real Ghost shows posts that wait there as drafts. It is installed from npm, as for `tests/real`."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime, timedelta

from tests.bench.places import folder
from tests.bench.rows import Row, Rows
from tests.bench.servers import connect, server
from tests.bench.work import latenesses
from tests.real.ghost.server import ghost
from tests.real.staged_posts import StagedPosts
from tests.receiver import free_port

PATIENCE = 480  # seconds, in which all posts must become drafts


def staged(posts: int = 50) -> Rows:
    """How late posts with two images are on one real Ghost, if they are drafts there and due in the same second."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    with folder() as place:
        (files := place.instance / "ghost").mkdir(parents=True)
        with ghost(files) as site:
            connect(place, "ghost", "ghost", [f"url={site.url}", f"key={site.key}"])
            with server(place, PORT=port, BLOGSVC_BASE_URL=url) as at:
                waiting = StagedPosts(url, at.key, site)
                ids = waiting.stage(posts, PATIENCE)
                due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=30)
                waiting.move(ids, due)
                late = sorted(latenesses(lambda: waiting.count("published"), posts, due))
        yield Row(f"lateness of {posts} staged posts due at once, median", statistics.median(late), "s")
        yield Row(f"lateness of {posts} staged posts due at once, last", late[-1], "s", 5)
