"""Read the ids that headings have in many programs, `## Heading {#id}`, and give the headings these ids."""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.text.plain import slugify
from blogsvc.transfer.formats.dialects.attribute_lists import LIST, Attributes
from blogsvc.transfer.formats.removals import InSource, Removals, source

_AT_END = re.compile(rf"(?:\{{[#.:][^{{}}\n]{{0,500}}\}}|{LIST}|\{{-\}})[ \t]*\Z")  # the last one is Pandoc's
_ID_AT_END = re.compile(r"\{#[\w:.-]{1,100}(?:[ ]+[.#][\w-]+)*\}[ \t]*\Z")
_MARKERS = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+(?:#{1,6}[ \t]++)?+")
_IS_MARKED = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+#{1,6}[ \t]")
_CLOSING_HASHES = re.compile(r"(?<=[ \t])#{1,6}[ \t]*\Z")
_UNDERLINE = re.compile(r"[ \t>]*+(?:=++|-++)[ \t]*+")
# What stands between such braces in the templates of Svelte.
_OF_SVELTE = re.compile(r"\{#(?:if|each|await|key|snippet)\}")


def in_text(text: str, source_text: str, removals: Removals) -> str:
    """Return a text whose headings have their ids, in a program that has no other attributes. Code stays as it is."""
    if "{#" not in text:
        return text
    code, lines, place, written = code_places(text), text.split("\n"), 0, InSource(source_text)
    for number, line in enumerate(lines):
        has_id = line.rstrip().endswith("}") and _ID_AT_END.search(line) and not _OF_SVELTE.search(line)
        if has_id and code.end_at(place + len(line.rstrip()) - 1) is None:
            following = lines[number + 1] if number + 1 < len(lines) else ""
            lines[number], removed = applied(line, following)
            if removed:
                removals.note(f"The attributes {source(removed)} were removed.", written.place_of(removed))
        place += len(line) + 1
    return "\n".join(lines)


def applied(line: str, following: str) -> tuple[str, str]:
    """Return a heading with the id at its end, which is an anchor if our pages would give it another one.

    Also returns the attributes at its end if not all of them have a meaning here. Other lines stay as they are.

    Args:
        following: the next line, which can make a heading of this one.
    """
    if not (line.rstrip().endswith("}") and (_IS_MARKED.match(line) or _UNDERLINE.fullmatch(following))):
        return line, ""
    braces = _AT_END.search(line, max(0, len(line) - 600))
    if braces is None:
        return line, ""
    written = braces[0].strip()
    attributes = Attributes.of(written[1:-1])
    heading = _CLOSING_HASHES.sub("", line[: braces.start()].rstrip()).rstrip()
    start = len(_MARKERS.match(heading)[0])  # type: ignore[index]
    if attributes.id and slugify(heading[start:]) != attributes.id:
        heading = f'{heading[:start]}<a id="{attributes.id}"></a>{heading[start:]}'
    return heading, written if attributes.classes or attributes.words or attributes.has_more else ""


def words_of(line: str) -> str:
    """Return the words of a heading, without its marks."""
    return _CLOSING_HASHES.sub("", line[len(_MARKERS.match(line)[0]) :]).strip()  # type: ignore[index]
