"""Find and replace the URLs of images in Markdown, except in code."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

# Code comes first in the pattern, so that images inside it do not match.
_PLACES = re.compile(
    r"""
      ^(?P<fence>[ ]{0,3}(?P<ticks>`{3,}|~{3,})) [^\n]* (?:\n (?![ ]{0,3}(?P=ticks)) [^\n]*)* (?:\n[^\n]*)?
    | (?P<code>(?<!`)(?P<run>`{1,5})(?!`) [^`\n]{0,2000} (?<!`)(?P=run)(?!`))
    | (?P<before> !\[ (?:\\.|[^\[\]\\]|\[[^\[\]]{0,200}\]){0,2000}+ \] \( [ \t]* )
      (?: <(?P<angled>[^<>\n]{1,3000})> | (?P<plain>(?:[^\s()<>\\]|\\.|\([^\s()]{0,300}\)){1,3000}) )
    | (?P<tag> <(?:img|video|audio|source)\b [^<>]{0,2000}? \s(?:src|poster)\s*=\s*)
      (?: "(?P<double>[^"<>]{1,3000})" | '(?P<single>[^'<>]{1,3000})' | (?P<bare>[^\s"'<>=`]{1,3000}) )
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
# Images whose addresses are defined elsewhere: `![alt][label]`, `![label][]` and `![label]`.
_REFERENCE = re.compile(r"!\[(?P<alt>(?:\\.|[^\[\]\\]){0,999}+)\](?:\[(?P<label>(?:\\.|[^\[\]\\]){0,999}+)\])?(?!\()")
_ALT = re.compile(r"""\salt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+))""", re.IGNORECASE)
_FORMS = ("angled", "plain", "double", "single", "bare")
_REST_OF_TAG = re.compile(r"[^<>]{0,3000}")
# Where the address of an image or a link is defined, apart from it, also in lists and quotations.
DEFINITION = re.compile(
    r"^(?P<before>[ \t>]{0,40}\[(?P<label>(?:\\.|[^\]\\\n]){1,999})\]:[ \t]*(?:\n[ \t>]{0,40})?)"
    r"(?:<(?P<angled>[^<>\n]{1,3000})>|(?P<url>[^\s<>]{1,3000}))",
    re.MULTILINE,
)
_SILENT_REFERENCE = re.compile(r"!\[\s*\]\[([^\]\n]{1,999})\]")  # an image without alternative text


def addresses(markdown: str) -> list[str]:
    """Return the URLs of the images, in order, without duplicates."""
    urls: dict[str, None] = {}

    def note(address: str) -> str:
        urls[address] = None
        return address

    rewritten(markdown, note)
    return list(urls)


def rewritten(markdown: str, change: Callable[[str], str]) -> str:
    """Return the text with `change` applied to the URL of each image."""

    def replaced(match: re.Match[str]) -> str:
        form = next((name for name in _FORMS if match[name]), None)
        if form is None:
            return match[0]
        in_html = form in ("double", "single", "bare")
        old = unescape(match[form]) if in_html else re.sub(r"\\([()<>\\])", r"\1", match[form])
        new = change(old)
        if new == old:
            return match[0]
        start, end = match.start(form) - match.start(), match.end(form) - match.start()
        if in_html:
            return match[0][:start] + escape(new) + match[0][end:]
        # The new URL is escaped and needs no angle brackets.
        return f"{match['before']}{quoted(new)}"

    return _with_definitions(_PLACES.sub(replaced, markdown), change)


def _with_definitions(markdown: str, change: Callable[[str], str]) -> str:
    """Return the text with `change` applied to the URLs that references of images have."""
    labels = {_normal(found["label"] or found["alt"]) for found in _REFERENCE.finditer(markdown)} - {""}
    if not labels or not DEFINITION.search(markdown):
        return markdown
    from blogsvc.lib.markdown.code_places import code_places  # loads the parser of Markdown, which few texts need

    code = code_places(markdown)

    def defined(match: re.Match[str]) -> str:
        if _normal(match["label"]) not in labels or code.end_at(match.end() - 1) is not None:
            return match[0]
        old = match["angled"] or match["url"]
        new = change(old)
        return match[0] if new == old else f"{match['before']}{quoted(new)}"

    return DEFINITION.sub(defined, markdown)


def _normal(label: str) -> str:
    """Return a label as CommonMark compares labels."""
    return " ".join(label.split()).casefold()


def images_with_alt(markdown: str) -> list[tuple[str, str]]:
    """Return the URL and the alternative text of each image. References are only found if they have none."""
    found: list[tuple[str, str]] = []
    for place in _PLACES.finditer(markdown):
        form = next((name for name in _FORMS if place[name]), None)
        if form in ("angled", "plain"):
            found.append((place[form], place["before"][2:].rpartition("]")[0].strip()))
        elif form is not None and place["tag"][:4].lower() == "<img":
            rest = _REST_OF_TAG.match(markdown, place.end())
            alt = _ALT.search(place[0] + (rest[0] if rest else ""))
            found.append((place[form], (alt[1] or alt[2] or alt[3] or "").strip() if alt else ""))
    silent = {label.casefold() for label in _SILENT_REFERENCE.findall(markdown)}
    defined = DEFINITION.finditer(markdown)
    return found + [(place["angled"] or place["url"], "") for place in defined if place["label"].casefold() in silent]


def quoted(address: str) -> str:
    """Escape a URL for a Markdown link without angle brackets."""
    return re.sub(r"[\s()<>\\]", lambda mark: "".join(f"%{byte:02X}" for byte in mark[0].encode()), address.strip())
