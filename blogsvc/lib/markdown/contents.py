"""Headings: their ids, and a table of contents in place of `[[toc]]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from blogsvc.lib.markdown.fragments import NAME, github_name
from blogsvc.lib.text.plain import slugify

MARKER = "[[toc]]"
_LISTED = ("h2", "h3")
_FEWEST = 2  # headings in a table of contents
_RAW_ID = re.compile(r"""\sid=["']?([\w:.-]++)""", re.IGNORECASE)
# The ids of footnotes and of their marks, also as they are on other platforms.
_OF_FOOTNOTES = re.compile(r"fn(?:ref)?[0-9]+(?:-[0-9]+)?")


def is_marker(tokens: Sequence[Token], index: int) -> bool:
    """Return True if the paragraph that opens at this token is the marker of a table of contents."""
    types = [token.type for token in tokens[index : index + 3]]
    return types == ["paragraph_open", "inline", "paragraph_close"] and (
        tokens[index + 1].content.strip().lower() == MARKER
    )


def note_names(state: StateCore) -> None:
    """Note the names that GitHub gives headings. They come from what is typed, before typography changes it."""
    for index, token in enumerate(state.tokens):
        if token.type == "heading_open":
            token.meta["name"] = github_name(text_of(state.tokens[index + 1]))


def add_heading_ids(state: StateCore) -> None:
    """Add ids to headings, and turn h1 into h2, because the page's title is its only h1.

    Links in the text reach a heading by the name that GitHub gives it, too. It is in an attribute if it is not the id.
    """
    taken: dict[str, int] = {}
    on_github: dict[str, int] = {}
    named: dict[str, Token] = {}  # by the names on GitHub
    numbered: dict[str, str] = {}  # ids by how repeated headings were numbered before
    for index, token in enumerate(state.tokens):
        if token.type == "heading_open":
            words = text_of(state.tokens[index + 1])
            slug = slugify(words) or "section"
            slug = f"section-{slug}" if _OF_FOOTNOTES.fullmatch(slug) else slug
            token.attrSet("id", id_ := _unique_id(slug, taken))
            named[_unique_id(token.meta["name"], on_github)] = token
            numbered.setdefault(f"{slug}-{taken[slug]}", id_)
        if token.tag == "h1":
            token.tag = "h2"
    parts = [part for token in state.tokens for part in (token, *(token.children or ()))]
    raw = "".join(part.content for part in parts if part.type in ("html_block", "html_inline"))
    own = set(_RAW_ID.findall(raw))  # the author's ids, which come first
    ids = {name: id_ for name, id_ in numbered.items() if name not in taken}
    for name, heading in named.items():
        ids[name] = str(heading.attrs["id"])
        if name and name != ids[name] and name not in own:
            heading.attrSet(NAME, name)
    _lead_to_headings(parts, {name: id_ for name, id_ in ids.items() if name not in own})


def _lead_to_headings(parts: Sequence[Token], ids: dict[str, str]) -> None:
    """Give links to names of headings the ids of these."""
    for link in parts:
        href = str(link.attrs.get("href", "")) if link.type == "link_open" else ""
        name = unquote(href[1:]) if href.startswith("#") else ""
        if name and name in ids:
            link.attrSet("href", f"#{ids[name]}")


def show_contents(state: StateCore) -> None:
    """Replace the first marker by the table of contents, if there are enough headings, and remove the others."""
    places = [index for index in range(len(state.tokens)) if is_marker(state.tokens, index)]
    if not places:
        return
    removed = {place + part for place in places for part in range(3)}
    listed = list(_contents(state.tokens))
    state.tokens = [
        token
        for index, one in enumerate(state.tokens)
        for token in (listed if index == places[0] else () if index in removed else (one,))
    ]


def _contents(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield a list of links to the headings outside of other blocks. Those of the second level are in lists of it."""
    headings = [
        (token, text)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag in _LISTED and not token.level
        if (text := text_of(tokens[index + 1]).strip())
    ]
    if len(headings) < _FEWEST:
        return
    yield Token("toc_open", "nav", 1, attrs={"class": "toc"}, block=True)
    yield _list(1)
    is_nested = False
    for number, (heading, text) in enumerate(headings):
        if number and heading.tag == "h3" and not is_nested:
            yield _list(1)
            is_nested = True
        elif number:
            yield _item(-1)
            if heading.tag == "h2" and is_nested:
                yield from (_list(-1), _item(-1))
                is_nested = False
        yield _item(1)
        yield _link(str(heading.attrs["id"]), text)
    yield from (_item(-1), *((_list(-1), _item(-1)) if is_nested else ()), _list(-1))
    yield Token("toc_close", "nav", -1, block=True)


def _list(nesting: int) -> Token:
    return Token("ordered_list_open" if nesting > 0 else "ordered_list_close", "ol", nesting, block=True)  # type: ignore[arg-type]


def _item(nesting: int) -> Token:
    return Token("toc_item_open" if nesting > 0 else "toc_item_close", "li", nesting, block=True)  # type: ignore[arg-type]


def _link(id_: str, text: str) -> Token:
    children = [
        Token("link_open", "a", 1, attrs={"href": f"#{id_}"}),
        Token("text", "", 0, content=text),
        Token("link_close", "a", -1),
    ]
    return Token("inline", "", 0, content=text, children=children)


def _unique_id(slug: str, taken: dict[str, int]) -> str:
    """Return the slug, with a number if it is taken, as on GitHub. Counters avoid a search."""
    candidate = slug
    while candidate in taken:
        candidate = f"{slug}-{taken[slug]}"
        taken[slug] += 1
    taken[candidate] = 1
    return candidate


def text_of(inline: Token) -> str:
    """Return the text of an inline token without markup."""
    if inline.children is None:
        return inline.content
    words = (" " if child.type in ("softbreak", "hardbreak") else _content(child) for child in inline.children)
    return "".join(words)


def _content(child: Token) -> str:
    return child.content if child.type in ("text", "text_special", "code_inline") else ""
