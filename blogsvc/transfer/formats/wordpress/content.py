"""Convert the text of a WordPress post to plain HTML: resolve blocks and shortcodes, and note what is removed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from html import escape

from blogsvc.lib.html_to_markdown.references import address
from blogsvc.transfer.formats.parsed_post import MAX_TEXT_LENGTH
from blogsvc.transfer.formats.removals import Removals, source
from blogsvc.transfer.formats.restricted import is_restricted
from blogsvc.transfer.formats.text_search import TextSearch
from blogsvc.transfer.formats.wordpress.blocks import (
    addresses_in,
    attributes_of,
    is_conditional,
    is_hidden,
    language_in,
    words_in,
)
from blogsvc.transfer.formats.wordpress.html import (
    caption,
    code_block,
    decoded,
    is_line,
    link,
    links,
    with_literal_code,
)
from blogsvc.transfer.formats.wordpress.media import WordPressMedia
from blogsvc.transfer.formats.wordpress.players import MAX_GALLERY_IMAGES, gallery, images_of, medium, player
from blogsvc.transfer.formats.wordpress.shortcodes import (
    FOOTNOTES,
    PLAYERS,
    arguments_of,
    has_title,
    is_shortcode,
    label_of,
    player_address,
)
from blogsvc.transfer.formats.wordpress.tokens import (
    BEGINS,
    BLOCK_END,
    ENCODED,
    ENDS,
    ESCAPED,
    FILE_BUTTON,
    NEXT,
    NO_CONTENT,
    NOTHING,
    TOKEN,
    end_of_code,
    pairs,
)

MAX_URL = 2000  # characters
MAX_SHORT = 2000  # characters in which the end of a short content is looked for

MAX_BLOCKS_IN_BLOCKS = 5
# Blocks without text that can be dropped without a warning.
_SPACERS = ("more", "nextpage", "spacer", "footnotes", "separator", "post-title", "post-date")


def as_html(
    raw: str, post_id: str, media: WordPressMedia, patterns: Mapping[str, str], removals: Removals
) -> tuple[str, bool]:
    """Return the HTML, and True if it is from the classic editor, where blank lines separate paragraphs.

    Args:
        patterns: the texts that posts show with the block `wp:block`, by their ids.
        removals: gets what is left out.
    """
    html = _Content(raw, post_id, media, patterns, removals).html()
    html = FILE_BUTTON.sub(" ", html).replace("<!--nextpage-->", "\n\n<!--nextpage-->\n\n")
    html = re.sub(r"""(\ssrc\s*+=\s*+)(["'])([^"']{1,2000}+)\2""", lambda src: _with_full_size(src, media), html)
    return html, "<!-- wp:" not in raw


def _with_full_size(src: re.Match[str], media: WordPressMedia) -> str:
    return f"{src[1]}{src[2]}{escape(media.full(address(src[3])))}{src[2]}"


class _Content:
    """A text with blocks and shortcodes, converted from left to right."""

    def __init__(
        self, raw: str, post_id: str, media: WordPressMedia, patterns: Mapping[str, str], removals: Removals
    ) -> None:
        self.raw, self.post_id, self.media, self.patterns = raw, post_id, media, patterns
        self.search, self.removals = TextSearch(raw), removals
        self.images_left, self.characters_left = MAX_GALLERY_IMAGES, MAX_TEXT_LENGTH
        self.place_here: int | None = None  # in the text of the post, if this text is from elsewhere
        self.depth = 0
        self.notes: list[str] = []  # the footnotes of shortcodes
        self.language, self.language_ends = "", 0  # of the code in a block, and where the block ends
        self.last: dict[str, int] = {}  # the last place of each closing shortcode that is shown as text
        self.closed, self.block_ends = pairs(raw, self.search)

    def html(self) -> str:
        html = self._between(0, len(self.raw))
        items = (
            f'<li id="shortcode-note-{self.place_here or 0}-{n}">{note}</li>' for n, note in enumerate(self.notes, 1)
        )
        return f"{html}\n\n<ol>{''.join(items)}</ol>" if self.notes else html

    def _note(self, sentence: str, place: int) -> None:
        self.removals.note(sentence, place if self.place_here is None else self.place_here)

    def _note_uncertain(self, what: str, place: int) -> None:
        self.removals.note_uncertain(what, place if self.place_here is None else self.place_here)

    def _between(self, start: int, stop: int) -> str:
        """Return the HTML of a part of the text."""
        parts, place = [], start
        while (token := TOKEN.search(self.raw, place, stop)) and token.end() <= stop:
            html, end = self._converted(token, stop)
            parts += [self.raw[place : token.start()], html]
            place = end
        return "".join([*parts, self.raw[place:stop]])

    def _converted(self, token: re.Match[str], stop: int) -> tuple[str, int]:
        """Return what a token becomes, and where the text after it begins."""
        if token["url"]:
            url = re.sub(r"\Ahttpvh?d?(?=://)", "http", address(token["url"]), flags=re.IGNORECASE)
            return f"\n\n{link(url)}\n\n", token.end()
        if token["address"]:
            url, kind = address(token["address"]), token["player"].lower()
            return player("audio", url) if kind in ("audio", "mp3") else f"\n\n{link(url)}\n\n", token.end()
        if token["block"]:
            return self._block(token, stop)
        end = end_of_code(self.search, token)
        if end is not None and end <= stop:
            if token["element"]:
                language = self.language if end <= self.language_ends else ""
                code = ESCAPED.sub(self._shown_in_code, self.raw[token.start() : end])
                return with_literal_code(code, language), end
            code = self.raw[token.end() : end - len(f"[/{token['code']}]")]
            return code_block(token["code"], token["code_arguments"], code), end
        if token["name"]:
            return self._bracket(token, stop)
        return token[0], token.end()

    def _block(self, token: re.Match[str], stop: int) -> tuple[str, int]:
        """Convert a block without text, which WordPress fills in when it shows the page, and keep other blocks."""
        closed = self.search.after(BLOCK_END, token.end())
        if closed is None or closed.end() > stop or token["ends"]:
            return token[0], token.end()
        place, end, name = token.start(), closed.end(), token["block"].removeprefix("core/")
        data = self.raw[token.end() : closed.start()]
        is_empty = data.endswith("/")
        attributes = attributes_of(data.removesuffix("/"))
        if attributes is None:
            self._note(f"The attributes of the block {name!r} can't be read.", place)
            attributes = {}
        if is_hidden(attributes):
            self._note(f"The block {name!r} was removed, because the old blog did not show it.", place)
            return "", self.block_ends.get(place, end)
        if name.endswith("paywall"):
            self._note_uncertain(f"and after the block {name!r}", place)
        elif is_conditional(attributes) or (is_restricted(name) and not is_empty):
            self._note_uncertain(f"the block {name!r}", place)
        if not is_empty:
            self.language, self.language_ends = language_in(attributes), self.block_ends.get(place, end)
            content = self.raw[end : min(self.block_ends.get(place, end), end + MAX_SHORT)]
            if NOTHING.fullmatch(content) and name not in _SPACERS and "/" in name:
                self._note(f"The block {name!r} was removed, because WordPress generates its content.", place)
            return token[0], token.end()
        pattern = self.patterns.get(str(attributes.get("ref", ""))) if name == "block" else None
        if pattern is not None and self.depth < MAX_BLOCKS_IN_BLOCKS and len(pattern) <= self.characters_left:
            return self._pattern(pattern, place), end
        addresses = list(addresses_in(attributes))
        if name == "embed" or name.startswith("core-embed/"):
            if not addresses:
                self._note(f"The block {name!r} was removed, because it has no address.", place)
            return links(addresses[:1]), end
        if addresses or name not in _SPACERS:
            became, words = "is a link now" if addresses else "was removed", words_in(attributes)
            self._note(f"The block {name!r} {became}, because WordPress generates its content{words}.", place)
        return links(addresses), end

    def _pattern(self, text: str, place: int) -> str:
        """Return the HTML of a text that several posts share."""
        shared = _Content(text, self.post_id, self.media, self.patterns, self.removals)
        shared.depth, shared.images_left = self.depth + 1, self.images_left
        shared.characters_left = self.characters_left - len(text)
        shared.place_here = place if self.place_here is None else self.place_here
        html = shared.html()
        self.images_left, self.characters_left = shared.images_left, shared.characters_left
        return f"\n\n{html}\n\n"

    def _bracket(self, token: re.Match[str], stop: int) -> tuple[str, int]:
        """Convert a shortcode, and keep other words in square brackets."""
        name, written = token["name"], token["arguments"]
        place, end = token.start(), token.end() - len(token["end"])
        if token["close"]:
            is_end = name in self.closed or name in ENDS
            space = " " if is_end and NEXT.match(self.raw, end) else ""
            return (token["open"][1:] + (space if is_end else f"[/{name}{written}]"), end)
        if not is_shortcode(name, written, self.closed):
            return token[0], token.end()
        if token["open"] == "[[":
            if token["end"]:  # shown with one bracket
                return token[0][1:-1], token.end()
            closing = f"[/{name}]]"
            if closing not in self.last:
                self.last[closing] = self.raw.rfind(closing)
            closed_at = self.raw.find(closing, end, stop) if self.last[closing] >= end else -1
            if closed_at >= 0:
                return self.raw[place + 1 : closed_at + len(closing) - 1], closed_at + len(closing)
        html, end = self._shortcode(name, arguments_of(written), place, end, stop)
        return token["open"][1:] + html, end

    def _shown_in_code(self, escaped: re.Match[str]) -> str:
        """Return a shortcode in code that is escaped with a second pair of brackets, as WordPress shows it."""
        is_one = is_shortcode(escaped["name"], escaped["arguments"], {*self.closed, escaped["closed"] or ""})
        return escaped[0][1:-1] if is_one else escaped[0]

    def _shortcode(self, name: str, arguments: dict[str, str], place: int, end: int, stop: int) -> tuple[str, int]:
        content, after = "", end
        closed = self._closing(name, end)
        if closed is not None and closed.end() <= stop:
            content, after = self.raw[end : closed.start()], closed.end()
        if name in ("caption", "wp_caption") and after > end:
            return caption(self._between(end, after - len(f"[/{name}]")), arguments), after
        if name == "embed" and after > end:
            url = address(content).strip()
            is_url = 0 < len(url) <= MAX_URL and len(url.split(maxsplit=1)) == 1
            return (f"\n\n{link(url)}\n\n" if is_url else content), after
        if name in ENCODED and after > end and (html := decoded(content)) is not None:
            return f"\n\n{html}\n\n", after
        if name in PLAYERS and (url := player_address(name, arguments, content)):
            return f"\n\n{link(url)}\n\n", after
        if name in ("gallery", "playlist"):
            note = partial(self._note, place=place)
            html, count = gallery(name, arguments, self.media, self.post_id, self.images_left, note)
            self.images_left -= count
            return html, end
        if name in ("video", "audio") and (url := medium(name, arguments, self.media, self.post_id)):
            closing = f"[/{name}]"  # what is before it, browsers do not show
            hidden = self.raw.find(closing, end, min(stop, end + MAX_SHORT))
            is_closed = name in self.closed and hidden >= 0 and self.raw.find(f"[{name}", end, hidden) < 0
            return player(name, url, arguments.get("poster", "")), hidden + len(closing) if is_closed else end
        if name in FOOTNOTES and after > end:
            return self._footnote(self._between(end, after - len(f"[/{name}]"))), after
        return self._unknown(name, arguments, place, end, stop)

    def _closing(self, name: str, end: int) -> re.Match[str] | None:
        """Return the closing shortcode of one that ends at a place, if it has its own one."""
        if name not in ENDS or self.raw[end - 2] == "/":
            return None
        closed, other = self.search.after(ENDS[name], end), self.search.after(BEGINS[name], end)
        return None if closed and other and other.start() < closed.start() else closed

    def _has_content(self, name: str, end: int) -> bool:
        """Return True if there is something between a shortcode that ends at a place and its closing one."""
        if name not in self.closed or self.raw[end - 2] == "/":
            return False
        closing = NO_CONTENT.match(self.raw, end)
        return closing is None or closing[1] != name

    def _footnote(self, html: str) -> str:
        self.notes.append(html)
        number = f"{self.place_here or 0}-{len(self.notes)}"
        return f'<sup><a href="#shortcode-note-{number}">{len(self.notes)}</a></sup>'

    def _unknown(self, name: str, arguments: dict[str, str], place: int, end: int, stop: int) -> tuple[str, int]:
        """Return what is left of a shortcode, links to its addresses, and where the text goes on."""
        shown = source(self.raw[place:end])
        addresses = [value for value in arguments.values() if re.fullmatch(r"https?://\S+", value)]
        has_content = self._has_content(name, end)
        if has_content and is_restricted(name, arguments):
            self._note_uncertain(shown, place)
        if images := images_of(name, arguments, self.media):
            self._note(f"The shortcode {shown} became images.", place)
            return images, end
        became = "is a link now" if addresses else "was removed"
        self._note(f"The shortcode {shown} {became}{'; its content was kept' if has_content else ''}.", place)
        if len(addresses) == 1 and has_content:
            closing = f"[/{name}]"
            closed = self.raw.find(closing, end, min(stop, end + MAX_SHORT))
            content = self.raw[end:closed] if closed >= 0 else ""
            if "[" not in content and is_line(content):
                return f'<a href="{escape(addresses[0])}">{content}</a>', closed + len(closing)
        words = label_of(arguments)
        if len(addresses) == 1 and words and not has_content:
            return f'<p><a href="{escape(addresses[0])}">{escape(words)}</a></p>', end
        if words and not addresses and has_title(name, has_content=has_content):
            return f"\n\n<p><strong>{escape(words)}</strong></p>\n\n", end
        is_between = self.raw[place - 1 : place].isalnum() and self.raw[end : end + 1].isalnum()
        return links(addresses) or (" " if is_between and not has_content else ""), end
