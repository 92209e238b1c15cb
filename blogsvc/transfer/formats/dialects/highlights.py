"""Write the highlighted words of Obsidian, `==words==`, as `<mark>words</mark>`."""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.dialects.block_places import places_of_words

# Escaped characters, tags and addresses come first, so that signs in them are none.
_SIGN = re.compile(
    r"""\\. | <[a-zA-Z/!][^<>]{0,1000}+> | \]\((?:<[^<>\n]{0,1000}+>|[^\s()<]{0,1000}+)
      | \[\[[^\[\]\n]{1,300}+\]\] | (?:https?://|www\.)[^\s<*]{1,1000}+ | (?P<cell>\|) | (?P<mark>(?<!=)==(?!=))""",
    re.VERBOSE | re.DOTALL,
)
_NO_BEGIN = " \t\n,.;:!?)"  # what follows no opening mark


def plain(text: str, *, is_vault: bool) -> str:
    """Return Markdown with elements for highlighted words. Code stays as it is.

    Args:
        is_vault: The text is one of Obsidian, so that its signs mark parts of words, too.
    """
    if text.count("==") < 2:
        return text
    code, parts, place = code_places(text), list[str](), 0
    for first, end in places_of_words(text):
        opening: int | None = None
        for sign in _SIGN.finditer(text, first, end):
            at = sign.start()
            if sign["cell"]:
                opening = None
            if not sign["mark"] or code.end_at(at) is not None:
                continue
            before, after = text[at - 1 : at] if at > first else "", text[at + 2 : at + 3]
            closes = opening is not None and before.strip() and (is_vault or not _is_word(after))
            if opening is not None and closes and at > opening + 2:
                parts += [text[place:opening], "<mark>", text[opening + 2 : at], "</mark>"]
                place, opening = at + 2, None
            elif after.strip(_NO_BEGIN) and (is_vault or not _is_word(before)):
                opening = at
    return "".join([*parts, text[place:]])


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()
