"""Repair the text of WordPress' export file, so that one bad character does not refuse the whole blog.

PHP may write messages before and after the XML, plug-ins write characters that XML forbids, and old databases have
bytes that are not UTF-8.
"""

from __future__ import annotations

import codecs
import re
from html import unescape
from typing import BinaryIO
from xml.etree.ElementTree import Element

from blogsvc.transfer.formats.decoding import ERRORS, MARK
from blogsvc.transfer.formats.parsed_post import counted
from blogsvc.transfer.formats.removals import Removals

CHUNK = 64 * 1024  # bytes; the XML begins in the first of them
MAX_TAIL = 100  # characters of a part that are read together with the next one
_START = re.compile(r"<\?xml\b|<rss\b|<!DOCTYPE\b")
_DECLARATION = re.compile(r"<\?xml\b[^<>]{0,300}?\?>")
_ENCODING = re.compile(rb"""<\?xml\b[^<>]{0,200}?\bencoding\s*=\s*["']([\w.-]{1,40})["']""")
_SPACES, _CONTROLS = re.compile("[\x0b\x0c]"), re.compile("[\x00-\x08\x0e-\x1f]")
_FORBIDDEN = re.compile("[\ud800-\udfff\ufffe\uffff]")
# Other codecs of Python are no encodings of text, or take too long.
_KNOWN_ENCODING = re.compile(r"utf-(?:8|16|32)(?:-[lb]e)?|ascii|iso8859-\d+|cp\d+|koi8-\w|gb\w+|big5|euc_\w+|shift_jis")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
# The end of a text whose section was not ended, and what comes next.
_LOST_END = re.compile(r"</content:encoded>\s{0,50}+<excerpt:encoded>\s{0,50}+<!\[CDATA\[")
_AFTER_CDATA = re.compile(r"\s{0,50}+(?:</([a-zA-Z:_]{1,40})|<!|\Z)")
_REFERENCE = re.compile(r"&(?:#(\d{1,9});|#[xX]([0-9a-fA-F]{1,8});|(\w{2,32});)?")
# The elements of RSS, and those of WordPress without their prefixes, of which others have "_" in their names. What else
# looks like a tag is a text.
_NAMES = frozenset(
    "rss channel item title link pubDate description language generator image url width height guid category cloud"
    " comments enclosure source author managingEditor webMaster copyright docs ttl lastBuildDate textInput name"
    " comment creator encoded postmeta status tag term termmeta".split()
)
_LESS = re.compile(r"<(?!!|\?)(?:/?([A-Za-z_][\w.-]{0,60}+)(:)?)?")
_DECLARED = re.compile(r"""\sxmlns:([\w.-]{1,60}+)\s*+=""")
_NAMESPACES = {
    "excerpt": "http://wordpress.org/export/1.2/excerpt/",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "wfw": "http://wellformedweb.org/CommentAPI/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "wp": "http://wordpress.org/export/1.2/",
}
REPLACED = "replaced"
_OF_XML = ("amp", "lt", "gt", "quot", "apos")


class RepairedXml:
    """A file of XML in UTF-8, without what is before its first element. Each replaced character is marked."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        head = file.read(CHUNK)
        self._decoder = codecs.getincrementaldecoder(_encoding_of(head))(ERRORS)
        self._is_at_end = len(head) < CHUNK
        text = self._decoder.decode(head, self._is_at_end)
        start = _START.search(text)
        text = _DECLARATION.sub("", text[start.start() if start else 0 :].lstrip("\ufeff")).lstrip()
        self._prefixes = set(_DECLARED.findall(text))
        missing = "".join(f' xmlns:{name}="{url}"' for name, url in _NAMESPACES.items() if name not in self._prefixes)
        self._is_rss = "<rss" in text
        self._prefixes |= {"xml", *(_NAMESPACES if self._is_rss else ())}
        self._rest = text.replace("<rss", f"<rss{missing}", 1)
        self._in_cdata = False
        self._is_text = False  # the section is the text of a post

    def read(self, size: int = -1) -> bytes:
        """Return the next part; an empty one only at the end."""
        while True:
            text, self._rest = self._rest, ""
            made = self._repaired(text).encode("utf-8", "replace")
            if made or (self._is_at_end and not self._rest):
                return made
            data = self._file.read(CHUNK)
            self._is_at_end = not data
            self._rest += self._decoder.decode(data, self._is_at_end)

    def _repaired(self, text: str) -> str:
        """Return a text without forbidden characters and references. Keeps its tail for the next part."""
        parts = []
        while text:
            if (
                self._in_cdata
                and self._is_text
                and (lost := _LOST_END.search(text))
                and lost.start() < _first_end(text)
            ):
                parts += [self._plain(text[: lost.start()]), MARK, _CDATA_END]
                self._in_cdata, text = False, text[lost.start() :]
                continue
            mark = _CDATA_END if self._in_cdata else _CDATA
            place = text.find(mark)
            if place < 0:
                cut = len(text) if self._is_at_end else self._end_of_whole(text, mark)
                parts.append(self._plain(text[:cut]))
                self._rest = text[cut:]
                break
            rest = text[place + len(mark) :]
            if self._in_cdata and len(rest) < MAX_TAIL and not self._is_at_end:
                parts.append(self._plain(text[:place]))
                self._rest = text[place:]
                break
            parts.append(self._plain(text[:place]))
            if not self._in_cdata:
                self._is_text = "".join(parts)[-50:].rstrip().endswith("encoded>")
            if self._in_cdata and self._is_text and self._is_typed(rest):
                parts.append(f"]]{MARK}{_CDATA_END}{_CDATA}>")
            else:
                parts.append(mark)
                self._in_cdata = not self._in_cdata
            text = rest
        return "".join(parts)

    def _is_typed(self, rest: str) -> bool:
        """Return True if "]]>" before this text is one that an author typed, and its section ends with a later one."""
        if (after := _AFTER_CDATA.match(rest)) and (":" in after[0] or after[1] in (*_NAMES, None)):
            return False
        end = rest.find(_CDATA_END)
        return end >= 0 and rest.find(_CDATA, 0, end) < 0

    def _end_of_whole(self, text: str, mark: str) -> int:
        """Return where a mark or a reference may begin that is not complete."""
        tail = text[-MAX_TAIL:]
        cut = max(0, len(tail) - len(mark) + 1)
        for sign, end in () if self._in_cdata else (("<", ">"), ("&", ";")):
            begin = tail.rfind(sign, 0, cut)
            cut = begin if begin >= 0 and tail.find(end, begin, cut) < 0 else cut
        cut = len(tail[:cut].rstrip("]"))
        return len(text) - len(tail) + cut

    def _plain(self, text: str) -> str:
        text = _FORBIDDEN.sub(f"\ufffd{MARK}", _CONTROLS.sub(MARK, _SPACES.sub(" ", text)))
        if self._in_cdata:
            return text
        text = text if "&" not in text else _REFERENCE.sub(_reference, text)
        if not self._is_rss:
            return text
        self._prefixes |= set(_DECLARED.findall(text))
        return _LESS.sub(self._less, _DECLARATION.sub("", text).replace("]]>", "]]&gt;"))

    def _less(self, found: re.Match[str]) -> str:
        """Return the beginning of an element that XML can have here, or the sign as a text."""
        if found[2]:
            return found[0] if found[1] in self._prefixes else f"{found[0][:-1]}_"
        return found[0] if found[1] in _NAMES or "_" in (found[1] or "") else f"&lt;{found[0][1:]}"


def _first_end(text: str) -> int:
    place = text.find(_CDATA_END)
    return place if place >= 0 else len(text)


def _reference(found: re.Match[str]) -> str:
    """Return a reference that XML allows: the numbers of characters and five names."""
    if found[3]:
        return found[0] if found[3] in _OF_XML else unescape(found[0]).replace("&", "&amp;").replace("<", "&lt;")
    if not (found[1] or found[2]):
        return "&amp;"
    number = int(found[1]) if found[1] else int(found[2], 16)
    if number < 32 and number not in (9, 10, 13):
        return " " if number in (11, 12) else MARK
    is_allowed = number < 0xD800 or 0xDFFF < number < 0xFFFE or 0xFFFF < number < 0x110000
    return found[0] if is_allowed else f"\ufffd{MARK}"


def _encoding_of(head: bytes) -> str:
    """Return the encoding of a file. Raises LookupError if it is unknown."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    declared = _ENCODING.search(head)
    name = codecs.lookup(declared[1].decode()).name if declared else "utf-8"
    if not _KNOWN_ENCODING.fullmatch(name):
        raise LookupError(name)
    return name


def note_replaced(element: Element) -> None:
    """Remove the marks in an element, and store in its attribute `REPLACED` what happened, if there are any."""
    count, lines = 0, ""
    for part in element.iter():
        if part.text and MARK in part.text:
            count += part.text.count(MARK)
            removals = Removals(part.text)
            for mark in re.finditer(MARK, part.text):
                removals.note("x.", mark.start())
            if str(part.tag).endswith("}encoded"):
                lines = next(removals.warnings()).removeprefix("x").removesuffix(".")
            part.text = part.text.replace(MARK, "")
        for name, value in part.attrib.items():
            count += value.count(MARK)
            part.set(name, value.replace(MARK, ""))
    if count:
        element.set(
            REPLACED, f"{counted(count, 'character was', 'characters were')} not valid and replaced or removed{lines}."
        )
