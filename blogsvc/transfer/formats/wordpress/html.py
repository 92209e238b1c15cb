"""The HTML that shortcodes of WordPress become: links, figures, code and footnotes."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from html import escape, unescape
from urllib.parse import unquote

from blogsvc.transfer.formats.wordpress.blocks import MAX_ADDRESSES
from blogsvc.transfer.formats.wordpress.shortcodes import arguments_of

# Shortcodes whose content is code: of WordPress.com, SyntaxHighlighter, CodeColorer, Crayon and GeSHi. All but those
# before "actionscript" name its language.
CODE_NAMES = (
    "code codeblock sourcecode source cc ccb cce cci crayon geshi prism plain text actionscript"
    " actionscript3 as3 bash c c-sharp cf clj"
    " clojure coldfusion cpp csharp css delphi diff erl erlang fsharp go golang groovy haskell html java javafx"
    " javascript jfx js jscript latex matlab matlabkey obj-c objc pascal patch perl php pl powershell ps py python"
    " r rails rb ror ruby scala shell sql swift tex vb vbnet xhtml xml xslt yaml yml"
).split()
_ANY_CODE = frozenset(CODE_NAMES[: CODE_NAMES.index("text") + 1])
_PRE = re.compile(r"<pre\b(?P<attributes>[^<>]{1,500}+)>(?P<code>.*)</pre>", re.IGNORECASE | re.DOTALL)
_PRE_BEGINS = re.compile(r"\A<pre\b(?![^<>]{0,500}\b(?:lang|class=[^<>]{0,200}(?:brush:|language-)))", re.IGNORECASE)
_NO_LINE = re.compile(r"\n\s*\n|<(?:a|p|div|ul|ol|table|blockquote|h[1-6]|pre|hr|figure|audio|video)\b", re.IGNORECASE)
_IMAGE = re.compile(r"(?:<a\b[^<>]*+>\s*+)?<img\b[^<>]*+>(?:\s*+</a>)?")


def link(url: str) -> str:
    return f'<a href="{escape(url)}">{escape(url)}</a>' if re.match(r"https?://", url) else escape(url)


def is_line(html: str) -> bool:
    """Return True for a text that can be the words of a link."""
    return bool(html.strip()) and _NO_LINE.search(html) is None


def links(urls: Iterator[str] | list[str]) -> str:
    return "".join(f"\n\n<p>{link(url)}</p>\n\n" for url in list(dict.fromkeys(urls))[:MAX_ADDRESSES])


def caption(content: str, arguments: dict[str, str]) -> str:
    image = _IMAGE.search(content)
    if image is None:
        return content + (f"\n\n{arguments['caption']}\n\n" if arguments.get("caption") else "")
    words = (content[image.end() :].strip() or arguments.get("caption", "")).replace("\n", " ")
    return f"{content[: image.start()]}\n\n<figure>{image[0]}<figcaption>{words}</figcaption></figure>\n\n"


def code_block(name: str, arguments: str, code: str) -> str:
    named = arguments_of(arguments)
    language = named.get("language") or named.get("lang") or ("" if name in _ANY_CODE else name)
    return _code(language, unescape(code))


def with_literal_code(element: str, language: str = "") -> str:
    """Return a `pre` or `code` element, which is code if it is one of the plug-in WP-Syntax: there, tags are text.

    Args:
        language: the language of its block, for an element that does not name one.
    """
    pre = _PRE.fullmatch(element)
    named = arguments_of(pre["attributes"]) if pre else {}
    if pre is None or not named.get("lang") or "<code" in pre["code"]:
        return _PRE_BEGINS.sub(f'<pre data-language="{escape(language)}"', element) if language else element
    return _code(named["lang"], unescape(pre["code"]) if named.get("escaped") == "true" else pre["code"])


def decoded(stored: str) -> str | None:
    """Return HTML that a page builder stores as Base64, one of them percent-encoded; None if it can't be read."""
    with suppress(ValueError):
        html = b64decode(stored.strip(), validate=True).decode()
        return unquote(html) if html.startswith("%3C") else html
    return None


def _code(language: str, code: str) -> str:
    kind = f' class="language-{escape(language)}"' if language else ""
    return f"<pre><code{kind}>{escape(code.strip(chr(10)))}</code></pre>"


def footnotes(stored: str) -> str:
    """Return the footnotes of the block editor, which are stored outside the text."""
    try:
        notes = json.loads(stored) if stored else []
        items = [
            f'<li id="{note["id"]}">{note["content"]}</li>' for note in notes if re.fullmatch(r"[\w-]+", note["id"])
        ]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return f"<ol>{''.join(items)}</ol>" if items else ""
