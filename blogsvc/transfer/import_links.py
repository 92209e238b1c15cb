"""Replace the URL that stands for a blog of Ghost, whose export does not contain its address."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import urlsplit

from blogsvc.transfer.formats.ghost.url import PLACEHOLDER, PLACEHOLDER_HOST
from blogsvc.transfer.formats.parsed_post import ParsedPost, url_parts

_OWN_URL = re.compile(
    rf"""(?P<before>\]\(\s*<?|\s(?:href|src|poster)=["'])?"""
    rf"""(?:<{re.escape(PLACEHOLDER)}(?P<auto>[^<>\s]*)>|{re.escape(PLACEHOLDER)}(?P<path>[^\s()<>"'\]]*))"""
)


def without_placeholder(text: str, site: str) -> str:
    """Return Markdown or plain text in which links to the old blog lead to this one, and to `site` for its files.

    Args:
        site: the URL of the old blog; "" if it is unknown, and paths are all that is left.
    """

    def own_url(match: re.Match[str]) -> str:
        path = match["path"] if match["auto"] is None else match["auto"]
        is_file = path.startswith("/content/")
        link = site + path if is_file else re.sub(r"(?<=[^/])/(?=$|[?#])", "", path) or "/"
        if match["auto"] is not None:
            return f"[{site + path or '/'}]({link})"
        return f"{match['before']}{link}" if match["before"] else site + path or "/"

    # The name of a host alone is the text of a link that was an embedded page.
    return _OWN_URL.sub(own_url, text).replace(PLACEHOLDER_HOST, urlsplit(site).hostname or "the old blog")


def settled(post: ParsedPost, site: str) -> tuple[ParsedPost, list[str]]:
    """Return the post with all but its content settled, and a note for what is lost."""
    url, notes = post.canonical_url, []
    if url and url.startswith(PLACEHOLDER):
        path = url_parts(url).path
        is_its_own = path.strip("/") in {old.strip("/") for old in post.old_paths}
        if not site and not is_its_own:
            notes.append(f"Its canonical address, {path}, was removed, because the address of the old blog is unknown.")
        url = site + url.removeprefix(PLACEHOLDER) if site and not is_its_own else None
    return (
        replace(
            post,
            title=without_placeholder(post.title, site),
            summary=without_placeholder(post.summary, site),
            cover_caption=without_placeholder(post.cover_caption, site),
            meta_title=without_placeholder(post.meta_title, site),
            canonical_url=url,
        ),
        notes,
    )
