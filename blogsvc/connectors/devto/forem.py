"""Text and tags in the form that Forem (the software of dev.to) accepts, and how to identify our articles."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.dates import iso_date
from blogsvc.connectors.base import Keys, dumps
from blogsvc.lib.text.autolinks import hashtag

OwnArticle = dict[str, Any]  # an article in the account's list
MAX_TAGS = 4
TAG_MOST = 30
SUPPORTED_MARKDOWN: tuple[portable.Part, ...] = ("html", "tables", "footnotes", "strikethrough")
# Forem reads text after a line of three hyphens at the top as front matter.
_RULE_ON_TOP = re.compile(r"\A\s*-{3,}[ \t]*(?=\n|\Z)")
# What Forem's own pattern matches as code: it escapes Liquid there itself, so our escape would be visible. In
# URLs, a brace becomes %7B, because our escape contains spaces, which would end the URL.
_PARTS = re.compile(
    r"""(?P<code> ~{3}.*?~{3} | `{3}.*?`{3} | `{2}.+?`{2} | `.+?` )
      | (?P<address> (?: https?:// | (?<=\]\() ) [^\s<>)`]* )
      | (?P<liquid> (?: \{\{ | \{% ) \}* )          # with what would join the end of its shield""",
    re.VERBOSE | re.DOTALL,
)


def markdown(text: str, label: str) -> portable.TextForm:
    """Return the Markdown with `{{` and `{%` escaped, because Forem runs Liquid tags."""
    form = portable.markdown(text.replace("\r\n", "\n"), SUPPORTED_MARKDOWN, label)
    return portable.TextForm(_PARTS.sub(_without_liquid, _RULE_ON_TOP.sub("***", form.text)), form.warnings)


def _without_liquid(part: re.Match[str]) -> str:
    if part["liquid"]:
        return f"{{% raw %}}{part['liquid']}{{% endraw %}}"
    if part["address"]:
        return part["address"].replace("{{", "%7B%7B").replace("{%", "%7B%")
    return part[0]


def tags(names: tuple[str, ...], label: str) -> tuple[list[str], list[str]]:
    """Return the tags as Forem writes them, with letters and digits only, and warnings about changes."""
    words = {tag: "".join(filter(str.isalnum, hashtag(tag))).lower() for tag in names}
    forem_tags = list(dict.fromkeys(word for word in words.values() if 0 < len(word) <= TAG_MOST))[:MAX_TAGS]
    warnings = [
        f"{label} will show the tag “{tag}” as “{word}”."
        for tag, word in words.items()
        if word in forem_tags and word != tag.lower()
    ]
    if left_out := [f"“{tag}”" for tag, word in words.items() if word not in forem_tags]:
        rule = f"{label} allows {MAX_TAGS} tags of up to {TAG_MOST} letters and digits"
        warnings.append(f"{rule}. Tags left out: {', '.join(left_out)}.")
    return forem_tags, warnings


def looks_like(keys: Keys) -> Callable[[OwnArticle], bool]:
    """Return a function that tests if an article has the canonical URL of these keys, or their title and text."""
    address = keys.get("canonical_url")
    return lambda article: bool(address and article.get("canonical_url") == address) or is_sent(article, keys)


def is_sent(article: OwnArticle, keys: Keys) -> bool:
    """Return True if an article has the title and the text that were sent."""
    return version(article) == keys.get("text")


def published_at(article: OwnArticle) -> datetime | None:
    return iso_date(article.get("published_at"))


def text_hash(title: Any, text: Any) -> str:
    return hashlib.sha256(dumps([str(title).strip(), str(text).strip()])).hexdigest()


def version(article: Mapping[str, Any]) -> str:
    """Return a hash of what people can edit. Not all responses have the time of the last edit."""
    return text_hash(article.get("title"), article.get("body_markdown"))
