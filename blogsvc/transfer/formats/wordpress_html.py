"""The HTML that shortcodes of WordPress become: links, figures, code and footnotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape, unescape

from blogsvc.transfer.formats.wordpress_blocks import MAX_ADDRESSES
from blogsvc.transfer.formats.wordpress_shortcodes import arguments_of

_IMAGE = re.compile(r"(?:<a\b[^<>]*+>\s*+)?<img\b[^<>]*+>(?:\s*+</a>)?")


def link(url: str) -> str:
    return f'<a href="{escape(url)}">{escape(url)}</a>' if re.match(r"https?://", url) else escape(url)


def links(urls: Iterator[str] | list[str]) -> str:
    return "".join(f"\n\n<p>{link(url)}</p>\n\n" for url in list(dict.fromkeys(urls))[:MAX_ADDRESSES])


def caption(content: str, arguments: dict[str, str]) -> str:
    image = _IMAGE.search(content)
    if image is None:
        return content + (f"\n\n{escape(arguments['caption'])}\n\n" if arguments.get("caption") else "")
    words = (content[image.end() :].strip() or escape(arguments.get("caption", ""))).replace("\n", " ")
    return f"{content[: image.start()]}\n\n<figure>{image[0]}<figcaption>{words}</figcaption></figure>\n\n"


def code_block(name: str, arguments: str, code: str) -> str:
    named = arguments_of(arguments)
    language = named.get("language") or named.get("lang") or (name if not name.startswith(("code", "source")) else "")
    kind = f' class="language-{escape(language)}"' if language else ""
    return f"<pre><code{kind}>{escape(unescape(code.strip(chr(10))))}</code></pre>"


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
