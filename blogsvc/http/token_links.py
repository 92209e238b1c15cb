"""Links with a token in their path, which logs and the addresses of other pages must not show."""

from __future__ import annotations

import re

# The links that set up a blog, accept an invitation and show a draft, however they are written: whoever has one may
# use it.
TOKEN_LINK = re.compile(r"(/(?:setup|invite|draft)/+)[^/].*", re.IGNORECASE | re.DOTALL)


def without_token(path: str) -> str:
    """Return the path with "..." for the token of a setup link, an invitation or a share link."""
    return TOKEN_LINK.sub(r"\1...", path)
