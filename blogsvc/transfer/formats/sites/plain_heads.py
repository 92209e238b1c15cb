"""Read heads without `---`: lines such as `Title: A post`, up to an empty line or, in Hexo, up to `---`.

Pelican, Nikola and MultiMarkdown write them. Text that an author typed in the same form is no head: it has no title
with another known field.
"""

from __future__ import annotations

import re
from typing import Any

from blogsvc.lib.text.front_matter import KNOWN_FIELDS, BadFrontMatter, parse_yaml

_MAX_LENGTH = 64 * 1024
_LINE = re.compile(r"([A-Za-z][\w-]{0,40}+)[ \t]*+:(?:[ \t]+|\Z)(.*)")
_ENDS_AT_DASHES = re.compile(r"\A(?:(?!---)[^\n]*+\n){1,200}?---[ \t]*+(?:\n|\Z)")
_LISTS = ("authors", "tags", "categories")


def split(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields of a head, and the text after it; no fields, and all of the text, if it has none."""
    text = text.lstrip("\ufeff\n")
    dashes = _ENDS_AT_DASHES.match(text[:_MAX_LENGTH])
    if dashes and (fields := _as_yaml(dashes[0].rpartition("---")[0])):
        return fields, text[dashes.end() :]
    lines = text[:_MAX_LENGTH].split("\n")
    fields, last, count = {}, "", 0
    for line in lines:
        found = _LINE.fullmatch(line.rstrip())
        if found:
            last = found[1].lower()
            fields.setdefault(last, found[2].strip())
        elif last and line.startswith((" ", "\t")) and line.strip():
            fields[last] = f"{fields[last]} {line.strip()}".strip()
        else:
            break
        count += 1
    if not _is_head(fields) or (count < len(lines) and lines[count].strip()):
        return {}, text
    body = "\n".join(lines[count:]) + text[_MAX_LENGTH:]
    return {name: _listed(name, value) for name, value in fields.items()}, body.lstrip("\n")


def _as_yaml(head: str) -> dict[str, Any]:
    try:
        fields = parse_yaml(head)
    except BadFrontMatter:
        return {}
    return fields if _is_head(fields) else {}


def _is_head(fields: dict[str, Any]) -> bool:
    return "title" in fields and len(KNOWN_FIELDS & fields.keys()) > 1


def _listed(name: str, value: str) -> Any:
    separator = ";" if ";" in value else ","
    return [part.strip() for part in value.split(separator) if part.strip()] if name in _LISTS else value
