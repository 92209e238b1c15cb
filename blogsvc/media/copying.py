"""Copy images of other websites into the media library: those of pasted text, and of posts before publishing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from urllib.parse import unquote, urlsplit

from blogsvc.context import InMemory, Tools
from blogsvc.errors import Busy, Fault, Invalid
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.lib.net.http import AddressRefused, HttpError, ResponseTimedOut, ResponseTooLarge, Timeout
from blogsvc.media import images
from blogsvc.models import Media
from blogsvc.models.quota import Quota

TIME_LIMIT = Timeout.within(20)
MAX_REDIRECTS = 5


class Places:
    """Places for copies in progress. A website can hold up the thread of a request, and nothing else."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._users: set[str] = set()
        self._lock = Lock()

    @contextmanager
    def taken_by(self, user_id: str) -> Iterator[None]:
        """Take a place, of which each user has one. Raises Busy if none is free."""
        with self._lock:
            if user_id in self._users or len(self._users) >= self._size:
                raise Busy("Too many images are being copied. Try again in a moment.", retry_after=3)
            self._users.add(user_id)
        try:
            yield
        finally:
            with self._lock:
                self._users.remove(user_id)


_places = InMemory(lambda tools: Places(max(1, tools.config.threads // 2)))


def copy(url: str, tools: Tools, quota: Quota) -> Media:
    """Fetch an image for a user and add it.

    May take half a minute. Raises Invalid, with the reason, if it can't be fetched, is not a usable image or exceeds a
    quota; and Busy if too many images are being copied or the disk is full.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Invalid(
            Fault("#/url", "not_a_url", "The address of an image must start with https:// or http:// and a host.")
        )
    with _places().taken_by(quota.creator_id):
        images.require_space(1, tools, quota)
        data = _fetched(url, parts.hostname, tools)
        return images.add(data, unquote(parts.path).rstrip("/") or "image", "", tools, quota=quota)


def _fetched(url: str, host: str, tools: Tools) -> bytes:
    try:
        response = tools.http.anywhere.request(
            "GET",
            url,
            headers={"Accept": "image/*"},
            timeout=TIME_LIMIT,
            max_bytes=MAX_IMAGE_BYTES,
            redirects=MAX_REDIRECTS,
        )
    except AddressRefused as error:
        raise Invalid(
            Fault("#/url", "refused_address", f"Images can't be copied from {host}: its address is not public.")
        ) from error
    except ResponseTooLarge as error:
        limit = MAX_IMAGE_BYTES // (1024 * 1024)
        raise Invalid(Fault("#/url", "too_long", f"The image at {host} is larger than {limit} MiB.")) from error
    except ResponseTimedOut as error:
        raise Invalid(Fault("#/url", "not_fetched", f"{host} took too long to send the image.")) from error
    except HttpError as error:
        raise Invalid(Fault("#/url", "not_fetched", f"The image could not be fetched from {host}.")) from error
    if response.status != 200:
        raise Invalid(
            Fault("#/url", "not_fetched", f"{host} did not send the image: the server returned {response.status}.")
        )
    return response.body
