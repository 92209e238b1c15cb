"""The export as one JSON document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import select

from blogsvc.context import Tools
from blogsvc.lib.progress import Report
from blogsvc.lib.time import stamp
from blogsvc.models import Connection, Media, Post, User, db, setting
from blogsvc.models.redirect import imported_for_post
from blogsvc.models.site_images import site_images
from blogsvc.transfer.export_rows import (
    all_media,
    all_posts,
    all_series,
    authors,
    blog,
    camel_fields,
    former_slugs,
    old_addresses,
    redirects,
    revisions_of,
    tag_pages,
)
from blogsvc.transfer.formats import JSON_FORMAT, JSON_VERSION


def document(tools: Tools, report: Report) -> Iterator[str]:
    head = {"format": JSON_FORMAT, "version": JSON_VERSION, "exportedAt": stamp(tools.now())}
    described = blog(_site_image_urls(tools.config.public_url)) | {
        "url": tools.config.public_url,
        "timeZone": setting.Setting.read("time_zone"),
        "defaultPlatforms": setting.Setting.read("default_platforms"),
    }
    # Without their secrets.
    connections = [
        {"name": one.name, "connector": one.connector, "account": one.account, "accountUrl": one.account_url}
        for one in Connection.all()
    ]
    users = {user.id: user.name for user in User.all()}
    yield dumps(head)[:-1] + f',\n"blog": {dumps(described)},\n"connections": {dumps(connections)},\n"posts": ['
    host = setting.feed_host(tools.config.public_url)
    for number, post in enumerate(all_posts(report, trashed=True)):
        yield ",\n" if number else "\n"
        yield from _post_json(post, users, host)
    yield '\n],\n"media": ['
    for number, media in enumerate(all_media()):
        yield f"{',' if number else ''}\n{dumps(_image(media, tools.config.public_url))}"
    urls = {media.id: tools.config.public_url + media.path for media in all_media()}
    yield f'\n],\n"authors": {dumps(authors(urls))}'
    yield f',\n"series": {dumps(all_series())},\n"tagPages": {dumps(tag_pages())}'
    yield f',\n"oldAddresses": {dumps(old_addresses({}))},\n"redirects": {dumps(redirects())}}}\n'


def _site_image_urls(public_url: str) -> dict[str, str]:
    """Return the URLs of the icon and the logos, by the ids of the images."""
    chosen = select(Media).where(Media.id.in_(site_images().values()))
    return {media.id: public_url + media.path for media in db.session.scalars(chosen)}


def dumps(value: Any) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(value, ensure_ascii=False))


def _post_json(post: Post, users: dict[str, str], host: str) -> Iterator[str]:
    """Yield the document of a post in parts: its revisions one by one."""
    yield dumps(_post_fields(post, users, host))[:-1] + ', "revisions": ['
    for number, one in enumerate(revisions_of(post)):
        fields = {"id": one.id, "number": one.number, "reason": one.reason, "createdAt": _at(one.created_at)}
        fields |= {"author": users.get(one.created_by or ""), "updatedAt": _at(one.saved_at)}
        yield f"{', ' if number else ''}{dumps(fields | camel_fields(one.fields()))}"
    yield f'], "deliveries": {dumps(_deliveries(post))}}}'


def _post_fields(post: Post, users: dict[str, str], host: str) -> dict[str, Any]:
    schedule = {"local": post.wall_time, "timeZone": post.time_zone, "fold": post.fold} if post.wall_time else None
    return {
        "id": post.id,
        **camel_fields(post.fields()),
        "formerSlugs": former_slugs(post),
        "oldAddresses": imported_for_post(post.id),
        "feedId": feed_id(post, host),
        "platforms": list(post.platforms),
        "status": post.state,
        "author": users.get(post.author_id or ""),
        "createdAt": _at(post.created_at),
        "updatedAt": _at(post.updated_at),
        "publishedAt": _at(post.first_published_at),
        "contentChangedAt": _at(post.content_changed_at),
        "scheduledAt": _at(post.scheduled_at),
        "schedule": schedule,
        "deletedAt": _at(post.deleted_at),
        "hasUnpublishedChanges": post.has_unpublished_changes,
        "liveRevision": post.live_revision_id,
    }


def feed_id(post: Post, host: str) -> str | None:
    """Return the id that feeds have shown; None for a post that was never published."""
    return post.feed_id or (post.own_feed_id(host) if post.published_at else None)


def _deliveries(post: Post) -> list[dict[str, Any]]:
    return [
        {
            "id": one.id,
            "platform": one.destination,
            "status": one.state,
            "remoteId": one.remote_id,
            "url": one.url,
            "revision": one.copy_revision_id,
            "dueAt": _at(one.due_at),
            "deliveredAt": _at(one.delivered_at),
            "error": {"code": one.error_code, "detail": one.error_detail} if one.error_code else None,
        }
        for one in post.deliveries
    ]


def _image(media: Media, public_url: str) -> dict[str, Any]:
    return {
        "id": media.id,
        "filename": media.filename,
        "alt": media.alt,
        "mediaType": media.media_type,
        "width": media.width,
        "height": media.height,
        "bytes": media.bytes,
        "path": media.path,
        "url": public_url + media.path,
        "createdAt": _at(media.created_at),
    }


def _at(moment: datetime | None) -> str | None:
    return stamp(moment) if moment else None
