"""Find the alternative texts of images in Markdown, about as the renderer does, but a hundred times as fast.

Posts are saved with it. For everything else, `image_links.py` finds images in every notation.
"""

from __future__ import annotations

import re

from blogsvc.lib.markdown.tag_addresses import addresses_of_tag

# Code comes first in the pattern, so that images inside it do not match.
_IMAGES = re.compile(
    r"""
      ^[ ]{0,3}(?P<ticks>`{3,}|~{3,}) [^\n]* (?:\n (?![ ]{0,3}(?P=ticks)) [^\n]*)* (?:\n[^\n]*)?
    | (?<!`)(?P<run>`{1,5})(?!`) [^`\n]{0,2000} (?<!`)(?P=run)(?!`)
    | !\[ (?P<alt>(?:\\.|[^\[\]\\]|\[[^\[\]]{0,200}\]){0,2000}+) \] \( \s* (?P<url><[^<>\n]{1,3000}>|[^\s()<>]{1,3000})
    | (?P<tag><img\b)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_SILENT_REFERENCE = re.compile(r"!\[\s*\]\[([^\]\n]{1,999})\]")  # an image without alternative text
_DEFINITION = re.compile(
    r"^[ \t>]{0,40}\[(?P<label>(?:\\.|[^\]\\\n]){1,999})\]:[ \t]*(?:\n[ \t>]{0,40})?<?(?P<url>[^\s<>]{1,3000})",
    re.MULTILINE,
)


def images_with_alt(markdown: str) -> list[tuple[str, str]]:
    """Return the URL and the alternative text of each image. References are only found if they have none."""
    found: list[tuple[str, str]] = []
    start = 0
    while place := _IMAGES.search(markdown, start):
        start = place.end()
        if place["url"]:
            found.append((place["url"].strip("<>"), place["alt"].strip()))
        elif place["tag"]:
            in_tag, start = addresses_of_tag("img", markdown, start)
            found += [(one.url, one.alt) for one in in_tag]
    silent = {label.casefold() for label in _SILENT_REFERENCE.findall(markdown)}
    defined = _DEFINITION.finditer(markdown) if silent else ()
    return found + [(place["url"], "") for place in defined if place["label"].casefold() in silent]
