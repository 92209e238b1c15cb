"""The names and addresses of uploaded images: how they are written, and found in texts.

A key names one image, and its files: "china-2019-7k3m9q2xvb" has "china-2019-7k3m9q2xvb.jpg", and the smaller size
"china-2019-7k3m9q2xvb-480.webp". A key is never used again, so that files can be cached forever.
"""

from __future__ import annotations

import re
from secrets import choice

from blogsvc.lib.ids import CROCKFORD_DIGITS
from blogsvc.lib.text.plain import slugify

MAX_STEM_LENGTH = 40
# 50 random bits, because only who knows the name of a draft's image may see it.
RANDOM_LENGTH = 10
_KEY = rf"(?P<key>[0-9a-z][0-9a-z-]{{0,{MAX_STEM_LENGTH}}}-[0-9a-z]{{{RANDOM_LENGTH}}})"
_NAME = rf"{_KEY}(?:-(?P<width>[0-9]{{1,5}}))?\.(?:jpg|png|gif|webp|avif)"
_WHOLE_NAME = re.compile(_NAME)
# Fixed text at the start makes the search in a long text many times faster.
_IN_TEXT = re.compile(rf"/media/{_NAME}")


def new_key(filename: str) -> str:
    """Return a new key for an image, from the name of its file. Several files may have the same name."""
    known = _WHOLE_NAME.fullmatch(filename.lower())
    if known:  # downloaded from a blog, and uploaded again
        stem = known["key"][: -RANDOM_LENGTH - 1]
    else:
        stem = slugify(filename.rpartition(".")[0] or filename, MAX_STEM_LENGTH)
    return f"{stem or 'image'}-{''.join(choice(CROCKFORD_DIGITS) for _ in range(RANDOM_LENGTH))}"


def name_of(key: str, suffix: str, width: int | None = None) -> str:
    """Return the name of a file of an image: of the full size, or of a smaller one by its width in pixels."""
    return f"{key}{'' if width is None else f'-{width}'}.{suffix}"


def key_in(name: str) -> str | None:
    """Return the key in a file name, or None if it is not the name of an image file. A name contains no slash."""
    found = _WHOLE_NAME.fullmatch(name)
    return found["key"] if found else None


def width_in(name: str) -> int | None:
    """Return the width in the file name of a smaller size, in pixels; None for the full size."""
    found = _WHOLE_NAME.fullmatch(name)
    return int(found["width"]) if found and found["width"] else None


def keys_in(text: str) -> list[str]:
    """Return the keys of all images whose paths occur in a text, also within URLs. There may be no such images."""
    return [found["key"] for found in _IN_TEXT.finditer(text)]


def path_of(name: str) -> str:
    """Return the path of an image file. Texts contain paths, not URLs, so that they stay valid on another domain."""
    return f"/media/{name}"
