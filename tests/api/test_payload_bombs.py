"""Small texts that are expensive to process: stored, published and rendered in bounded time, or rejected.

The limit is generous, so that a busy machine passes and an explosion does not.
"""

from __future__ import annotations

import time

import pytest

from tests.api_client import Api
from tests.tiers import exhaustive

DEADLINE = 60.0  # seconds; the slowest takes about 2 on an idle machine
MOST_HTML = 30 * 1024 * 1024

BOMBS = {
    "quotes in quotes": ">" * 100_000 + "x",
    "lists in lists": "- " * 100_000 + "x",
    "lists, each deeper": "\n".join("  " * depth + "- x" for depth in range(700)),
    "emphasis in emphasis": "*a **b " * 60_000,
    "stars alone": "*" * 500_000 + "a",
    "underscores": "_a __b " * 60_000,
    "struck out": "~~a ~b " * 60_000,
    "open brackets": "[" * 300_000,
    "open links": "[a](" * 100_000,
    "links in links": "[" * 50_000 + "a" + "](b)" * 50_000,
    "images in images": "![" * 100_000 + "](b)" * 100_000,
    "definitions and their uses": "".join(f"[r{n}]: /{n}\n" for n in range(10_000)) + "\n" + "[r1] " * 20_000,
    "footnotes of footnotes": "".join(f"[^{n}]: x [^{n + 1}]\n\n" for n in range(3_000)) + "[^0]",
    "one footnote, often": "[^1]" * 20_000 + "\n\n[^1]: x",
    "a footnote of itself": "[^a]\n\n[^a]: [^a]" + "[^a]" * 5_000,
    "a wide table": "a|" * 5_000 + "\n" + "-|" * 5_000 + "\n" + "a|" * 5_000,
    "a table that is filled up": "|a" * 500 + "\n" + "|-" * 500 + "\n" + "|\n" * 20_000,
    "backticks": "".join("`" * length + " " for length in range(700)),
    "tags that never end": "<a " * 150_000,
    "nested tags": "<div>" * 100_000,
    "comments that never end": "<!--" * 150_000,
    "details in details": "<details>" * 50_000,
    "ampersands": "&" * 300_000,
    "entities": "&amp;" * 100_000,
    "addresses": "http://" * 100_000,
    "mail addresses": "a@" * 200_000,
    "a long mail address": "a" * 300_000 + "@",
    "dots": "." * 500_000,
    "blank lines": "\n" * 500_000 + "x",
    "tabs": "\t" * 300_000 + "x",
    "backslashes": "\\" * 500_000,
    "headings": "# a\n" * 20_000,
    "typographic quotes": "\"'" * 100_000,
    "code to colour": "```python\n" + "(" * 100_000,
    "code of no language": "```" + "a" * 300_000,
    "front matter that never ends": "---\na: " + "b\n" * 100_000,
    "front matter, again and again": "---\n" * 100_000,
    "accents": "e" + "\u0301" * 300_000,
    "overrides of direction": "\u202e" * 200_000,
}


@pytest.mark.long
@exhaustive
@pytest.mark.parametrize("name", BOMBS)
def test_a_pathological_post_is_published_and_rendered_in_time(api: Api, name: str) -> None:
    began = time.monotonic()
    made = api.post("/posts", title=name, content=BOMBS[name], summary="x")
    assert made.status_code == 201
    published = api.post(f"/posts/{made.json['id']}/publish")
    assert published.status_code in {202, 422}
    if published.status_code == 202:
        assert published.json["status"] == "published"
        page = api.client.get(f"/{made.json['slug']}")
        assert page.status_code == 200
        assert len(page.data) < MOST_HTML
        assert api.client.get("/feed.xml").status_code == api.client.get("/").status_code == 200
    assert time.monotonic() - began < DEADLINE


def test_an_oversized_body_in_every_field_returns_413(api: Api) -> None:
    bomb = "[" * 1_000_000
    answer = api.post("/posts", title="x", content=bomb, overrides={"site": {"content": bomb, "summary": bomb}})
    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (413, "too-large")


def test_too_many_of_everything_is_rejected_with_a_bounded_response(api: Api) -> None:
    answer = api.post(
        "/posts",
        json={
            "title": "x" * 100_000,
            "tags": ["x"] * 50_000,
            "platforms": ["site"] * 50_000,
            "overrides": {f"p{number}": {} for number in range(20_000)},
            "slug": "a-" * 50_000,
            "language": "a-" * 50_000,
        },
    )
    assert answer.status_code == 422
    assert {error["pointer"].split("/")[1] for error in answer.json["errors"]} >= {"tags", "slug", "language"}
    assert len(answer.data) < 100_000
