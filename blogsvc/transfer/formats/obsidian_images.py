"""Write images of Obsidian, `![[photo.png|words]]`, as Markdown has them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.markdown.image_links import quoted
from blogsvc.transfer.formats.archives import Archive

_IMAGE = re.compile(
    r"!\[\[([^\[\]|#\n]{1,300}\.(?:avif|bmp|gif|jpe?g|png|svg|webp))(?:\|([^\[\]\n]{0,300}+))?\]\]", re.IGNORECASE
)
_SIZE = re.compile(r"(?:^|\|)\s*\d+(?:x\d+)?\s*$")


def in_markdown(text: str, archive: Archive) -> str:
    """Return Markdown with its images of Obsidian, which finds files by their names in any folder of an archive."""
    if not _IMAGE.search(text):
        return text
    code, by_name = code_places(text), {PurePosixPath(name).name: name for name in reversed(archive.names)}

    def image(found: re.Match[str]) -> str:
        if code.end_at(found.start()) is not None:
            return found[0]
        file = found[1].strip()
        path = by_name.get(PurePosixPath(file).name)
        words = _SIZE.sub("", found[2] or "").strip()
        return f"![{words}]({quoted(f'/{path}' if path else file)})"

    return _IMAGE.sub(image, text)
