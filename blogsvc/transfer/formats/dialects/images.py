"""Write images in a way that our Markdown reads: without what Hashnode, Zenn and HackMD add to their addresses.

Examples are `![Alt](a.png align="left")`, `![](a.png =250x)`, and `![](my photo.png)`, whose address has spaces.
"""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import code_places

_URL = r"(?:<[^<>\n]{1,2000}+>|(?:[^\s()<>]|\([^\s()]{0,200}+\)){1,2000}+)"
_TITLE = r"""(?:"[^"\n]{0,500}+"|'[^'\n]{0,500}+')"""
_SIZE = r"=(?:\d{1,5}+%?(?:x(?:\d{1,5}+%?)?)?|x\d{1,5}+%?)"
_MORE = re.compile(
    rf"(?P<kept>\]\({_URL}(?:[ \t]{{1,9}}+{_TITLE})?+)"
    rf"(?:[ \t]{{1,9}}+(?:{_SIZE}|(?:align|width|height)={_TITLE}))++"
    rf"(?P<title>(?:[ \t]{{1,9}}+{_TITLE})?+)[ \t]{{0,9}}+\)"
)
_SPACED = re.compile(
    r"(?P<before>\]\([ \t]{0,9}+)(?P<url>[^\s()<>\"'][^()<>\"'\n]{0,500}?\.(?:avif|bmp|gif|jpe?g|png|svg|webp))"
    rf"(?P<after>(?:[ \t]{{1,9}}+{_TITLE})?+[ \t]{{0,9}}+\))",
    re.IGNORECASE,
)
# Any address in the same place, as Kramdown reads it.
_SPACED_LINK = re.compile(
    r"(?P<before>\]\([ \t]{0,9}+)(?P<url>[^\s()<>\"'][^()<>\"'\n]{0,500}?)"
    rf"(?P<after>(?:[ \t]{{1,9}}+{_TITLE})?+[ \t]{{0,9}}+\))"
)
_SPACES = re.compile(r"[ \t]")


def plain(text: str, *, has_kramdown: bool = False) -> str:
    """Return Markdown whose images and links have only an address and a title. Code stays as it is.

    Args:
        has_kramdown: The text is one of Kramdown, in which addresses of links may have spaces.
    """
    if "](" not in text:
        return text
    return _replaced(_replaced(text, _MORE), _SPACED_LINK if has_kramdown else _SPACED)


def _replaced(text: str, pattern: re.Pattern[str]) -> str:
    if not pattern.search(text):
        return text
    code = code_places(text)
    return pattern.sub(lambda one: one[0] if code.end_at(one.start()) is not None else _written(one), text)


def _written(found: re.Match[str]) -> str:
    if found.re is _MORE:
        return f"{found['kept']}{found['title']})"
    return f"{found['before']}{_SPACES.sub('%20', found['url'])}{found['after']}"
