"""Code blocks: `<pre class="code" tabindex="0"><code class="language-python">`, with spans that have Pygments' classes.

Languages without highlighting have a plain `<code>`. A file name, as in ```` ```python title="steam.py" ````, is the
caption of a figure around the block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import find_lexer_class_by_name, get_all_lexers

from blogsvc.lib.markdown.languages import LANGUAGES

# Attributes that every `pre` has: they make code scrollable with the keyboard.
PRE = 'class="code" tabindex="0"'
# The language and the file name in the line that opens a block.
_LANGUAGE = re.compile(r"[^\s{},]+")
_FILE = re.compile(r"""(?:^|\s)(?:title|file|filename)=(?:"([^"]{1,200})"|'([^']{1,200})'|([^\s"'{}]{1,200}))""")
_COLOURED = 8 * 1024  # characters per code block; some of Pygments' lexers take quadratic time, such as Java's
_COLOURED_IN_ALL = 32 * 1024  # characters of code per text

_LANGUAGE_OF = {
    alias: name
    for _, aliases, _, _ in get_all_lexers(plugins=False)
    for name in aliases
    if name in LANGUAGES
    for alias in aliases
}


@dataclass(frozen=True)
class FenceInfo:
    """What the line that opens a block says. Anything else in it, such as {3-5}, has no meaning."""

    language: str
    file: str

    @classmethod
    def of(cls, info: str) -> FenceInfo:
        info = unescapeAll(info).strip()
        found, first = _FILE.search(info), _LANGUAGE.match(info)
        file = next(filter(None, found.groups()), "") if found else ""
        return cls("" if (found and found.start() == 0) or not first else first[0], " ".join(file.split()))


def indented_code(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return code_block(escape(tokens[index].content)) + "\n"


def code_block(body: str, language: str | None = None) -> str:
    kind = f' class="language-{language}"' if language else ""
    return f"<pre {PRE}><code{kind}>{body}</code></pre>"


def fence_renderer() -> Callable[..., str]:
    """Return a function that renders the fenced code blocks of one text, with highlighting within the limits."""
    left = _COLOURED_IN_ALL

    def rendered(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
        nonlocal left
        code, info = tokens[index].content, FenceInfo.of(tokens[index].info)
        name = _LANGUAGE_OF.get(info.language.lower())
        if name is None or len(code) > min(left, _COLOURED):
            block = code_block(escape(code), name)
        else:
            left -= len(code)
            # Without unicodelevel, an option of the C# lexer only, 8 KiB take half a minute.
            lexer = _lexer_class(name)(stripnl=False, ensurenl=False, unicodelevel="none")
            block = code_block(str(highlight(code, lexer, HtmlFormatter(nowrap=True))), name)
        return f"{_in_figure(block, info.file)}\n"

    return rendered


def _in_figure(block: str, file: str) -> str:
    return f'<figure class="code"><figcaption>{escape(file)}</figcaption>{block}</figure>' if file else block


@cache
def _lexer_class(name: str) -> Any:
    return find_lexer_class_by_name(name)
