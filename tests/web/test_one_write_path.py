"""The same wish has the same answer at every entry point: verbs, API, bulk requests, pages and imports."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from itertools import product
from typing import Any

import pytest
from flask import Flask
from pydantic.alias_generators import to_camel

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.errors import BlogError
from blogsvc.lib.time import stamp, wall
from blogsvc.models import ImportedPost, ImportJob, Post, db
from blogsvc.posts import calendar, editing, rules, trash, undo
from blogsvc.posts.publish_request import PublishRequest
from blogsvc.transfer import importing
from blogsvc.transfer.formats import JSON_FORMAT, JSON_VERSION
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside
from tests.publishing import publish_request
from tests.tiers import matrix
from tests.web.page_walk import Pages

Make = Callable[..., Post]
Wish = dict[str, Any]

# Values that a form transmits as they are: the editor joins the lines of a title, and a browser sends no NUL.
FIELDS: dict[str, list[Any]] = {
    "title": ["A title", "ü" * 300, "t" * 301, "t" * 5000],
    "content": ["", "Some *words*.", "x" * (1024 * 1024 + 1)],
    "summary": ["", "Short.", "s" * 2000, "s" * 2001],
    "slug": ["a-slug", "A", "a--b", "s" * 80, "s" * 81, "api"],
    "canonical_url": [None, "https://a.example/b?c#d", "javascript:alert(1)", "https://", "https://" + "a" * 2000],
    "cover_image": [None, "https://a.example/c.png", "/media/x", "data:image/png;base64,AA=="],
    "cover_alt": ["", "A ferry", "a" * 1501],
    "cover_caption": ["", "By *Ada*", "a" * 1001],
    "meta_title": ["", "Another title", "a" * 301],
    "kind": ["post", "page", "story"],
    "language": [None, "en", "de-AT", "english", "en_GB", "en-" + "x" * 8 + "-abcdefgh" * 4],
    "tags": [[], ["a", "b"], ["t" * 51], [*"abcdefghijklmnopqrstu"]],
    "platforms": [["site"], ["site", "sandbox"], [], ["nowhere"], ["site", "gone"]],
    "overrides": [
        {},
        {"sandbox": {"title": "Own"}},
        {"sandbox": {"title": "t" * 301}},
        {"sandbox": {"options": {"outcome": "refuses"}}},
        {"sandbox": {"options": {"outcome": "dances"}}},
    ],
}


@pytest.fixture(autouse=True)
def sandbox(app: Flask, tools: Tools) -> None:
    manage.connect("sandbox", "sandbox", {"outcome": "works"}, tools)


def some_wishes(seed: int, count: int) -> list[Wish]:
    """Return wishes with up to three fields besides the title, whose values are valid or not."""
    chance = random.Random(seed)
    wishes = []
    for _ in range(count):
        names = {"title", *chance.sample(sorted(FIELDS.keys() - {"title"}), chance.randint(0, 3))}
        wish = {name: chance.choice(FIELDS[name]) for name in sorted(names)}
        wishes.append(wish if chance.random() < 0.3 else wish | {"title": "A title"})
    return wishes


def in_api_names(wish: Wish) -> Wish:
    return {to_camel(name): value for name, value in wish.items()}


@dataclass
class EntryPoints:
    """Writes a post through each entry point. Every method returns True if the wish was accepted."""

    api: Api
    pages: Pages
    tools: Tools

    def plug_in(self, wish: Wish) -> bool:
        words = {name: value for name, value in wish.items() if name != "platforms"}
        try:
            editing.create({"content": "", "summary": "", **words}, wish.get("platforms"), self.tools.now())
        except BlogError:
            return False
        return True

    def create(self, wish: Wish) -> bool:
        return bool(self.api.post("/posts", json=in_api_names(wish)).status_code == 201)

    def change(self, wish: Wish) -> bool:
        return bool(self.api.put(f"/posts/{self.draft()}", json=in_api_names(wish)).status_code == 200)

    def bulk(self, wish: Wish) -> bool:
        change = {"operation": "create", "post": in_api_names(wish)}
        answer = self.api.post("/posts/bulk", json={"operations": [change]})
        return bool(answer.status_code == 200 and answer.json["results"][0]["status"] == 201)

    def page(self, wish: Wish) -> bool:
        """Save the text as the editor does, and the rest with the form of the details."""
        post_id = self.draft()
        text = {name: wish.get(name, "") for name in ("title", "content")}
        saved = self.pages.client.put(
            f"/desk/posts/{post_id}/draft",
            json={**text, "rev": self.seen(post_id)},
            headers={"X-CSRFToken": self.pages.token()},
        )
        form: dict[str, Any] = {n: v or "" for n, v in wish.items() if n not in ("title", "content", "overrides")}
        if "tags" in wish:
            form["tags"] = ", ".join(wish["tags"])
        if "platforms" in wish:
            form["asks_platforms"] = "1"
        for name, own in wish.get("overrides", {}).items():
            for option, value in own.get("options", {}).items():
                form[f"overrides/{name}/options/{option}"] = value
            form |= {f"overrides/{name}/{field}": value for field, value in own.items() if field != "options"}
        detailed = self.pages.post(f"/desk/posts/{post_id}/details", rev=self.seen(post_id), **form)
        assert {saved.status_code, detailed.status_code} <= {200, 303, 422}
        return bool(saved.status_code == 200 and detailed.status_code == 303)

    def draft(self) -> str:
        """Return the id of a post with nothing but a title, whose slug collides with no other."""
        made = self.api.post("/posts", title=f"Draft {random.randint(0, 2**62)}")
        return str(made.json["id"])

    def seen(self, post_id: str) -> str:
        db.session.rollback()
        db.session.expire_all()
        return Post.get(post_id).rev

    def erase_all(self) -> None:
        """Delete every post, so that no slug is taken."""
        for post in db.session.scalars(db.select(Post)).all():
            trash.erase(post, self.tools.now())


@matrix("seed", range(3))
def test_a_post_is_accepted_by_every_entry_point_or_by_none(api: Api, pages: Pages, tools: Tools, seed: int) -> None:
    entry = EntryPoints(api, pages, tools)
    for wish in some_wishes(seed, 12):
        accepted = {}
        for way in (entry.plug_in, entry.create, entry.change, entry.bulk, entry.page):
            accepted[way.__name__] = way(wish)
            entry.erase_all()
        assert len(set(accepted.values())) == 1, (accepted, {name: str(value)[:60] for name, value in wish.items()})


def test_an_import_stores_only_what_the_rules_allow(
    app: Flask, tools: Tools, tick: Callable[[], None], outside: Outside
) -> None:
    """An import is not refused because of one field: what breaks a rule is cut or left out, and a note says so."""
    outside.teach("GET", "https://a.example/c.png", status=404)
    posts = [in_api_names(wish) | {"id": f"post_{n:026}"} for n, wish in enumerate(some_wishes(7, 30))]
    job = importing.receive(
        BytesIO(json.dumps({"format": JSON_FORMAT, "version": JSON_VERSION, "posts": posts}).encode()),
        "blog.json",
        None,
        tools,
    )
    tick()
    assert ImportJob.get(job.id).state == "planned", ImportJob.get(job.id).error
    importing.begin(job.id, tools, blog=True, taken="rename")
    tick()
    made = [entry for entry in ImportedPost.all_of(job.id) if entry.state == "made"]
    assert made
    assert ImportJob.get(job.id).counts()["failed"] == 0
    for entry in made:
        post = Post.get(str(entry.post_id))
        rules.check_fields(post.fields())
        rules.check({}, post.platforms)


TIMES = {"now": None, "soon": timedelta(hours=1), "past": timedelta(hours=-1), "far": timedelta(days=400 * 6)}
LONG = "long " * 200  # longer than the sandbox allows
CONTENTS = {"short": "Some words.", "too long for the sandbox": LONG, "empty": ""}


@dataclass
class PublishEntryPoints:
    """Publishes a post through each entry point. Every method returns the state of the post afterwards."""

    api: Api
    pages: Pages
    tools: Tools

    def plug_in(self, post_id: str, platforms: list[str] | None, at: timedelta | None) -> None:
        when = None if at is None else self.tools.now() + at
        with suppress(BlogError):
            publish_request(Post.get(post_id), PublishRequest(platforms, when), self.tools)

    def publish(self, post_id: str, platforms: list[str] | None, at: timedelta | None) -> None:
        self.api.post(f"/posts/{post_id}/publish", json=self.body(platforms, at))

    def bulk(self, post_id: str, platforms: list[str] | None, at: timedelta | None) -> None:
        change = {"operation": "publish", "id": post_id, **self.body(platforms, at)}
        self.api.post("/posts/bulk", json={"operations": [change]})

    def change(self, post_id: str, platforms: list[str] | None, at: timedelta | None) -> None:
        time = {"publish": True} if at is None else {"scheduledAt": stamp(self.tools.now() + at)}
        self.api.put(f"/posts/{post_id}", json=time | ({} if platforms is None else {"platforms": platforms}))

    def page(self, post_id: str, platforms: list[str] | None, at: timedelta | None) -> None:
        chosen = Post.get(post_id).platforms if platforms is None else platforms
        self.pages.post(f"/desk/posts/{post_id}/publish", platforms=chosen, **self.form(at))
        db.session.rollback()  # read what was stored
        undo.publish_pending(self.tools.now() + undo.undo_time())

    def bulk_page(self, post_id: str, platforms: list[str] | None, at: timedelta | None) -> None:
        self.pages.post("/desk/bulk/schedule", post=post_id, how="at", at=self.form(at)["at"])

    def calendar(self, post_id: str, platforms: list[str] | None, at: timedelta | None) -> None:
        assert at is not None
        with suppress(BlogError):
            calendar.move(Post.get(post_id), wall(self.tools.now() + at, "UTC"), "UTC", self.tools.now(), self.tools)

    def body(self, platforms: list[str] | None, at: timedelta | None) -> Wish:
        time = {} if at is None else {"at": stamp(self.tools.now() + at)}
        return time | ({} if platforms is None else {"platforms": platforms})

    def form(self, at: timedelta | None) -> dict[str, str]:
        if at is None:
            return {"when": "now"}
        return {"when": "at", "at": f"{wall(self.tools.now() + at, 'Europe/Berlin'):%Y-%m-%dT%H:%M}"}

    def ways(self, platforms: list[str] | None, at: timedelta | None) -> list[Callable[..., None]]:
        """Return the entry points that can express the wish: some only give a time to a post as it is."""
        only_times = [] if platforms is not None or at is None else [self.bulk_page, self.calendar]
        return [self.plug_in, self.publish, self.bulk, self.change, self.page, *only_times]


# One wish for each reason to accept or reject it, and for each set of entry points.
USUAL: tuple[tuple[str, list[str] | None, str], ...] = (
    ("now", None, "short"),
    ("now", ["site"], "too long for the sandbox"),
    ("now", ["site", "sandbox"], "empty"),
    ("soon", None, "short"),
    ("soon", None, "too long for the sandbox"),
    ("soon", ["nowhere"], "short"),
    ("past", None, "short"),
    ("past", ["site"], "short"),
    ("far", None, "short"),
)


@matrix(
    "when, platforms, content",
    product(TIMES, [None, ["site"], ["site", "sandbox"], ["nowhere"]], CONTENTS),
    default=lambda wish: wish in USUAL,
)
def test_a_wish_to_publish_has_the_same_result_at_every_entry_point(
    api: Api, pages: Pages, tools: Tools, a_post: Make, time: Time, content: str, platforms: list[str], when: str
) -> None:
    content = CONTENTS[content]
    entry = PublishEntryPoints(api, pages, tools)
    results = {}
    for way in entry.ways(platforms, TIMES[when]):
        own = {"sandbox": {"content": content}} if content else {}
        post_id = a_post(content=content, platforms=["site", "sandbox"], overrides=own).id
        way(post_id, platforms, TIMES[when])
        db.session.rollback()
        db.session.expire_all()
        results[way.__name__] = Post.get(post_id).state
    assert len(set(results.values())) == 1, results
    is_wrong = not content or when in ("past", "far") or platforms == ["nowhere"]
    is_wrong = is_wrong or (content == LONG and platforms != ["site"])
    assert (set(results.values()) == {"draft"}) == is_wrong
