"""Fills an empty instance with the sample posts, as if two people had written there for more than a year."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from flask import Flask

from blogsvc.auth import accounts
from blogsvc.connections import manage
from blogsvc.connectors.base import Figures
from blogsvc.connectors.sandbox import REFUSES, WORKS
from blogsvc.context import Tools
from blogsvc.demo.samples import ALT_TEXTS, IMAGES, Sample, samples
from blogsvc.media import images
from blogsvc.models import Author, CopyStats, Delivery, Media, Post, User, db, transaction
from blogsvc.models.page_view import add_views
from blogsvc.models.setting import describe_blog
from blogsvc.navigation import menus
from blogsvc.posts import authors, calendar, editing, prepare, publishing, queue_slots, series, tag_pages
from blogsvc.posts.publish_request import PublishRequest, WallTime
from blogsvc.scheduler.one_pass import one_pass

EMAIL = "ada@example.com"
ZONE = "UTC"
BLOG = {
    "title": "Harbour notes",
    "author": "Ada Lindqvist",
    "description": "A sample blog from a small harbour: an old boat, the weather, and the craft of writing about both.",
    "language": "en",
}
MENU = ("archive", "tags", "search", "subscribe")
ADA = {
    "bio": "Writes for a living, and builds hulls on Saturdays. She came to the harbour for one summer in 2016 and is"
    " still fitting the same door. Answers letters.",
    "links": [{"label": "Mastodon", "url": "https://mastodon.example/@ada", "is_me": True}],
    "fediverse": "ada@mastodon.example",
}
JONAS = {
    "name": "Jonas Berg",
    "bio": "Skipper of the late ferry. He rigs, reads the barometer, and writes when it is too foggy to sail. He has"
    " opinions about knots, and about time zones.",
}
SERIES = (
    {"title": "Publishing, step by step", "description": "What I do before, on and after the day."},
    {"title": "Bringing Marigold back", "description": "One boat, eleven broken ribs, and whatever we find next."},
)
TAG = {
    "title": "Harbour",
    "description": "Who comes in, who goes out, and what the fog does in between. If you have never been here, begin"
    " with [the last ferry](/the-last-ferry).",
}
# Sandbox destinations, and what happens to every post there. Nothing is sent.
DESTINATIONS = {"mastodon": WORKS, "bluesky": WORKS, "devto": REFUSES}
SLOTS = ((1, "09:00"), (4, "09:00"))  # Tuesday and Friday
DAYS = 430  # since the blog began
DAYS_OF_VIEWS = 60
DAYS_OF_FIGURES = 60  # after a post was published
REFERRERS = ("news.example", "mastodon.example", "bluesky.example", "search.example", "friend.example", None, None)


def fill(app: Flask, tools: Tools, password: str) -> None:
    """Fill an empty instance. Its owner signs in with EMAIL and this password."""
    now = tools.now()
    start = now - timedelta(days=DAYS)
    then = replace(tools, now=lambda: start)
    owner = accounts.add_user(EMAIL, BLOG["author"], password, "owner", ZONE, start)
    with transaction():
        describe_blog(BLOG)
    for name, outcome in DESTINATIONS.items():
        connection, _ = manage.connect("sandbox", name, {"outcome": outcome}, then)
        with transaction():
            connection.account_url = f"https://{name}.example/@ada"  # so that some readers come from there
    for weekday, time in SLOTS:
        queue_slots.add_slot(weekday, time)
    for fields in SERIES:
        series.create(fields, start)
    shown = {name: _add_image(f"{name}.webp", alt, then) for name, alt in ALT_TEXTS.items()}
    _introduce(owner, shown, start)
    for sample in samples():
        _add(sample, owner, shown, app, tools)
    tag_pages.write("harbour", {**TAG, "cover_image": _address(shown["lights"], tools)})
    about = db.session.query(Post).filter_by(kind="page").one()
    header = [{"label": "About", "to": f"page:{about.id}"}, *({"label": one.title(), "to": one} for one in MENU)]
    footer = [{"label": "About", "to": f"page:{about.id}"}, {"label": "Archive", "to": "archive"}]
    menus.save_menus({"header": header, "footer": footer}, tools.config.public_url)
    _add_views(now)
    _add_figures(now)


def _add_image(file: str, alt: str, tools: Tools) -> Media:
    return images.add((IMAGES / file).read_bytes(), file, alt, tools)


def _introduce(owner: User, shown: Mapping[str, Media], now: datetime) -> None:
    """Describe the owner as an author, and add a guest."""
    ada = Author.of_user(owner.id)
    assert ada is not None
    authors.change(ada, {**ADA, "picture_id": shown["ada"].id})
    authors.create({**JONAS, "picture_id": shown["jonas"].id}, now)


def _add(sample: Sample, owner: User, shown: Mapping[str, Media], app: Flask, tools: Tools) -> None:
    """Write one post, and publish or schedule it. A published post is delivered at its own time."""
    now = tools.now()
    at = (now + timedelta(days=sample.days or 0)).replace(hour=9, minute=0, second=0, microsecond=0)
    written = min(at, now) - timedelta(hours=3)
    post = editing.create(_fields(sample, shown, tools), sample.destinations, written, owner.id)
    if sample.queued:
        calendar.enqueue(post, now, tools)
    elif sample.days is not None and sample.days > 0:
        when = WallTime(at.replace(tzinfo=None), ZONE)
        _publish(post, PublishRequest(when=when), now, tools)
    elif sample.days is not None:
        _publish(post, PublishRequest(), at, tools)
    if sample.days is not None and sample.days < 0:
        # A boot of its own: nobody set the time of this machine.
        then = replace(tools, now=lambda: at, steady=lambda: at.timestamp(), boot="demo")
        one_pass(app, then)
    if sample.edited:
        post = Post.get(post.id)
        editing.edit(post, {"content": f"{post.content}\n\nTK add the photo of the calendar."}, None, now)


def _publish(post: Post, request: PublishRequest, at: datetime, tools: Tools) -> None:
    publishing.publish_request(post, request, at, tools, prepare.publication(post, request, tools))


def _fields(sample: Sample, shown: Mapping[str, Media], tools: Tools) -> dict[str, object]:
    fields = {"authors": sample.authors} if sample.authors else {}
    return fields | {
        "title": sample.title,
        "summary": sample.summary,
        "tags": sample.tags,
        "content": sample.markdown(shown),
        "cover_image": _address(shown[sample.cover], tools) if sample.cover is not None else None,
        "cover_caption": sample.cover_caption,
        "kind": sample.kind,
        "is_pinned": sample.is_pinned,
        "series": sample.series,
        "overrides": {name: {"options": {"outcome": outcome}} for name, outcome in sample.outcomes.items()},
    }


def _address(image: Media, tools: Tools) -> str:
    return f"{tools.config.public_url}{image.path}"


def _add_views(now: datetime) -> None:
    """Add views of the blog, more of them on later days. The same in every demo."""
    chance = random.Random(7)  # noqa: S311  (sample figures)
    published = [(post.id, post.published_at) for post in db.session.query(Post) if post.published_at is not None]
    with transaction():
        for days in range(DAYS_OF_VIEWS):
            for _ in range(chance.randrange(6, 60 - days // 2)):
                at = now - timedelta(days=days, minutes=chance.randrange(1440))
                there = [post_id for post_id, since in published if since <= at]
                visitor = bytes((days, chance.randrange(30))) * 8
                referrer = chance.choice(REFERRERS)
                post_id = chance.choice(there) if there and chance.random() < 0.9 else None
                add_views([{"post_id": post_id, "viewed_at": at, "visitor": visitor, "referrer": referrer, "views": 1}])


def _add_figures(now: datetime) -> None:
    """Add the figures of every copy, as if its platform had been asked every third day for two months."""
    chance = random.Random(11)  # noqa: S311  (sample figures)
    with transaction():
        for delivery in db.session.query(Delivery).filter(Delivery.remote_id.is_not(None)):
            if delivery.destination not in DESTINATIONS or delivery.post.published_at is None:
                continue
            likes, shares, comments = chance.randrange(2, 9), 0, 0
            at = delivery.post.published_at + timedelta(days=1)
            until = min(now, at + timedelta(days=DAYS_OF_FIGURES))
            while at < until:
                figures = Figures(views=None, likes=likes, comments=comments, shares=shares, clicks=None)
                db.session.add(CopyStats.of(delivery.id, figures, at))
                likes, shares, comments = (
                    likes + chance.randrange(6),
                    shares + chance.randrange(3),
                    comments + chance.randrange(2),
                )
                at += timedelta(days=3)
