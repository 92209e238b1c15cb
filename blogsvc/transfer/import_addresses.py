"""The addresses that an imported blog had: store them with each post, and check that each leads to a page here."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from sqlalchemy import select

from blogsvc.lib import blog_paths
from blogsvc.lib.media_names import key_in, path_of
from blogsvc.models import Author, ImportedPost, Media, Post, PostSlug, db
from blogsvc.models.media import known
from blogsvc.models.redirect import MAX_ADDRESS_LENGTH, Target, keep
from blogsvc.posts import old_addresses
from blogsvc.posts.address_forms import HOME
from blogsvc.posts.old_addresses import normalized
from blogsvc.transfer.formats.ghost.url import PLACEHOLDER
from blogsvc.transfer.formats.parsed_post import ParsedPost, url_parts

MAX_MISSING_LISTED = 200
CHECKED_AT_ONCE = 100  # posts
# Addresses that every blog of a format has.
PAGES = {
    "ghost": ("/rss", "/sitemap.xml", "/sitemap-posts.xml"),
    "wordpress": ("/feed", "/feed/atom", "/comments/feed", "/wp-sitemap.xml"),
}
NOT_IMPORTED = "No published post uses it."
_OBSTACLES = {"known": "It was imported before, and is not public.", "taken": "Another post has its slug."}

Report = dict[str, Any]


class _Expected(NamedTuple):
    """An old address, why it may lead to no page, the page that it must lead to, if known, and what is to come."""

    address: str
    why: str = NOT_IMPORTED
    page: str | None = None
    will_be_public: bool = False


def keep_for(post: Post, parsed: ParsedPost, media_ids: Mapping[str, str], authors: Collection[Author]) -> None:
    """Store the old addresses of an imported post, its tags, authors and images, inside the caller's transaction.

    Args:
        media_ids: the ids of the imported images, by their URLs in the text of the file.
        authors: the authors here, in the order of those of the parsed post.
    """
    # Former slugs are rows of their own, so that no other post gets them.
    own = {f"/{slug}" for slug in db.session.scalars(select(PostSlug.slug).where(PostSlug.post_id == post.id))}
    tags = {tag.casefold(): tag for tag in post.tags}
    targets = {address: Target(post_id=post.id) for address in of_post(parsed) if address not in own}
    for path, name in parsed.tag_paths:
        if tag := tags.get(name.casefold()):
            targets.setdefault(normalized(path), Target(tag=tag))
    for path in parsed.home_paths:
        targets.setdefault(normalized(path), Target(address=HOME))
    for author, one in zip(authors, parsed.authors, strict=False):
        page = f"/author/{author.slug}"
        own_paths = {normalized(path) for path in one.paths} - {page}
        targets |= {path: Target(address=page) for path in own_paths if path not in targets}
    for address, url in _images(parsed).items():
        media = db.session.get(Media, media_ids[url]) if url in media_ids else None
        if media is not None and address not in map(path_of, media.names):
            targets.setdefault(address, Target(media_id=media.id))
    keep({address: targets[address] for address in targets if 0 < len(address) <= MAX_ADDRESS_LENGTH})


def of_post(post: ParsedPost) -> list[str]:
    """Return the old addresses of the page of a post."""
    return [address for address in dict.fromkeys(map(normalized, post.old_paths)) if address]


def _author_paths(post: ParsedPost) -> list[str]:
    return [path for author in post.authors for path in author.paths]


def _images(post: ParsedPost) -> dict[str, str]:
    """Return the old addresses of the images that the old blog served itself, with their URLs in the text."""
    hosts = {_host(url) for url in post.addresses} - {""}
    paths = [*((_path_at(url, hosts), url) for url, _ in post.images), *post.image_paths]
    return {address: url for path, url in paths if path and (address := normalized(path))}


def _path_at(url: str, hosts: set[str]) -> str:
    """Return the decoded path of an image, "" if another host serves it."""
    url = url.removeprefix(PLACEHOLDER)
    path = unquote(url_parts(url).path)
    is_here = url.startswith("/") and not url.startswith("//")
    return path if is_here or _host(url) in hosts or key_in(path.removeprefix("/media/")) else ""


def _host(url: str) -> str:
    return (url_parts(url).hostname or "").removeprefix("www.")


def report(
    form: str,
    posts_file: Path,
    entries: Iterable[ImportedPost],
    others: Iterable[list[str]],
    go_on: Callable[[], None],
) -> Report:
    """Return how many addresses of the old blog are known, how many lead to a page here, and which do not.

    Each is looked up as the blog does. What a post that waits to be imported will store counts as stored.

    Args:
        posts_file: the file with the posts, one JSON object per line, in the order of `entries`.
        others: addresses of what is not imported, each with the reason.
        go_on: called for every few posts: extends the lease, or raises LeaseLost.
    """
    reasons: dict[str, str | None] = {}
    _check([_Expected(page) for page in PAGES.get(form, ())], reasons)
    with posts_file.open("rb") as file:
        pairs = zip(file, entries, strict=True)
        while some := list(islice(pairs, CHECKED_AT_ONCE)):
            go_on()
            _check(list(_expected([(ParsedPost.of_json(json.loads(line)), entry) for line, entry in some])), reasons)
    rest: dict[str, str] = {}
    for address, reason in others:
        rest.setdefault(address, reason)
    _check([_Expected(address, why) for address, why in rest.items() if address not in reasons], reasons)
    missing = [[address, reason] for address, reason in reasons.items() if reason is not None]
    return {"known": len(reasons), "found": len(reasons) - len(missing), "missing": missing[:MAX_MISSING_LISTED]}


def _check(expected: Collection[_Expected], reasons: dict[str, str | None]) -> None:
    """Store why an address leads to no page, or None if it leads to one.

    An address of several posts, such as that of a tag, needs only one of them to be public.
    """
    addresses = (
        item.address for item in expected if reasons.get(item.address, item.why) is not None and not item.will_be_public
    )
    pages = old_addresses.find_addresses(addresses)
    keys = (key_in(address.removeprefix("/media/")) for address, page in pages.items() if page is None)
    images = {path_of(name): path_of(name) for media in known(filter(None, keys)).values() for name in media.names}
    pages = {address: page or images.get(address) for address, page in pages.items()}
    for item in expected:
        if reasons.get(item.address, item.why) is not None:
            reasons[item.address] = None if item.will_be_public else _reason(item, pages[item.address])


def _expected(posts: Collection[tuple[ParsedPost, ImportedPost]]) -> Iterator[_Expected]:
    """Yield the old addresses of posts that the old blog showed."""
    ids = [entry.post_id for _, entry in posts if entry.post_id]
    query = select(Post.id, Post.slug).where(Post.id.in_(ids))
    slugs = dict(iter(db.session.execute(query)))
    for post, entry in posts:
        if not post.was_public:
            continue
        slug, why = slugs.get(entry.post_id or ""), _why_not(entry)
        page = blog_paths.of_post(slug) if slug is not None else None
        will_be_public = entry.state == "waiting" and entry.obstacle is None and entry.status == "published"
        for address in of_post(post):
            yield _Expected(address, why, page, will_be_public)
        for path in (*(path for path, _ in post.tag_paths), *post.home_paths, *_author_paths(post), *_images(post)):
            if address := normalized(path):
                yield _Expected(address, will_be_public=will_be_public)


def _why_not(entry: ImportedPost) -> str:
    if entry.state == "made" or (entry.state == "waiting" and entry.obstacle is None):
        return f"{entry.title!r} is a draft here."
    return f"{entry.title!r}: {entry.detail or _OBSTACLES.get(entry.obstacle or '', 'It is not public here.')}"


def _reason(expected: _Expected, page: str | None) -> str | None:
    """Return why an address leads to no page, or to another one than expected; None if it leads to the right page."""
    if len(expected.address) > MAX_ADDRESS_LENGTH:
        return f"It is longer than {MAX_ADDRESS_LENGTH} characters."
    if page is None:
        return expected.why
    return f"It leads to {page}." if expected.page is not None and page != expected.page else None
