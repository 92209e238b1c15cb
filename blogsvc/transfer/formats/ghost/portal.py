"""Find links that open a part of Ghost itself over the page: sign-up, account, search. No other program has these."""

from __future__ import annotations

import re

from blogsvc.transfer.formats.ghost.url import PLACEHOLDER

_ADDRESS = (
    rf"(?:{re.escape(PLACEHOLDER)})?(?:/(?!/)[^\s\"'<>\#]{{0,200}}+)?\#/(?:portal|search|share)\b[^\s\"'<>]{{0,200}}+"
)
_IS_PORTAL = re.compile(_ADDRESS)
_LINK = re.compile(
    rf"""(<a\b[^<>]{{0,500}}?)\shref\s{{0,9}}+=\s{{0,9}}+(["']?)({_ADDRESS})\2(?=[\s>])""", re.IGNORECASE
)


def is_portal(url: str) -> bool:
    """Return True for an address such as "#/portal/signup"."""
    return _IS_PORTAL.fullmatch(url) is not None


def without_links(html: str, warnings: list[str]) -> str:
    """Return HTML in which such links are only their words, and add a warning that names their targets."""
    if "#/" not in html:
        return html
    targets = dict[str, None]()

    def words(link: re.Match[str]) -> str:
        targets[f"#{link[3].partition('#')[2][:100]}"] = None
        return link[1]

    html = _LINK.sub(words, html)
    if targets:
        warnings.append(f"Links to what only Ghost has are only words now: {', '.join(list(targets)[:10])}.")
    return html
