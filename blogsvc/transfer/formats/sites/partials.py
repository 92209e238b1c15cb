"""Read the Markdown files that a text in MDX imports and shows as components, `import Part from './_part.mdx'`.

Source: https://docusaurus.io/docs/markdown-features/react#importing-markdown
"""

from __future__ import annotations

from dataclasses import dataclass, field

from blogsvc.lib.text.front_matter import BadFrontMatter, split
from blogsvc.transfer.formats.archives import Archive, beside
from blogsvc.transfer.formats.decoding import decoded
from blogsvc.transfer.formats.mdx import convert as mdx
from blogsvc.transfer.formats.mdx.jsx_blocks import Included
from blogsvc.transfer.formats.removals import Removals

_MAX_BYTES, _MAX_CHARACTERS = 256 * 1024, 400_000  # of one file, and of all in one text
_MAX_DEPTH = 3  # of files in files
_OF_SITE = "@site/"


@dataclass
class Partials:
    """The files that one text imports; `name` is the path of the text."""

    archive: Archive
    name: str
    depth: int = 0
    read: dict[str, Included | None] = field(default_factory=dict)
    characters: int = 0

    def included(self, address: str) -> Included | None:
        """Return the text of the file at an address in the archive; None if there is none, or no more is read."""
        if address not in self.read:
            self.read[address] = self._text_of(address)
        found = self.read[address]
        self.characters += len(found.markdown) if found else 0
        return found if self.characters <= _MAX_CHARACTERS else None

    def _text_of(self, address: str) -> Included | None:
        site = address.removeprefix(_OF_SITE)
        path = site if site != address else beside(self.name, address)
        if not path or path not in self.archive or self.depth >= _MAX_DEPTH:
            return None
        text = decoded(self.archive.head(path, _MAX_BYTES))[0].replace("\r\n", "\n")
        try:
            body = split(text, begins_with_head=True)[1]
        except BadFrontMatter:
            body = text
        removals = Removals(body)
        shown = mdx.plain(body, removals, Partials(self.archive, path, self.depth + 1).included)
        return Included(shown.strip(), removals.may_hide)
