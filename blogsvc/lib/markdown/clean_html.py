"""Clean untrusted HTML with nh3, and escape its attributes by our own hand.

Several modules search clean HTML for tags, so an attribute must not look like one. nh3 escapes "<" and ">" there since
its version 0.3.1, and a later one could stop again.
"""

from __future__ import annotations

import re
from typing import Any

import nh3

_LIKELY = re.compile(r'="[^"<>]*[<>]')
_TAG = re.compile(r'<[a-zA-Z][^\s"<>]*(?:\s+[^\s"=<>]+(?:="[^"]*")?)*\s*>')
_VALUE = re.compile(r'="[^"]*"')

# What a start cleans: a script, an event, an address that runs a script, foreign content, and tags in an attribute.
SAMPLE = (
    '<p title="&lt;meta content=0&gt;" onclick="x">a<script>x</script><a href="javascript:x">b</a>'
    '<svg><style><img src=x onerror="x"></style></svg><!-- c --><a href="https://x.example/">d</a>'
)
CLEANED = '<p title="&lt;meta content=0&gt;">a<a>b</a><a href="https://x.example/">d</a></p>'


class Unclean(Exception):
    """The installed nh3 doesn't clean HTML."""


def cleaned(html: str, **options: Any) -> str:
    """Return clean HTML. The options are those of `nh3.clean`."""
    return escaped_attributes(nh3.clean(html, **options))


def escaped_attributes(html: str) -> str:
    """Return clean HTML with "<" and ">" escaped in the values of attributes."""
    if not _LIKELY.search(html):
        return html
    return _TAG.sub(lambda tag: _VALUE.sub(_escaped, tag[0]), html)


def _escaped(value: re.Match[str]) -> str:
    return value[0].replace("<", "&lt;").replace(">", "&gt;")


def require_clean() -> None:
    """Raise Unclean if a known sample isn't cleaned."""
    if cleaned(SAMPLE, tags={"a", "p"}, attributes={"a": {"href"}, "p": {"title"}}, link_rel=None) != CLEANED:
        raise Unclean
