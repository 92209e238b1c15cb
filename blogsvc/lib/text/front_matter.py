"""Write front matter for Hugo, Jekyll and Astro, and parse front matter in YAML or TOML.

Text is written as a JSON string, which is also a valid YAML string, so that no title is read as a number or a
date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Value = str | bool | int | datetime | Sequence[str] | Mapping[str, Any] | None

# Characters that JSON allows unescaped, but YAML does not.
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def front_matter(fields: Mapping[str, Value]) -> str:
    """Return front matter with its `---` lines. Fields that are None, an empty list or an empty object are left out."""
    lines = [f"{name}: {_scalar(value)}" for name, value in fields.items() if value not in (None, [], (), {})]
    return "\n".join(["---", *lines, "---", ""])


def text(value: str) -> str:
    """Return a string as a quoted value on one line."""
    return _json(value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _json(value: Any) -> str:
    """Return a value as JSON, which is also YAML."""
    quoted = json.dumps(value, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _scalar(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return _json(value)
    return "[" + ", ".join(text(item) for item in value or ()) + "]"


# The longest front matter to parse.
MAX_FRONT_MATTER_LENGTH = 256 * 1024  # characters
_HEAD = re.compile(
    r"\A\ufeff?(?:---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
    r"|\+\+\+[ \t]*\n(?P<toml>.*?)^\+\+\+[ \t]*(?:\n|\Z))",
    re.DOTALL | re.MULTILINE,
)
# `tomllib` takes a time and memory that grow with the square of the parts of a key.
_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}""")


class BadFrontMatter(ValueError):
    """The front matter is invalid. The message says where."""


def split(text: str) -> tuple[dict[str, Any], str]:
    """Split a file into its fields, from YAML (`---`) or TOML (`+++`), and its text. Raises BadFrontMatter.

    YAML scalars stay text as written: no title becomes a number, and `no` does not become False.
    """
    head = _HEAD.match(text)
    if head is None:
        return {}, text
    if head.end() > MAX_FRONT_MATTER_LENGTH:
        raise BadFrontMatter("Its front matter is too long.")
    fields = _parse_yaml(head["yaml"]) if head["yaml"] is not None else _parse_toml(head["toml"])
    return fields, text[head.end() :]


def _parse_yaml(head: str) -> dict[str, Any]:
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


def _parse_toml(head: str) -> dict[str, Any]:
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
