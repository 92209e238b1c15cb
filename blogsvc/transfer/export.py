"""Export all posts to a file, without secrets and without loading everything into memory.

Markdown: a zip that blogsvc, Hugo, Jekyll and others can read, with each post as published (drafts as they
are) and its images. JSON: all data of every post.
"""

from __future__ import annotations

import errno
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, BinaryIO, Literal

from sqlalchemy import func, select, true
from sqlalchemy.orm import defer

from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.lib import blog_paths
from blogsvc.lib.markdown import image_links
from blogsvc.lib.media_names import keys_in
from blogsvc.lib.progress import Report, silent
from blogsvc.lib.text.front_matter import front_matter
from blogsvc.lib.text.plain import slugify, strip_front_matter
from blogsvc.lib.time import stamp
from blogsvc.models import Connection, Media, Post, PostSlug, Revision, User, db, old_address, setting
from blogsvc.models.old_address import Target
from blogsvc.transfer.formats import JSON_FORMAT, JSON_VERSION, OLD_ADDRESSES
from blogsvc.transfer.new_file import new_file

Form = Literal["markdown", "json"]
# Posts and images in memory at a time. A post may have a text of 1 MiB.
EXPORT_BATCH = 10
# Revisions of a post in memory at a time.
REVISION_BATCH = 5
# One export at a time: it takes a thread of the server, and space on the disk.
_at_work = Lock()
README_TEXT = """\
This is an export of all published posts and drafts of {title}, created on {day}.

posts/  One Markdown file with YAML front matter for each post: the published version, or the current draft.
media/  The images in full size, with their original file names.
old-addresses.json  Addresses of an imported blog that lead to tags, images and the home page.

You can import it into blogsvc (Settings, Import) or use it with a static site generator. Revisions, schedules, copies
on other platforms and unpublished changes are only in the JSON export.
"""


def file_name(form: Form, now: datetime) -> str:
    """Return the file name of an export."""
    return f"blog-{now:%Y-%m-%d}.{'zip' if form == 'markdown' else 'json'}"


def to_stream(form: Form, tools: Tools) -> BinaryIO:
    """Return the export as an unnamed temporary file, deleted when closed.

    Raises Busy if the disk is full, or while this process makes another export.
    """
    if not _at_work.acquire(blocking=False):
        raise Busy("Another export is being made. Try again in a moment.", retry_after=10)
    try:
        with ExitStack() as until_done:
            out = until_done.enter_context(TemporaryFile(dir=tools.config.instance))
            _write(form, out, tools)
            out.seek(0)
            until_done.pop_all()  # the caller closes the file
            return out
    except OSError as error:
        raise _full(error) from error
    finally:
        _at_work.release()


def to_file(form: Form, target: Path, tools: Tools, report: Report = silent) -> Path:
    """Write the export to a new file with mode 0600, complete or not at all.

    Raises FileExists if the file exists, and Busy if the disk is full.
    """
    try:
        with new_file(target) as out:
            _write(form, out, tools, report)
    except OSError as error:
        raise _full(error) from error
    return target


def _full(error: OSError) -> Busy:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Busy("The disk is full. Nothing was exported." if full else f"The file cannot be written: {error.strerror}.")


def _write(form: Form, out: BinaryIO, tools: Tools, report: Report = silent) -> None:
    if form == "json":
        text = TextIOWrapper(out, encoding="utf-8", newline="\n", write_through=True)
        for part in _document(tools, report):
            text.write(part)
        text.detach()
        return
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        _Zip(zipped, tools).write(report)


def _posts(report: Report, *, trashed: bool) -> Iterator[Post]:
    """Yield all posts, oldest first, in batches to limit memory."""
    last, done = "", 0
    wanted = true() if trashed else Post.deleted_at.is_(None)
    number = db.session.scalar(select(func.count()).select_from(Post).where(wanted)) or 0
    while True:
        query = select(Post).where(Post.id > last, wanted).order_by(Post.id).limit(EXPORT_BATCH)
        posts = list(db.session.scalars(query))
        if not posts:
            return
        last = posts[-1].id
        for post in posts:
            yield post
            done += 1
            report(done, number)
        db.session.expunge_all()
        db.session.rollback()


def _media() -> Iterator[Media]:
    """Yield all images, oldest first, in batches to limit memory."""
    last = ""
    while True:
        rows = list(db.session.scalars(select(Media).where(Media.id > last).order_by(Media.id).limit(EXPORT_BATCH)))
        if not rows:
            return
        last = rows[-1].id
        yield from rows
        db.session.expunge_all()
        db.session.rollback()


def _revisions(post: Post) -> Iterator[Revision]:
    last = 0
    while True:
        query = select(Revision).where(Revision.post_id == post.id, Revision.number > last)
        rows = list(
            db.session.scalars(query.options(defer(Revision.html)).order_by(Revision.number).limit(REVISION_BATCH))
        )
        if not rows:
            return
        last = rows[-1].number
        yield from rows


def _former_slugs(post: Post) -> list[str]:
    is_former = PostSlug.post_id == post.id, PostSlug.slug != post.slug, PostSlug.was_shown
    return list(db.session.scalars(select(PostSlug.slug).where(*is_former).order_by(PostSlug.slug)))


# -- Markdown


class _Zip:
    def __init__(self, zipped: zipfile.ZipFile, tools: Tools) -> None:
        self.zipped, self.config = zipped, tools.config
        self.now, self.host = tools.now(), setting.feed_host(tools.config.public_url)
        # The files of the images, by the keys and by the ids of the images.
        self.images: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.names: set[str] = set()

    def write(self, report: Report) -> None:
        self._put("README.md", README_TEXT.format(title=setting.blog()["title"], day=f"{self.now:%Y-%m-%d}"))
        for name, media in self._named_media():
            file = self.config.media / media.name
            if file.is_file():
                self.images[media.key] = self.files[media.id] = name
                self.zipped.write(file, name, zipfile.ZIP_STORED)
        for post in _posts(report, trashed=False):
            fields = _public_fields(post)
            day = (post.published_at if post.is_live else None) or post.created_at
            name = self._free(f"posts/{day:%Y-%m-%d}-{slugify(fields['slug']) or 'untitled'}", "md")
            self._put(name, self._file(post, fields))
        if old := _old_addresses(self.files):
            self._put(OLD_ADDRESSES, _dumps(old))

    def _put(self, name: str, text: str) -> None:
        entry = zipfile.ZipInfo(name, self.now.timetuple()[:6])
        entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        self.zipped.writestr(entry, text.encode("utf-8", "replace"))

    def _named_media(self) -> Iterator[tuple[str, Media]]:
        """Yield each image with a unique name, based on its uploaded file name."""
        for media in _media():
            stem = slugify(media.filename.rpartition(".")[0] or media.filename) or "image"
            yield self._free(f"media/{stem}", media.name.rpartition(".")[2]), media

    def _free(self, stem: str, suffix: str) -> str:
        number, name = 1, f"{stem}.{suffix}"
        while name in self.names:
            number += 1
            name = f"{stem}-{number}.{suffix}"
        self.names.add(name)
        return name

    def _file(self, post: Post, fields: dict[str, Any]) -> str:
        is_live = post.is_live
        head = front_matter(
            {
                "title": fields["title"],
                "slug": fields["slug"],
                "date": post.published_at if is_live else post.created_at,
                "created": post.created_at if is_live and post.created_at != post.published_at else None,
                "updated": post.updated_at,
                "draft": not is_live,
                "scheduled": post.scheduled_at if post.state == "scheduled" else None,
                "summary": fields["summary"] or None,
                "tags": list(fields["tags"]),
                "platforms": list(post.platforms),
                "language": fields["language"],
                "canonical_url": fields["canonical_url"],
                "cover": self._link(fields["cover_image"]) if fields["cover_image"] else None,
                "cover_alt": fields["cover_alt"] or None,
                "former_slugs": _former_slugs(post) if is_live else [],
                "old_addresses": old_address.of_post(post.id),
                "feed_id": _feed_id(post, self.host),
                "blogsvc_id": post.id,
                "overrides": fields["overrides"],
            }
        )
        text = image_links.rewritten(strip_front_matter(fields["content"]).replace("\r\n", "\n"), self._link)
        return f"{head}\n{text.strip(chr(10))}\n"

    def _link(self, address: str) -> str:
        """Return the relative path of an image in the zip, or the URL unchanged for other images."""
        path = address.removeprefix(self.config.public_url)
        keys = keys_in(path) if path.startswith("/media/") else []
        return f"../{self.images[keys[0]]}" if keys and keys[0] in self.images else address


def _public_fields(post: Post) -> dict[str, Any]:
    """Return the fields of the live revision, or of the working copy if the post is not live."""
    live = post.live_revision() if post.is_live else None
    return live.fields() if live is not None else post.fields()


# -- JSON


def _document(tools: Tools, report: Report) -> Iterator[str]:
    head = {"format": JSON_FORMAT, "version": JSON_VERSION, "exportedAt": stamp(tools.now())}
    blog = setting.blog() | {
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
    yield _dumps(head)[:-1] + f',\n"blog": {_dumps(blog)},\n"connections": {_dumps(connections)},\n"posts": ['
    host = setting.feed_host(tools.config.public_url)
    for number, post in enumerate(_posts(report, trashed=True)):
        yield ",\n" if number else "\n"
        yield from _post(post, users, host)
    yield '\n],\n"media": ['
    for number, media in enumerate(_media()):
        yield f"{',' if number else ''}\n{_dumps(_image(media, tools.config.public_url))}"
    yield f'\n],\n"oldAddresses": {_dumps(_old_addresses({}))}}}\n'


def _dumps(value: Any) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(value, ensure_ascii=False))


def _post(post: Post, users: dict[str, str], host: str) -> Iterator[str]:
    """Yield the document of a post in parts: its revisions one by one."""
    yield _dumps(_post_fields(post, users, host))[:-1] + ', "revisions": ['
    for number, one in enumerate(_revisions(post)):
        fields = {"id": one.id, "number": one.number, "reason": one.reason, "createdAt": _at(one.created_at)}
        fields |= {"author": users.get(one.created_by or ""), "updatedAt": _at(one.saved_at)}
        yield f"{', ' if number else ''}{_dumps(fields | _camel_fields(one.fields()))}"
    yield f'], "deliveries": {_dumps(_deliveries(post))}}}'


def _post_fields(post: Post, users: dict[str, str], host: str) -> dict[str, Any]:
    schedule = {"local": post.wall_time, "timeZone": post.time_zone, "fold": post.fold} if post.wall_time else None
    return {
        "id": post.id,
        **_camel_fields(post.fields()),
        "formerSlugs": _former_slugs(post),
        "oldAddresses": old_address.of_post(post.id),
        "feedId": _feed_id(post, host),
        "platforms": list(post.platforms),
        "status": post.state,
        "author": users.get(post.author_id or ""),
        "createdAt": _at(post.created_at),
        "updatedAt": _at(post.updated_at),
        "publishedAt": _at(post.first_published_at),
        "scheduledAt": _at(post.scheduled_at),
        "schedule": schedule,
        "deletedAt": _at(post.deleted_at),
        "hasUnpublishedChanges": post.has_unpublished_changes,
        "liveRevision": post.live_revision_id,
    }


def _feed_id(post: Post, host: str) -> str | None:
    """Return the id that feeds have shown; None for a post that was never published."""
    return post.feed_id or (post.own_feed_id(host) if post.published_at else None)


def _old_addresses(files: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the old addresses that are not of a post, and where each leads.

    Args:
        files: the files of images in the export, by the ids of the images.
    """
    return [
        {"address": address, "leadsTo": path}
        for address, target in old_address.of_no_post().items()
        if (path := files.get(target.media_id or "") or _path_of(target))
    ]


def _path_of(target: Target) -> str | None:
    if target.media_id is not None:
        media = db.session.get(Media, target.media_id)
        return media.path if media is not None else None
    return blog_paths.of_tag(target.tag) if target.tag is not None else target.page


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


def _camel_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {_CAMEL.get(name, name): value for name, value in fields.items()}


_CAMEL = {"canonical_url": "canonicalUrl", "cover_image": "coverImage", "cover_alt": "coverAlt"}


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
