"""Code blocks: `<pre class="code" tabindex="0"><code class="language-python">`, with spans that have Pygments' classes.

Languages without highlighting have a plain `<code>`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import find_lexer_class_by_name, get_all_lexers

from blogsvc.lib.markdown.languages import LANGUAGES

# Attributes that every `pre` has: they make code scrollable with the keyboard.
PRE = 'class="code" tabindex="0"'
_COLOURED = 8 * 1024  # characters per code block; some of Pygments' lexers take quadratic time, such as Java's
_COLOURED_IN_ALL = 32 * 1024  # characters of code per text

_LANGUAGE_OF = {
    alias: name
    for _, aliases, _, _ in get_all_lexers(plugins=False)
    for name in aliases
    if name in LANGUAGES
    for alias in aliases
}


def indented_code(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return code_block(escape(tokens[index].content)) + "\n"


def code_block(body: str, language: str | None = None) -> str:
    kind = f' class="language-{language}"' if language else ""
    return f"<pre {PRE}><code{kind}>{body}</code></pre>"


def code_highlighter() -> Callable[[str, str, str], str]:
    """Return a function that renders code blocks of one text, with highlighting within the limits."""
    left = _COLOURED_IN_ALL

    def block(code: str, language: str, _attributes: str) -> str:
        nonlocal left
        name = _LANGUAGE_OF.get(language.lower())
        if name is None or len(code) > min(left, _COLOURED):
            return code_block(escape(code), name)
        left -= len(code)
        # Without unicodelevel, an option of the C# lexer only, 8 KiB take half a minute.
        lexer = _lexer_class(name)(stripnl=False, ensurenl=False, unicodelevel="none")
        return code_block(str(highlight(code, lexer, HtmlFormatter(nowrap=True))), name)

    return block


@cache
def _lexer_class(name: str) -> Any:
    return find_lexer_class_by_name(name)
