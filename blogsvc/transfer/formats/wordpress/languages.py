"""Split entries that hold several languages, as the plugins of qTranslate's family store them, into one for each.

Their notations: `[:en]Hello[:de]Hallo[:]`, `{:en}Hello{:}`, and `<!--:en-->Hello<!--:-->`. Text outside of them is of
all languages. Source: https://github.com/qtranslate/qtranslate-xt/wiki/Browse-the-docs
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from urllib.parse import urlunsplit
from xml.etree.ElementTree import Element

from blogsvc.transfer.formats.parsed_post import ParsedPost, url_parts

MAX_LANGUAGES = 20
_MARK = re.compile(r"\[:([a-z]{2})?\]|\{:([a-z]{2})?\}|<!--:([a-z]{2})?-->")
_IN_CODE = re.compile(r"[\w)\]]")
_ENDS = ("[:]", "{:}", "<!--:-->")


def languages_in(text: str) -> list[str]:
    """Return the languages of a text, as ISO 639-1 codes; none for a text that is not of several languages."""
    first = _MARK.search(text) if any(end in text for end in _ENDS) else None
    # A text begins with the mark of its first language. Parts of lists in Python look like such marks: `a[:lo]`.
    if first is None or not _code(first) or _IN_CODE.search(text[max(first.start() - 1, 0) : first.start()]):
        return []
    return list(dict.fromkeys(filter(None, map(_code, _MARK.finditer(text)))))[:MAX_LANGUAGES]


def in_language(text: str, language: str) -> str:
    """Return what a text says in a language; in its first one, if it has no other words in this language."""
    codes = languages_in(text)
    if not codes:
        return text
    said = (_said(text, code) for code in dict.fromkeys((language, *codes)))
    return next((words for words in said if words.strip()), "")


def _code(mark: re.Match[str]) -> str:
    return mark[1] or mark[2] or mark[3] or ""


def _said(text: str, language: str) -> str:
    parts, place, now = [], 0, ""
    for mark in _MARK.finditer(text):
        parts += [text[place : mark.start()]] if now in ("", language) else []
        place, now = mark.end(), _code(mark)
    return "".join([*parts, text[place:] if now in ("", language) else ""])


def versions(item: Element, default: str) -> Iterator[tuple[str, Element]]:
    """Yield an entry for each of its languages, the default one first; itself, with "", if its text has no languages.

    Args:
        default: the language of the blog.
    """
    codes = list(dict.fromkeys(code for part in item for code in languages_in(part.text or "")))
    if not codes:
        yield "", item
        return
    for code in sorted(codes, key=lambda one: one != default):
        version = copy(item)
        version[:] = [_in_language(part, code) for part in item]
        yield code, version


def _in_language(part: Element, language: str) -> Element:
    said = copy(part)
    said.text = in_language(part.text, language) if part.text else part.text
    said[:] = [_in_language(one, language) for one in part]
    return said


def as_version(parsed: ParsedPost, language: str, *, is_first: bool) -> ParsedPost:
    """Return the post of one language. Others than the first have addresses such as `/de/a/` and the slug `a-de`."""
    if not language:
        return parsed
    note = f"The old blog had it in several languages. This is the post in the language {language!r}."
    if is_first:
        return replace(parsed, language=language, warnings=(*parsed.warnings, note))
    return replace(
        parsed,
        warnings=(*parsed.warnings, note),
        source=f"{parsed.source}-{language}",
        slug=f"{parsed.slug}-{language}" if parsed.slug else "",
        language=language,
        addresses=tuple(_with_language(url, language) for url in parsed.addresses),
        feed_id=None,
    )


def _with_language(url: str, language: str) -> str:
    parts = url_parts(url)
    return urlunsplit(parts._replace(path=f"/{language}{parts.path or '/'}")) if parts.netloc else url
