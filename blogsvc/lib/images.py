"""Convert untrusted images to safe ones.

Each image is decoded and encoded again, upright, in sRGB, without metadata and trailing data. Its format is
detected by its content, not by its name. Decoding runs in a separate process (`image_worker.py`) with limits
on memory and time.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from blogsvc.lib.workers.confined import command

log = logging.getLogger(__name__)

# The maximum size of an image file from any source; about that of a 50-megapixel photo as JPEG.
MAX_IMAGE_BYTES = 20 * 1024 * 1024

# Six times the pixels of a 4K screen, and more than most cameras have; 200 MB when decoded.
MAX_PIXELS = 50_000_000
# For all frames of an animation, which are in memory at the same time.
MAX_TOTAL_PIXELS = 100_000_000
MAX_FRAMES = 1_000
# The worker stops after 60 s of CPU time. This timeout is for a machine too busy to provide that.
WORKER_TIMEOUT_SECONDS = 150.0


@dataclass(frozen=True)
class ImageFormat:
    """An image format: its media type and file suffix."""

    media_type: str
    suffix: str


IMAGE_FORMATS = {
    "JPEG": ImageFormat("image/jpeg", "jpg"),
    "PNG": ImageFormat("image/png", "png"),
    "GIF": ImageFormat("image/gif", "gif"),
    "WEBP": ImageFormat("image/webp", "webp"),
    "AVIF": ImageFormat("image/avif", "avif"),
}
MEDIA_TYPES = {kind.suffix: kind.media_type for kind in IMAGE_FORMATS.values()}

# The signatures of the formats. AVIF is either the main brand or, after `mif1` and `msf1`, a compatible one.
_BEGINNINGS = {
    "JPEG": re.compile(rb"\xff\xd8\xff"),
    "PNG": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "GIF": re.compile(rb"GIF8[79]a"),
    "WEBP": re.compile(rb"RIFF.{4}WEBPVP8[ LX]", re.DOTALL),
    "AVIF": re.compile(rb".{4}ftyp(avif|avis|(mif1|msf1).{4}(.{4}){0,15}?avi[fs])", re.DOTALL),
}
# Formats that people often try to upload, and what to do instead.
_OTHERS = (
    (
        re.compile(rb"\s*+(\xef\xbb\xbf\s*+)?<(\?xml|!--|!DOCTYPE svg|svg)", re.IGNORECASE),
        "SVG files can contain scripts, so they are not accepted. Export the image as PNG or WebP.",
    ),
    (
        re.compile(rb".{4}ftyp(hei[cfmsx]|hev[cmsx]|mif1|msf1)", re.DOTALL),
        "This is a HEIC image, which browsers cannot show. Export it as JPEG.",
    ),
    (
        re.compile(rb"(II\*\0|MM\0\*)"),
        "This is a TIFF or raw image, which browsers cannot show. Export it as JPEG.",
    ),
    (re.compile(rb"%PDF-"), "This is a PDF. Export the page as PNG."),
)
# The messages for each fault.
SENTENCES = {
    "not_an_image": "This file is not a JPEG, PNG, GIF, WebP or AVIF image. Convert it to one of these formats.",
    "damaged": "This image is incomplete or damaged. Save it again in an image editor and upload the new file.",
    "too_many_pixels": f"An image can have at most {MAX_PIXELS // 10**6} megapixels. Make it smaller.",
    "too_many_pixels_in_all": (
        f"The frames of an animation can have at most {MAX_TOTAL_PIXELS // 10**6} megapixels in all. This one has"
        " {frames} of {width} x {height}. Make it smaller or shorter, or use a video."
    ),
    "too_many_frames": f"An animation can have at most {MAX_FRAMES} frames; this one has {{frames}}. Use a video.",
    "too_costly": "Decoding this image takes more time or memory than is allowed. Make it smaller.",
}


class UnusableImage(ValueError):
    """The image can't be used. `code` is for programs; the message says what to do."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True)
class Rendition:
    """One size of an image, ready to be served."""

    width: int
    height: int
    kind: ImageFormat
    data: bytes


def rework(data: bytes, widths: Sequence[int], *, with_own_width: bool = False) -> list[Rendition]:
    """Return the image in its own format and size, then as WebP in each of the `widths` (pixels) that is smaller.

    If a width is at least that of the image, its own width is added as WebP, unless that is not smaller in
    bytes; `with_own_width` adds it in any case. The smallest width comes first. An animation has only its full
    size. Takes seconds of CPU time and up to a gigabyte of memory. Raises UnusableImage.
    """
    return _ask({"widths": list(widths), "with_own_width": with_own_width}, data)


def icons(data: bytes, sizes: Sequence[int], opaque_sizes: Sequence[int], paper: str) -> list[Rendition]:
    """Return the middle of an image as square PNG files: in `sizes` (pixels), then in `opaque_sizes`.

    The latter have no transparency: the image is on the color `paper`. Raises UnusableImage.
    """
    squares = [*sizes, *(-size for size in opaque_sizes)]
    return _ask({"widths": [], "with_own_width": False, "squares": squares, "paper": paper}, data)


def _ask(options: dict[str, Any], data: bytes) -> list[Rendition]:
    options = {"form": _form_of(data), **options}
    limits = {"max_pixels": MAX_PIXELS, "max_total_pixels": MAX_TOTAL_PIXELS, "max_frames": MAX_FRAMES}
    head, _, rest = _ask_worker({**options, **limits}, data).partition(b"\n")
    report = json.loads(head)
    if "fault" in report:
        raise _unusable(**report)
    return list(_renditions(report["renditions"], rest))


def _form_of(data: bytes) -> str:
    for form, beginning in _BEGINNINGS.items():
        if beginning.match(data):
            return form
    for beginning, sentence in _OTHERS:
        if beginning.match(data):
            raise UnusableImage("not_an_image", sentence)
    raise _unusable("not_an_image")


def _unusable(fault: str, **figures: int) -> UnusableImage:
    return UnusableImage(fault, SENTENCES[fault].format(**figures))


def _ask_worker(options: dict[str, Any], data: bytes) -> bytes:
    """Run the worker and return its output.

    It gets none of our open files, and no environment variables, which could hold secrets.
    """
    worker = command("blogsvc.lib.workers.image_worker", json.dumps(options))
    try:
        done = subprocess.run(  # noqa: S603
            worker, input=data, capture_output=True, env={}, timeout=WORKER_TIMEOUT_SECONDS, check=True
        )
    except subprocess.TimeoutExpired as error:
        raise _unusable("too_costly") from error
    except subprocess.CalledProcessError as error:
        # Stopped by a limit, or crashed by the image.
        log.warning(
            "an image ended its worker with exit code %d: %s", error.returncode, error.stderr[-500:].decode("replace")
        )
        raise _unusable("too_costly" if error.returncode < 0 else "damaged") from error
    if done.stderr:
        log.info("the image worker wrote: %s", done.stderr[-500:].decode(errors="replace").strip())
    return done.stdout


def _renditions(facts: list[dict[str, Any]], data: bytes) -> Sequence[Rendition]:
    renditions, position = [], 0
    for each in facts:
        part = data[position : position + each["length"]]
        assert len(part) == each["length"], "the worker ended half-way"
        renditions.append(Rendition(each["width"], each["height"], IMAGE_FORMATS[each["format"]], part))
        position += each["length"]
    return renditions
