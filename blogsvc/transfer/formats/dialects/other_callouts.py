"""Write the callouts of Obsidian and Hugo that have other kinds than ours, such as `> [!info] Title`, as ours.

Source: https://help.obsidian.md/callouts
"""

from __future__ import annotations

import re

from blogsvc.lib.markdown.callouts import KINDS
from blogsvc.lib.markdown.code_places import code_places

_KINDS = {kind: kind.upper() for kind in KINDS} | {
    "abstract": "NOTE", "summary": "NOTE", "tldr": "NOTE", "info": "NOTE", "todo": "NOTE", "example": "NOTE",
    "question": "NOTE", "help": "NOTE", "faq": "NOTE", "hint": "TIP", "success": "TIP", "check": "TIP", "done": "TIP",
    "attention": "WARNING", "danger": "CAUTION", "error": "CAUTION", "bug": "CAUTION", "failure": "CAUTION",
    "fail": "CAUTION", "missing": "CAUTION",
}  # fmt: skip
_QUOTATIONS = ("quote", "cite")
_MARKER = re.compile(
    r"(?P<before>[ \t]{0,20}+(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}+){0,5}+(?:>[ \t]{0,4}+){1,20}+)"
    r"\[!(?P<kind>[a-z][\w -]{0,60}+)(?P<more>\|[^\[\]\n]{0,200}+)?\](?P<fold>[-+]?)(?:[ \t]++(?P<title>.*))?",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[ \t>]*+")


def plain(text: str, *, has_all_kinds: bool) -> str:
    """Return a text whose callouts are ours, with their titles. Code stays as it is.

    Args:
        has_all_kinds: Names that Obsidian does not define are kinds, too.
    """
    if "[!" not in text:
        return text
    code, lines, place, depth = code_places(text), text.split("\n"), 0, 0
    for number, line in enumerate(lines):
        found = _MARKER.fullmatch(line) if "[!" in line and code.end_at(place + line.index("[!")) is None else None
        quotes = _QUOTED.match(line)[0].count(">")  # type: ignore[index]
        if found and (quotes > depth or not quotes):
            lines[number] = _written(found, has_all_kinds=has_all_kinds)
        depth = quotes
        place += len(line) + 1
    return "\n".join(lines)


def _written(found: re.Match[str], *, has_all_kinds: bool) -> str:
    """Return the first line of a callout, or of a quotation with its author."""
    name = " ".join(found["kind"].lower().split())
    kind, title = _KINDS.get(name), (found["title"] or "").strip()
    if name in _QUOTATIONS and found["fold"] != "-":
        before = found["before"].rstrip()
        blank = re.sub(r"[^>\s]", " ", before)
        return f"{before} {title if '*' in title else f'**{title}**'}\n{blank}" if title else before
    if name in KINDS and not found["more"]:
        return found[0]
    if kind is None and not (has_all_kinds or name in _QUOTATIONS):
        return found[0]
    title = title or ("" if name in KINDS else f"{name[0].upper()}{name[1:].replace('-', ' ')}")
    return f"{found['before']}[!{kind or 'NOTE'}]{found['fold']} {title}".rstrip()
