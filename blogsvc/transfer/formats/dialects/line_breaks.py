"""Keep the line breaks of programs that show each as one, as Obsidian, Hexo and Zenn do."""

from __future__ import annotations

from itertools import pairwise

from blogsvc.lib.markdown import marks


def kept(text: str) -> str:
    """Return Markdown with a backslash at the end of each line of a paragraph that another one follows."""
    marked = marks.parse(text)
    if marked.tokens is None:
        return text
    lines = marked.text.split("\n")
    for before, token in zip([None, *marked.tokens], marked.tokens, strict=False):
        if before is None or before.type != "paragraph_open" or token.type != "inline" or not token.map:
            continue
        children = token.children or []
        if "$$" in token.content:  # a formula
            continue
        done, number = 0, token.map[0]
        for child, following in pairwise(children):
            if child.type != "softbreak" or "at" not in child.meta or following.type == "image_width":
                continue
            at = child.meta["at"][0]
            number += token.content.count("\n", done, at)
            done = at
            if number < len(lines):
                lines[number] = f"{lines[number].rstrip()}\\"
    return "\n".join(lines)
