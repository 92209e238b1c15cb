"""Responsive images on the blog's pages: smaller sizes, dimensions and alt text for uploaded images.

Articles sent to platforms keep plain image tags, because their pages have other widths.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape, unescape

from blogsvc.blog.contract import Image
from blogsvc.lib.media_names import key_in, keys_in, path_of
from blogsvc.models import Media
from blogsvc.models.media import known

# The largest width offered to browsers; no screen needs the full size of larger images.
WIDEST = 2400
# The text column in static/blog.css, and other widths by the class of the figure, on wide and on narrow screens. An em
# in `sizes` always means the browser's default font size.
COLUMN = "(min-width: 48em) 41.25em, calc(100vw - 2.8em)"
IN_FIGURES = {
    "gallery": "(min-width: 75em) 19em, 31vw",
    "wide": "(min-width: 75em) 58em, 94vw",
    "full": "100vw",
}
COLUMN_PIXELS = 660

_IMG = re.compile("<img [^>]*>")
_FIGURE_OR_IMG = re.compile('<figure class="(?P<figure>[^"]*)">|(?P<end></figure>)|<img [^>]*>')
_ATTRIBUTE = re.compile(' ([a-z]+)="([^"]*)"')
_LAZY = {"loading": "lazy", "decoding": "async"}


@dataclass(frozen=True)
class ResponsiveImage:
    """The uploaded images on one page. `public_url` is the blog's URL, without a trailing slash."""

    public_url: str
    images: Mapping[str, Media]

    @classmethod
    def of(cls, public_url: str, *texts: str) -> ResponsiveImage:
        """Load the images used in these texts, with one query."""
        return cls(public_url, known(key for text in texts for key in keys_in(text)))

    def cover(self, url: str, alt: str) -> Image:
        """Return a cover image with the given alt text, or else with that of the media library."""
        known = {"alt": alt, "srcset": "", "sizes": ""} | self._attributes_of(url, alt)
        width, height = (int(known[name]) if name in known else None for name in ("width", "height"))
        return Image(url, known["alt"], width, height, known["srcset"], known["sizes"])

    def html(self, html: str, *, has_cover: bool) -> str:
        """Add the attributes of uploaded images to sanitised HTML. The first image of the page is not lazy."""
        first = None if has_cover else _IMG.search(html)
        begins_at = first.start() if first else -1
        figure = ""

        def written(tag: re.Match[str]) -> str:
            nonlocal figure
            if tag["figure"] is None and tag["end"] is None:
                return self._tag(tag[0], figure, is_first=tag.start() == begins_at)
            figure = tag["figure"] or ""
            return tag[0]

        return _FIGURE_OR_IMG.sub(written, html)

    def _tag(self, tag: str, figure: str, *, is_first: bool) -> str:
        """Return the tag of an image with its attributes. `figure` has the classes of the figure that it is in."""
        own_attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(tag)}
        attributes = _LAZY | own_attributes
        if is_first:
            del attributes["loading"]
        added = self._attributes_of(own_attributes.get("src", ""), alt=own_attributes.get("alt", ""))
        if {"width", "height"} & own_attributes.keys():  # the author has set the size
            added = {name: value for name, value in added.items() if name not in ("width", "height")}
        if "sizes" in added and (kind := next((kind for kind in IN_FIGURES if kind in figure.split()), None)):
            added["sizes"] = IN_FIGURES[kind]
        written = "".join(f' {name}="{escape(value)}"' for name, value in (attributes | added).items())
        return f"<img{written}>"

    def _attributes_of(self, url: str, alt: str) -> dict[str, str]:
        """Return the attributes of an uploaded image by its URL, {} for any other image."""
        name = url.removeprefix(self.public_url).removeprefix("/media/")
        media = self.images.get(key_in(name) or "") if name != url else None
        if media is None or name not in media.names:
            return {}
        sizes = _responsive_attributes(media) if name == media.name else _size_attributes(media, name)
        return {"alt": alt or media.alt, **sizes}


def _size_attributes(media: Media, name: str) -> dict[str, str]:
    size = next(size for size in media.sizes if size["name"] == name)
    return {"width": str(size["width"]), "height": str(size["height"])}


def _responsive_attributes(media: Media) -> dict[str, str]:
    measures = {"width": str(media.width), "height": str(media.height)}
    names = {size["width"]: size["name"] for size in media.sizes}
    if not names:
        return measures
    if media.width <= WIDEST:
        names.setdefault(media.width, media.name)
    sources = ", ".join(f"{path_of(name)} {width}w" for width, name in names.items())
    fits = f"(max-width: {media.width}px) 100vw, {media.width}px"
    return {**measures, "srcset": sources, "sizes": fits if media.width < COLUMN_PIXELS else COLUMN}
