"""How long the import of an old blog takes."""

from __future__ import annotations

import json
import resource
import time
from datetime import datetime, timedelta
from typing import Any

from tests.bench.million import START
from tests.bench.places import folder
from tests.bench.rows import Row, Rows
from tests.bench.servers import WORDS, blogsvc, environment_of

TAGS = [{"id": f"t{number}", "name": f"Tag {number}", "slug": f"tag-{number}"} for number in range(20)]
PER_SECOND = 50  # posts
WORDS_PER_POST = 800


def importing(posts: int = 2_000) -> Rows:
    """The import of a Ghost export with posts of 800 words, as the command does it, with the check of old addresses."""
    with folder() as place:
        file, variables = place.instance / "ghost.json", environment_of(place, {})
        file.write_text(json.dumps({"db": [{"data": _export(posts)}]}))
        began, before = time.perf_counter(), _cpu_seconds()
        said = blogsvc(["import", str(file)], variables)
        taken, used = time.perf_counter() - began, _cpu_seconds() - before
        assert f"{posts} made" in said, said
        yield Row(f"import of {posts:,} posts", taken, "s", posts / PER_SECOND, f"{posts / taken:.0f} a second")
        yield Row(f"import of {posts:,} posts, CPU time", used, "s", None, f"{posts / used:.0f} a second")


def _cpu_seconds() -> float:
    """Return the CPU time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _export(posts: int) -> dict[str, Any]:
    return {
        "posts": [_post(number, START + timedelta(days=number)) for number in range(posts)],
        "tags": TAGS,
        "posts_tags": [
            {"post_id": str(number), "tag_id": TAGS[(number + place) % len(TAGS)]["id"], "sort_order": place}
            for number in range(posts)
            for place in range(2)
        ],
    }


def _post(number: int, at: datetime) -> dict[str, Any]:
    text = WORDS.replace("*words*", f"<em>words</em> of {number}").replace("[link](https://example.org/)", "link")
    paragraphs = [f"<h2>Part {part}</h2><p>{text * 5}</p>" for part in range(WORDS_PER_POST // (5 * len(text.split())))]
    stamp = at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return {
        "id": str(number),
        "uuid": f"{number:032x}",
        "title": f"Of trees, part {number}",
        "slug": f"of-trees-{number}",
        "html": "".join(paragraphs),
        "status": "published",
        "created_at": stamp,
        "updated_at": stamp,
        "published_at": stamp,
    }
