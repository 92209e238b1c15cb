"""Typography of text that was typed on a keyboard: dashes and ellipses. Addresses and code stay as they are."""

from __future__ import annotations

import re

from markdown_it.rules_core import StateCore

# Two hyphens are a dash between words or between spaces. Before a word, they are an option of a command.
_TYPED = re.compile(
    r"(?P<address>(?:https?://|www\.|mailto:)\S+)"
    r"|(?P<em>(?<!-)---(?![->]))"
    r"|(?P<en>(?:(?<=\s)|^)--(?=\s|\Z)|(?<=[^-<!\s])--(?![->\s]))"
    r"|(?P<ellipsis>(?<![./\\])\.\.\.(?![./\\]))"
)
_PRINTED = {"em": "—", "en": "–", "ellipsis": "…"}


def print_dashes(state: StateCore) -> None:
    """Replace `--`, `---` and `...` in text."""
    for block in state.tokens:
        is_address = False
        for token in block.children or ():
            if token.type in ("link_open", "link_close"):
                is_address = token.info == "auto" and token.nesting > 0
            elif token.type == "text" and not is_address and ("--" in token.content or "..." in token.content):
                token.content = _TYPED.sub(lambda found: _PRINTED.get(str(found.lastgroup), found[0]), token.content)
