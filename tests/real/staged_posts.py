"""Posts with images that are staged as drafts on a real Ghost, for a test and for a measurement."""

from __future__ import annotations

import json
import sqlite3
import time
import urllib.request
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.images import png
from tests.real.ghost.server import Ghost

EDGE = "between-the-parts"
LATER = timedelta(minutes=9)  # within the time in which posts are staged


@dataclass(frozen=True)
class StagedPosts:
    """A running blogsvc at this URL that is connected to a real Ghost, and its posts."""

    url: str
    key: str
    site: Ghost

    def stage(self, posts: int, patience: float) -> list[str]:
        """Create posts with two images of their own, and wait until each is a draft on Ghost. Returns their ids."""
        due = datetime.now(UTC) + LATER
        ids = [self._scheduled(number, due) for number in range(posts)]
        end = time.monotonic() + patience
        while (count := self.count("draft")) < posts:
            assert time.monotonic() < end, f"{count} of {posts} are staged"
            time.sleep(0.2)
        return ids

    def move(self, ids: list[str], due: datetime) -> None:
        """Schedule the posts for another time."""
        for post_id in ids:
            self._call("PUT", f"/posts/{post_id}", {"scheduledAt": due.isoformat()})

    def count(self, status: str) -> int:
        """Count the posts on Ghost in its database, which costs Ghost nothing."""
        return len(self.posts(status))

    def posts(self, status: str) -> dict[str, str]:
        """Return the ids of the posts on Ghost with this status, and their HTML."""
        with closing(sqlite3.connect(f"file:{self.site.database}?mode=ro", uri=True, timeout=30)) as rows:
            found = rows.execute("SELECT id, html FROM posts WHERE type = 'post' AND status = ?", (status,))
            return {post_id: html.replace("__GHOST_URL__", self.site.url) for post_id, html in found}

    def images(self) -> list[str]:
        """Return the names of all images that were uploaded to Ghost, which keeps each also as it came, with "_o"."""
        return sorted(file.name for file in (self.site.database.parents[1] / "images").rglob("*_o.png"))

    def _scheduled(self, number: int, due: datetime) -> str:
        images = [self._uploaded(png(40 + number, height), f"tree-{number}-{height}.png") for height in (30, 50)]
        content = "\n\n".join(["Some *words*.", *(f"![A tree]({image})" for image in images)])
        post = {"title": f"Tree {number}", "content": content, "platforms": ["ghost"], "scheduledAt": due.isoformat()}
        return str(self._call("POST", "/posts", post)["id"])

    def _uploaded(self, data: bytes, name: str) -> str:
        head = f'--{EDGE}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        form = head.encode() + data + f"\r\n--{EDGE}--\r\n".encode()
        return str(self._call("POST", "/media", form, f"multipart/form-data; boundary={EDGE}")["url"])

    def _call(self, method: str, path: str, body: Any, media_type: str = "application/json") -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": media_type}
        request = urllib.request.Request(f"{self.url}/api/v1{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)
