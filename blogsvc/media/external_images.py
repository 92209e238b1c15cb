"""Find the images of a post that are on other websites: they may disappear there without notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from blogsvc.lib.markdown import image_links


class HasImages(Protocol):
    """A post or a revision."""

    content: str
    cover_image: str | None


def external_images(post: HasImages, public_url: str) -> list[str]:
    """Return the URLs of the images on other websites, in the text and as cover, without duplicates."""
    urls = dict.fromkeys([*image_links.addresses(post.content), *([post.cover_image] if post.cover_image else [])])
    return [url for url in urls if url.startswith(("https://", "http://")) and not url.startswith(f"{public_url}/")]


def with_images_at(post: HasImages, new_path: Callable[[str], str], public_url: str) -> dict[str, str]:
    """Return the fields of a post that change if `new_path` is applied to the URL of each image, with their values.

    A cover has a full URL.
    """
    content = image_links.rewritten(post.content, new_path)
    changes = {"content": content} if content != post.content else {}
    if (cover := post.cover_image) and (path := new_path(cover)) != cover:
        changes["cover_image"] = public_url + path
    return changes
