"""The addresses that an imported blog had: store them with each post, and check that each leads to a page here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import select

from blogsvc.lib.media_names import key_in
from blogsvc.models import ImportedPost, Post, PostSlug, db
from blogsvc.models.old_address import MAX_ADDRESS_LENGTH, Target, keep
from blogsvc.posts import old_addresses, slugs
from blogsvc.posts.old_addresses import HOME, normalized
from blogsvc.transfer.formats.ghost import PLACEHOLDER
from blogsvc.transfer.formats.parsed_post import ParsedPost

MAX_MISSING_LISTED = 200
# Addresses that every blog of a format has.
PAGES = {
    "ghost": ("/rss", "/sitemap.xml", "/sitemap-posts.xml"),
    "wordpress": ("/feed", "/feed/atom", "/comments/feed", "/wp-sitemap.xml"),
}
NOT_IMPORTED = "No published post uses it."
_OBSTACLES = {"known": "It was imported before, and is not public.", "taken": "Another post has its slug."}

Report = dict[str, Any]


def keep_for(post: Post, found: ParsedPost, media_ids: Mapping[str, str]) -> None:
    """Store the old addresses of an imported post, its tags, authors and images, inside the caller's transaction.

    Args:
        media_ids: the ids of the imported images, by their URLs in the text of the file.
    """
    # Former slugs are rows of their own, so that no other post gets them.
    own = {f"/{slug}" for slug in db.session.scalars(select(PostSlug.slug).where(PostSlug.post_id == post.id))}
    tags = {tag.casefold(): tag for tag in post.tags}
    targets = {address: Target(post_id=post.id) for address in of_post(found) if address not in own}
    for path, name in found.tag_paths:
        if tag := tags.get(name.casefold()):
            targets.setdefault(normalized(path), Target(tag=tag))
    for path in found.author_paths:
        targets.setdefault(normalized(path), Target(page=HOME))
    for address, url in _images(found).items():
        if url in media_ids:
            targets.setdefault(address, Target(media_id=media_ids[url]))
    keep({address: targets[address] for address in targets if 0 < len(address) <= MAX_ADDRESS_LENGTH})


def of_post(found: ParsedPost) -> list[str]:
    """Return the old addresses of the page of a post."""
    return [address for address in dict.fromkeys(map(normalized, found.old_paths)) if address]


def _images(found: ParsedPost) -> dict[str, str]:
    """Return the old addresses of the images that the old blog served itself, with their URLs in the text."""
    hosts = {_host(url) for url in found.addresses} - {""}
    paths = [*((_path_at(url, hosts), url) for url, _ in found.images), *found.image_paths]
    return {address: url for path, url in paths if path and (address := normalized(path))}


def _path_at(url: str, hosts: set[str]) -> str:
    """Return the decoded path of an image, "" if another host serves it."""
    url = url.removeprefix(PLACEHOLDER)
    path = unquote(urlsplit(url).path)
    is_here = url.startswith("/") and not url.startswith("//")
    return path if is_here or _host(url) in hosts or key_in(path.removeprefix("/media/")) else ""


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


def report(
    form: str,
    found: Path,
    entries: Iterable[ImportedPost],
    others: Iterable[list[str]],
    go_on: Callable[[], None],
) -> Report:
    """Return how many addresses of the old blog are known, how many lead to a page here, and which do not.

    Each is looked up as the blog does. What a post that waits to be imported will store counts as stored.

    Args:
        found: the file with the posts, one JSON object per line, in the order of `entries`.
        others: addresses of what is not imported, each with the reason.
        go_on: called for each post: extends the lease, or raises LeaseLost.
    """
    reasons: dict[str, str | None] = {page: _reason(page) for page in PAGES.get(form, ())}
    with found.open("rb") as file:
        for line, entry in zip(file, entries, strict=True):
            go_on()
            post = ParsedPost.of_json(json.loads(line))
            will_be_public = entry.state == "waiting" and entry.obstacle is None and entry.status == "published"
            for address, why, page in _expected(post, entry) if post.was_public else ():
                # An address of several posts, such as that of a tag, needs only one of them to be public.
                if reasons.get(address, why) is not None:
                    reasons[address] = None if will_be_public else _reason(address, why, page)
    for address, reason in others:
        reasons.setdefault(address, _reason(address, reason))
    missing = [[address, reason] for address, reason in reasons.items() if reason is not None]
    return {"known": len(reasons), "found": len(reasons) - len(missing), "missing": missing[:MAX_MISSING_LISTED]}


def _expected(post: ParsedPost, entry: ImportedPost) -> Iterator[tuple[str, str, str | None]]:
    """Yield the old addresses of a post, why each may lead to no page, and the page that it must lead to, if known."""
    page, why = _page_of(entry), _why_not(entry)
    for address in of_post(post):
        yield address, why, page
    for path in (*(path for path, _ in post.tag_paths), *post.author_paths, *_images(post)):
        if address := normalized(path):
            yield address, NOT_IMPORTED, None


def _page_of(entry: ImportedPost) -> str | None:
    """Return the path of an imported post."""
    slug = db.session.scalar(select(Post.slug).where(Post.id == entry.post_id)) if entry.post_id else None
    return slugs.path_of(slug) if slug is not None else None


def _why_not(entry: ImportedPost) -> str:
    if entry.state == "made" or (entry.state == "waiting" and entry.obstacle is None):
        return f"{entry.title!r} is a draft here."
    return f"{entry.title!r}: {entry.detail or _OBSTACLES.get(entry.obstacle or '', 'It is not public here.')}"


def _reason(address: str, why: str = NOT_IMPORTED, page: str | None = None) -> str | None:
    """Return why an address leads to no page, or to another one than `page`; None if it leads to the right page."""
    if len(address) > MAX_ADDRESS_LENGTH:
        return f"It is longer than {MAX_ADDRESS_LENGTH} characters."
    there = old_addresses.find_address(address)
    if there is None:
        return why
    return f"It leads to {there}." if page is not None and there != page else None
