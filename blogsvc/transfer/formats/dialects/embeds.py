"""Write the embedded pages of Hashnode, `%[address]`, and of Zenn and HackMD, `@[youtube](id)`, as links.

Sources: https://zenn.dev/zenn/articles/markdown-guide, https://github.com/CenterForOpenScience/markdown-it-video
"""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.removals import InSource, Removals, source

_ADDRESSES = {
    "youtube": "https://www.youtube.com/watch?v={}",
    "vimeo": "https://vimeo.com/{}",
    "speakerdeck": "https://speakerdeck.com/player/{}",
    "slideshare": "https://www.slideshare.net/slideshow/embed_code/key/{}",
    "codepen": "https://codepen.io/{}",
    "gist": "https://gist.github.com/{}",
    "tweet": "https://x.com/i/status/{}",
    "prezi": "https://prezi.com/{}",
    "osf": "https://mfr.osf.io/render?url=https://osf.io/{}/?action=download",
}
_NAMES = "|".join([*_ADDRESSES, "blueprintue", "card", "codesandbox", "docswell", "figma", "jsfiddle", "stackblitz"])
_EMBED = re.compile(
    rf"(?<![\w\\%])%\[(?P<url>https?://[^\s\[\]<>]{{1,2000}}+)\]"
    rf"|(?<![\w\\])@\[(?P<name>{_NAMES})\]\([ ]{{0,9}}+(?P<key>[^\s()<>]{{1,2000}}+)[ ]{{0,9}}+\)"
    r"|(?<![\w\\%])%%\[(?P<widget>[\w-]{1,100}+)\]",
    re.IGNORECASE,
)


_MENTION = re.compile(r"(?<=\]\()@[\w-]{1,100}+(?=\))")


def plain(text: str, source_text: str, removals: Removals, *, is_hashnode: bool) -> str:
    """Return a text whose embedded pages are links. Code stays as it is.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
        is_hashnode: Hashnode made the file, which has widgets such as `%%[name]`, too.
    """
    if not ("%[" in text or "@[" in text) or not _EMBED.search(text):
        return text
    code, in_source = code_places(text), InSource(source_text)

    def read(embed: re.Match[str]) -> str:
        if code.end_at(embed.start()) is not None or (embed["widget"] and not is_hashnode):
            return embed[0]
        noted = in_source.place_of(embed[0])
        if embed["widget"]:
            removals.note(f"The widget {source(embed[0])} was removed.", noted)
            return ""
        removals.note(f"The content embedded with {(embed['name'] or '%[]').lower()} is a link now.", noted)
        return f"<{embed['url'] or _address(embed['name'].lower(), embed['key'])}>"

    return _EMBED.sub(read, text)


def with_mentions(text: str) -> str:
    """Return a text of Hashnode whose mentions, `[Ann](@ann)`, lead to the pages of their authors."""
    if "](@" not in text:
        return text
    code = code_places(text)
    return _MENTION.sub(
        lambda found: found[0] if code.end_at(found.start()) is not None else f"https://hashnode.com/{found[0]}", text
    )


def _address(name: str, key: str) -> str:
    is_address = key.startswith(("http://", "https://")) or name not in _ADDRESSES
    return key if is_address else _ADDRESSES[name].format(key)
