"""What is around the content of every page of the blog: its menus, social links, logo and icon."""

from __future__ import annotations

from dataclasses import dataclass

from blogsvc.blog.contract import Image
from blogsvc.lib.media_names import path_of
from blogsvc.models import Media, db
from blogsvc.models.navigation import Item, read_menus
from blogsvc.models.site_images import site_images
from blogsvc.navigation.social_links import all_links
from blogsvc.navigation.targets import targets_of
from blogsvc.posts.profile_links import ProfileLink

# In em: 2.25rem in static/blog.css, where 1rem is at most 1.25em.
LOGO_HEIGHT = 2.81


@dataclass(frozen=True)
class MenuLink:
    """An item of a menu, as readers see it. `address` is a path of this blog or a URL."""

    label: str
    address: str


@dataclass(frozen=True)
class Frame:
    """The menus, without items that lead to nothing that readers can see, and the images of the blog itself."""

    header: tuple[MenuLink, ...]
    footer: tuple[MenuLink, ...]
    logo: Image | None
    logo_dark: Image | None
    social: tuple[ProfileLink, ...]
    # The key of the image that is the icon; "" if the icon is a letter.
    icon: str

    @classmethod
    def read(cls) -> Frame:
        menus = read_menus()
        targets = targets_of([*menus["header"], *menus["footer"]])

        def links(items: list[Item]) -> tuple[MenuLink, ...]:
            found = ((item.label, targets[item.to].address) for item in items)
            return tuple(MenuLink(label, address) for label, address in found if address is not None)

        ids = site_images()
        images = {media.id: media for media in db.session.query(Media).where(Media.id.in_(ids.values()))} if ids else {}
        found = {name: images[media_id] for name, media_id in ids.items() if media_id in images}
        logos = {name: _logo(media) for name, media in found.items() if name != "icon"}
        return cls(
            links(menus["header"]),
            links(menus["footer"]),
            logos.get("logo"),
            logos.get("logo_dark"),
            tuple(all_links()),
            found["icon"].key if "icon" in found else "",
        )


def _logo(media: Media) -> Image:
    """Return an image as the logo. Browsers load the size that fits the header, where all logos have one height."""
    files = {media.width: media.name} | {size["width"]: size["name"] for size in media.sizes}
    srcset = ", ".join(f"{path_of(name)} {width}w" for width, name in sorted(files.items()))
    sizes = f"{LOGO_HEIGHT * media.width / media.height:.2f}em"
    return Image(media.path, "", media.width, media.height, srcset, sizes)
