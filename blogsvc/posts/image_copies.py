"""Copy the images of a post that are on other websites into the media library, before it is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid
from blogsvc.media import copying
from blogsvc.media.external_images import external_images, with_image_at
from blogsvc.models import Post, Quota, Revision, nouns, transaction
from blogsvc.models.revision import rendered
from blogsvc.posts import autosave


@dataclass
class ImageCopies:
    """The paths of the images that were copied, and why others could not be copied, by their URLs."""

    paths: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def copy_images(post: Post, overrides: Mapping[str, Any], tools: Tools, quota: Quota, seconds: float) -> ImageCopies:
    """Copy the images of the working copy that are on other websites. Each copy is saved in the post at once.

    Raises Busy if too many images are being copied, and the errors of a post that can't be edited.

    Args:
        overrides: those of the post, with texts that are not saved yet.
        seconds: after this time no further copy is begun. Each may take half a minute.
    """
    result, home, post_id = ImageCopies(), tools.config.public_url, post.id
    seen = Revision.of(post_id, 0, post.fields() | {"overrides": dict(overrides)}, "preview", tools.now())
    urls, end = external_images(seen, rendered, home), monotonic() + seconds
    for url in urls:
        if monotonic() >= end:
            break
        try:
            path = copying.copy(url, tools, quota).path
            _show(post_id, url, path, tools)
            if not with_image_at(seen, url, path, home):
                raise Invalid(Fault("#/content", "not_fetched", f"{path} is a copy of {url}. Use it in the text."))
        except Invalid as error:
            result.failures[url] = str(error)
        else:
            result.paths[url] = path
    return result


def _show(post_id: str, url: str, path: str, tools: Tools) -> None:
    """Show the copy of an image in the post, whose text may have changed meanwhile."""
    with transaction(nouns.post(post_id)):
        post = Post.get(post_id)
        changes = with_image_at(post, url, path, tools.config.public_url)
        if changes:
            autosave.autosave(post, changes, None, post.rev, tools.now())
