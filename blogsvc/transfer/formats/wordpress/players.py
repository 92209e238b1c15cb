"""The galleries and players of shortcodes, whose files the export lists apart from the posts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape

from blogsvc.transfer.formats.removals import source
from blogsvc.transfer.formats.wordpress.media import AUDIO, VIDEO, Attachment, WordPressMedia

# The arguments with the ids of attachments.
_IMAGE_IDS = ("image", "image_id", "img_id", "attachment_id", "images")
MAX_GALLERY_IMAGES = 1_000  # of a post; one shortcode shows any number of images


def medium(name: str, arguments: Mapping[str, str], media: WordPressMedia, post_id: str) -> str:
    """Return the address of the file that an `audio` or `video` shortcode plays, "" if it has none."""
    forms = AUDIO if name == "audio" else VIDEO
    first = arguments.get("0", "").partition("|")[0]  # of `[audio https://a.example/b.mp3|titles=Words]`
    named = next((arguments[form] for form in ("src", *forms) if arguments.get(form)), "")
    return named or (first if re.match(r"https?://|/", first) else "") or media.first_of(post_id, name)


def player(name: str, url: str, poster: str = "") -> str:
    shown = f' poster="{escape(poster)}"' if poster else ""
    return f'\n\n<{name} src="{escape(url)}"{shown}></{name}>\n\n'


def images_of(name: str, arguments: Mapping[str, str], media: WordPressMedia) -> str:
    """Return the images that a shortcode of a page builder shows; "" if it shows none."""
    numbers = next((arguments[one] for one in _IMAGE_IDS if arguments.get(one)), "")
    ids = [one.partition("|")[0].strip() for one in numbers.split(",")]
    shown = [media.by_id[one] for one in ids if one in media.by_id][:MAX_GALLERY_IMAGES]
    if not shown and "im" in name.lower():  # "image", "img"
        address = next((arguments[one] for one in ("src", "url", "image_url") if arguments.get(one)), "")
        if re.fullmatch(r"[^\s<>\"']{1,2000}\.(?:avif|gif|jpe?g|png|webp)", address, re.IGNORECASE):
            shown = [Attachment(address, arguments.get("alt", ""))]
    return "".join(_figure(one) for one in shown)


def _figure(image: Attachment) -> str:
    caption = f"<figcaption>{image.caption}</figcaption>" if image.caption else ""
    return f'\n\n<figure><img src="{escape(image.url)}" alt="{escape(image.alt)}">{caption}</figure>\n\n'


def gallery(
    name: str,
    arguments: Mapping[str, str],
    media: WordPressMedia,
    post_id: str,
    most: int,
    note: Callable[[str], None],
) -> tuple[str, int]:
    """Return the images, or the players, of a `gallery` or `playlist`, and their number.

    Args:
        most: how many there can be.
        note: gets a sentence about files that are missing, or too many.
    """
    kind = "image" if name == "gallery" else arguments.get("type") or "audio"
    named = re.findall(r"\d+", arguments.get("ids") or arguments.get("include") or "")
    ids = named or media.ids_of(post_id, kind)
    files = [media.by_id[id] for id in ids if id in media.by_id]
    if len(files) < len(ids) or not ids:
        missing = ", ".join(id for id in ids if id not in media.by_id)
        note(
            f"The {'images' if kind == 'image' else 'files'} of a {name} are not in the file"
            f"{': ' + source(missing) if missing else ''}. Export the media together with the posts."
        )
    shown = files[:most]
    if len(shown) < len(files):
        note(f"Its galleries have more than {MAX_GALLERY_IMAGES:,} images. The others were removed.")
    parts = []
    for file in shown:
        if kind in ("audio", "video"):
            parts.append(f"{player(kind, file.url)}{file.caption}\n\n")  # a caption is HTML
        else:
            parts.append(_figure(file))
    return "".join(parts), len(shown)
