"""Write the code of template tags as Markdown: `highlight` of Jekyll and Hugo, `codeblock` of Octopress and Hexo.

Sources: https://gohugo.io/shortcodes/highlight/ and https://hexo.io/docs/tag-plugins#Code-Block
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from blogsvc.lib.markdown import writer
from blogsvc.transfer.formats.tags import arguments as tag_arguments

# Those of Octopress and Hexo, which have a title and a link.
WITH_TITLES = ("codeblock", "code")
_IN_LINE = "ihighlight"  # of a plug-in of Jekyll
_IS_IN_LINE = re.compile(r"""\bhl_inline\s*+=\s*+["']?true\b""", re.IGNORECASE)
_LANGUAGE = re.compile(r"\blang:([\w+#.-]++)", re.IGNORECASE)
_OPTION = re.compile(r"(?:lang|line_number|line_threshold|first_line|wrap|mark|language_attr|highlight):\S*+\Z")
_ADDRESS = re.compile(r"https?://[^\s<>]++", re.IGNORECASE)
_SUFFIX = re.compile(r"\w\.(\w{1,10})\)?\Z")
_LINE = re.compile(
    r"^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+(?:(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n]*+)|(?P<tag>\{[{%]))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class CodeTag:
    """A tag with code."""

    language: str
    title: str = ""
    link: str = ""  # Markdown
    is_in_line: bool = False

    @classmethod
    def of(cls, name: str, arguments: str) -> CodeTag:
        if name not in WITH_TITLES:
            named = tag_arguments.by_name(arguments)
            language = named.get("0") or named.get("lang") or named.get("type") or ""
            return cls(
                language.removeprefix("lang:"), is_in_line=name == _IN_LINE or bool(_IS_IN_LINE.search(arguments))
            )
        words = " ".join(word for word in arguments.split() if not _OPTION.match(word))
        title, link = words, ""
        if address := _ADDRESS.search(words):
            title = words[: address.start()].rstrip()
            label = writer.escape(words[address.end() :].strip() or "link", starts_line=False, within="link")
            link = f"[{label}]({address[0]})"
        title = re.sub(r"""\A(["'])([^"']*+)\1\Z""", r"\2", title)
        named_by = _LANGUAGE.search(arguments) or _SUFFIX.search(title)
        return cls(named_by[1] if named_by else "", title, link)

    def block(self, code: str) -> str:
        """Return a block of code, with its title, and with a paragraph for the link."""
        block = writer.code_block(code, self.language, self.title)
        if self.title and self.title not in block.partition("\n")[0]:
            block = f"{writer.escape(self.title)}\n\n{block}"
        return f"{block}\n\n{self.link}" if self.link else block

    def span(self, code: str) -> str:
        return writer.code_span(" ".join(code.split("\n")))


def in_lines(text: str, end_of_code: Callable[[int], int | None]) -> list[tuple[int, int]]:
    """Return the places of the tags with code that begin lines outside of fences, from the start to the end of each.

    Args:
        end_of_code: returns where the code of the tag at a place ends; None if there is no tag with code.
    """
    found: list[tuple[int, int]] = []
    fence, place = "", 0
    while line := _LINE.search(text, place):
        place = line.end()
        mark, info = line["fence"] or "", (line["info"] or "").strip()
        if fence:
            fence = "" if mark.startswith(fence) and not info else fence
        elif mark:
            fence = "" if mark[0] == "`" and "`" in info else mark
        elif (end := end_of_code(line.start("tag"))) is not None:
            found.append((line.start("tag"), end))
            place = end
    return found
