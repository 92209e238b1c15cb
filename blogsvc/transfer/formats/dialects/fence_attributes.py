"""Read attributes in the first line of code, such as `{.python title="a.py"}`, as Pandoc, Quarto and R Markdown do."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from blogsvc.lib.markdown.render import LINES, environment, grammar
from blogsvc.transfer.formats.removals import InSource, Removals, source

_MAYBE = re.compile(r"(?:```|~~~)[ \t]*+\{")
_INFO = re.compile(
    r"\{[ \t]*+(?:#[^\s{}]{1,100}+[ \t]++)?(?:=(?P<raw>\w{1,20}+)|\.?(?P<language>[A-Za-z][\w+#-]{0,40}+)(?!=))"
)
_FILE = re.compile(r"""\b(?:filename|title)="([^"{}\n]{1,200}+)\"""")


def plain(text: str, source_text: str, removals: Removals) -> str:
    """Return a text whose code has its language and file name as our Markdown has them. Raw HTML is no code.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
    """
    if not _MAYBE.search(text) or text.count("\n") > LINES:
        return text
    parser = grammar(MarkdownIt("commonmark"))
    parser.core.ruler.enableOnly(["block"])
    lines, in_source = text.split("\n"), InSource(source_text)
    written: list[str | None] = list(lines)
    for token in parser.parse(text, environment(text)):
        info = _INFO.match(token.info.strip()) if token.type == "fence" else None
        if info is None or not token.map:
            continue
        first, end = token.map
        before, fence, _ = lines[first].partition(token.markup)
        if info["language"]:
            file = _FILE.search(token.info)
            title = f' title="{file[1]}"' if file else ""
            written[first] = f"{before}{fence}{info['language']}{title}"
        elif not before.strip("> \t"):
            if info["raw"].startswith("html"):
                written[first] = before.rstrip()
                if end - 1 > first and lines[end - 1].strip("> \t").startswith(token.markup):
                    written[end - 1] = before.rstrip()
                continue
            place = in_source.place_of(lines[first])
            removals.note(f"The text {source(chr(10).join(lines[first:end]))} was removed.", place)
            written[first:end] = [before.rstrip(), *[None] * (end - first - 1)]
    return "\n".join(line for line in written if line is not None)
