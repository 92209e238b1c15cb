"""Take the title of a post from the heading that it begins with."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from blogsvc.lib.markdown.contents import text_of
from blogsvc.lib.markdown.link_places import links_in
from blogsvc.lib.markdown.render import environment, grammar
from blogsvc.transfer.formats.parsed_post import one_line
from blogsvc.transfer.formats.removals import source

_FIRST = re.compile(r"\s*#[ \t]+([^\n]+)\n?|\s*([^\s#>|<`~=+*-][^\n]{0,300})\n={1,300}+[ \t]*(?:\n|\Z)")
_CLOSING_HASHES = re.compile(r"(?:(?<=[ \t])|\A)#{1,6}[ \t]*\Z")
_WIKI_LINK = re.compile(r"!?\[\[(?:[^\[\]|\n]{0,300}+\|)?([^\[\]|\n]{1,300}+)\]\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,100}+\]")
_ANCHOR = re.compile(r'<a id="[^"]*+"></a>')
_MAX_LENGTH = 2000


def title_of(text: str) -> str:
    """Return the words of the heading of the first level that a text begins with, without marks; "" without one."""
    found = _FIRST.match(text)
    if found is None:
        return ""
    written = _CLOSING_HASHES.sub("", (found[1] or found[2])[:_MAX_LENGTH].strip()).strip()
    written = _FOOTNOTE.sub("", _WIKI_LINK.sub(r"\1", written))
    parser = grammar(MarkdownIt("commonmark"))
    return one_line("".join(map(text_of, parser.parseInline(written, environment(written)))))


def without_title(text: str) -> tuple[str, list[str]]:
    """Return a text without the heading that it begins with, but with its images; and a warning for its links."""
    found = _FIRST.match(text)
    if found is None:
        return text, []
    rest, kept, warnings = text[found.end() :], list[str](), list[str]()
    if "](" in found[0]:
        links = [found[0].strip("#= \n")[link.start : link.end] for link in links_in(found[0].strip("#= \n")).links]
        kept = [link for link in links if link.startswith(("!", "[!"))]
        others = [source(link) for link in links if link not in kept]
        warnings = [f"The links of the title were removed: {' '.join(others)}."] if others else []
    return "\n\n".join([*kept, rest.lstrip("\n")]) if kept else rest, warnings


def written_in(text: str) -> str:
    """Return the heading that a text begins with as it is written, by which later imports find the post."""
    found = re.match(r"\s*#[ \t]+([^\n]+)", text)
    return one_line(_ANCHOR.sub("", found[1]).strip("# ")) if found else ""
