"""Add, describe and delete images, and delete orphaned files.

Files are stored before their row is committed, and deleted after their row. So a row always has its files,
and a crash leaves at most files without a row, which the sweep deletes.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from threading import BoundedSemaphore, Lock

from sqlalchemy import select

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import Busy, Fault, Forbidden, Invalid
from blogsvc.lib import images
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.media_names import key_in, name_of
from blogsvc.lib.storage import StoredFile
from blogsvc.media.uses import posts_using, require_unused
from blogsvc.models import Media, Post, User, db, transaction
from blogsvc.models.author import is_picture_of_others
from blogsvc.models.media import known
from blogsvc.models.quota import Quota, require_room
from blogsvc.models.setting import site_changed
from blogsvc.models.site_images import leave_out, site_images
from blogsvc.models.transactions import is_undone

# The text column is at most 750 CSS pixels wide, a phone 400; screens have up to three device pixels per CSS pixel.
IMAGE_WIDTHS = (480, 960, 1600, 2400)
# Younger files without a row may belong to an upload in progress. Those that machines share are kept for longer: a copy
# of the database, with which somebody tries something, does not know the newer ones.
ORPHANS_KEPT_FOR, SHARED_ORPHANS_KEPT_FOR = timedelta(days=1), timedelta(days=30)

# Called with an image under the write lock; raises an error to prevent the change.
Guard = Callable[[Media], None]
# Called in the transaction that saves an image.
Along = Callable[[Media], None]

# Only one image is decoded at a time, to limit memory.
_one_at_a_time = Lock()
# Concurrent uploads. Each occupies a thread until it has been received; the others must stay free for readers.
MAX_CONCURRENT_IMAGES = 2
_places = BoundedSemaphore(MAX_CONCURRENT_IMAGES)


@contextmanager
def processing_slot() -> Iterator[None]:
    """Reserve one of the concurrent uploads before its body is read. Raises Busy if all are in use."""
    if not _places.acquire(blocking=False):
        raise Busy("Too many uploads at the same time. Try again in a moment.", retry_after=3)
    try:
        yield
    finally:
        _places.release()


def add(
    data: bytes,
    filename: str,
    alt: str,
    tools: Tools,
    along: Along = lambda media: None,
    quota: Quota | None = None,
    key: str | None = None,
) -> Media:
    """Add an image, or return that of the same file if it was uploaded before. See `add_once`."""
    return add_once(data, filename, alt, tools, along, quota, key)[0]


def add_once(
    data: bytes,
    filename: str,
    alt: str,
    tools: Tools,
    along: Along = lambda media: None,
    quota: Quota | None = None,
    key: str | None = None,
) -> tuple[Media, bool]:
    """Add an image, unless the same user or key has uploaded the same file before, without another alternative text.

    Return the image, and True if it was added. May take seconds. Raises Invalid if the file is not a usable image or a
    quota is used up, Busy if the disk is full.

    Args:
        key: an unused key for an image of another instance, which is added in any case; None for a new one.
    """
    digest = sha256(data).hexdigest()
    known = _same_image(digest, alt, quota) if key is None else None
    if known is not None and local_file(known.name, tools.config) is not None:  # its file may have been lost
        with transaction():
            same = _same_image(digest, alt, quota)  # somebody may have deleted it
            if same is not None:
                along(same)
                return same, False
    require_space(len(data), tools, quota)
    renditions = _renditions(data)
    media = Media.of(_file_name(filename), alt, tools.now(), _creator(quota))
    media.key, media.digest = key or media.key, digest
    full, *smaller = [
        (rendition, name_of(media.key, rendition.kind.suffix, rendition.width if number else None))
        for number, rendition in enumerate(renditions)
    ]
    media.media_type, media.width, media.height = full[0].kind.media_type, full[0].width, full[0].height
    media.bytes, media.name = len(full[0].data), full[1]
    media.sizes = [
        {"width": small.width, "height": small.height, "bytes": len(small.data), "name": name}
        for small, name in smaller
    ]

    def counted(media: Media) -> None:
        if quota is not None:
            quota.count_upload(len(data), tools.now())
        along(media)

    _save(media, renditions, tools.config, counted)
    return media, True


def _same_image(digest: str, alt: str, quota: Quota | None) -> Media | None:
    """Return the newest image of the same file by the same user or key, unless it has another alternative text."""
    query = select(Media).where(Media.digest == digest, Media.created_by == _creator(quota))
    found = db.session.scalars(query.order_by(Media.id.desc()))
    return next((media for media in found if alt in ("", media.alt)), None)


def _creator(quota: Quota | None) -> str | None:
    return quota.creator_id if quota else None


def require_space(size: int, tools: Tools, quota: Quota | None) -> None:
    """Raise Invalid if an image of this size, in bytes, would exceed the limit of all images or a quota.

    Ends the read transaction of the request, which must not stay open during the work that follows.
    """
    require_room(size, tools.config)
    if quota is not None:
        quota.require_upload(size, tools.now())
    db.session.rollback()


def _renditions(data: bytes) -> list[images.Rendition]:
    with decoding("#/file"):
        return images.rework(data, IMAGE_WIDTHS)


@contextmanager
def decoding(pointer: str) -> Iterator[None]:
    """Wait until no other image is decoded. Raises Invalid, with this pointer, for an image that cannot be used."""
    try:
        with _one_at_a_time:
            yield
    except images.UnusableImage as error:
        raise Invalid(Fault(pointer, error.code, str(error))) from error


def _file_name(path: str) -> str:
    """Return the last segment of a file name, without control characters."""
    last = re.split(r"[/\\]", path)[-1]
    return "".join(character for character in last if character.isprintable()).strip()[:255] or "image"


def _save(media: Media, renditions: list[images.Rendition], config: Config, along: Along) -> None:
    try:
        if not is_undone():
            _write_files(media, renditions, config)
        with transaction():
            db.session.add(media)
            along(media)
    except (OSError, Busy, Invalid) as error:
        # After any other error the row may exist; the sweep decides.
        _remove_files(media, config)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Busy("The disk is full, so the image was not saved. Free some space and try again.") from error
        raise


def describe(media_id: str, guard: Guard, *, alt: str | None = None) -> Media:
    """Set the alternative text, which pages use for images without one in the post.

    Raises NotFound, and the errors of `guard`.
    """
    with transaction():
        media = Media.get(media_id)
        guard(media)
        if alt not in (None, media.alt):
            media.describe(alt)
            site_changed()
        return media


def can_edit(user: User, media: Media, posts: Iterable[Post]) -> bool:
    """Return True if the user may edit and delete an image, which `posts` use.

    Editors may everything; authors only with their own images, and while no post uses them that they may not see,
    nor another author as a picture, nor the blog itself.
    """
    if user.is_at_least("editor"):
        return True
    is_own = media.created_by == user.id and media.id not in site_images().values()
    return is_own and all(map(user.can_see, posts)) and not is_picture_of_others(media.id, user.id)


def editable_by(user: User) -> Guard:
    """Return a guard that raises Forbidden if the user may not edit the image."""

    def guard(media: Media) -> None:
        if not can_edit(user, media, posts_using(media)):
            raise Forbidden("This image, or a post that uses it, belongs to another user. Ask them or an editor.")

    return guard


def remove(media_id: str, config: Config, guard: Guard, *, force: bool = False) -> None:
    """Delete an image.

    Raises NotFound, the errors of `guard`, and InUse if posts, the blog or authors use it, unless `force` is set.
    """
    with transaction():
        media = Media.get(media_id)
        guard(media)
        if not force:
            require_unused(media)
        leave_out(media.id)
        db.session.delete(media)
        site_changed()
    if not is_undone():
        _remove_files(media, config)


def _write_files(media: Media, renditions: list[images.Rendition], config: Config) -> None:
    for name, rendition in zip(media.names, renditions, strict=True):
        config.storage.write(f"{MEDIA}/{name}", rendition.data)


def _remove_files(media: Media, config: Config) -> None:
    # Files that can't be deleted now are deleted by the sweep later.
    with suppress(OSError, Busy):
        config.storage.remove(f"{MEDIA}/{name}" for name in media.names)


def local_file(name: str, config: Config) -> Path | None:
    """Return a local file of an image by its name, or None if there is none. Raises Busy."""
    # `key_in` accepts only names of uploaded images, without slashes, so the path stays in the media directory.
    if (key := key_in(name)) is None:
        return None
    if config.storage_is_remote:  # not one request to the store for each name that is guessed
        media = known([key]).get(key)
        if media is None or name not in media.names:
            return None
    return config.storage.local(f"{MEDIA}/{name}")


def remove_orphans(config: Config, now: datetime) -> int:
    """Delete files without a row that are older than a day, or a month if machines share them. Return their number."""
    oldest_kept = (now - orphans_kept_for(config)).timestamp()
    old = [file for file in config.storage.files(MEDIA) if file.stored_at < oldest_kept]
    removed = orphans_among(old, set(db.session.scalars(select(Media.key))), config) if old else []
    config.storage.remove(file.name for file in removed)
    return len(removed)


def orphans_among(files: Iterable[StoredFile], keys: Collection[str], config: Config) -> list[StoredFile]:
    """Return the files that belong to none of the images with these keys.

    Where machines share the storage, only those named like images: others may be of another program.
    """
    found = ((file, key_in(file.file_name)) for file in files)
    return [file for file, key in found if key not in keys and (key is not None or not config.media_url)]


def orphans_kept_for(config: Config) -> timedelta:
    return SHARED_ORPHANS_KEPT_FOR if config.media_url else ORPHANS_KEPT_FOR
