"""Convert template tags of Jekyll (Liquid) and Hugo (shortcodes) to Markdown, or note that they were removed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from blogsvc.lib.markdown.code_places import Places, code_places
from blogsvc.transfer.formats.dialects import kramdown_comments
from blogsvc.transfer.formats.removals import Removals, source
from blogsvc.transfer.formats.restricted import is_restricted
from blogsvc.transfer.formats.sites.archive_posts import PostsBeside
from blogsvc.transfer.formats.sites.programs import Program
from blogsvc.transfer.formats.tags import arguments as tag_arguments
from blogsvc.transfer.formats.tags import code as code_tags
from blogsvc.transfer.formats.tags import dev as dev_tags
from blogsvc.transfer.formats.tags import hugo, link_words, liquid, values, zola
from blogsvc.transfer.formats.tags import words as tag_words
from blogsvc.transfer.formats.tags.code import CodeTag
from blogsvc.transfer.formats.tags.folded import FoldedTags
from blogsvc.transfer.formats.tags.output import TagOutput
from blogsvc.transfer.formats.text_search import TextSearch

_MARK = re.compile(r"\{(?:[{%#]|::)")
# Tags of Liquid whose content is shown only sometimes.
_CONDITIONS = frozenset("if unless case for tablerow capture".split())
# Tags that show nothing.
_SILENT = frozenset("assign increment decrement".split())


def plain(
    text: str,
    program: Program,
    fields: Mapping[str, Any],
    posts: PostsBeside,
    removals: Removals,
    *,
    is_html: bool = False,
    has_hash_comments: bool = True,
) -> str:
    """Return the text with template tags converted. Code and what templates show as text stay as they are.

    Args:
        fields: the front matter.
        posts: those that tags name.
        is_html: The text is HTML, in which tags become HTML.
        has_hash_comments: `{# words #}` is not shown.
    """
    if program == "none" or not _MARK.search(text):
        return text
    return _Template(text, program, fields, posts, removals, is_html, has_hash_comments).converted()


class _Template:
    """A text with tags of Liquid or Hugo, converted from left to right."""

    def __init__(
        self,
        text: str,
        program: Program,
        fields: Mapping[str, Any],
        posts: PostsBeside,
        removals: Removals,
        is_html: bool,
        has_hash_comments: bool,
    ) -> None:
        self.has_hash_comments = has_hash_comments
        self.text, self.fields, self.posts, self.removals, self.is_html = text, fields, posts, removals, is_html
        self.search = TextSearch(text)
        self.out = TagOutput(text, is_html)
        self.folded = FoldedTags(self.out)
        self.links: dict[int, str] = {}  # the addresses of shortcodes with words, by where their end tags begin
        self.has_liquid, self.has_hugo = program != "hugo", program != "jekyll"
        self.is_of_dev = program == "unknown" and "published" in fields
        self.closed = hugo.closed_names(text) if self.has_hugo else frozenset()
        blocks = self._blocks(program) if self.has_liquid else liquid.Blocks()
        self.literal, self.left_out = Places(blocks.literal), Places([*blocks.raw_tags, *blocks.comments])
        self.code = self._code()
        for start, _ in blocks.comments:
            self._note_comment(start)
        for start in blocks.unclosed:
            self._note_comment(start, has_end=False)

    def _note_comment(self, place: int, *, has_end: bool = True) -> None:
        if has_end:
            self.removals.note("A comment, which the old blog did not show, was removed.", place)
        else:
            self.removals.note_uncertain("a comment without an end", place)

    def _blocks(self, program: Program) -> liquid.Blocks:
        """Return the literal parts and the comments. Jekyll runs Liquid before it reads Markdown, also in code."""
        code = Places(()) if program == "jekyll" or self.is_html else code_places(self.text)
        return liquid.blocks_in(self.text, lambda place: code.end_at(place) is not None, is_of_dev=self.is_of_dev)

    def _code(self) -> Places:
        """Return the code of the text: what is code without its comments, `raw` tags and tags with code."""
        if self.is_html:  # in which the programs read tags everywhere
            return Places(())
        in_tags = code_tags.in_lines(self.text, self._end_of_code)
        kept, begins, length, place = [], [(0, 0)], 0, 0
        for start, end in Places([*self.left_out, *in_tags]):
            kept.append(self.text[place:start])
            length += start - place
            place = end
            begins.append((length, place))
        found = code_places("".join([*kept, self.text[place:]]))
        places, number = [], 0
        for start, end in found:
            while number + 1 < len(begins) and begins[number + 1][0] <= start:
                number += 1
            first = begins[number][1] + start - begins[number][0]
            while number + 1 < len(begins) and begins[number + 1][0] < end:
                number += 1
            places.append((first, begins[number][1] + end - begins[number][0]))
        return Places(places)

    def converted(self) -> str:
        place = 0
        while match := _MARK.search(self.text, place):
            self.out.add(self.text[place : match.start()])
            place = self._mark(match.start())
        self.out.add(self.text[place:])
        self.folded.close_all(len(self.text))
        self.out.leave_open()
        return self.out.text()

    def _mark(self, place: int) -> int:
        """Convert the tag at a place, and return where the text after it begins."""
        if (end := self.left_out.end_at(place)) is not None:
            return end
        if (end := self.literal.end_at(place)) is not None:
            return self._keep(place, end)
        is_code = self.code.end_at(place) is not None
        if not (is_code and self.is_of_dev) and (shows := self._escaped_at(place) or self._printed_at(place)):
            self.out.add(shows[0])
            return shows[1]
        if not is_code:
            for has_it, converted in ((self.has_liquid, self._liquid), (self.has_hugo, self._hugo)):
                if has_it and (end := converted(place)) is not None:
                    return end
        return self._keep(place, place + 2)

    def _keep(self, place: int, end: int) -> int:
        self.out.add(self.text[place:end])
        return end

    def _end_of_code(self, place: int) -> int | None:
        """Return where the code of a tag at a place ends; None if there is no such tag."""
        if self.left_out.end_at(place) is not None or self.literal.end_at(place) is not None:
            return None
        tag = liquid.tag_at(self.search, place) if self.has_liquid else None
        closed = liquid.end_of_code(self.search, tag, self.literal) if tag else None
        if closed is None and self.has_hugo and (shortcode := hugo.shortcode_at(self.text, place)):
            closed = hugo.end_of_content(self.search, shortcode)
        return closed.end() if closed else None

    def _shown(self, start: int, end: int, *, by_hugo: bool) -> str:
        """Return code without its comments and `raw` tags, as Liquid or Hugo shows it."""
        kept, place = [], start
        while (mark := _MARK.search(self.text, place, end)) is not None:
            kept.append(self.text[place : mark.start()])
            place = mark.start()
            if (after := self.left_out.end_at(place)) is not None:
                place = after
                continue
            is_literal = self.literal.end_at(place) is not None
            shows = None if is_literal else self._escaped_at(place) if by_hugo else self._printed_at(place)
            kept.append(shows[0] if shows else self.text[place : place + 2])
            place = shows[1] if shows else place + 2
        return "".join([*kept, self.text[place:end]])

    def _escaped_at(self, place: int) -> tuple[str, int] | None:
        return hugo.escaped_at(self.search, place) if self.has_hugo else None

    def _printed_at(self, place: int) -> tuple[str, int] | None:
        return liquid.printed_braces_at(self.text, place) if self.has_liquid else None

    def _liquid(self, place: int) -> int | None:
        if self.has_hash_comments and (end := liquid.end_of_hash_comment(self.search, place)) is not None:
            self._note_comment(place)
            return end
        if (comment := kramdown_comments.comment_at(self.search, place)) is not None:
            self._note_comment(place, has_end=comment[1])
            return comment[0]
        if self.text.startswith("{{", place):
            return self._value(place)
        tag = liquid.tag_at(self.search, place)
        if tag is None or (tag.name in liquid.LITERAL and not (self.is_of_dev and tag.arguments)):
            return None
        if (closed := liquid.end_of_code(self.search, tag, self.literal)) is not None:
            content = self._shown(tag.end, closed.start(), by_hugo=False)
            return self.out.add_code(CodeTag.of(tag.name, tag.arguments), content, closed.end())
        if tag.name in _CONDITIONS or is_restricted(tag.name):
            self.removals.note_uncertain(source(self.text[place : tag.end]), place)
        if tag.name == "#" or tag.name in _SILENT:
            return tag.end
        if self.is_of_dev and (button := dev_tags.button_at(self.text, tag)) is not None:
            self.removals.note(f"The template command {source(self.text[place : tag.end])} is a link now.", place)
            self.out.add(button[0])
            return button[1]
        end = self.folded.liquid(self.search, tag) or self._quotation(tag)
        return end or self._without_tag(tag.name, tag.arguments, place, tag.end)

    def _quotation(self, tag: liquid.LiquidTag) -> int | None:
        """Begin or end a quotation of Octopress or Hexo."""
        if tag.name in liquid.QUOTATIONS:
            closed = liquid.end_of_quotation(self.search, tag)
            words = "" if tag.name == "pullquote" else tag_words.cited_by(tag.arguments)
            return tag.end if closed and self.out.open_quotation(tag.name, words) else None
        return self.out.close_quotation(tag.name.removeprefix("end"), tag.end)

    def _hugo(self, place: int) -> int | None:
        shortcode = hugo.shortcode_at(self.text, place)
        if shortcode is None:
            return self._zola(place)
        closed = hugo.end_of_content(self.search, shortcode)
        if closed is None:
            arguments = tag_arguments.by_name(shortcode.arguments) if shortcode.name in self.closed else ()
            if is_restricted(shortcode.name, arguments) and not shortcode.is_closing:
                self.removals.note_uncertain(source(self.text[place : shortcode.end]), place)
            if address := self.links.pop(place, ""):
                self.out.close_link(address)
            if (end := self.folded.hugo(shortcode, has_end=shortcode.name in self.closed)) is not None:
                return end
            if (value := hugo.parameter(self.fields, shortcode)) is not None:
                self.out.add_in_line(value)
                return shortcode.end
            end = shortcode.end
            if not address and not shortcode.is_closing and not self._began_link(shortcode, place):
                end = self._without_tag(shortcode.name, shortcode.arguments, place, end)
            if end == shortcode.end and hugo.shortcode_at(self.text, end) and not self.out.ends_with_space():
                self.out.add(" ")
            return end
        if shortcode.name == "highlight":
            content = self._shown(shortcode.end, closed.start(), by_hugo=True)
            return self.out.add_code(CodeTag.of(shortcode.name, shortcode.arguments), content, closed.end())
        self._note_comment(place)
        return closed.end()

    def _zola(self, place: int) -> int | None:
        shortcode = zola.shortcode_at(self.text, place)
        if shortcode is None:
            return None
        if shortcode.has_content and is_restricted(shortcode.name, tag_arguments.by_name(shortcode.arguments)):
            self.removals.note_uncertain(source(self.text[place : shortcode.end]), place)
        if shortcode.name:
            return self._without_tag(shortcode.name, shortcode.arguments, place, shortcode.end)
        return shortcode.end

    def _began_link(self, shortcode: hugo.Shortcode, place: int) -> bool:
        """Begin a link, if a shortcode has an address and words, as buttons have."""
        named = tag_arguments.by_name(shortcode.arguments)
        address = next((named[name] for name in ("href", "url", "link", "to", "relref") if named.get(name)), "")
        if not address or re.search(r"[\s<>()]", address):
            return False
        closing = link_words.closing(self.text, shortcode.end, hugo.end_tag(shortcode.name))
        if closing is None:
            return False
        self.links[closing] = self.posts.address_of(address) if "relref" in named else address
        self.removals.note(f"The template command {source(self.text[place : shortcode.end])} is a link now.", place)
        self.out.open_link(self.links[closing])
        return True

    def _value(self, place: int) -> int | None:
        """Convert a value, if it is one of Jekyll's."""
        if (quoted := liquid.quoted_value_at(self.text, place)) is not None:
            self.out.add(quoted[0])
            return quoted[1]
        inner, end = liquid.value_at(self.search, place) or ("", place)
        if (shown := values.printed(inner, self.fields)) is not None:
            self.out.add(shown)
            return end
        if not values.is_of_site_or_page(inner) and not (inner and self.has_liquid and not self.has_hugo):
            return None
        self.removals.note(f"The template value {source(inner)} was removed.", place)
        return end

    def _may_be_of_dev(self, place: int) -> bool:
        """Return True for a tag of Liquid in a text whose program is unknown, and not for a shortcode of Hugo."""
        return self.has_liquid and self.has_hugo and self.text.startswith("{%", place)

    def _without_tag(self, name: str, arguments: str, place: int, end: int) -> int:
        """Add what a tag shows, and note it if it is something else now. Returns where the text goes on."""
        in_address = self.out.is_in_address()
        shown = dev_tags.shown_by(name, arguments) if self._may_be_of_dev(place) and not in_address else None
        shown = shown or tag_words.shown_by(name, arguments, self.posts, in_address=in_address)
        became = shown.became if shown else "The template command {} was removed."
        if became:
            self.removals.note(became.replace("{}", source(self.text[place:end])), place)
        if shown is None:
            return end
        if shown.is_figure or shown.is_alone:
            return self.out.add_words(shown.markdown, end, is_figure=shown.is_figure)
        self.out.add_in_line(shown.markdown)
        return end
