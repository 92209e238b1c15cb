"""Files that are no images, or too large, are rejected with a specific error."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from blogsvc.lib.images import UnusableImage, rework
from tests.images import FORMATS, a_bomb, a_gif, an_image, animation, encoded, jpeg, png
from tests.tiers import matrix

ANIMATED = ("GIF", "WEBP", "PNG", "AVIF")
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def rejection_code(data: bytes) -> str:
    with pytest.raises(UnusableImage) as refused:
        rework(data, (480,))
    assert str(refused.value).endswith("."), "a sentence"
    return refused.value.code


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not_an_image"),
        (b"GIF", "not_an_image"),
        (SVG, "not_an_image"),
        (b"\xef\xbb\xbf\n<?xml version='1.0'?>" + SVG, "not_an_image"),
        (b"<!DOCTYPE html><script>alert(1)</script>", "not_an_image"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "not_an_image"),
        (b"%PDF-1.7", "not_an_image"),
        (b" " + png(), "not_an_image"),
        (b"<script>" + jpeg(), "not_an_image"),
        (encoded(an_image(), "TIFF"), "not_an_image"),
        (encoded(an_image(), "BMP"), "not_an_image"),
        (b"GIF89a/*\x01\x01\x80*/=1;alert(1)//" + bytes(50), "damaged"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avif", "damaged"),
        (b"\xff\xd8\xff" + bytes(100), "damaged"),
        (a_bomb(), "too_many_pixels"),
        (a_bomb(7072, 7072), "too_many_pixels"),
        (a_bomb(1_000_000, 51), "too_many_pixels"),
        (a_gif(65_000, 65_000, (1, 1)), "too_many_pixels"),
        (a_gif(1, 1, (1, 1), (65_000, 65_000)), "too_many_pixels"),
        (a_gif(1, 1, *[(1, 1)] * 1001), "too_many_frames"),
        (a_gif(1000, 1000, *[(1, 1)] * 101), "too_many_pixels_in_all"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value)[:24],
)
def test_each_unusable_file_is_rejected_with_its_code(data: bytes, code: str) -> None:
    assert rejection_code(data) == code


@pytest.mark.parametrize(("data", "word"), [(SVG, "SVG"), (b"\0\0\0\x18ftypheic", "HEIC"), (b"%PDF-", "PDF")])
def test_the_error_names_the_format_and_what_to_do(data: bytes, word: str) -> None:
    with pytest.raises(UnusableImage, match=f"{word}.*Export"):
        rework(data, ())


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("share", [0.2, 0.95])
def test_a_truncated_image_is_rejected(form: str, share: float) -> None:
    whole = encoded(an_image(160, 120), form)
    assert rejection_code(whole[: int(len(whole) * share)]) == "damaged"


@pytest.mark.parametrize("form", ANIMATED)
def test_a_truncated_animation_is_rejected(form: str) -> None:
    whole = animation(form, 6, 64, 48)
    assert rejection_code(whole[: len(whole) * 2 // 3]) == "damaged"


def test_a_script_hidden_in_an_image_is_removed() -> None:
    script = b"=1;alert(document.domain)//"
    polyglot = encoded(an_image(), "GIF", comment=b"*/" + script)
    assert script in polyglot
    assert script not in rework(polyglot, ())[0].data


@matrix("step", (2, 1, 3))
def test_randomly_corrupted_images_are_accepted_or_rejected_without_crashing(step: int) -> None:
    """Every corrupted image is either accepted or rejected."""
    for form in FORMATS:
        broken = bytearray(encoded(an_image(200, 150), form))
        for at in range(step * 11, len(broken), len(broken) // step + 1):
            broken[at] ^= 1 << (step % 8)
        try:
            made = rework(bytes(broken), ())
        except UnusableImage:
            continue
        assert Image.open(BytesIO(made[0].data)).size[0] > 0
