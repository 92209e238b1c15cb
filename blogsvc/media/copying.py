"""Copy images of other websites into the media library: those of text that was pasted with them."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.lib.net.http import AddressRefused, HttpError, ResponseTimedOut, ResponseTooLarge, Timeout
from blogsvc.media import images
from blogsvc.models import Media
from blogsvc.models.usage import Quota

TIME_LIMIT = Timeout.within(20)
MAX_REDIRECTS = 5


def copy(url: str, tools: Tools, quota: Quota | None = None) -> Media:
    """Fetch an image and add it. Copying the same URL again creates another image.

    May take half a minute. Raises Invalid, with the reason, if it can't be fetched, is not a usable image or exceeds a
    quota; and Busy if the disk is full.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Invalid(
            Fault("#/url", "not_a_url", "The address of an image must start with https:// or http:// and a host.")
        )
    data = _fetched(url, parts.hostname, tools)
    return images.add(data, unquote(parts.path).rstrip("/") or "image", "", tools, quota=quota)


def _fetched(url: str, host: str, tools: Tools) -> bytes:
    try:
        response = tools.door.anywhere.request(
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
        raise Invalid(Fault("#/url", "not_fetched", f"{host} did not send the image: it answered {response.status}."))
    return response.body
