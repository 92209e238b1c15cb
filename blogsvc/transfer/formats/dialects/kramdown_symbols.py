"""Write the guillemets of Kramdown, `<<words>>`, as the characters that it shows.

Source: https://kramdown.gettalong.org/syntax.html#typographic-symbols
"""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.dialects.block_places import places_of_words

# Escaped characters, formulas, tags and the beginning of a quotation come first, so that guillemets in them are none.
_SYMBOL = re.compile(
    r"""(?P<begin>^[ \t>]*>) | \\(?P<escaped><<|>>) | \\. | \$\$[^$]{1,1000}+\$\$
      | (?P<symbol><<[ ]|[ ]>>|<<|>>) | </?[a-zA-Z!](?:[^<>"']|"[^"]{0,1000}+"|'[^']{0,1000}+'){0,1000}+>""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_SHOWN = {"<< ": "«&nbsp;", " >>": "&nbsp;»", "<<": "«", ">>": "»"}
_ESCAPED = {"<<": "&lt;&lt;", ">>": "&gt;&gt;"}


def plain(text: str) -> str:
    """Return a text of Kramdown with guillemets. Code, formulas and tags stay as they are."""
    if "<<" not in text and ">>" not in text:
        return text
    code, parts, place = code_places(text), list[str](), 0
    for start, end in places_of_words(text):
        for found in _SYMBOL.finditer(text, start, end):
            shown = _SHOWN.get(found["symbol"]) or _ESCAPED.get(found["escaped"])
            if shown and code.end_at(found.end() - 1) is None:
                parts += [text[place : found.start()], shown]
                place = found.end()
    return "".join([*parts, text[place:]])
