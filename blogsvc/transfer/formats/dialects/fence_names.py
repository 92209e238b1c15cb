"""Write the names of files at code blocks as our Markdown has them.

Zenn and Qiita write `js:a.js` after the fence, Gatsby `js:title=a.js`, VitePress `js [a.js]`. VuePress has options
such as `js:no-line-numbers` in the same place.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from blogsvc.lib.markdown.render import LINES, environment, grammar

_LANGUAGE = r"(?P<before>(?:diff[ ]{1,9}+)?(?P<language>[A-Za-z][\w+#-]{0,30}+))"
_MAYBE = re.compile(rf"(?:`{{3}}|~{{3}})[ ]{{0,9}}+{_LANGUAGE}(?::|[ ]{{1,9}}+\[)")
_WITH_COLON = re.compile(rf"{_LANGUAGE}:(?:title=)?(?P<file>[^\s\"'{{}}]{{1,200}}+)(?P<rest>.*)", re.DOTALL)
_IN_BRACKETS = re.compile(rf"{_LANGUAGE}(?P<rest>[^\[\]]{{0,100}}?)[ ]\[(?P<file>[^\[\]\"]{{1,200}}+)\][ ]{{0,9}}+")
_IS_FILE = re.compile(r"[./]|\A(?:Docker|Make|Gem|Rake|Jenkins|Proc|Caddy)file\Z")


def plain(text: str) -> str:
    """Return Markdown whose code blocks have their language, and the name of their file as a title."""
    if not _MAYBE.search(text) or text.count("\n") > LINES:
        return text
    parser = grammar(MarkdownIt("commonmark"))
    parser.core.ruler.enableOnly(["block"])
    lines = text.split("\n")
    for token in parser.parse(text, environment(text)):
        info = token.info.strip()
        if token.type == "fence" and token.map and (shown := _titled(info)) != info:
            before, fence, after = lines[token.map[0]].partition(token.markup)
            lines[token.map[0]] = f"{before}{fence}{after.replace(info, shown, 1)}"
    return "\n".join(lines)


def _titled(info: str) -> str:
    """Return what is after the fence with the file in it as a title."""
    found = _WITH_COLON.fullmatch(info) or _IN_BRACKETS.fullmatch(info)
    if found is None:
        return info
    language = found["before"].split()[0]
    if found.re is _WITH_COLON and not _IS_FILE.search(found["file"]):
        return f"{language}{found['rest']}"
    return f'{language} title="{found["file"]}"{found["rest"]}'
