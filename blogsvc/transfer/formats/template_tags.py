"""Convert template tags of Jekyll (Liquid) and Hugo (shortcodes) to Markdown, or note that they were removed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from blogsvc.lib.markdown.code_places import Places, code_places
from blogsvc.lib.markdown.writer import alt_text
from blogsvc.transfer.formats import code_tags, hugo, kramdown_comments, link_words, liquid, tag_arguments, zola
from blogsvc.transfer.formats.code_tags import CodeTag
from blogsvc.transfer.formats.containers import Container
from blogsvc.transfer.formats.removals import Removals, source
from blogsvc.transfer.formats.restricted import is_restricted
from blogsvc.transfer.formats.site_programs import Program
from blogsvc.transfer.formats.text_search import TextSearch

_MARK = re.compile(r"\{(?:[{%#]|::)")
_SPACES = re.compile(r"[ \t]*+")
_MAX_TAIL = 1000  # characters
_PLAYERS = {
    "youtube": "https://www.youtube.com/watch?v={}",
    "vimeo": "https://vimeo.com/{}",
    "gist": "https://gist.github.com/{}",
    "tweet": "https://x.com/i/status/{}",
    "x": "https://x.com/i/status/{}",
    "instagram": "https://www.instagram.com/p/{}/",
}
# Tags of Liquid whose content is shown only sometimes.
_CONDITIONS = frozenset("if unless case for tablerow capture".split())
# Tags that show nothing.
_SILENT = frozenset("assign increment decrement".split())


def plain(text: str, program: Program, fields: Mapping[str, Any], removals: Removals) -> str:
    """Return the text with template tags converted. Code and what templates show as text stay as they are."""
    if program == "none" or not _MARK.search(text):
        return text
    return _Template(text, program, fields, removals).converted()


class _Template:
    """A text with tags of Liquid or Hugo, converted from left to right."""

    def __init__(self, text: str, program: Program, fields: Mapping[str, Any], removals: Removals) -> None:
        self.text, self.fields, self.removals = text, fields, removals
        self.search = TextSearch(text)
        self.parts: list[str] = []
        self.links: dict[int, str] = {}  # the addresses of shortcodes with words, by where their end tags begin
        self.has_liquid, self.has_hugo = program != "hugo", program != "jekyll"
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
        code = Places(()) if program == "jekyll" else code_places(self.text)
        return liquid.blocks_in(self.text, lambda place: code.end_at(place) is not None)

    def _code(self) -> Places:
        """Return the code of the text: what is code without its comments, `raw` tags and tags with code."""
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
            self.parts.append(self.text[place : match.start()])
            place = self._mark(match.start())
        return "".join([*self.parts, self.text[place:]])

    def _mark(self, place: int) -> int:
        """Convert the tag at a place, and return where the text after it begins."""
        if (end := self.left_out.end_at(place)) is not None:
            return end
        if (end := self.literal.end_at(place)) is not None:
            return self._keep(place, end)
        if (shows := self._escaped_at(place) or self._printed_at(place)) is not None:
            self.parts.append(shows[0])
            return shows[1]
        if self.code.end_at(place) is None:
            for has_it, converted in ((self.has_liquid, self._liquid), (self.has_hugo, self._hugo)):
                if has_it and (end := converted(place)) is not None:
                    return end
        return self._keep(place, place + 2)

    def _keep(self, place: int, end: int) -> int:
        self.parts.append(self.text[place:end])
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
        if (end := liquid.end_of_hash_comment(self.search, place)) is not None:
            self._note_comment(place)
            return end
        if (comment := kramdown_comments.comment_at(self.search, place)) is not None:
            self._note_comment(place, has_end=comment[1])
            return comment[0]
        if self.text.startswith("{{", place):
            return self._value(place)
        tag = liquid.tag_at(self.search, place)
        if tag is None or tag.name in ("raw", "endraw", "comment", "endcomment"):
            return None
        if (closed := liquid.end_of_code(self.search, tag, self.literal)) is not None:
            content = self._shown(tag.end, closed.start(), by_hugo=False)
            return self._add_code(CodeTag.of(tag.name, tag.arguments), content, closed.end())
        if tag.name in _CONDITIONS or is_restricted(tag.name):
            self.removals.note_uncertain(source(self.text[place : tag.end]), place)
        if tag.name != "#" and tag.name not in _SILENT:
            self.parts.append(self._without_tag(tag.name, tag.arguments, place, tag.end))
        return tag.end

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
                self.parts.append(f"]({address})")
            elif not shortcode.is_closing and not self._began_link(shortcode, place):
                self.parts.append(self._without_tag(shortcode.name, shortcode.arguments, place, shortcode.end))
            if hugo.shortcode_at(self.text, shortcode.end) and not self.parts[-1][-1:].isspace():
                self.parts.append(" ")
            return shortcode.end
        if shortcode.name == "highlight":
            content = self._shown(shortcode.end, closed.start(), by_hugo=True)
            return self._add_code(CodeTag.of(shortcode.name, shortcode.arguments), content, closed.end())
        self._note_comment(place)
        return closed.end()

    def _zola(self, place: int) -> int | None:
        shortcode = zola.shortcode_at(self.text, place)
        if shortcode is None:
            return None
        if shortcode.has_content and is_restricted(shortcode.name, tag_arguments.by_name(shortcode.arguments)):
            self.removals.note_uncertain(source(self.text[place : shortcode.end]), place)
        if shortcode.name:
            self.parts.append(self._without_tag(shortcode.name, shortcode.arguments, place, shortcode.end))
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
        self.links[closing] = post_path(address) if "relref" in named else address
        self.removals.note(f"The template command {source(self.text[place : shortcode.end])} is a link now.", place)
        self.parts.append("[")
        return True

    def _value(self, place: int) -> int | None:
        """Convert a value, if it is one of Jekyll's."""
        if (quoted := liquid.quoted_value_at(self.text, place)) is not None:
            self.parts.append(quoted[0])
            return quoted[1]
        inner, end = liquid.value_at(self.search, place) or ("", place)
        if re.fullmatch(r"(?:site\.)?(?:baseurl|url)", inner):
            return end
        if quoted_address := re.match(r"""["']([^"']++)["']\s*+\|\s*+(?:relative_url|absolute_url|prepend)""", inner):
            self.parts.append(quoted_address[1])
            return end
        if not (re.fullmatch(r"[\w.]+", inner) and inner.startswith(("site.", "page."))):
            if inner and self.has_liquid and not self.has_hugo:
                self.removals.note(f"The template value {source(inner)} was removed.", place)
                return end
            return None
        field = self.fields.get(inner.removeprefix("page.").lower()) if inner.startswith("page.") else None
        if isinstance(field, str):
            self.parts.append(field)
        else:
            self.removals.note(f"The template value {inner} was removed.", place)
        return end

    def _add_code(self, tag: CodeTag, content: str, end: int) -> int:
        """Add the code of a tag as a block in lines of its own, or in the line. Returns where the text goes on."""
        line = self._tail().rpartition("\n")[2]
        container = Container.of(line)
        lines = container.content(content)
        numbers = [number for number, one in enumerate(lines) if one.strip()] or [0]
        lines = lines[numbers[0] : numbers[-1] + 1]
        code, words = "\n".join(lines), line[len(container.first) :]
        if tag.is_in_line or (words.startswith("|") and len(lines) == 1):
            self.parts.append(tag.span(code))
            return end
        return self._add_block(tag.block(code), end)

    def _add_block(self, block: str, end: int) -> int:
        """Add a block in lines of its own, and return where the text goes on, which is after `end`."""
        before, newline, line = self._tail().rpartition("\n")
        container = Container.of(line)
        between = "\n" if container.is_in_list else f"\n{container.blank_line}\n"
        if line[len(container.first) :].strip():
            self.parts[-1] = self.parts[-1].rstrip(" \t")
            self.parts.append(f"{between}{container.others}")
        elif newline and not container.begins_item and before.rpartition("\n")[2].strip("> \t"):
            self.parts[-1] = f"{self.parts[-1][: -len(line) or None]}{container.blank_line}\n{line}"
        self.parts.append(container.block(block))
        after = _SPACES.match(self.text, end).end()  # type: ignore[union-attr]
        if self.text[after : after + 1] not in ("", "\n"):
            self.parts.append(f"{between}{container.others}")
            return after
        if not block.endswith("`") and self.text[after + 1 : after + 1 + _MAX_TAIL].partition("\n")[0].strip("> \t"):
            self.parts.append(f"\n{container.blank_line}")
        return end

    def _tail(self) -> str:
        """Return the last two lines of what is written, or their end. It is the last of the parts."""
        tail = ""
        while self.parts and len(tail) < _MAX_TAIL and tail.count("\n") < 2:
            tail = self.parts.pop() + tail
        self.parts += [tail[:-_MAX_TAIL], tail[-_MAX_TAIL:]]
        return self.parts[-1]

    def _figure(self, src: str, arguments: Mapping[str, str]) -> str:
        """Return an image with the caption, the title and the credit of Hugo's figure."""
        title, caption, credit = (arguments.get(name, "").strip() for name in ("title", "caption", "attr"))
        alt = alt_text(arguments.get("alt", "")) or re.sub(r"[\[\]\\\n]", " ", caption or title).strip()
        image = f"![{alt}]({src.replace(' ', '%20')})"
        if link := arguments.get("link", "").replace(" ", "%20"):
            image = f"[{image}]({link})"
        if author := arguments.get("attrlink", "").replace(" ", "%20"):
            credit = f"[{credit or author}]({author})"
        words = " ".join(filter(None, (f"**{title}**" if title else "", f"*{caption}*" if caption else "", credit)))
        # A paragraph of its own would end the list or the quotation that the figure is in.
        is_alone = not "".join(self.parts[-1:]).rpartition("\n")[2].strip()
        return image + ("\n\n" if is_alone and words else " " if words else "") + words

    def _without_tag(self, name: str, text: str, place: int, end: int) -> str:
        """Return what a tag becomes in Markdown, and note it if that is not what the tag showed."""
        arguments = tag_arguments.by_name(text)
        first = arguments.get("0", "")
        if name == "figure" and (src := arguments.get("src") or first):
            return self._figure(src, arguments)
        if name in ("ref", "relref", "post_url", "link") and (reference := first or arguments.get("path")):
            return post_path(reference)
        if name in _PLAYERS and (key := arguments.get("id") or arguments.get("user", first)):
            key = "/".join(filter(None, (first, arguments.get("1", "")))) if name == "gist" else key
            url = key if key.startswith("http") else _PLAYERS[name].format(key)
            self.removals.note(f"The content embedded with {name} is a link now.", place)
            return f"[{name.capitalize()}]({url})"
        if addresses := list(dict.fromkeys(value for value in arguments.values() if _is_address(value))):
            self.removals.note(f"The template command {source(self.text[place:end])} is a link now.", place)
            return " ".join(f"<{address}>" for address in addresses)
        self.removals.note(f"The template command {source(self.text[place:end])} was removed.", place)
        return ""


def post_path(reference: str) -> str:
    """Return the path here of a post that a tag names by its file, such as "/posts/a/index.md#part"."""
    file, hash_mark, fragment = reference.partition("#")
    path = re.sub(r"(?:^|/)_?index(?:\.\w{2,5})?\.\w+$", "", file.rstrip("/")).rpartition("/")[2]
    slug = re.sub(r"^\d{4}-\d\d-\d\d-", "", re.sub(r"(?:\.[a-z]{2})?\.(?:md|markdown|mdx|html?)$", "", path))
    return f"{f'/{slug}' if file else ''}{hash_mark}{fragment}"


def _is_address(value: str) -> bool:
    return re.fullmatch(r"https?://[^\s<>]+", value) is not None
