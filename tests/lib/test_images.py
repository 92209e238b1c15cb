"""Image processing: no metadata, correct orientation and colors; other files are never decoded."""

from __future__ import annotations

import struct

import pytest
from PIL import ExifTags, Image, ImageChops, ImageCms, ImageSequence, PngImagePlugin

from blogsvc.lib import images
from blogsvc.lib.images import Rendition, rework
from tests.images import FORMATS, an_image, animation, encoded, frames, jpeg, opened, png

ANIMATED = ("GIF", "WEBP", "PNG", "AVIF")
SECRET = b"52.5200N-13.4050E"


def full(data: bytes) -> Image.Image:
    return opened(rework(data, ())[0].data)


def difference(one: Image.Image, other: Image.Image) -> float:
    """Return the mean difference of the channels of two images, of 255. Transparent pixels have no color."""
    assert one.size == other.size
    one, other = (image.convert("RGBA").convert("RGBa") for image in (one, other))
    histogram = ImageChops.difference(one, other).histogram()
    weighted = sum((at % 256) * count for at, count in enumerate(histogram))
    return weighted / (4 * one.width * one.height)


def widths(made: list[Rendition]) -> list[tuple[int, str]]:
    return [(each.width, each.kind.suffix) for each in made]


@pytest.mark.parametrize("form", FORMATS)
def test_an_image_keeps_its_format_and_gets_smaller_sizes(form: str) -> None:
    made = rework(encoded(an_image(1000, 100), form), (480, 960, 1600))

    assert made[0].kind == images.IMAGE_FORMATS[form]
    assert (made[0].width, made[0].height) == (1000, 100)
    assert [(each.width, each.height) for each in made[1:3]] == [(480, 48), (960, 96)]
    assert all(each.kind.media_type == "image/webp" for each in made[1:])
    for each in made:
        assert opened(each.data).size == (each.width, each.height)
        assert difference(opened(each.data), an_image(1000, 100).resize((each.width, each.height))) < 6


def test_no_size_is_larger_than_the_original() -> None:
    assert widths(rework(jpeg(700, 500), (480, 960, 1600))) == [(700, "jpg"), (480, "webp"), (700, "webp")]
    assert max(each.width for each in rework(png(20, 20), (480, 960))) == 20


def test_a_size_of_the_original_width_is_made_only_if_it_saves_bytes() -> None:
    assert widths(rework(jpeg(300, 200, quality=5), (480,))) == [(300, "jpg")]
    assert widths(rework(jpeg(300, 200, quality=95), (480,))) == [(300, "jpg"), (300, "webp")]


def test_a_jpeg_is_reencoded_without_visible_loss_or_growth() -> None:
    grain = Image.effect_noise((400, 300), 60).convert("RGB")
    before = encoded(grain, "JPEG", quality=60, optimize=True, progressive=True)
    after = rework(before, ())[0].data
    assert difference(opened(before), opened(after)) < 0.5
    assert len(after) < 1.01 * len(before)


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_lossless_images_stay_lossless(form: str) -> None:
    image = an_image(300, 200)
    after = full(encoded(image, form, **({"lossless": True} if form == "WEBP" else {})))
    assert difference(after, image) == 0


def with_metadata(form: str) -> bytes:
    """Return an image with every kind of metadata that its format supports."""
    exif = Image.Exif()
    exif[ExifTags.Base.ImageDescription] = SECRET.decode()
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitudeRef] = SECRET.decode()
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes() + SECRET
    said = {"exif": exif, "xmp": b"<x:xmpmeta>" + SECRET + b"</x:xmpmeta>", "icc_profile": profile}
    match form:
        case "JPEG":
            return encoded(an_image(), form, comment=SECRET, **said)
        case "PNG":
            texts = PngImagePlugin.PngInfo()
            texts.add_text("Comment", SECRET.decode())
            texts.add_itxt("XML:com.adobe.xmp", SECRET.decode())
            return encoded(an_image(), form, exif=exif, icc_profile=SECRET * 10, pnginfo=texts)
        case "GIF":
            return encoded(an_image(), form, comment=SECRET)
    return encoded(an_image(), form, **said)


@pytest.mark.parametrize("form", FORMATS)
def test_all_metadata_is_removed(form: str) -> None:
    before = with_metadata(form) + b"<html><script>" + SECRET + b"</script></html>"
    assert SECRET in before
    for each in rework(before, (32, 480)):
        assert SECRET not in each.data
        after = opened(each.data)
        after.load()
        assert not after.getexif()
        assert not {"icc_profile", "exif", "xmp", "comment", "photoshop"} & after.info.keys()


def test_the_metadata_of_an_animation_is_removed() -> None:
    for form in ("WEBP", "GIF"):
        said = {"comment": SECRET} if form == "GIF" else {"xmp": SECRET, "exif": b"Exif\0\0" + SECRET}
        before = animation(form, **said)
        assert SECRET in before
        assert SECRET not in rework(before + SECRET, ())[0].data


@pytest.mark.parametrize(
    ("form", "orientation"), [*(("JPEG", number) for number in range(1, 9)), ("PNG", 6), ("WEBP", 6), ("AVIF", 6)]
)
def test_the_exif_orientation_is_applied(form: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    turned = {
        1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }[orientation]  # fmt: skip
    upright = an_image(64, 48)
    lying = upright if turned is None else upright.transpose(turned)
    assert difference(full(encoded(lying, form, exif=exif)), upright) < 6


def test_unreadable_exif_data_is_no_reason_to_reject() -> None:
    assert full(jpeg(exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")).size == (64, 48)


def swapped_profile() -> bytes:
    """Return a color profile in which red is green: sRGB with two entries of its tag table exchanged."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    red, green = profile.index(b"rXYZ", 128) + 4, profile.index(b"gXYZ", 128) + 4
    profile[red : red + 4], profile[green : green + 4] = profile[green : green + 4], profile[red : red + 4]
    return bytes(profile).replace("sRGB".encode("utf-16-be"), "mine".encode("utf-16-be"))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "AVIF"])
def test_color_profiles_are_applied(form: str) -> None:
    red = encoded(Image.new("RGB", (16, 16), (255, 0, 0)), form, icc_profile=swapped_profile())
    r, g, b = full(red).convert("RGB").getpixel((8, 8))
    assert g > 240
    assert max(r, b) < 30


def test_a_color_profile_preserves_transparency() -> None:
    half = encoded(Image.new("RGBA", (16, 16), (255, 0, 0, 128)), "PNG", icc_profile=swapped_profile())
    r, g, _b, alpha = full(half).getpixel((8, 8))
    assert (g > 240, r < 30, alpha) == (True, True, 128)


@pytest.mark.parametrize("profile", [b"no profile", swapped_profile()[:200], b"\0" * 3000])
def test_an_unusable_color_profile_is_ignored(profile: bytes) -> None:
    assert difference(full(jpeg(icc_profile=profile)), an_image()) < 6


def test_a_color_profile_for_other_channels_is_ignored() -> None:
    grey = encoded(an_image().convert("L"), "PNG", icc_profile=swapped_profile())
    assert difference(full(grey), an_image().convert("L")) < 1


def test_cmyk_is_converted_to_rgb() -> None:
    after = full(encoded(an_image().convert("CMYK"), "JPEG"))
    assert after.mode == "RGB"
    assert difference(after, an_image()) < 6


def test_16_bit_images_are_converted_to_8_bits() -> None:
    grey = an_image().convert("L")
    deep = Image.frombytes("I;16", grey.size, b"".join(struct.pack("<H", value * 257) for value in grey.tobytes()))
    after = full(encoded(deep, "PNG"))
    assert after.mode == "L"
    assert difference(after, grey) <= 1


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_every_png_mode_looks_the_same(mode: str) -> None:
    before = encoded(an_image().convert(mode), "PNG")
    for each in rework(before, (480,)):
        # A palette causes noise, which smaller sizes smooth.
        assert difference(opened(each.data), opened(before)) < (12 if mode == "P" else 6)


@pytest.mark.parametrize("form", ["PNG", "GIF"])
def test_a_palette_with_a_transparent_color_stays_transparent_in_every_size(form: str) -> None:
    image = Image.new("P", (600, 400), 1)
    image.putpalette([255, 0, 0, 0, 0, 255])
    image.paste(0, (0, 0, 300, 400))
    for each in rework(encoded(image, form, transparency=0), (480, 600)):
        shown = opened(each.data).convert("RGBA")
        assert shown.getpixel((10, 10))[3] == 0
        assert shown.getpixel((each.width - 10, 10))[2:] == (255, 255)


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_a_transparent_color_stays_transparent_in_every_size(mode: str) -> None:
    key = 255 if mode == "L" else (255, 255, 255)
    image = Image.new(mode, (600, 400), key)
    image.paste(0, (300, 0, 600, 400))
    for each in rework(encoded(image, "PNG", transparency=key, icc_profile=swapped_profile()), (480, 600)):
        shown = opened(each.data).convert("RGBA")
        assert (shown.getpixel((10, 10))[3], shown.getpixel((each.width - 10, 10))[3]) == (0, 255)


def test_the_first_image_of_a_multi_picture_jpeg_is_used() -> None:
    several = encoded(an_image(), "MPO", save_all=True, append_images=[Image.new("RGB", (64, 48))])
    made = rework(several, (480,))
    assert made[0].kind.suffix == "jpg"
    assert difference(opened(made[0].data), an_image()) < 6


@pytest.mark.parametrize("form", ANIMATED)
def test_an_animation_keeps_its_frames_and_durations(form: str) -> None:
    before = animation(form, 4, duration=[100, 200, 300, 400])
    (after,) = rework(before, (16, 480))

    assert after.kind == images.IMAGE_FORMATS[form]
    then, now = opened(before), opened(after.data)
    assert now.n_frames == 4
    durations = []
    for frame, was in zip(ImageSequence.Iterator(now), ImageSequence.Iterator(then), strict=True):
        frame.load()
        was.load()
        durations.append(frame.info["duration"])
        assert difference(frame, was) < 8
    assert durations == [100, 200, 300, 400]
    assert now.info.get("loop", 0) == 0


@pytest.mark.parametrize(("form", "loop"), [("GIF", 3), ("WEBP", 3), ("PNG", 3), ("GIF", None)])
def test_an_animation_keeps_its_loop_count(form: str, loop: int | None) -> None:
    assert opened(rework(animation(form, loop=loop), ())[0].data).info.get("loop") == loop


def moving_holes() -> list[Image.Image]:
    """Return frames with a moving hole: pixels transparent in one frame are not in the next, and vice versa."""
    made = []
    for number in range(4):
        frame = Image.new("RGBA", (40, 20), (200, 30, 30, 255))
        frame.paste((0, 0, 0, 0), (number * 10, 0, number * 10 + 10, 20))
        made.append(frame)
    return made


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_transparent_areas_of_a_frame_do_not_show_the_previous_frame(form: str) -> None:
    first, *rest = moving_holes()
    before = encoded(first, form, save_all=True, append_images=rest, duration=50, disposal=2 if form == "GIF" else 1)
    after = opened(rework(before, ())[0].data)
    for frame, wanted in zip(ImageSequence.Iterator(after), moving_holes(), strict=True):
        assert difference(frame.convert("RGBA"), wanted) < 3


@pytest.mark.parametrize("disposal", [0, 1, 2, 3])
def test_a_gif_with_several_palettes_and_any_disposal_looks_the_same(disposal: int) -> None:
    first, *rest = (frame.quantize(16) for frame in frames(5, 60, 40))
    before = encoded(first, "GIF", save_all=True, append_images=rest, duration=50, disposal=disposal, optimize=True)
    then, now = opened(before), opened(rework(before, ())[0].data)
    for frame, was in zip(ImageSequence.Iterator(now), ImageSequence.Iterator(then), strict=True):
        assert difference(frame, was) < 3
