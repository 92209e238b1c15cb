"""Changes to the HTML of a revision for display, and the writing direction of languages.

The HTML comes from the sanitiser, which escapes `<` and `>` outside of tags and `"` in attribute values. So
finding tags and attributes with regular expressions is safe.
"""

from __future__ import annotations

import re

from blogsvc.lib.markdown.fragments import PREFIX

_ANY_TAG = re.compile(r"</?([a-z]+[1-6]?)\b[^>]*>")
_INLINE = frozenset("a abbr b cite code em i kbd mark q s small strong sub sup".split())
_PARAGRAPH = re.compile("<p>.*?</p>", re.DOTALL)
# Wide tables scroll inside the page; tabindex makes that possible with the keyboard.
_FRAME = '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table'

# The scripts of pages, by what is in the texts that need them: buttons that copy code, and places to which links lead.
SCRIPTS = {"data-copy=": "copy-code.js", f' id="{PREFIX}': "fragments.js"}

_RIGHT_TO_LEFT = frozenset("ar arc arz ckb dv fa glk he iw ji khw ks lrc mzn nqo pnb ps sd syr ug ur yi".split())
_RIGHT_TO_LEFT_SCRIPTS = frozenset("adlm arab hebr nkoo rohg syrc thaa".split())


def direction(language: str) -> str:
    """Return "rtl" or "ltr" for a BCP 47 tag, by its script if it has one, else by its language."""
    first, *others = language.lower().split("-")
    script = next((part for part in others if len(part) == 4 and part.isalpha()), None)
    is_rtl = script in _RIGHT_TO_LEFT_SCRIPTS if script else first in _RIGHT_TO_LEFT
    return "rtl" if is_rtl else "ltr"


def with_scrolling_tables(html: str) -> str:
    return html.replace("<table", _FRAME).replace("</table>", "</table></div>")


def inline(html: str) -> str:
    """Return the HTML of one line of text without its paragraph, or any other element that a line can't have."""
    return _ANY_TAG.sub(lambda tag: tag[0] if tag[1] in _INLINE else "", html).strip()


def prose(html: str) -> str:
    """Return the paragraphs without headings, tables, code and footnotes; all HTML if there are no paragraphs."""
    text = html.partition('<section class="footnotes">')[0]
    return "".join(_PARAGRAPH.findall(text)) or html
