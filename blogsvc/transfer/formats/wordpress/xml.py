"""Read the XML of WordPress' export file as a stream, and find texts in its elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from blogsvc.lib.sizes import MIB
from blogsvc.transfer.formats.parsed_post import UnreadableFile, in_plain_words
from blogsvc.transfer.formats.wordpress.repair import RepairedXml, note_replaced

# The end of an export, and what follows if another one begins after it.
# With what caches of servers write below a page.
_END_AND_BEGINNING = re.compile(
    rb"</rss\s{0,9}>(?:[\s\xef\xbb\xbf]{1,99}|<!--[^<>]{0,400}-->|<script\b[^<>]{0,200}>[^<]{0,400}</script>){0,9}+"
    rb"(?=<\?xml |<rss )"
)
_LONGEST_SEAM = 4000  # bytes
MAX_JOINED = 100  # exports in one file, of which each is looked for from its beginning
Opener = Callable[[], AbstractContextManager[BinaryIO]]


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except DefusedXmlException as error:
        raise UnreadableFile(
            "This XML file declares entities, which exports of WordPress never do. It was not read."
        ) from error
    except ParseError as error:
        line = error.position[0] if getattr(error, "position", None) else "?"
        raise UnreadableFile(f"This XML file is damaged or incomplete in line {line}. Export it again.") from error
    except UnreadableFile:
        raise
    except (LookupError, ValueError) as error:
        raise UnreadableFile("This XML file has an unknown encoding.") from error


def elements(opened: Opener, damages: dict[str, None] | None = None) -> Iterator[Element]:
    """Yield the children of the channel in `_YIELDED` one by one, and free the memory of each after use.

    A file that is damaged or cut off after an entry is read up to there; `damages` gets a sentence that says so.
    """
    has_entry, title = False, ""
    with _explained():
        try:
            for element in _children(opened):
                yield element
                if local(element) == "item":
                    has_entry, title = True, in_plain_words(text_of(element, "title")) or title
        except ParseError as error:
            if not has_entry:
                raise
            if damages is not None:
                line = error.position[0] if getattr(error, "position", None) else "?"
                last = f" The last entry that was read is “{title[:200]}”." if title else ""
                damages[f"It is damaged or incomplete in line {line}. What follows was not read.{last}"] = None


def _children(opened: Opener) -> Iterator[Element]:
    """Yield the children of the channels, also those of another export after the first one."""
    with opened() as file:
        places = [0, *_next_documents(file)]
    for place in places:
        with opened() as file:
            while place and (skipped := len(file.read(min(place, MIB)))):
                place -= skipped
            yield from _children_of_document(file)


def _next_documents(file: BinaryIO) -> list[int]:
    """Return where other exports begin, in a file into which several were joined.

    Raises UnreadableFile if they are too many.
    """
    places: set[int] = set()
    place, before = 0, b""
    while part := file.read(MIB):
        text = before + part
        places |= {place - len(before) + found.end() for found in _END_AND_BEGINNING.finditer(text)}
        place, before = place + len(part), text[-_LONGEST_SEAM:]
    if len(places) >= MAX_JOINED:
        raise UnreadableFile(f"More than {MAX_JOINED} exports were joined in this file. Split it into several files.")
    return sorted(places)


def _children_of_document(file: BinaryIO) -> Iterator[Element]:
    depth, channel, was_rss = 0, None, False
    for event, element in iterparse(RepairedXml(file), events=("start", "end"), forbid_dtd=False):
        if event == "start":
            depth += 1
            if depth == 1 and local(element) != "rss":
                raise UnreadableFile("This XML file is not an export of WordPress: it does not start with <rss>.")
            if depth > 50:
                raise UnreadableFile("This XML file is too deeply nested.")
            if depth == 2:
                channel, was_rss = element, True
            continue
        depth -= 1
        if depth == 0:  # what follows was written by mistake
            break
        if depth == 2 and local(element) in _YIELDED:
            note_replaced(element)
            yield element
        if depth == 2 and channel is not None:
            channel.clear()
    if not was_rss:
        raise UnreadableFile("This XML file is not an export of WordPress: it has no channel.")


_YIELDED = ("author", "category", "tag", "item", "title", "description", "language", "image")


def local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def text_of(item: Element, name: str, within: str = "") -> str:
    """Return the text of a child element by its local name, because namespaces differ between versions.

    `within` is a part of the namespace, for names that occur in two.
    """
    for part in item:
        if local(part) == name and within in str(part.tag):
            return part.text or ""
    return ""
