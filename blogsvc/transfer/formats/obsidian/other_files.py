"""Name the files that a text links to or shows and that cannot be imported, because they are no images."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from unicodedata import normalize
from urllib.parse import unquote

from blogsvc.lib.markdown.addresses import Address, addresses_in
from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.archive_images import archive_path
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.dialects.lost_links import in_text, without_links
from blogsvc.transfer.formats.obsidian.images import without_size
from blogsvc.transfer.formats.parsed_post import url_parts
from blogsvc.transfer.formats.removals import InSource, Removals, source

# What Obsidian shows in a note, apart from images. Such a file is one although the archive lacks it.
_SHOWN = frozenset(
    ".3gp .base .canvas .flac .m4a .m4b .mkv .mov .mp3 .mp4 .oga .ogg .ogv .opus .pdf .wav .webm".split()
)
# What is imported, or made here as feeds are, or named in the report otherwise.
_IMPORTED = frozenset(
    ".adoc .asciidoc .avif .bmp .creole .gif .htm .html .jpeg .jpg .markdown .md .mdown .mdwn .mdx .mkd .mkdn .mkdown"
    " .org .png .rst .svg .textile .webp .xml".split()
)
_SUFFIX = re.compile(r"\.\w{1,10}+(?!\w)")
_EMBEDDED = re.compile(
    r"(?P<shown>!?)\[\[(?P<file>[^\[\]|#\\\n]{1,300}+)(?:\#[^\[\]|\n]{0,300}+)?(?:\\?\|(?P<words>[^\[\]\n]{0,300}+))?\]\]"
)


class OtherFiles:
    """The files of an archive to which one of its texts, which has a name, may link.

    With `is_note`, the text may be one of Obsidian, which finds files by their names in any folder.
    """

    def __init__(self, name: str, archive: Archive, *, is_note: bool) -> None:
        self.name, self.archive, self.is_note = name, archive, is_note

    def noted(self, text: str, source_text: str, removals: Removals) -> str:
        """Return Markdown in which files in double brackets, and in relative links of a note, are only words.

        Args:
            source_text: the text that `removals` is about, before template tags in it were converted.
        """
        suffixes = set(map(str.lower, _SUFFIX.findall(text))) - _IMPORTED
        if suffixes.isdisjoint(self.archive.suffixes | _SHOWN):
            return text
        in_source = InSource(source_text)

        def note(file: str, written: str) -> None:
            removals.note(
                f"The file {source(file)} was not imported, because only images are.", in_source.place_of(written)
            )

        def embedded(found: re.Match[str]) -> str:
            file = found["file"].strip()
            path = self._embedded(file) if code.end_at(found.start()) is None else ""
            if not path:
                return found[0]
            note(path, found[0])
            words = found["words"] or ""
            return (without_size(words) if found["shown"] else words).strip() or in_text(file)

        if "[[" in text:
            code = code_places(text)
            text = _EMBEDDED.sub(embedded, text)
        is_any_lost = False
        for one in addresses_in(text):
            if self._is_file(one) and (path := self._linked(one.url)):
                note(path, text[one.start : one.end])
                is_any_lost = is_any_lost or self._is_lost(one.url)
        return without_links(text, self._is_lost) if is_any_lost else text

    def _is_file(self, address: Address) -> bool:
        """Return True unless the import of images notes that an address is none."""
        return not address.is_image or (address.notation == "markdown" and self._is_lost(address.url))

    def _embedded(self, file: str) -> str:
        """Return the path of a file in double brackets; "" if it is a note or an image."""
        suffix = PurePosixPath(file).suffix.lower()
        if not suffix or suffix in _IMPORTED:
            return ""
        name = normalize("NFC", PurePosixPath(file).name)
        path = self.archive.by_name.get(name)
        if suffix in _SHOWN:
            return path or file
        return path if path and f"{name}.md" not in self.archive.by_name else ""

    def _linked(self, url: str) -> str:
        """Return the path of a file that a link names; "" if it is none, or not in the archive and may be elsewhere."""
        parts = url_parts(url)
        path = unquote(parts.path)
        suffix = PurePosixPath(path).suffix.lower()
        if parts.scheme or parts.netloc or not suffix or suffix in _IMPORTED:
            return ""
        if found := archive_path(self.name, url, self.archive):
            return found
        if not self.is_note or path.startswith("/"):
            return ""
        return self.archive.by_name.get(normalize("NFC", PurePosixPath(path).name), path if suffix in _SHOWN else "")

    def _is_lost(self, url: str) -> bool:
        """Return True if a link of a note to a file leads nowhere, also if the files of the old blog stay."""
        return self.is_note and not url.startswith("/") and bool(self._linked(url))
