"""Posts as Markdown files with front matter, in the format of the Markdown export."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import click
from pydantic.alias_generators import to_camel

from blogsvc.errors import BlogError
from blogsvc.lib.text.front_matter import BadFrontMatter, front_matter, split
from blogsvc.lib.time import parse

# The arguments of the Python client by their names in front matter. In camelCase, these are the names of the API.
ARGUMENTS = {
    "title": "title",
    "slug": "slug",
    "summary": "summary",
    "tags": "tags",
    "platforms": "platforms",
    "language": "language",
    "canonical_url": "canonical_url",
    "cover": "cover_image",
    "cover_alt": "cover_alt",
    "cover_caption": "cover_caption",
    "kind": "kind",
    "authors": "authors",
    "series": "series",
    "series_part": "series_part",
    "pinned": "is_pinned",
    "unlisted": "is_unlisted",
    "meta_title": "meta_title",
    "scheduled": "scheduled_at",
    "overrides": "overrides",
}
LISTS = ("tags", "platforms", "authors")
SWITCHES = {"true": True, "yes": True, "false": False, "no": False}
# Written even if they are empty, so that somebody who edits the file finds them.
ALWAYS = ("title", "tags", "platforms")
_HEADING = re.compile(r"\A\s*#[ \t]+([^\n]*)(?:\n|\Z)")


class BadFile(BlogError):
    """A file that can't be read as a post. The message says what to change."""


def parsed(text: str, *, takes_heading: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a file says of a post, as arguments of the client, and its whole front matter. Raises BadFile.

    The title is that of the front matter, or else, with `takes_heading`, the first heading, which the text then lacks.
    """
    try:
        head, content = split(text.replace("\r\n", "\n"))
        fields = {ARGUMENTS[name]: _value(name, value) for name, value in head.items() if name in ARGUMENTS}
    except (BadFrontMatter, ValueError) as error:
        raise BadFile(str(error)) from error
    if takes_heading and not fields.get("title") and (heading := _HEADING.match(content)):
        fields["title"], content = _without_marks(heading[1]), content[heading.end() :]
    return fields | {"content": content.strip("\n")}, head


def _without_marks(heading: str) -> str:
    """Return the words of a heading that may end with number signs."""
    words = heading.rstrip(" \t")
    return words.rstrip("#").rstrip(" \t") or words


def _value(name: str, value: Any) -> Any:
    if name in LISTS:
        return [one.strip() for one in value.split(",") if one.strip()] if isinstance(value, str) else list(value or ())
    if name == "series_part":
        return int(value) if str(value).isdecimal() else value or None
    if name == "overrides":
        return value if isinstance(value, dict) else {}
    if name in ("pinned", "unlisted"):
        return SWITCHES.get(str(value).lower(), value or None)
    if name == "scheduled" and value not in ("", None):
        return value.astimezone() if isinstance(value, datetime) else moment(str(value))
    return value if value != "" else None


def written(post: Mapping[str, Any]) -> str:
    """Return a post, as the API returns it, as a file."""
    fields: dict[str, Any] = {name: post.get(to_camel(argument)) for name, argument in ARGUMENTS.items()}
    is_scheduled = post.get("status") == "scheduled"
    fields["scheduled"] = parse(fields["scheduled"]) if is_scheduled and fields["scheduled"] else None
    fields["kind"] = fields["kind"] if fields["kind"] != "post" else None
    head = front_matter({name: value or None for name, value in fields.items()}).removesuffix("---\n")
    empty = "".join(f"{name}:{' []' if name in LISTS else ''}\n" for name in ALWAYS if not fields[name])
    return f"{head}{empty}---\n\n{post.get('content', '').strip(chr(10))}\n"


def moment(text: str) -> datetime:
    """Return a time. Without an offset, it is the local time of this machine. Raises ValueError."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError as error:
        raise ValueError(
            f"{text!r} is not a time. Write a time such as 2026-12-01T09:00, which is the local time of this machine,"
            " or one with an offset, such as 2026-12-01T09:00+01:00."
        ) from error


class Moment(click.ParamType[datetime]):
    """A time on the command line (`moment`)."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            return value if isinstance(value, datetime) else moment(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
