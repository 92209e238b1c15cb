"""Text and tags as Forem takes them, the software of dev.to, and how to know an article of one's own there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from blogsvc.connectors._kit import portable
from blogsvc.connectors.base import Keys, dumps

Mine = dict[str, Any]  # an article in a list of one's own
MAX_TAGS = 4
TAG_MOST = 30
SUPPORTED_MARKDOWN: tuple[portable.Part, ...] = ("html", "tables", "footnotes", "strikethrough")
# Forem would read what follows a line of three hyphens at the top as front matter, and obey it.
_RULE_ON_TOP = re.compile(r"\A\s*-{3,}[ \t]*(?=\n|\Z)")
# What Forem takes for code, by its own pattern: it shields Liquid there itself, and would show a shield of ours.
# An address gets %7B for a brace, as a shield has spaces, which would end it.
_PARTS = re.compile(
    r"""(?P<code> ~{3}.*?~{3} | `{3}.*?`{3} | `{2}.+?`{2} | `.+?` )
      | (?P<address> (?: https?:// | (?<=\]\() ) [^\s<>)`]* )
      | (?P<liquid> (?: \{\{ | \{% ) \}* )          # with what would join the end of its shield""",
    re.VERBOSE | re.DOTALL,
)


def markdown(text: str, label: str) -> portable.TextForm:
    """The author's Markdown, with `{{` and `{%` shown as such: Forem reads Liquid in a text."""
    form = portable.markdown(text.replace("\r\n", "\n"), SUPPORTED_MARKDOWN, label)
    return portable.TextForm(_PARTS.sub(_shown, _RULE_ON_TOP.sub("***", form.text)), form.warnings)


def _shown(part: re.Match[str]) -> str:
    if part["liquid"]:
        return f"{{% raw %}}{part['liquid']}{{% endraw %}}"
    if part["address"]:
        return part["address"].replace("{{", "%7B%7B").replace("{%", "%7B%")
    return part[0]


def tags(given: tuple[str, ...], label: str) -> tuple[list[str], list[str]]:
    """As Forem writes them, in letters and digits alone; and what the author should know of it."""
    words = {tag: "".join(filter(str.isalnum, tag)).lower() for tag in given}
    kept = list(dict.fromkeys(word for word in words.values() if 0 < len(word) <= TAG_MOST))[:MAX_TAGS]
    warnings = [
        f"{label} writes the tag “{tag}” as “{word}”."
        for tag, word in words.items()
        if word in kept and word != tag.lower()
    ]
    if left_out := [f"“{tag}”" for tag, word in words.items() if word not in kept]:
        rule = f"{label} takes {MAX_TAGS} tags of up to {TAG_MOST} letters and digits"
        warnings.append(f"{rule}, and goes without {', '.join(left_out)}.")
    return kept, warnings


def wanted(keys: Keys) -> Callable[[Mine], bool]:
    """Whether an article is the one of these keys: by its canonical address, else by its title and text."""
    if address := keys.get("canonical_url"):
        return lambda mine: mine.get("canonical_url") == address
    text = keys.get("text")
    return lambda mine: text_hash(mine.get("title"), mine.get("body_markdown")) == text


def text_hash(title: Any, text: Any) -> str:
    return hashlib.sha256(dumps([str(title).strip(), str(text).strip()])).hexdigest()


def version(one: Mapping[str, Any]) -> str:
    """Made of what people edit there; there is a time of the last edit, but not in every answer."""
    return text_hash(one.get("title"), one.get("body_markdown"))
