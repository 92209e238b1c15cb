"""The patterns of what a WordPress text has beside HTML: blocks, shortcodes, code, and addresses that are embedded."""

from __future__ import annotations

import re

from blogsvc.transfer.formats.text_search import TextSearch
from blogsvc.transfer.formats.wordpress.html import CODE_NAMES
from blogsvc.transfer.formats.wordpress.shortcodes import FOOTNOTES, PLAYERS

CODE_ENDS = {name: re.compile(rf"\[/{name}\]") for name in CODE_NAMES}
ELEMENT_ENDS = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("pre", "code")}
BLOCK_END = re.compile("-->")
TOKEN = re.compile(
    rf"""<!--\s++(?P<ends>/?)wp:(?P<block>[a-z][\w/-]{{1,80}}+)(?=[\s/])
    | <(?P<element>pre|code)\b
    | \[(?P<code>{"|".join(CODE_NAMES)})(?P<code_arguments>(?:\s[^\[\]]{{0,500}}+)?)\]
    | (?P<open>\[\[?)(?P<close>/?)(?P<name>[a-zA-Z][\w-]{{1,40}}+)
      (?P<arguments>(?:[\s=/][^\[\]]{{0,2000}}+)?)\](?P<end>\]?)
    | \[(?P<player>audio|mp3|video|flv|youtube|vimeo):(?P<address>https?://[^\s\[\]|]{{4,2000}}+)[^\[\]]{{0,500}}+\]
    | ^[^\S\n]*+(?P<url>http(?:s|v[hd]?)?://[^\s<>"']{{4,2000}}+)[^\S\n]*+$""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
# A shortcode that is shown: `[[gallery]]`, `[[caption]words[/caption]]`.
ESCAPED = re.compile(
    r"\[\[(?P<name>[a-zA-Z][\w-]{1,40}+)(?P<arguments>(?:[\s=/][^\[\]]{0,500}+)?)\]"
    r"(?:[^\[\]]{0,500}+\[/(?P<closed>[\w-]{2,41}+)\])?\]"
)
ENCODED = ("vc_raw_html", "fusion_code")  # page builders, which store HTML as Base64
PAIRED = ("caption", "wp_caption", "embed", *ENCODED, *FOOTNOTES, *PLAYERS)
BEGINS = {name: re.compile(rf"\[{name}(?=[\s=/\]])") for name in PAIRED}
ENDS = {name: re.compile(rf"\[/{name}\]") for name in PAIRED}
# Between the link to a file and its button.
FILE_BUTTON = re.compile(r"(?<=</a>)(?=<a\b[^<>]{0,2000}?\bwp-block-file__button)")
# Elements without words, and the end of their block.
NOTHING = re.compile(r"(?:\s++|</?(?:div|span|p|section|ul|li|form)\b[^<>]*+>)++<!--\s++/wp:[^<>]*+>")
NEXT = re.compile(r"\[[a-zA-Z]")
NO_CONTENT = re.compile(r"\s*+\[/([\w-]++)\]")


def pairs(raw: str, search: TextSearch) -> tuple[set[str], dict[int, int]]:
    """Return the names of shortcodes that are closed, and where each block ends, by where it begins."""
    opened: set[str] = set()
    closed: set[str] = set()
    blocks: list[tuple[str, int]] = []
    ends: dict[int, int] = {}
    place = 0
    while token := TOKEN.search(raw, place):
        place = end_of_code(search, token) or token.end()
        if (name := token["name"]) and token["close"]:
            closed |= {name} & opened
        elif name:
            opened.add(name)
        elif (block := token["block"]) and token["ends"]:
            if blocks and blocks[-1][0] == block and (end := search.after(BLOCK_END, token.end())):
                ends[blocks.pop()[1]] = end.end()
        elif block and (end := search.after(BLOCK_END, token.end())):
            place = end.end()
            if raw[end.start() - 1] != "/":
                blocks.append((block, token.start()))
    return closed, ends


def end_of_code(search: TextSearch, token: re.Match[str]) -> int | None:
    """Return where the element or the shortcode with code ends that a token begins; None for others."""
    ends = ELEMENT_ENDS.get((token["element"] or "").lower()) or CODE_ENDS.get(token["code"] or "")
    closed = search.after(ends, token.end()) if ends else None
    return closed.end() if closed else None
