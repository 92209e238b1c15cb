"""Fills an empty instance with the sample posts, as if somebody had written there for two months."""

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
from blogsvc.posts import authors, calendar, editing, publishing, queue_slots, series
from blogsvc.posts.publishing import PublishRequest
from blogsvc.scheduler.one_pass import one_pass

EMAIL = "ada@example.com"
ZONE = "UTC"
BLOG = {
    "title": "Harbour notes",
    "author": "Ada Lindqvist",
    "description": "A sample blog about writing, time and small tools.",
    "language": "en",
}
MENU = ("archive", "tags", "search", "subscribe")
BIOS = {
    "ada": "Writes about writing, above a small harbour. Answers letters.",
    "jonas": "Skipper of the late ferry. Writes when it is too foggy to sail.",
}
# Sandbox destinations, and what happens to every post there. Nothing is sent.
DESTINATIONS = {"mastodon": WORKS, "bluesky": WORKS, "devto": REFUSES}
SLOTS = ((1, "09:00"), (4, "09:00"))  # Tuesday and Friday
DAYS_OF_VIEWS = 60
REFERRERS = ("news.example", "mastodon.example", "bluesky.example", "search.example", "friend.example", None, None)


def fill(app: Flask, tools: Tools, password: str) -> None:
    """Fill an empty instance. Its owner signs in with EMAIL and this password."""
    now = tools.now()
    start = now - timedelta(days=DAYS_OF_VIEWS)
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
    with transaction():
        series.create(
            {"title": "Publishing, step by step", "description": "What I do before, on and after the day."}, start
        )
    shown = {name: _add_image(f"{name}.webp", alt, then) for name, alt in ALT_TEXTS.items()}
    _introduce(owner, shown, start)
    for sample in samples():
        _add(sample, owner, shown, app, tools)
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
    links = [{"label": "Mastodon", "url": "https://mastodon.example/@ada", "is_me": True}]
    authors.change(ada, {"bio": BIOS["ada"], "picture_id": shown["ada"].id, "links": links})
    authors.create({"name": "Jonas Berg", "bio": BIOS["jonas"], "picture_id": shown["jonas"].id}, now)


def _add(sample: Sample, owner: User, shown: Mapping[str, Media], app: Flask, tools: Tools) -> None:
    """Write one post, and publish or schedule it. A published post is delivered at its own time."""
    now = tools.now()
    at = (now + timedelta(days=sample.days or 0)).replace(hour=9, minute=0, second=0, microsecond=0)
    written = min(at, now) - timedelta(hours=3)
    with transaction():
        post = editing.create(_fields(sample, shown, tools.config.public_url), sample.destinations, written, owner.id)
        if sample.queued:
            calendar.enqueue(post, now, tools)
        elif sample.days is not None and sample.days > 0:
            when = publishing.WallTime(at.replace(tzinfo=None), ZONE)
            publishing.publish_request(post, PublishRequest(when=when), now, tools)
        elif sample.days is not None:
            publishing.publish_request(post, PublishRequest(), at, tools)
    if sample.days is not None and sample.days < 0:
        # A boot of its own: nobody set the time of this machine.
        then = replace(tools, now=lambda: at, steady=lambda: at.timestamp(), boot="demo")
        one_pass(app, then)
    if sample.edited:
        post = Post.get(post.id)
        editing.edit(post, {"content": f"{post.content}\n\nTK add the photo of the calendar."}, None, now)


def _fields(sample: Sample, shown: Mapping[str, Media], public_url: str) -> dict[str, object]:
    cover = shown[sample.cover] if sample.cover is not None else None
    fields = {"authors": sample.authors} if sample.authors else {}
    return fields | {
        "title": sample.title,
        "summary": sample.summary,
        "tags": sample.tags,
        "content": sample.markdown(shown),
        "cover_image": f"{public_url}{cover.path}" if cover is not None else None,
        "cover_caption": sample.cover_caption,
        "kind": sample.kind,
        "is_pinned": sample.is_pinned,
        "series": sample.series,
        "overrides": {name: {"options": {"outcome": outcome}} for name, outcome in sample.outcomes.items()},
    }


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
    """Add the figures of every copy, as if its platform had been asked every third day."""
    chance = random.Random(11)  # noqa: S311  (sample figures)
    with transaction():
        for delivery in db.session.query(Delivery).filter(Delivery.remote_id.is_not(None)):
            if delivery.destination not in DESTINATIONS or delivery.post.published_at is None:
                continue
            likes, shares, comments = chance.randrange(2, 9), 0, 0
            at = delivery.post.published_at + timedelta(days=1)
            while at < now:
                figures = Figures(views=None, likes=likes, comments=comments, shares=shares, clicks=None)
                db.session.add(CopyStats.of(delivery.id, figures, at))
                likes, shares, comments = (
                    likes + chance.randrange(6),
                    shares + chance.randrange(3),
                    comments + chance.randrange(2),
                )
                at += timedelta(days=3)
