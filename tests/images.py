"""Images for tests, created in memory, and files that only claim to be images."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from random import Random
from typing import Any

from PIL import Image

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "AVIF")


def an_image(width: int = 64, height: int = 48) -> Image.Image:
    """Return an image with color gradients, so that every pixel differs and scaling shows."""
    red = Image.linear_gradient("L").resize((width, height))
    green = red.transpose(Image.Transpose.ROTATE_90).resize((width, height))
    blue = Image.radial_gradient("L").resize((width, height))
    return Image.merge("RGB", (red, green, blue))


def encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    out = BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def png(width: int = 64, height: int = 48) -> bytes:
    return encoded(an_image(width, height), "PNG")


def jpeg(width: int = 64, height: int = 48, **options: Any) -> bytes:
    return encoded(an_image(width, height), "JPEG", **options)


def frames(count: int, width: int = 32, height: int = 24) -> list[Image.Image]:
    """Return different images with few colors."""
    return [an_image(width, height).rotate(number * 7).quantize(32).convert("RGB") for number in range(count)]


def animation(form: str, count: int = 3, width: int = 32, height: int = 24, **options: Any) -> bytes:
    first, *rest = frames(count, width, height)
    return encoded(first, form, save_all=True, append_images=rest, **({"duration": 100, "loop": 0} | options))


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data), formats=FORMATS)


def png_chunk(tag: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))


def a_bomb(width: int = 50_000, height: int = 50_000) -> bytes:
    """Return a PNG with this many pixels in a few kilobytes: at least one row is decompressed."""
    head = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = png_chunk(b"IDAT", zlib.compress(bytes(1 + 3 * width) * 20))
    return b"\x89PNG\r\n\x1a\n" + head + body + png_chunk(b"IEND", b"")


def a_gif(width: int, height: int, *sizes: tuple[int, int]) -> bytes:
    """Return a GIF with this screen size and an empty frame of each size."""
    screen = b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\0\0" + b"\0\0\0\xff\xff\xff"
    empty = b"\0" + b"\x02\x02\x4c\x01\0"
    return screen + b"".join(b"," + struct.pack("<HHHH", 0, 0, *size) + empty for size in sizes) + b";"


def noise(width: int, height: int) -> bytes:
    """Return a PNG that compression does not make smaller: 3 bytes for each pixel."""
    return encoded(Image.frombytes("RGB", (width, height), Random(0).randbytes(width * height * 3)), "PNG")
