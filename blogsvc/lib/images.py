"""Pictures that strangers made, turned into pictures that are safe to keep and to serve.

Only pixels survive: a picture is decoded and encoded again, upright, in sRGB, without metadata and without what may
hang behind its end. What it is, is said by its content, never by its name. Decoding happens in a process of its own
(`image_worker.py`), with bounds on memory and time.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

# The largest image file that is read, wherever it comes from: about a photo of 50 megapixels as JPEG.
MAX_IMAGE_BYTES = 20 * 1024 * 1024

# Five times the pixels of a 4K screen, more than all but a few cameras have; decoded, it is 200 MB.
MOST_PIXELS = 50_000_000
# Of an animation, over all its frames: they are all in memory at once.
MOST_PIXELS_IN_ALL = 100_000_000
MOST_FRAMES = 1_000
# The worker stops itself after 60 s of processor time; this is for a machine that is too busy to give it that.
WORKER_TIMEOUT_SECONDS = 150.0  # seconds

_WORKER = Path(__file__).with_name("image_worker.py")


@dataclass(frozen=True)
class ImageFormat:
    """A kind of picture: its media type and its suffix."""

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

# How each begins. A box of AVIF names its brand, or after `mif1` and `msf1` lists those it is compatible with.
_BEGINNINGS = {
    "JPEG": re.compile(rb"\xff\xd8\xff"),
    "PNG": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "GIF": re.compile(rb"GIF8[79]a"),
    "WEBP": re.compile(rb"RIFF.{4}WEBPVP8[ LX]", re.DOTALL),
    "AVIF": re.compile(rb".{4}ftyp(avif|avis|(mif1|msf1).{4}(.{4}){0,15}?avi[fs])", re.DOTALL),
}
# What people take for a picture that it is not, and the way out.
_OTHERS = (
    (
        re.compile(rb"\s*(\xef\xbb\xbf)?\s*<(\?xml|!--|!DOCTYPE svg|svg)", re.IGNORECASE),
        "SVG is a document that may carry scripts, and is not taken. Export it as PNG or WebP.",
    ),
    (
        re.compile(rb".{4}ftyp(hei[cfmsx]|hev[cmsx]|mif1|msf1)", re.DOTALL),
        "This is a HEIC picture, which browsers cannot show. Export it as JPEG.",
    ),
    (
        re.compile(rb"(II\*\0|MM\0\*)"),
        "This is a TIFF or a raw picture, which browsers cannot show. Export it as JPEG.",
    ),
    (re.compile(rb"%PDF-"), "This is a PDF. Export its page as PNG."),
)
# What may be wrong, by its code.
SENTENCES = {
    "not_a_picture": "This is no JPEG, PNG, GIF, WebP or AVIF, whatever its name says. Save it as one of these.",
    "damaged": "This picture is cut off or broken. Open it, save it anew and send that.",
    "too_many_pixels": f"A picture may have at most {MOST_PIXELS // 10**6} megapixels; this has more. Make it smaller.",
    "too_many_pixels_in_all": (
        f"All frames together may have at most {MOST_PIXELS_IN_ALL // 10**6} megapixels; these are {{frames}} of"
        " {width} x {height}. Make it smaller or shorter, or use a video."
    ),
    "too_many_frames": f"An animation may have at most {MOST_FRAMES} frames; this has {{frames}}. Use a video.",
    "too_costly": "This picture takes more time or memory to decode than is allowed. Make it smaller.",
}


class UnusableImage(ValueError):
    """A picture that is not taken. `code` is for programs; the message says what to do instead."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True)
class Rendition:
    """One size of a picture, ready to be served."""

    width: int
    height: int
    kind: ImageFormat
    data: bytes


def rework(data: bytes, widths: Sequence[int]) -> list[Rendition]:
    """The picture anew in its own format and size, then WebP at those `widths` (pixels) that it has.

    The last of them is its own width where it has none of the greater ones, unless that saves nothing. An animation
    has its full size alone. Takes seconds of processor time and up to a gigabyte. Raises Unusable.
    """
    form = _form_of(data)
    limits = {"most_pixels": MOST_PIXELS, "most_in_all": MOST_PIXELS_IN_ALL, "most_frames": MOST_FRAMES}
    head, _, rest = _ask_worker({"form": form, "widths": list(widths), **limits}, data).partition(b"\n")
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
            raise UnusableImage("not_a_picture", sentence)
    raise _unusable("not_a_picture")


def _unusable(fault: str, **figures: int) -> UnusableImage:
    return UnusableImage(fault, SENTENCES[fault].format(**figures))


def _ask_worker(wanted: dict[str, Any], data: bytes) -> bytes:
    """What the worker answers. It gets no environment, and so no secret, and none of our open files."""
    command = [sys.executable, "-I", str(_WORKER), json.dumps(wanted)]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=data, capture_output=True, env={}, timeout=WORKER_TIMEOUT_SECONDS, check=True
        )
    except subprocess.TimeoutExpired as error:
        raise _unusable("too_costly") from error
    except subprocess.CalledProcessError as error:
        # Killed by a limit, or brought down by the picture: either way it will not do.
        log.warning("a picture ended its worker with %d: %s", error.returncode, error.stderr[-500:].decode("replace"))
        raise _unusable("too_costly" if error.returncode < 0 else "damaged") from error
    if done.stderr:
        log.info("of a picture: %s", done.stderr[-500:].decode(errors="replace").strip())
    return done.stdout


def _renditions(facts: list[dict[str, Any]], data: bytes) -> Sequence[Rendition]:
    made, position = [], 0
    for each in facts:
        part = data[position : position + each["length"]]
        assert len(part) == each["length"], "the worker ended half-way"
        made.append(Rendition(each["width"], each["height"], IMAGE_FORMATS[each["format"]], part))
        position += each["length"]
    return made
