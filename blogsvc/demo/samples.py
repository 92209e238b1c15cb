"""The sample posts and pages, from the Markdown files in posts/, and the images that they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFilter

from blogsvc.lib.text.front_matter import split

POSTS = Path(__file__).parent / "posts"
SIZE = (1200, 750)  # pixels
# The file name and the alt text of each image, by the name that posts use.
IMAGES = {
    "ferry": ("ferry.jpg", "A small ferry in the fog, the sun a pale disc above it"),
    "quay": ("quay.jpg", "Three boats at the quay at night, a light on each mast"),
    "bay": ("bay.jpg", "A bay between two hills, a lighthouse on the point"),
    "ada": ("ada.jpg", "Ada Lindqvist"),
    "jonas": ("jonas.jpg", "Jonas Berg"),
}


@dataclass(frozen=True)
class Sample:
    """One sample post. Without `days` and `queued` it is a draft."""

    title: str
    summary: str
    tags: list[str]
    content: str
    # When it is published, in days from now: negative for published posts, positive for scheduled ones.
    days: int | None = None
    # Scheduled in the next open queue slot.
    queued: bool = False
    # Edited after publishing.
    edited: bool = False
    destinations: list[str] = field(default_factory=lambda: ["site", "mastodon", "bluesky"])
    # What happens at single destinations, instead of what happens there usually.
    outcomes: dict[str, str] = field(default_factory=dict)
    # An image in the text, and the cover, by their names in IMAGES.
    image: str | None = None
    cover: str | None = None
    cover_caption: str = ""
    kind: str = "post"
    is_pinned: bool = False
    # Slugs. Without authors, the owner is the author.
    authors: list[str] = field(default_factory=list)
    series: str | None = None


def samples() -> Iterator[Sample]:
    """The sample posts and pages, oldest first."""
    for file in sorted(POSTS.glob("*.md")):
        head, content = split(file.read_text(encoding="utf-8"))
        fields: dict[str, Any] = dict(head)
        for name in ("queued", "edited", "is_pinned"):
            fields[name] = fields.get(name) == "true"
        if "days" in fields:
            fields["days"] = int(fields["days"])
        yield Sample(content=content.strip(), **fields)


def draw(name: str) -> bytes:
    """Draw one of IMAGES, as a JPEG."""
    drawn: dict[str, Callable[[], Image.Image]] = {
        "ferry": _ferry,
        "quay": _quay,
        "bay": _bay,
        "ada": partial(_portrait, 0),
        "jonas": partial(_portrait, 1),
    }
    image = drawn[name]()
    out = BytesIO()
    image.save(out, "JPEG", quality=90)
    return out.getvalue()


def _sky(top: tuple[int, int, int], bottom: tuple[int, int, int]) -> Image.Image:
    """A vertical gradient."""
    return Image.composite(
        Image.new("RGB", SIZE, bottom), Image.new("RGB", SIZE, top), Image.linear_gradient("L").resize(SIZE)
    )


def _ferry() -> Image.Image:
    image = _sky((168, 184, 196), (226, 214, 198))
    draw = ImageDraw.Draw(image)
    draw.ellipse((760, 150, 900, 290), fill=(250, 240, 220))
    draw.rectangle((0, 520, 1200, 750), fill=(128, 146, 158))
    for number in range(24):
        left, top = number * 173 % 1150, 535 + number * 9
        draw.line((left, top, left + 90 + number * 4, top), fill=(146, 162, 172), width=4)
    draw.polygon(((300, 500), (620, 500), (590, 550), (330, 550)), fill=(52, 64, 76))
    draw.rectangle((370, 440, 550, 500), fill=(235, 232, 224))
    draw.rectangle((400, 395, 500, 440), fill=(235, 232, 224))
    draw.rectangle((515, 370, 545, 440), fill=(176, 74, 58))
    for left in range(385, 540, 32):
        draw.rectangle((left, 455, left + 18, 475), fill=(92, 108, 120))
    return image.filter(ImageFilter.GaussianBlur(2))


def _bay() -> Image.Image:
    image = _sky((120, 170, 200), (246, 226, 190))
    draw = ImageDraw.Draw(image)
    draw.ellipse((540, 300, 660, 420), fill=(255, 244, 214))
    draw.rectangle((0, 430, 1200, 750), fill=(74, 124, 146))
    draw.polygon(((0, 470), (0, 250), (260, 330), (520, 470)), fill=(70, 98, 84))
    draw.polygon(((1200, 500), (1200, 300), (960, 380), (700, 500)), fill=(88, 112, 90))
    draw.polygon(((716, 492), (728, 360), (748, 360), (760, 492)), fill=(240, 234, 224))
    draw.rectangle((724, 330, 752, 360), fill=(176, 74, 58))
    for number in range(16):
        left, top = number * 231 % 1120, 530 + number * 13
        draw.line((left, top, left + 60 + number * 5, top), fill=(104, 152, 170), width=4)
    return image.filter(ImageFilter.GaussianBlur(2))


def _portrait(number: int) -> Image.Image:
    """A person from the shoulders up, without a face."""
    back, coat, hair = (((206, 222, 226), (46, 84, 104), (92, 60, 44)), ((232, 216, 196), (150, 72, 56), (60, 56, 52)))[
        number
    ]
    image = Image.new("RGB", (480, 480), back)
    draw = ImageDraw.Draw(image)
    draw.ellipse((60, 330, 420, 640), fill=coat)
    draw.ellipse((130, 70, 350, 330), fill=hair)
    draw.ellipse((150, 110, 330, 340), fill=(236, 200, 176))
    draw.pieslice((136, 76, 344, 290), 180, 360, fill=hair)
    return image.filter(ImageFilter.GaussianBlur(1))


def _quay() -> Image.Image:
    image = _sky((18, 26, 48), (70, 62, 92))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 560, 1200, 750), fill=(14, 20, 36))
    draw.rectangle((0, 530, 1200, 560), fill=(48, 46, 54))
    for left, color in ((150, (150, 64, 56)), (480, (54, 98, 120)), (810, (178, 140, 62))):
        draw.polygon(((left, 560), (left + 260, 560), (left + 225, 630), (left + 35, 630)), fill=color)
        draw.line((left + 120, 300, left + 120, 560), fill=(120, 116, 112), width=6)
        draw.ellipse((left + 108, 285, left + 132, 309), fill=(255, 226, 150))
        draw.line((left + 120, 640, left + 120, 720), fill=(120, 106, 76), width=5)
    return image.filter(ImageFilter.GaussianBlur(2))
