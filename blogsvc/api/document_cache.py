"""Cache the JSON documents of posts, so that unchanged posts are serialized once."""

from __future__ import annotations

from sqlalchemy import select

from blogsvc.api import serializers
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.context import InMemory
from blogsvc.lib.bounded_cache import VersionedCache, total_length
from blogsvc.models import Post, db

CACHE_BYTES = 16 * 1024 * 1024

documents = InMemory(lambda _tools: VersionedCache[str, str](CACHE_BYTES, total_length))


def texts(versions: list[tuple[str, str]]) -> list[str]:
    """Return the JSON of posts, given as (id, version), in the given order."""
    cache = documents()
    cached = {key: cache.get(*key) for key in versions}
    missing = [post_id for (post_id, _), text in cached.items() if text is None]
    destinations = KnownDestinations()
    serialized = {
        post.id: serializers.post(post, destinations).model_dump_json(by_alias=True) for post in posts(missing)
    }
    return [text or cache.put(*key, serialized[key[0]]) for key, text in cached.items() if text or key[0] in serialized]


def posts(ids: list[str]) -> list[Post]:
    """Return posts in the order of the ids."""
    if not ids:
        return []
    rows = {post.id: post for post in db.session.scalars(select(Post).where(Post.id.in_(ids)))}
    return [rows[post_id] for post_id in ids if post_id in rows]
