"""Upload images to the platform that shows them, once per account; the receipt stores their URLs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape

from blogsvc.connectors._kit.images import MAX_IMAGES, SUFFIXES, ImageFile, ImageSource, relink
from blogsvc.connectors._kit.uploads import Uploads


def uploaded(
    urls: Sequence[str],
    known_urls: Mapping[str, str],
    images: ImageSource,
    uploads: Uploads,
    upload: Callable[[ImageFile], str | None],
    is_there: Callable[[str], bool],
    types: Collection[str] = tuple(SUFFIXES),
) -> dict[str, str]:
    """Return the URL on the platform for each image. Leaves out images that are unavailable or rejected.

    `known_urls` has the URLs of the receipt; those of images no longer in the text are dropped. Raises Unavailable if
    the time of the attempt is nearly over, so that the next attempt continues.
    """
    links = {}
    for url in urls[:MAX_IMAGES]:
        image = None if url in known_urls else images.get(url, types=types)
        link = uploads.once(image, upload, is_there) if image else known_urls.get(url)
        if link:
            links[url] = link
    uploads.leave_time()
    return links


def relinked(html: str, links: Mapping[str, str]) -> str:
    """Return the HTML with the new image URLs."""
    return relink(html, {escape(url): escape(link) for url, link in links.items()})
