"""Copy the images of a post that are on other websites into the media library, before it is published."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid
from blogsvc.media import copying
from blogsvc.media.external_images import external_images, with_image_at
from blogsvc.models import Post, Quota, nouns, transaction
from blogsvc.models.revision import rendered
from blogsvc.posts import autosave


@dataclass
class ImageCopies:
    """How many images were copied, and why others could not be copied, by their URLs."""

    copied: int = 0
    failures: dict[str, str] = field(default_factory=dict)


def copy_images(post: Post, tools: Tools, quota: Quota, seconds: float) -> ImageCopies:
    """Copy the images of the working copy that are on other websites. Each copy is saved in the post at once.

    Raises Busy if too many images are being copied, and the errors of a post that can't be edited.

    Args:
        seconds: after this time no further copy is begun. Each may take half a minute.
    """
    result, home, post_id = ImageCopies(), tools.config.public_url, post.id
    urls, end = external_images(post, rendered, home), monotonic() + seconds
    for url in urls:
        if monotonic() >= end:
            break
        try:
            path = copying.copy(url, tools, quota).path
            _show(post_id, url, path, tools)
        except Invalid as error:
            result.failures[url] = str(error)
        else:
            result.copied += 1
    return result


def _show(post_id: str, url: str, path: str, tools: Tools) -> None:
    """Show the copy of an image in the post, whose text may have changed meanwhile. Raises Invalid."""
    with transaction(nouns.post(post_id)):
        post = Post.get(post_id)
        changes = with_image_at(post, url, path, tools.config.public_url)
        if not changes:
            raise Invalid(Fault("#/content", "not_found", f"{path} is a copy of {url}. Use it in the text."))
        autosave.autosave(post, changes, None, post.rev, tools.now())
