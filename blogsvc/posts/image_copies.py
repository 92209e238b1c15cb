"""Copy the images of a post that are on other websites into the media library, before it is published."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from time import monotonic

from blogsvc.context import Tools
from blogsvc.errors import Invalid
from blogsvc.media import copying
from blogsvc.media.external_images import external_images, with_images_at
from blogsvc.models import Post, Quota, nouns, transaction
from blogsvc.posts import autosave


@dataclass
class ImageCopies:
    """How many images were copied, the URLs of those that are left, and by URL why others could not be copied."""

    copied: int = 0
    left: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)


def copy_images(
    post: Post, tools: Tools, quota: Quota, *, seconds: float = 0, skip: Collection[str] = ()
) -> ImageCopies:
    """Copy the images of the working copy that are on other websites. Each copy is saved in the post at once.

    Raises Busy if too many images are being copied, and the errors of a post that can't be edited.

    Args:
        seconds: after this time no further copy is begun. One is always made, which may take half a minute.
        skip: the URLs of images that are left where they are.
    """
    result = ImageCopies(left=[url for url in external_images(post, tools.config.public_url) if url not in skip])
    end = monotonic() + seconds
    while result.left:
        url = result.left.pop(0)
        try:
            path = copying.copy(url, tools, quota).path
        except Invalid as error:
            result.failures[url] = str(error)
        else:
            _show(post.id, url, path, tools)
            result.copied += 1
        if monotonic() >= end:
            break
    return result


def _show(post_id: str, url: str, path: str, tools: Tools) -> None:
    """Show the copy of an image in the post, whose text may have changed meanwhile."""
    with transaction(nouns.post(post_id)):
        post = Post.get(post_id)
        changes = with_images_at(post, lambda one: path if one == url else one, tools.config.public_url)
        if changes:
            autosave.autosave(post, changes, None, post.rev, tools.now())
