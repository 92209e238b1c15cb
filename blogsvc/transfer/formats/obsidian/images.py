"""Write images of Obsidian, `![[photo.png|words]]` and `![words|150](photo.png)`, as Markdown has them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from unicodedata import normalize

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.markdown.image_links import quoted
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.removals import InSource, Removals

_FILE = re.compile(
    r"(?P<shown>!?)\[\[(?P<file>[^\[\]|#\\\n]{1,300}?\.(?:avif|bmp|gif|jpe?g|png|svg|webp))(?:\#[^\[\]|\n]{0,300}+)?"
    r"(?:\\?\|(?P<words>[^\[\]\n]{0,300}+))?\]\]",
    re.IGNORECASE,
)
_NOTE = re.compile(r"!(?=\[\[[^\[\]\n]{1,300}\]\](?!\())")
_ALT = re.compile(r"!\[(?P<alt>[^\[\]\n]{0,1000}+)\](?=[(\[])")
_PAGE = re.compile(
    r"!\[(?P<words>[^\[\]\n]{0,1000}+)\]"
    r"\((?P<url>https?://(?:www\.|m\.)?(?P<site>youtube\.com|youtu\.be|twitter\.com|x\.com)/[^\s()<>]{1,500}+)\)",
    re.IGNORECASE,
)
_SIZE = re.compile(r"(?:^|\\?\|)\s{0,9}+\d{1,9}(?:x\d{1,9})?\s{0,9}+$")


def in_markdown(text: str, archive: Archive) -> str:
    """Return Markdown with its images of Obsidian, which finds files by their names in any folder of an archive.

    Links to images become links, and notes that are shown inside another one become links to them.
    """
    if "[[" not in text:
        return text
    code = code_places(text)

    def image(found: re.Match[str]) -> str:
        if code.end_at(found.start()) is not None:
            return found[0]
        file = found["file"].strip()
        path = archive.by_name.get(normalize("NFC", PurePosixPath(file).name))
        words = without_size(found["words"] or "").strip() or ("" if found["shown"] else file)
        return f"{found['shown']}[{words}]({quoted(f'/{path}' if path else file)})"

    text = _FILE.sub(image, text)
    code = code_places(text)
    return _NOTE.sub(lambda mark: mark[0] if code.end_at(mark.start()) is not None else "", text)


def without_size(words: str) -> str:
    """Return the words of an image without its size, which is the last or the only one of them."""
    return _SIZE.sub("", words)


def without_sizes(text: str, *, is_vault: bool) -> str:
    """Return Markdown with alternative texts of images without their sizes, as in "words|150".

    In a vault, a number alone is a size, too.
    """

    def image(found: re.Match[str]) -> str:
        alt = without_size(found["alt"])
        is_size = alt != found["alt"] and (is_vault or "|" in found["alt"]) and code.end_at(found.start()) is None
        return f"![{alt.rstrip()}]" if is_size else found[0]

    if "![" not in text:
        return text
    code = code_places(text)
    return _ALT.sub(image, text)


def with_links_to_pages(text: str, source_text: str, removals: Removals) -> str:
    """Return Markdown in which videos and posts of other sites, which Obsidian embeds like images, are links.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
    """
    if not _PAGE.search(text):
        return text
    code, in_source = code_places(text), InSource(source_text)

    def page(found: re.Match[str]) -> str:
        if code.end_at(found.start()) is not None:
            return found[0]
        removals.note(f"The content embedded from {found['site']} is a link now.", in_source.place_of(found["url"]))
        return f"[{without_size(found['words']).strip() or found['url']}]({found['url']})"

    return _PAGE.sub(page, text)
