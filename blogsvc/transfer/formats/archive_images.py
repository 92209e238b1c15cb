"""Find the images of a Markdown file in its archive."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from urllib.parse import unquote

from blogsvc.lib.markdown import image_links
from blogsvc.transfer.formats.archives import Archive, beside
from blogsvc.transfer.formats.parsed_post import counted, url_parts

# Folders that site generators serve from the root of the site.
ROOTS = ("", "static/", "public/", "assets/", "src/", "source/", "src/assets/", "content/")


def images_of(
    name: str, texts: Iterable[str], cover: str, archive: Archive
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """Return the images of a file as `ParsedPost.images` has them, and a warning if some are not in the archive."""
    found = [address for text in texts for address in image_links.addresses(text)]
    addresses = dict.fromkeys([*found, *([cover] if cover else [])])
    images = tuple((address, archive_path(name, address, archive)) for address in addresses)
    lost = sum(1 for address, file in images if not file and not _is_elsewhere(address))
    return images, [f"{counted(lost, 'image is', 'images are')} not in the file."] if lost else []


def _is_elsewhere(address: str) -> bool:
    return address.startswith(("https://", "http://", "//", "data:"))


def archive_path(name: str, address: str, archive: Archive) -> str:
    """Return the path in the archive that a URL in a file refers to, "" if there is none."""
    if _is_elsewhere(address):
        return ""
    path = unquote(url_parts(address).path) if "?" in address or "#" in address else unquote(address)
    path = re.sub(r"^(?:@/|~/|@(?=assets/))", "/src/", path.removeprefix("@site"))
    if not path.startswith("/"):
        # The folder with the files of a post in Hexo has the name of the post.
        for one in (path, f"{PurePosixPath(name).stem}/{path}"):
            there = beside(name, one)
            if there and there in archive:
                return there
    # From the root of the site, which may be a folder in the archive.
    tops = ["", *({f"{archive.names[0].partition('/')[0]}/"} if archive.names else ())]
    tries = (f"{top}{root}{path.lstrip('./')}" for top in tops for root in ROOTS)
    return next((one for one in tries if one in archive), "")
