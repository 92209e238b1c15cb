"""The sample posts, from the Markdown files in posts/, and the two images that they show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
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
    image: str | None = None


def samples() -> Iterator[Sample]:
    """The sample posts, oldest first."""
    for file in sorted(POSTS.glob("*.md")):
        head, content = split(file.read_text(encoding="utf-8"))
        fields: dict[str, Any] = dict(head)
        for name in ("queued", "edited"):
            fields[name] = fields.get(name) == "true"
        if "days" in fields:
            fields["days"] = int(fields["days"])
        yield Sample(content=content.strip(), **fields)


def draw(name: str) -> bytes:
    """Draw one of IMAGES, as a JPEG."""
    image = _ferry() if name == "ferry" else _quay()
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
