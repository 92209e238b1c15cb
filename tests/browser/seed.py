"""Fill an instance with sample data, for screenshots and tests."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from PIL import Image, ImageFilter

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import Media, Post, Setting, User, db, transaction
from blogsvc.models.page_view import add_views
from blogsvc.posts import editing, publishing
from blogsvc.posts.publish_request import WallTime
from blogsvc.scheduler.one_pass import one_pass
from tests.images import encoded

TEXT = """\
Editors used to correct proofs with a **blue pencil**, because the camera that made the printing plate could not see \
that colour. Everything *about* the text stayed on the page; only the text went to print.

## What the camera cannot see

Markup is like that. You write `#` and `**` for yourself, and readers never see them. A good writing tool makes \
the difference visible:

- marks are blue,
- words are black,
- and what goes out is [set in another face](https://example.com/proof).

> The text you are writing is work in progress. The text you are reading is not.

{image}

### A small table

| Platform | Limit |
|----------|------:|
| Mastodon | 500 |
| Bluesky | 300 |

- [x] canonical URL
- [ ] the harbour's name TK

```python
def publish(post, places):
    return [place.send(post) for place in places]
```

It's "smart" -- and the dashes too...[^1]

[^1]: A note from the margin, also in blue.
"""
TITLES = (
    "On autosave",
    "Feeds that last",
    "Notes on time zones",
    "What a schedule promises",
    "A ferry in the fog",
    "Small tools, long lives",
    "The margin is for you",
)
REFERRERS = ("news.example", "mastodon.example", "lobste.rs", "search.example", None, None)


def a_ferry(width: int = 1600, height: int = 900) -> bytes:
    """Return an image that looks like a photo: a gray sea with the sun in fog."""
    sky = Image.linear_gradient("L").resize((width, height)).point(lambda x: 150 + x // 3)
    sun = Image.radial_gradient("L").resize((height, height)).point(lambda x: max(0, 110 - x))
    sky.paste(255, (width // 2 - height // 3, -height // 6), sun)
    waves = Image.effect_noise((width // 40, height // 10), 60).resize((width, height // 3))
    sky.paste(waves.point(lambda x: 90 + x // 4), (0, 2 * height // 3))
    hull = Image.new("L", (width // 6, height // 24), 60)
    sky.paste(hull, (width // 5, 2 * height // 3 - height // 60))
    sky.paste(hull.resize((width // 12, height // 24)), (width // 5 + width // 40, 2 * height // 3 - height // 20))
    blurred = sky.filter(ImageFilter.GaussianBlur(5))
    return encoded(
        Image.merge("RGB", (blurred.point(lambda x: x * 0.92), blurred, blurred.point(lambda x: min(255, x * 1.06)))),
        "JPEG",
    )


def seed(tools: Tools, app: object) -> Post:
    """Fill an instance that has an owner. Return the draft that is shown in the screenshots."""
    now = tools.now()
    ann = User.all()[0]
    with transaction():
        for name, value in {"blog_title": "Ink and paper", "blog_author": "Ann", "time_zone": ann.time_zone}.items():
            Setting.write(name, value)
        Setting.write("blog_description", "Notes on writing, ferries and long-lived software.")
    for name, outcome in {"mastodon": "works", "bluesky": "works", "devto": "refuses the text"}.items():
        connection, _ = manage.connect("sandbox", name, {"outcome": outcome}, tools)
        with transaction():
            connection.account_url = f"https://{name}.example/@ann"
    media = images.add(a_ferry(), "ferry.jpg", "A ferry in the fog, seen from the quay", tools)
    images.add(a_ferry(800, 1000), "quay.jpg", "", tools)
    for number, title in enumerate(TITLES):
        at = now - timedelta(days=5 * number + 2, hours=number)
        with transaction():
            post = _written(title, ["site", "mastodon"], at, ann, media)
            publishing.publish(post, at)
    _views(now)
    _planned(now, ann, media)
    with transaction():
        failing = _written(
            "Three places, one text", ["site", "mastodon", "devto"], now - timedelta(hours=3), ann, media
        )
        publishing.publish(failing, now - timedelta(hours=2))
    one_pass(app, tools)  # type: ignore[arg-type]
    with transaction():
        return _written("The blue pencil", ["site", "mastodon", "bluesky"], now, ann, media)


def _written(title: str, platforms: list[str], at: datetime, author: User, media: Media) -> Post:
    words = {"title": title, "content": TEXT.format(image=f"![{media.alt}]({media.path})"), "tags": ["writing"]}
    post = editing.create(words | {"summary": "Why what readers never see is blue."}, platforms, at)
    post.author_id = author.id
    return post


def _planned(now: datetime, ann: User, media: Media) -> None:
    for days, title in ((2, "Galley slaves"), (4, "A colophon"), (9, "Widows and orphans")):
        day = (now + timedelta(days=days)).replace(hour=9, minute=0, second=0, microsecond=0, tzinfo=None)
        with transaction():
            post = _written(title, ["site", "mastodon", "bluesky"], now - timedelta(hours=days), ann, media)
            publishing.schedule(post, WallTime(day, ann.time_zone), now)
    with transaction():
        for title in ("Untitled idea", "Letters to a young printer"):
            _written(title, ["site"], now - timedelta(days=1), ann, media)


def _views(now: datetime) -> None:
    """Record the views of two months, the same in each run."""
    chance = random.Random(7)
    posts = [post.id for post in db.session.query(Post).all()]
    with transaction():
        for days in range(60):
            for _ in range(chance.randrange(4, 40 - days // 3)):
                at = now - timedelta(days=days, minutes=chance.randrange(600))
                view = {"post_id": chance.choice(posts), "viewed_at": at, "visitor": chance.randbytes(16)}
                add_views([{**view, "referrer": chance.choice(REFERRERS), "views": 1}])
