"""Convert template tags of Jekyll (Liquid) and Hugo (shortcodes) to Markdown, or warn about them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FENCE = re.compile(r"^([ ]{0,3})(`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}\2[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_TAG = re.compile(
    r"\{\{[<%]\s*(/?)\s*([\w./-]{1,60})([^{}]{0,2000}?)/?\s*[>%]\}\}|\{%-?\s*(\w{1,40})([^{}]{0,500}?)-?%\}"
)
_VARIABLE = re.compile(r"\{\{-?\s*([^{}<%]{1,300}?)\s*-?\}\}")
_ARGUMENT = re.compile(
    r"""([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|(\S+))|"((?:[^"\\]|\\.)*)"|(\S+)"""
)
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
    warnings: list[str] = []
    text = _with_code_blocks(text)
    parts: list[str] = []
    position = 0
    for fence in _FENCE.finditer(text):
        parts += [_replaced(text[position : fence.start()], warnings), fence[0]]
        position = fence.end()
    parts.append(_replaced(text[position:], warnings))
    return "".join(parts), list(dict.fromkeys(warnings))


def _with_code_blocks(text: str) -> str:
    """Convert highlight tags to code blocks."""
    for opening, closing in (
        (r"\{%-?\s*highlight\s+([\w+#-]*)[^%]{0,200}%\}", r"\{%-?\s*endhighlight\s*-?%\}"),
        (r"\{\{<\s*highlight\s+([\w+#-]*)[^>]{0,200}>\}\}", r"\{\{<\s*/\s*highlight\s*>\}\}"),
    ):
        text = re.sub(
            rf"[ \t]*{opening}\n?((?:(?!{opening}).)*?)\n?[ \t]*{closing}",
            lambda found: f"```{found[1]}\n{found[2]}\n```",
            text,
            flags=re.DOTALL,
        )
    return re.sub(r"\{%-?\s*(?:end)?raw\s*-?%\}", "", text)


def _replaced(text: str, warnings: list[str]) -> str:
    text = _TAG.sub(lambda found: _tag(found, warnings), text)
    return _VARIABLE.sub(lambda found: _variable(found, warnings), text)


def _tag(found: re.Match[str], warnings: list[str]) -> str:
    closes, name = bool(found[1]), (found[2] or found[4] or "").lower()
    arguments = _arguments(found[3] or found[5] or "")
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
    if found[4] and name == "comment":
        return ""
    warnings.append(f"The template command {name!r} was removed.")
    return ""


def _variable(found: re.Match[str], warnings: list[str]) -> str:
    inner = found[1].strip()
    if re.fullmatch(r"(?:site\.)?(?:baseurl|url)", inner):
        return ""
    if quoted := re.match(r"""["']([^"']+)["']\s*\|\s*(?:relative_url|absolute_url|prepend)""", inner):
        return quoted[1]
    if re.fullmatch(r"[\w.]+", inner) and inner.startswith(("site.", "page.")):
        warnings.append(f"The template value {inner} was removed.")
        return ""
    return found[0]


def _arguments(text: str) -> Mapping[str, str]:
    """Return the arguments of a tag: named ones by name, the others by position."""
    by_name: dict[str, str] = {}
    for found in _ARGUMENT.finditer(text):
        name, *values = found.groups()
        value = next((one for one in values if one is not None), "")
        by_name[name or str(sum(key.isdigit() for key in by_name))] = value
    return by_name
