"""Convert template tags of Jekyll (Liquid) and Hugo (shortcodes) to Markdown, or warn about them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from blogsvc.transfer.formats import hugo, liquid
from blogsvc.transfer.formats.text_search import TextSearch

# A line that opens or closes a code block, or the beginning of a tag or value.
_MARK = re.compile(r"^ {0,3}+(`{3,}+(?=[^`\n]*$)|~{3,}+)([^\n]*+)|\{\{|\{%", re.MULTILINE)
_ARGUMENT = re.compile(
    r"""([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|(\S+))|"((?:[^"\\]|\\.)*)"|(\S+)"""
)
_RAW = re.compile(r"\{%-?\s*+(?:end)?raw\s*+-?%\}")
_FENCES, _LANGUAGE = re.compile("`{3,}+"), re.compile(r"[\w+#-]*+")
_PLAYERS = {
    "youtube": "https://www.youtube.com/watch?v={}",
    "vimeo": "https://vimeo.com/{}",
    "gist": "https://gist.github.com/{}",
    "tweet": "https://x.com/i/status/{}",
    "x": "https://x.com/i/status/{}",
    "instagram": "https://www.instagram.com/p/{}/",
}


def plain(text: str) -> tuple[str, list[str]]:
    """Return the text with template tags converted, and warnings about the others. Code blocks stay as they are."""
    if "{{" not in text and "{%" not in text:
        return text, []
    template = _Template(text)
    return template.converted(), list(dict.fromkeys(template.warnings))


class _Template:
    """A text with tags of Liquid or Hugo, converted from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.search = TextSearch(text)
        self.parts: list[str] = []
        self.warnings: list[str] = []
        self.fence = ""  # that opened the code block at this place
        self.is_raw = False  # between the tags `raw` and `endraw`

    def converted(self) -> str:
        place = 0
        while match := _MARK.search(self.text, place):
            self.parts.append(self.text[place : match.start()])
            place = self._code_line(match) if match[1] else self._mark(match.start())
        return "".join([*self.parts, self.text[place:]])

    def _code_line(self, match: re.Match[str]) -> int:
        """Keep a line that opens or closes a code block, without the tags `raw` and `endraw`."""
        line = _RAW.sub("", match[0])
        if not self.fence:
            self.fence = match[1]
        elif match[1].startswith(self.fence) and line.strip() == match[1]:
            self.fence = ""
        self.parts.append(line)
        return match.end()

    def _mark(self, place: int) -> int:
        """Convert the tag at a place, and return where the text after it begins."""
        for converted in (self._end_of_raw,) if self.is_raw else (self._liquid, self._hugo, self._value):
            if (end := converted(place)) is not None:
                return end
        self.parts.append(self.text[place : place + 2])
        return place + 2

    def _liquid(self, place: int) -> int | None:
        tag = liquid.tag_at(self.search, place)
        if tag is None or (self.fence and tag.name not in ("raw", "endraw")):
            return None
        content, end = liquid.content_of(self.search, tag) or (None, tag.end)
        if tag.name == "raw":
            self.is_raw = content is not None
            return tag.end
        if tag.name == "highlight" and content is not None:
            self._add_code(tag.arguments, _RAW.sub("", content))
        elif tag.name not in ("comment", "endraw"):
            self.parts.append(_without_tag(tag.name, tag.arguments, False, self.warnings))
        return end

    def _end_of_raw(self, place: int) -> int | None:
        tag = liquid.tag_at(self.search, place)
        if tag is None or tag.name != "endraw":
            return None
        self.is_raw = False
        return tag.end

    def _hugo(self, place: int) -> int | None:
        if self.fence:
            return None
        if (escaped := hugo.escaped_at(self.search, place)) is not None:
            self.parts.append(escaped[0])
            return escaped[1]
        shortcode = hugo.shortcode_at(self.search, place)
        if shortcode is None:
            return None
        content, end = hugo.content_of(self.search, shortcode) or (None, shortcode.end)
        if content is None:
            self.parts.append(_without_tag(shortcode.name, shortcode.arguments, shortcode.is_closing, self.warnings))
        else:
            self._add_code(shortcode.arguments, content)
        return end

    def _value(self, place: int) -> int | None:
        found = None if self.fence else liquid.value_at(self.search, place)
        if found is None:
            return None
        inner, end = found
        text = _known_value(inner, self.warnings)
        self.parts.append(self.text[place:end] if text is None else text)
        return end

    def _add_code(self, arguments: str, content: str) -> None:
        """Add a code block, at the beginning of its line."""
        self.parts[-1] = self.parts[-1].rstrip(" \t")
        code = content.removeprefix("\n").rstrip(" \t").removesuffix("\n")
        fence = max(["``", *_FENCES.findall(code)], key=len) + "`"
        self.parts.append(f"{fence}{_LANGUAGE.match(arguments)[0]}\n{code}\n{fence}")  # type: ignore[index]


def _without_tag(name: str, text: str, closes: bool, warnings: list[str]) -> str:
    """Return what a tag becomes in Markdown, and add a warning if that is not what it showed."""
    arguments = _arguments(text)
    first = arguments.get("0", "")
    if name == "figure" and not closes and (src := arguments.get("src") or first):
        caption = arguments.get("caption") or arguments.get("title") or ""
        alt = re.sub(r"[\[\]\\\n]", " ", arguments.get("alt") or caption).strip()
        return f"![{alt}]({src.replace(' ', '%20')})" + (f"\n\n*{caption}*" if caption else "")
    if name in ("ref", "relref", "post_url", "link") and first:
        return "/" + re.sub(r"^\d{4}-\d\d-\d\d-|\.\w+$", "", first.rstrip("/").rpartition("/")[2])
    if name in _PLAYERS and (key := arguments.get("id") or arguments.get("user", first)):
        key = "/".join(filter(None, (first, arguments.get("1", "")))) if name == "gist" else key
        url = key if key.startswith("http") else _PLAYERS[name].format(key)
        warnings.append(f"The content embedded with {name} is a link now.")
        return f"[{name.capitalize()}]({url})"
    warnings.append(f"The template command {name!r} was removed.")
    return ""


def _known_value(inner: str, warnings: list[str]) -> str | None:
    """Return the text of a value; None if it is not one of Jekyll's."""
    if re.fullmatch(r"(?:site\.)?(?:baseurl|url)", inner):
        return ""
    if quoted := re.match(r"""["']([^"']++)["']\s*+\|\s*+(?:relative_url|absolute_url|prepend)""", inner):
        return quoted[1]
    if re.fullmatch(r"[\w.]+", inner) and inner.startswith(("site.", "page.")):
        warnings.append(f"The template value {inner} was removed.")
        return ""
    return None


def _arguments(text: str) -> Mapping[str, str]:
    """Return the arguments of a tag: named ones by name, the others by position."""
    by_name: dict[str, str] = {}
    for match in _ARGUMENT.finditer(text):
        name, *values = match.groups()
        value = next((one for one in values if one is not None), "")
        by_name[name or str(sum(key.isdigit() for key in by_name))] = value
    return by_name
