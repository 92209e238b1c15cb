"""Read the addresses in the files of Pelican, whose beginning says what they lead to, such as "{static}/a.png".

Source: https://docs.getpelican.com/en/latest/content.html#linking-to-internal-content.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from blogsvc.lib import blog_paths
from blogsvc.lib.text.plain import slugify

_PLACE = re.compile(r"[{|](attach|author|category|filename|index|static|tag)[|}]", re.IGNORECASE)


def may_have_places(text: str) -> bool:
    return _PLACE.search(text) is not None


def without_place(url: str) -> str:
    """Return an address of Pelican, such as "{static}/a.png", without what is before its path."""
    found = _PLACE.match(url)
    if not found:
        return url
    kind, path = found[1].lower(), url[found.end() :]
    if kind == "index":
        return path or "/"
    if kind == "author":
        return blog_paths.of_author(slugify(unquote(path)))
    return blog_paths.of_tag(unquote(path)) if kind in ("category", "tag") else path
