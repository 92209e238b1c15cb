"""The sample posts and pages, from the Markdown files in posts/, and the images that they show, from images/."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blogsvc.lib.text.front_matter import split
from blogsvc.models import Media

POSTS = Path(__file__).parent / "posts"
IMAGES = Path(__file__).parent / "images"
# The alt text of each image, by its name.
ALT_TEXTS = {
    "dawn": "A still harbour at sunrise: fishing boats at anchor, low hills behind, a wooden pier in front",
    "fog": "Fishing boats in fog, the hills behind them fading one after the other",
    "lights": "The pier lights after dark, one red and one green, each with its reflection in the water",
    "mast": "A wooden mast seen from the deck, with shrouds, ratlines and a red pennant",
    "planks": "The overlapping planks of a varnished hull, with a line of copper rivets along each lap",
    "rope": "A rope with two blue whippings",
    "shavings": "Pale curls of oak on a dark workbench",
    "squall": "A dark rain cloud over the sea, a single white sail in front of it",
    "ada": "Ada Lindqvist, drawn: dark hair, blue collar",
    "jonas": "Jonas Berg, drawn: blue cap, red beard",
}
# Samples show an image as `![](../images/fog.webp)`, so that every Markdown editor shows it too.
_IMAGE = re.compile(r"!\[\]\(\.\./images/(?P<name>[a-z]+)\.webp")


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
    # The name of an image.
    cover: str | None = None
    cover_caption: str = ""
    kind: str = "post"
    is_pinned: bool = False
    # Slugs. Without authors, the owner is the author.
    authors: list[str] = field(default_factory=list)
    series: str | None = None

    def markdown(self, images: Mapping[str, Media]) -> str:
        """Return the content with the addresses and the alt texts of its images in the media library."""

        def linked(found: re.Match[str]) -> str:
            media = images[found["name"]]
            return f"![{media.alt}]({media.path}"

        return _IMAGE.sub(linked, self.content)


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
