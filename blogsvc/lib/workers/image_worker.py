"""Decode and encode one image in a separate process, started by `lib/images.py`.

Image decoders are large C programs that read untrusted data. Here they are confined (`confined.py`), and can crash
without affecting the server. The image is read from standard input. Standard output gets a line of JSON (the
renditions, or a `fault`) and the bytes of each rendition.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from PIL import AvifImagePlugin, GifImagePlugin, Image, ImageCms, ImageOps, ImageSequence, JpegImagePlugin

from blogsvc.lib.workers.confined import confine

# An image of 50 megapixels takes 200 MB in memory; an encoder needs several times that (AVIF: 1.3 GB, measured).
MAX_MEMORY_BYTES = 3 * 1024**3
# Measured for 50 megapixels: 29 s for noise, the worst case, and 3 s for a photo.
MAX_CPU_SECONDS = 60

# The maximum side length of WebP, in pixels.
WEBP_SIDE = 16_383
# For photos, 1 dB below a JPEG of quality 80 at half the size; better for screenshots (docs/decisions.md).
_SMALL: dict[str, Any] = {"quality": 82, "method": 4}
# For lossless WebP, `quality` is the effort.
_LOSSLESS: dict[str, Any] = {"lossless": True, "quality": 50, "method": 4}

# The modes that browsers can show. Other modes are converted.
PLAIN_MODES = ("L", "LA", "P", "RGB", "RGBA")


class ImageRefused(Exception):
    """Raised if the image is not acceptable, with a `fault` and its figures."""

    def __init__(self, fault: str, **figures: int) -> None:
        super().__init__(fault)
        self.report = {"fault": fault, **figures}


def main() -> None:
    confine(MAX_MEMORY_BYTES, MAX_CPU_SECONDS)
    options = json.loads(sys.argv[1])
    try:
        renditions = rework(sys.stdin.buffer.read(), **options)
    except ImageRefused as refused:
        print(json.dumps(refused.report))
        return
    print(json.dumps({"renditions": [facts for facts, _ in renditions]}), flush=True)
    for _, data in renditions:
        sys.stdout.buffer.write(data)


def rework(
    data: bytes,
    form: str,
    widths: Sequence[int],
    with_own_width: bool,
    max_pixels: int,
    max_total_pixels: int,
    max_frames: int,
    squares: Sequence[int] = (),
    paper: str = "",
) -> list[tuple[dict[str, Any], bytes]]:
    """Return the image in its own format, then smaller sizes in WebP. Raises ImageRefused.

    Args:
        squares: if given, return the middle of the image as PNG in these sizes instead. Those below 0 are for a size
            without transparency, on the color `paper`.
    """
    # Pillow checks this after the header, and for frames of a GIF that are larger than its screen.
    Image.MAX_IMAGE_PIXELS = max_pixels
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    # Keep the palette of frames that share it, so that writing them again loses nothing.
    GifImagePlugin.LOADING_STRATEGY = GifImagePlugin.LoadingStrategy.RGB_AFTER_DIFFERENT_PALETTE_ONLY
    try:
        image = Image.open(BytesIO(data), formats=(form,))
        _check_frames(image, max_total_pixels, max_frames)
        return _squares(image, squares, paper) if squares else _rework(image, data, form, widths, with_own_width)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ImageRefused("too_many_pixels") from None
    except MemoryError:
        raise ImageRefused("too_costly") from None
    except ImageRefused:
        raise
    except Exception as error:  # Pillow's plugins raise various errors for broken files
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        raise ImageRefused("damaged") from error


def _check_frames(image: Any, max_total_pixels: int, max_frames: int) -> None:
    """Check number and total size of the frames before decoding. Pillow has checked the size of one frame."""
    frames = _frame_count(image)
    if frames > max_frames:
        raise ImageRefused("too_many_frames", frames=frames)
    if frames > 1 and frames * image.width * image.height > max_total_pixels:
        raise ImageRefused("too_many_pixels_in_all", frames=frames, width=image.width, height=image.height)


def _frame_count(image: Any) -> int:
    """Return the number of frames. In a JPEG with several images, such as a gain map, only the first counts."""
    return 1 if image.format == "MPO" else int(getattr(image, "n_frames", 1))


def _rework(
    image: Any, data: bytes, form: str, widths: Sequence[int], with_own_width: bool
) -> list[tuple[dict[str, Any], bytes]]:
    if _frame_count(image) > 1:
        return [_animated(image, data, form)]
    clean = _clean(image)
    full = _encoded(clean, form, **_encoder_options(image, clean, data, form))
    is_lossless = form in ("PNG", "GIF") or _is_lossless_webp(data)
    renditions = [_rendition(clean, form, full)]
    for width in sorted({min(width, clean.width) for width in widths}):
        small = _resized(clean, width)
        if small.height <= WEBP_SIDE:
            encoded = _encoded(small, "WEBP", **_SMALL)
            if is_lossless:
                # Flat colours, as in screenshots, are often smaller in lossless WebP.
                encoded = min(encoded, _encoded(small, "WEBP", **_LOSSLESS), key=len)
            if with_own_width or width < clean.width or len(encoded) < len(full):
                renditions.append(_rendition(small, "WEBP", encoded))
    return renditions


def _squares(image: Any, sizes: Sequence[int], paper: str) -> list[tuple[dict[str, Any], bytes]]:
    """Return the middle of the image as PNG. Of an animation, that is its first frame."""
    clean = _clean(image).convert("RGBA")
    renditions = []
    for size in sizes:
        square = ImageOps.fit(clean, (abs(size), abs(size)), Image.Resampling.LANCZOS)
        if size < 0:
            ground = Image.new("RGBA", square.size, paper)
            square = Image.alpha_composite(ground, square).convert("RGB")
        renditions.append(_rendition(square, "PNG", _encoded(square, "PNG", optimize=True)))
    return renditions


def _rendition(image: Image.Image, form: str, data: bytes) -> tuple[dict[str, Any], bytes]:
    return {"width": image.width, "height": image.height, "format": form, "length": len(data)}, data


def _encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    out = BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def _encoder_options(image: Any, clean: Image.Image, data: bytes, form: str) -> dict[str, Any]:
    """Return encoder options for the full size that keep the quality and the file size."""
    match form:
        case "JPEG":
            return {"optimize": True, "progressive": True, **_jpeg_quality(image, clean)}
        case "WEBP":
            return _LOSSLESS if _is_lossless_webp(data) else {"quality": 90}
        case "AVIF":
            return {"quality": 80, "speed": 8}
    return {}


def _jpeg_quality(image: Any, clean: Image.Image) -> dict[str, Any]:
    """Return a JPEG's own quantization tables: another quality would lose detail or increase the size."""
    if clean.mode != image.mode or max(map(max, image.quantization.values())) > 255:
        return {"quality": 90}
    sampling = JpegImagePlugin.get_sampling(image)
    return {"qtables": image.quantization} | ({"subsampling": sampling} if sampling >= 0 else {})


def _is_lossless_webp(data: bytes) -> bool:
    """Return True if the first image in a WebP file (RIFF chunks of tag, length, bytes) is lossless."""
    position = 12
    while data.startswith(b"RIFF") and position + 8 <= len(data):
        tag, length = data[position : position + 4], int.from_bytes(data[position + 4 : position + 8], "little")
        if tag in (b"VP8 ", b"VP8L"):
            return tag == b"VP8L"
        # A frame of an animation contains chunks after 16 bytes.
        position += 24 if tag == b"ANMF" else 8 + length + length % 2
    return False


def _animated(image: Any, data: bytes, form: str) -> tuple[dict[str, Any], bytes]:
    frames, durations = [], []
    for frame in ImageSequence.Iterator(image):
        frame.load()  # sets the duration
        durations.append(int(frame.info.get("duration", 0)))
        frames.append(_clean(frame))
    if getattr(image, "default_image", False):  # the fallback image of an animated PNG
        frames, durations = frames[1:], durations[1:]
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:], "duration": durations}
    if "loop" in image.info:  # without it, the animation plays once
        options["loop"] = image.info["loop"]
    match form:
        case "GIF" if any(frame.has_transparency_data for frame in frames):
            options["disposal"] = 2  # so that the previous frame does not show through transparent pixels
        case "WEBP":
            options |= _LOSSLESS if _is_lossless_webp(data) else {"quality": 85, "method": 3}
        case "AVIF":
            options |= {"quality": 75, "speed": 9}
    return _rendition(frames[0], form, _encoded(frames[0], form, **options))


def _clean(image: Any) -> Image.Image:
    """Return the image upright, in sRGB with 8 bits per channel, and without metadata."""
    clean = _eight_bits(_in_srgb(_with_alpha(_upright(image))))
    transparency = clean.info.get("transparency")
    clean.info = {} if transparency is None else {"transparency": transparency}
    return clean


def _upright(image: Any) -> Image.Image:
    image.load()
    try:
        return ImageOps.exif_transpose(image)
    except MemoryError:
        raise
    except Exception:  # ignore unreadable EXIF data, for which Pillow raises various errors
        copy: Image.Image = image.copy()
        return copy


def _with_alpha(image: Image.Image) -> Image.Image:
    """Convert a transparent colour of a PNG to an alpha channel, which survives conversion and resizing."""
    return image.convert("RGBA") if image.mode in ("L", "RGB") and "transparency" in image.info else image


def _in_srgb(image: Image.Image) -> Image.Image:
    """Convert to sRGB, which browsers assume for images without a profile."""
    profile = image.info.get("icc_profile")
    if profile is None:
        return image
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        if "sRGB" in ImageCms.getProfileDescription(source):
            return image
        return _converted(image, source)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image  # ignore an invalid profile, as viewers do


def _converted(image: Image.Image, source: ImageCms.ImageCmsProfile) -> Image.Image:
    if image.mode == "P":
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    if image.mode == "LA":
        grey, alpha = image.split()
        colours = _converted(grey, source)
        colours.putalpha(alpha)
        return colours
    mode = "RGBA" if image.mode == "RGBA" else "RGB"
    target = ImageCms.createProfile("sRGB")
    done = ImageCms.profileToProfile(image, source, ImageCms.ImageCmsProfile(target), outputMode=mode)
    assert done is not None
    return done.convert("L") if image.mode == "L" else done


def _eight_bits(image: Image.Image) -> Image.Image:
    if image.mode in PLAIN_MODES:
        return image
    if image.mode.startswith("I"):  # 16-bit grey
        return image.convert("I").point(lambda value: value / 257).convert("L")
    if image.mode == "1":
        return image.convert("L")
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def _resized(clean: Image.Image, width: int) -> Image.Image:
    if clean.mode in ("P", "LA"):
        clean = clean.convert("RGBA" if clean.has_transparency_data else "RGB")
    if width == clean.width:
        return clean
    height = max(1, round(clean.height * width / clean.width))
    return clean.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
