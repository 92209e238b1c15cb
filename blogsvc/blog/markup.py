"""What the blog does to a revision's HTML, and how a language runs.

The HTML is the sanitiser's: `<` and `>` are escaped everywhere but in its tags, and `"` in the values of
attributes. That makes searching it for tags and attributes as safe as parsing it.
"""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import urljoin

_TAG = re.compile("<[a-z][^>]*>")
_PARAGRAPH = re.compile("<p>.*?</p>", re.DOTALL)
_ADDRESS = re.compile(' (href|src|poster)="([^"]*)"')
# A wide table scrolls within the page, by keyboard too.
_FRAME = '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table'

_RIGHT_TO_LEFT = frozenset("ar arc arz ckb dv fa glk he iw ji khw ks lrc mzn nqo pnb ps sd syr ug ur yi".split())
_RIGHT_TO_LEFT_SCRIPTS = frozenset("adlm arab hebr nkoo rohg syrc thaa".split())


def direction(language: str) -> str:
    """ "rtl" or "ltr" for a BCP 47 tag: by its script where it names one, else by its language."""
    first, *others = language.lower().split("-")
    script = next((part for part in others if len(part) == 4 and part.isalpha()), None)
    is_rtl = script in _RIGHT_TO_LEFT_SCRIPTS if script else first in _RIGHT_TO_LEFT
    return "rtl" if is_rtl else "ltr"


def with_scrolling_tables(html: str) -> str:
    return html.replace("<table", _FRAME).replace("</table>", "</table></div>")


def prose(html: str) -> str:
    """The paragraphs alone, without headings, tables, code and footnotes; all of it where there are none."""
    text = html.partition('<section class="footnotes">')[0]
    return "".join(_PARAGRAPH.findall(text)) or html


def absolute(html: str, base: str) -> str:
    """The HTML with each address made absolute, as feed readers want it."""

    def settle(address: re.Match[str]) -> str:
        return f' {address[1]}="{escape(_join(base, unescape(address[2])))}"'

    return _TAG.sub(lambda tag: _ADDRESS.sub(settle, tag[0]), html)


def _join(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:
        return url
