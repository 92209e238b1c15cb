"""The icon and the logos of the blog: images of the media library that settings name.

The icon is stored in more sizes, beside the other files of its image, so that backups and other servers have them. They
stay as long as the image.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid
from blogsvc.lib import color_contrast, images
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.media_names import name_of
from blogsvc.media.images import decoding
from blogsvc.models import Media, db, transaction
from blogsvc.models.setting import site_changed
from blogsvc.models.site_images import SiteImage, site_images, write_site_image
from blogsvc.models.theme import LIGHT
from blogsvc.models.transactions import is_undone

MIN_ICON_SIDE = 512
# For browser tabs, the screens of phones, and other places. Those of Apple show transparent parts black.
CLEAR_ICON_SIZES, OPAQUE_ICON_SIZES = (32, 192, 512), (180,)
ICON_SIZES = (*CLEAR_ICON_SIZES, *OPAQUE_ICON_SIZES)
PAPER = color_contrast.write(LIGHT)


def choose_site_images(chosen: Mapping[SiteImage, str | None], tools: Tools) -> None:
    """Make images of the library the icon and the logos of the blog; None removes one. May take seconds.

    The middle of an icon that is not square is cut out. Raises Invalid if an image does not exist or is too small.
    """
    prepare_site_images(chosen, tools)
    store_site_images(chosen)


def prepare_site_images(chosen: Mapping[SiteImage, str | None], tools: Tools) -> None:
    """Check the images, and make the sizes of a new icon, outside of a transaction. Raises Invalid."""
    if faults := [fault for name, media_id in chosen.items() if media_id and (fault := _fault(name, media_id))]:
        raise Invalid(*faults)
    if (icon := chosen.get("icon")) and icon != site_images().get("icon"):
        _make_icons(Media.get(icon), tools.config)


def store_site_images(chosen: Mapping[SiteImage, str | None]) -> None:
    """Make prepared images the icon and the logos of the blog."""
    with transaction():
        for name, media_id in chosen.items():
            write_site_image(name, media_id)
        site_changed()


def _fault(name: SiteImage, media_id: str) -> Fault | None:
    media = db.session.get(Media, media_id)
    if media is None:
        return Fault(f"#/{name}", "invalid", f"There is no image {media_id!r}.")
    if name == "icon" and min(media.width, media.height) < MIN_ICON_SIDE:
        detail = (
            f"An icon must be at least {MIN_ICON_SIDE} pixels wide and high. This image has {media.width} ×"
            f" {media.height} pixels."
        )
        return Fault(f"#/{name}", "invalid", detail)
    return None


def _make_icons(media: Media, config: Config) -> None:
    """Store the sizes of the icon."""
    key, file = media.key, config.storage.local(f"{MEDIA}/{media.name}")
    if file is None:
        raise Invalid(Fault("#/icon", "gone", "The file of this image is missing. Upload it again."))
    db.session.rollback()  # no open read transaction during the work
    with decoding("#/icon"):
        made = images.icons(file.read_bytes(), CLEAR_ICON_SIZES, OPAQUE_ICON_SIZES, PAPER)
    if not is_undone():
        for rendition in made:
            config.storage.write(f"{MEDIA}/{_icon_name(key, rendition.width)}", rendition.data)


def _icon_name(key: str, size: int) -> str:
    return name_of(key, "png", size)


def icon_file(key: str, size: int, config: Config) -> Path | None:
    """Return a local file of the icon, by the key of its image, or None if it is missing. Raises Busy."""
    return config.storage.local(f"{MEDIA}/{_icon_name(key, size)}")
