"""Find the images of a post that are on other websites: they may disappear there without notice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from blogsvc.errors import TextRefused
from blogsvc.lib.markdown import image_links
from blogsvc.lib.text.plain import images_in
from blogsvc.models.post_fields import PostFields


def external_images(post: PostFields, render: Callable[[str, str | None], str], public_url: str) -> list[str]:
    """Return the URLs of the images on other websites that readers see, without duplicates.

    In the text, in those for single destinations, and as cover. `render` returns the HTML of Markdown in a language.
    """
    urls: dict[str, None] = {}
    for text in _texts(post).values():
        with suppress(TextRefused):  # the checks of its destination say so
            urls.update(dict.fromkeys(url for url, _ in images_in(render(text, post.language))))
    if post.cover_image:
        urls[post.cover_image] = None
    return [url for url in urls if _is_external(url, public_url)]


def _texts(post: PostFields) -> dict[str, str]:
    """Return the text of the post, and those for single destinations, by their names."""
    own = {name: str(own["content"]) for name, own in post.overrides.items() if own.get("content")}
    return {"": post.content, **own}


def _is_external(url: str, public_url: str) -> bool:
    try:
        parts, home = urlsplit(url), urlsplit(public_url)
    except ValueError:
        return False
    return parts.scheme in ("", "http", "https") and bool(parts.netloc) and parts.netloc != home.netloc


def with_image_at(post: PostFields, url: str, path: str, public_url: str) -> dict[str, Any]:
    """Return the fields of a post that change if it shows an image of this blog in place of one elsewhere."""
    texts = {name: text_with_image_at(text, url, path) for name, text in _texts(post).items()}
    own = {
        name: {**own, "content": texts[name]} if name in texts else own  # as stored, with the options
        for name, own in post.overrides.items()
    }
    cover = public_url + path if post.cover_image == url else post.cover_image
    fields = {"content": texts[""], "overrides": own, "cover_image": cover}
    return {name: value for name, value in fields.items() if value != getattr(post, name)}


def text_with_image_at(text: str, url: str, path: str) -> str:
    """Return the text with the path of an image in place of its URL, also where a reference defines it."""
    from markdown_it.common.normalize_url import normalizeLink  # only when it is needed

    def changed(address: str) -> str:
        return path if url in (address, normalizeLink(address)) else address

    return image_links.rewritten(text, changed, with_links=False)
