"""Import one post, with its original dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from datetime import datetime
from itertools import islice
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

from blogsvc.connections.aliases import by_stored_name
from blogsvc.connections.by_hand import names_to_store
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.errors import Invalid
from blogsvc.lib.text.plain import excerpt
from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH, is_slug
from blogsvc.models import SITE, Delivery, Post, PostSlug, Series, Setting, db, record
from blogsvc.models.import_job import ImportJob
from blogsvc.models.post_slugs import store_slug
from blogsvc.models.revision import rendered
from blogsvc.posts import editing, rules, series
from blogsvc.posts.slugs import RESERVED
from blogsvc.transfer import import_addresses
from blogsvc.transfer.fitted_post import schedule_passed
from blogsvc.transfer.formats.parsed_post import ParsedPost, url_parts
from blogsvc.transfer.import_authors import import_authors
from blogsvc.transfer.import_images import imported_images
from blogsvc.transfer.import_slugs import planned, vacant

MAX_FEED_ID_LENGTH = 500
MAX_FORMER_LENGTH = 400  # decomposed; normalization takes quadratic time
_FORMER = re.compile(r"[^\W_](?:[\w.-]{0,98}[\w-])?")


def make(parsed: ParsedPost, text: str, cover: str | None, import_: ImportJob, now: datetime, notes: list[str]) -> Post:
    """Create the post inside the caller's transaction. A published post goes live on this blog with its old date.

    Adds to `notes` what users should know. Call `prepare` first, so that nothing slow runs inside the transaction, and
    `site_changed` in the transaction if the post is live. Raises Invalid if a field breaks a rule.
    """
    made_at = parsed.created_at or parsed.published_at or now
    fields = {
        "title": parsed.title,
        "content": text,
        "summary": parsed.summary,
        "slug": vacant(parsed.slug, lambda slug: db.session.get(PostSlug, slug) is not None)[0],
        "canonical_url": parsed.canonical_url,
        "cover_image": cover,
        "cover_alt": parsed.cover_alt if cover or not parsed.cover else "",
        "cover_caption": parsed.cover_caption if cover or not parsed.cover else "",
        "kind": parsed.kind,
        "is_pinned": parsed.is_pinned,
        "is_unlisted": parsed.is_unlisted,
        "meta_title": parsed.meta_title,
        "series": _series(parsed, now),
        "series_part": parsed.series_part,
        "language": parsed.language,
        "tags": list(parsed.tags),
        "overrides": by_stored_name(parsed.overrides),
    }
    media_ids = imported_images(parsed, import_)
    authors = import_authors(parsed.authors, media_ids, now)
    fields["authors"] = [author.slug for author in authors][: rules.MAX_AUTHORS]
    rules.check_fields({**fields, "title": parsed.title or None})  # a draft of blogsvc may have none yet
    is_live = parsed.status == "published"
    published_at = parsed.published_at or made_at
    # A post of blogsvc that was published later than it was changed stays so.
    is_changed_later = is_live and not (parsed.is_ours and parsed.updated_at)
    post = Post.write(
        fields,
        [SITE] if is_live else _destinations(parsed, notes, now),
        made_at,
        "published" if is_live else "saved",
        author_id=import_.user_id,
        updated_at=max(made_at, parsed.updated_at or made_at, published_at if is_changed_later else made_at),
        post_id=_own_id(parsed),
    )
    post.dated_at = None if is_live else parsed.published_at
    post.feed_id = parsed.feed_id if parsed.feed_id and len(parsed.feed_id) <= MAX_FEED_ID_LENGTH else None
    if is_live:
        _make_live(post, parsed, published_at, now, import_)
    elif parsed.scheduled_at and import_.choices.get("schedule"):
        _schedule(post, parsed.scheduled_at, now, notes)
    import_addresses.keep_for(post, parsed, media_ids, authors)
    record("post.imported", now, post_id=post.id, source=import_.filename)
    return post


def _series(parsed: ParsedPost, now: datetime) -> str | None:
    """Return the slug of the series of a post. Files of blogsvc name it by its slug, others by its title."""
    if not parsed.series:
        return None
    return ((Series.find(parsed.series) if parsed.is_ours else None) or series.called(parsed.series, now)).slug


def _destinations(parsed: ParsedPost, notes: list[str], now: datetime) -> list[str]:
    """Return the destinations of a draft that are known here, or else those of a new post.

    One without an account waits for it.
    """
    destinations: list[str] = []
    known = KnownDestinations()
    for name in islice(dict.fromkeys(names_to_store(list(parsed.platforms), now)), rules.MAX_PLATFORMS):
        if known.is_known(name):
            destinations.append(name)
        else:
            notes.append(f"Its destination {excerpt(name, 64)!r} is unknown here, and was removed.")
    return destinations or editing.destinations_of_new_post(now, parsed.kind)


def _own_id(parsed: ParsedPost) -> str | None:
    """Return the id of a post exported from blogsvc, which feeds use; None if it is taken or not ours."""
    post_id = parsed.source.removeprefix("blogsvc:")
    can_be_kept = parsed.is_ours and re.fullmatch(r"post_[0-9a-z]{26}", post_id)
    return post_id if can_be_kept and db.session.get(Post, post_id) is None else None


def _make_live(post: Post, parsed: ParsedPost, at: datetime, now: datetime, import_: ImportJob) -> None:
    """Set the state that publishing would have left. Sends nothing; feeds show an old post."""
    post.published_at = at
    _held = post.pin("published", post.updated_at)  # so that it is not loaded again
    with db.session.no_autoflush:  # each row is written once
        post.enter_site(Delivery.to(post, SITE, None, at), now, delivered_at=at)
        post.content_changed_at = parsed.content_changed_at or post.content_changed_at
        post.state = "published"
        _redirect_former_urls(parsed.addresses, post, import_)


def _schedule(post: Post, at: datetime, now: datetime, notes: list[str]) -> None:
    """Schedule a post for its old time, without an event. It stays a draft, with a note, if that is not possible."""
    if at <= now:
        notes.append(schedule_passed(at))
        return
    try:
        post.require_publishable("scheduled")
        rules.check_time(at, now)
    except Invalid as error:
        notes.append(f"It was not scheduled. {error}")
        return
    post.schedule(at, now)


def _redirect_former_urls(addresses: Iterable[str], post: Post, import_: ImportJob) -> None:
    """Redirect the last path segments of old URLs to this post, if they are free and no later post gets them."""
    last = (unquote(url_parts(address).path).rstrip("/").rpartition("/")[2] for address in addresses)
    slugs = {
        slug
        for slug in (normalize("NFC", one) for one in last if len(one) <= MAX_FORMER_LENGTH)
        if _is_former_slug(slug)
    }
    free = sorted(slugs - PostSlug.taken(slugs) - planned(import_, slugs))
    for slug in free:
        store_slug(slug, post.id, was_shown=True)


def _is_former_slug(slug: str) -> bool:
    is_valid = _FORMER.fullmatch(slug) or (is_slug(slug) and len(slug) <= MAX_SLUG_LENGTH)
    return bool(is_valid) and slug not in RESERVED


def prepare(parsed: ParsedPost, text: str, choices: Mapping[str, Any], beside: Executor) -> None:
    """Render a post that will be live or scheduled, in another thread, so that the result is cached."""
    if parsed.status == "published" or (parsed.scheduled_at and choices.get("schedule")):
        beside.submit(rendered, text, parsed.language or Setting.read("blog_language"))
