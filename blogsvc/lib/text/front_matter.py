"""Write front matter for Hugo, Jekyll and Astro, and parse front matter in YAML, TOML or JSON.

Text is written as a JSON string, which is also a valid YAML string, so that no title is read as a number or a
date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

Value = str | bool | int | datetime | Sequence[str] | Mapping[str, Any] | None

# Characters that JSON allows unescaped, but YAML does not.
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def front_matter(fields: Mapping[str, Value], *, has_milliseconds: bool = False) -> str:
    """Return front matter with its `---` lines. Fields that are None, an empty list or an empty object are left out.

    Args:
        has_milliseconds: times that are no whole seconds have milliseconds.
    """
    lines = [
        f"{name}: {_scalar(value, has_milliseconds)}"
        for name, value in fields.items()
        if value not in (None, [], (), {})
    ]
    return "\n".join(["---", *lines, "---", ""])


def text(value: str) -> str:
    """Return a string as a quoted value on one line."""
    return _json(value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _json(value: Any) -> str:
    """Return a value as JSON, which is also YAML."""
    quoted = json.dumps(value, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _scalar(value: Value, has_milliseconds: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        is_fraction = has_milliseconds and value.microsecond >= 1000
        at = value.astimezone(UTC).isoformat(timespec="milliseconds" if is_fraction else "seconds")
        return at.replace("+00:00", "Z")
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return _json(value)
    return "[" + ", ".join(text(item) for item in value or ()) + "]"


# The longest front matter to parse.
MAX_FRONT_MATTER_LENGTH = 256 * 1024  # characters
_HEAD = re.compile(
    r"\A\ufeff?\s*+(?:(?<![^\n\ufeff])---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
    r"|(?<![^\n\ufeff])\+\+\+[ \t]*\n(?P<toml>.*?)^\+\+\+[ \t]*(?:\n|\Z)"
    r"|(?P<json>\{))",
    re.DOTALL | re.MULTILINE,
)
_BEGINNING = re.compile(r"\ufeff?(?:---|\+\+\+)[ \t]*+\n")
_NAMED = re.compile(
    r"\A\ufeff?\s*+---(?P<kind>json|toml|ya?ml|js)[ \t]*\n(?P<fields>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
# Text between two rules is front matter only if it has one of these fields.
KNOWN_FIELDS = frozenset(
    "aliases archived createdat datecreated datemodified datepublished isdraft ispublished lastupdated publish"
    " publishedat updatedat author authors banner blogsvc_id cascade canonical canonical_url canonicalurl categories"
    " category comments content_changed cover cover_alt cover_caption cover_image created date date_published"
    " date_updated description draft excerpt expirydate feature_image featured featured_image featuredimage feed_id"
    " former_slugs guid hero heroimage id image images keywords kind lang language last_modified_at lastmod layout"
    " linktitle locale math menu meta_title moddatetime modified old_addresses outputs overrides params permalink"
    " pinned platforms pubdate pubdatetime published published_at publishdate publisheddate redirect_from scheduled"
    " series series_part sitemap slug sort_by status subtitle summary tag tags taxonomies template thumbnail title"
    " toc type unlisted updated updateddate url weight".split()
)
_KNOWN_LINE = re.compile(r"""^["']?([\w-]{1,40}+)["']?[ \t]*+[:=]""", re.MULTILINE)
# `tomllib` takes a time and memory that grow with the square of the parts of a key.
_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}""")


class BadFrontMatter(ValueError):
    """The front matter is invalid. The message says where."""


def split(text: str, *, begins_with_head: bool = False) -> tuple[dict[str, Any], str]:
    """Split a file into its front matter, in YAML (`---`), TOML (`+++`) or JSON (`{`), and its text.

    What has none of `KNOWN_FIELDS` is text, unless a text `begins_with_head`, as programs read what is between rules at
    its very beginning. Raises BadFrontMatter.

    YAML scalars stay text as written: no title becomes a number, and `no` does not become False.
    """
    if named := _NAMED.match(text):
        return _split_named(named, text)
    found = _HEAD.match(text)
    if found is None:
        return {}, text
    if found["json"]:
        return _split_json(text, found.start("json"))
    head = found["yaml"] if found["yaml"] is not None else found["toml"]
    if begins_with_head and _BEGINNING.match(text) and len(head) <= MAX_FRONT_MATTER_LENGTH:
        with suppress(BadFrontMatter):
            return (parse_yaml if found["yaml"] is not None else parse_toml)(head), text[found.end() :]
    names = {name.lower() for name in _KNOWN_LINE.findall(head)}
    if head.strip() and not head.lstrip().startswith("{") and KNOWN_FIELDS.isdisjoint(names):
        return {}, text
    if found.end() > MAX_FRONT_MATTER_LENGTH:
        raise BadFrontMatter("Its front matter is too long.")
    fields = parse_yaml(head) if found["yaml"] is not None else parse_toml(head)
    return ({}, text) if fields and KNOWN_FIELDS.isdisjoint(fields) else (fields, text[found.end() :])


def _split_named(head: re.Match[str], text: str) -> tuple[dict[str, Any], str]:
    """Split a file whose front matter names its format, as Eleventy and Gatsby read it."""
    kind, written = head["kind"], head["fields"]
    if kind == "js":
        raise BadFrontMatter("Its front matter is JavaScript, which is not read.")
    if head.end() > MAX_FRONT_MATTER_LENGTH:
        raise BadFrontMatter("Its front matter is too long.")
    if kind == "json":
        try:
            fields = json.loads(written)
        except (ValueError, RecursionError) as error:
            raise BadFrontMatter("Its front matter is not JSON.") from error
        return _named(fields), text[head.end() :]
    return (parse_toml if kind == "toml" else parse_yaml)(written), text[head.end() :]


def _split_json(text: str, start: int) -> tuple[dict[str, Any], str]:
    try:
        head = text[start : start + MAX_FRONT_MATTER_LENGTH]
        fields, end = json.JSONDecoder(strict=False).raw_decode(head)
    except (ValueError, RecursionError):
        return {}, text
    named = _named(fields)
    rest = text[start + end :]
    line, _, body = rest.partition("\n")
    return (named, body) if not line.strip() and not KNOWN_FIELDS.isdisjoint(named) else ({}, text)


def parse_yaml(head: str) -> dict[str, Any]:
    """Return the fields of a mapping in YAML. Raises BadFrontMatter."""
    import yaml

    class _Loader(yaml.BaseLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            # Nested aliases can expand to huge data.
            if self.check_event(yaml.AliasEvent):
                raise BadFrontMatter("Its front matter has an alias (*name), which is not supported.")
            return super().compose_node(parent, index)

    try:
        fields = yaml.load(head, _Loader)  # noqa: S506 (a BaseLoader makes texts, lists and dictionaries alone)
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 2}" if error.problem_mark else ""
        raise BadFrontMatter(f"Its front matter is not YAML: {error.problem or 'unreadable'}{line}.") from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        if isinstance(error, BadFrontMatter):
            raise
        raise BadFrontMatter("Its front matter is not YAML.") from error
    return _named(fields)


def parse_toml(head: str) -> dict[str, Any]:
    """Return the fields of a text in TOML. Raises BadFrontMatter."""
    import tomllib

    if _DEEP_KEY.search(head):
        raise BadFrontMatter("Its front matter is not TOML that can be read: a key has too many dots.")
    try:
        return _named(tomllib.loads(head))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise BadFrontMatter(f"Its front matter is not TOML: {error}.") from error


def _named(fields: Any) -> dict[str, Any]:
    if fields in (None, ""):
        return {}
    if not isinstance(fields, dict):
        raise BadFrontMatter("Its front matter has no fields.")
    return {str(name).lower(): value for name, value in fields.items()}
