"""What is particular to Hugo: its shortcodes, `{{< name arguments >}}` and `{{% name arguments %}}`, and addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from blogsvc.transfer.formats.tags.liquid import MAX_ARGUMENTS
from blogsvc.transfer.formats.text_search import TextSearch

INDEXES = ("index", "page")  # names of files that stand for their folder
# The arguments of a shortcode are texts in quotes and between backticks, and other characters, up to its end.
_SHORTCODES = tuple(
    re.compile(
        rf"""\{{\{{{opening}\s*+(/?)\s*+([\w./-]{{1,60}}+)"""
        rf"""((?:"(?:[^"\\\n]|\\.)*+"|`[^`]*+`|(?!{closing}\}}\}}|\{{\{{)[^"`])*+){closing}\}}\}}"""
    )
    for opening, closing in ("<>", "%%")
)
_CLOSING = re.compile(r"\{\{[<%]\s*+/\s*+([\w./-]{1,60}+)")
_OPEN_COMMENT, _CLOSE_COMMENT = re.compile(r"\{\{([<%])/\*"), re.compile(r"\*/([>%])\}\}")


def end_tag(name: str) -> re.Pattern[str]:
    """Return the pattern of the end tag of a shortcode."""
    return re.compile(rf"\{{\{{[<%]\s*+/\s*+{re.escape(name)}\s*+[>%]\}}\}}", re.IGNORECASE)


# The shortcodes whose content is code, or hidden.
_ENDS = {name: end_tag(name) for name in ("highlight", "comment")}


@dataclass(frozen=True)
class Shortcode:
    name: str
    arguments: str
    is_closing: bool
    end: int  # where the text after it begins


def shortcode_at(text: str, place: int) -> Shortcode | None:
    """Return the shortcode at a place."""
    found = next(filter(None, (pattern.match(text, place, place + MAX_ARGUMENTS) for pattern in _SHORTCODES)), None)
    if found is None:
        return None
    arguments = found[3].strip().removesuffix("/").rstrip()
    return Shortcode(found[2].rstrip("/").lower(), arguments, bool(found[1]), found.end())


def closed_names(text: str) -> frozenset[str]:
    """Return the names of the shortcodes that have an end in a text."""
    return frozenset(name.lower() for name in _CLOSING.findall(text))


def end_of_content(search: TextSearch, shortcode: Shortcode) -> re.Match[str] | None:
    """Return the end of a `highlight` or `comment` shortcode."""
    is_paired = shortcode.name in _ENDS and not shortcode.is_closing
    return search.after(_ENDS[shortcode.name], shortcode.end) if is_paired else None


def escaped_at(search: TextSearch, place: int) -> tuple[str, int] | None:
    """Return a shortcode that Hugo shows as text, `{{</* name */>}}`, as it is shown, and where the text goes on."""
    opened = _OPEN_COMMENT.match(search.text, place)
    closed = search.after(_CLOSE_COMMENT, opened.end()) if opened else None
    if opened is None or closed is None or closed.start() - opened.end() > MAX_ARGUMENTS:
        return None
    return f"{{{{{opened[1]}{search.text[opened.end() : closed.start()]}{closed[1]}}}}}", closed.end()


def parameter(fields: Mapping[str, Any], shortcode: Shortcode) -> str | None:
    """Return the value of the front matter that a `param` shortcode shows; None for others, and without one."""
    if shortcode.name != "param":
        return None
    value: Any = fields
    for key in shortcode.arguments.strip("\"'`").lower().split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None


def addresses(name: str, slug: str, file_slug: str, day: str | None, language: str) -> tuple[str, ...]:
    """Return the addresses that Hugo may give to a file by default, such as "/posts/a/"; none outside of `content`.

    Args:
        slug: that of the front matter.
        file_slug: the name of the file without its date, `day`, which stays in addresses by default.
    """
    _, content, path = f"/{name}".rpartition("/content/")
    if not content:
        return ()
    folder = PurePosixPath(path).parent
    is_bundle = PurePosixPath(path).stem.partition(".")[0] in INDEXES
    section = "/".join([*filter(None, (language,)), *(folder.parent if is_bundle else folder).parts])
    ends = [slug] if slug else [*([f"{day}-{file_slug}"] if day else []), file_slug]
    return tuple(as_path(f"{section}/{end}") for end in ends)


def as_path(text: str) -> str:
    """Return a path as Hugo writes it: in lower case, with hyphens for spaces, without other characters."""
    path = re.sub(r"[^\w./+~%#-]", "", re.sub(r"\s++", "-", text.strip("/").lower()))
    return f"/{path}/"
