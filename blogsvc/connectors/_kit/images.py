"""Images of a post: load their bytes, name them by content, and replace their URLs in the text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from blogsvc.lib import images
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.lib.net.http import HttpClient, HttpError, ResponseTooLarge

# No SVG, because it can contain scripts.
SUFFIXES = {media_type: suffix for suffix, media_type in images.MEDIA_TYPES.items()}
OUR_NAME = re.compile(r"[0-9a-f]{20}\.(jpg|png|gif|webp|avif)")
MAX_IMAGES = 100  # per post
# In pixels: the widths to try if an image is too large in bytes or its type is not accepted, which makes it WebP.
WIDTHS = (2400, 1600, 960, 480)
LOOK_BACK = 1000  # characters before a URL to check for image syntax
IMAGE_MARKDOWN = re.compile(
    r"""(?: !\[ (?:\\.|[^\]\\])* \] \( \s* <?        # ![alt](
          | <img\b [^<>]* \b src \s* = \s* ["']?      # <img src="
          | ^[ ]{0,3} \[ [^\]\n]+ \]: \s* <?          # [name]:
        ) \Z""",
    re.VERBOSE | re.MULTILINE,
)


@dataclass(frozen=True)
class ImageFile:
    """The bytes of an image. `name` is a hash of them, so the same image always has the same name."""

    data: bytes = field(repr=False)
    media_type: str

    @property
    def name(self) -> str:
        return f"{hashlib.sha256(self.data).hexdigest()[:20]}.{SUFFIXES[self.media_type]}"


@dataclass
class ImageSource:
    """Loads images: our own from disk, others over HTTP.

    `uploaded_files` returns the files of an uploaded image, full size first, and gets each when it is asked for. After
    one failure a host is skipped, because an instance is used for one attempt only.
    """

    http: HttpClient | None = None
    uploaded_files: Callable[[str], Iterable[Path]] = field(default=lambda url: (), repr=False)
    failed: set[str | None] = field(default_factory=set, repr=False)

    def get(
        self, url: str, max_bytes: int = MAX_IMAGE_BYTES, types: Collection[str] = tuple(SUFFIXES)
    ) -> ImageFile | None:
        """Return the image in full size, or else in the largest size that has one of `types` and is small enough.

        Returns None if the image is unavailable.
        """
        sizes = self._sizes(url, types)
        return next((one for one in sizes if len(one.data) <= max_bytes and one.media_type in types), None)

    def _sizes(self, url: str, types: Collection[str]) -> Iterator[ImageFile]:
        """Yield the image in full size, then in smaller ones, the largest first. They are made if there are none."""
        files = iter(self.uploaded_files(url))
        first = next(files, None)
        full = _read_file(first) if first else self._fetch(url)
        if full is None:
            return
        yield full
        yield from filter(None, map(_read_file, files))
        if not first or full.media_type not in types:
            with suppress(images.UnusableImage):
                made = images.rework(full.data, WIDTHS, with_own_width=True)[1:]
                yield from (ImageFile(one.data, one.kind.media_type) for one in reversed(made))

    def _fetch(self, url: str) -> ImageFile | None:
        host = urlsplit(url).hostname
        if host in self.failed or self.http is None:
            return None
        try:
            answer = self.http.request(
                "GET", url, headers={"Accept": "image/*"}, max_bytes=MAX_IMAGE_BYTES, redirects=3
            )
        except ResponseTooLarge:
            return None
        except HttpError:
            self.failed.add(host)
            return None
        if answer.status != 200 or answer.media_type not in SUFFIXES or not answer.body:
            return None
        return ImageFile(answer.body, answer.media_type)


def _read_file(path: Path) -> ImageFile | None:
    media_type = images.MEDIA_TYPES.get(path.suffix[1:])
    try:
        return ImageFile(path.read_bytes(), media_type) if media_type else None
    except OSError:
        return None


def fetch(images: ImageSource, urls: Iterable[str]) -> Iterator[tuple[str, ImageFile]]:
    """Yield the images that are available, with their URLs, one by one to limit memory."""
    for url in list(dict.fromkeys(urls))[:MAX_IMAGES]:
        if (image := images.get(url)) is not None:
            yield url, image


def relink(markdown: str, links: Mapping[str, str]) -> str:
    """Replace the URLs of images in the text. URLs outside of image syntax stay."""
    for url, link in links.items():
        markdown = _replace_url(markdown, url, link)
    return markdown


def _replace_url(markdown: str, url: str, link: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        before = markdown[max(0, match.start() - LOOK_BACK) : match.start()]
        return link if IMAGE_MARKDOWN.search(before) else match[0]

    return re.sub(re.escape(url) + r"""(?=[\s)>"']|\Z)""", replaced, markdown)
