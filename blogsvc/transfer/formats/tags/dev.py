"""What the liquid tags of DEV show, as links: `{% github a/b %}` and `{% user ann %}`.

Source: https://github.com/forem/forem/tree/main/app/liquid_tags
"""

from __future__ import annotations

import re

from blogsvc.transfer.formats.tags.liquid import LiquidTag
from blogsvc.transfer.formats.tags.words import Shown

_ADDRESSES = {
    "asciinema": "https://asciinema.org/a/{}",
    "codesandbox": "https://codesandbox.io/s/{}",
    "github": "https://github.com/{}",
    "gitlab": "https://gitlab.com/{}",
    "glitch": "https://glitch.com/~{}",
    "kotlin": "https://pl.kotl.in/{}",
    "link": "https://dev.to/{}",
    "loom": "https://www.loom.com/share/{}",
    "org": "https://dev.to/{}",
    "organization": "https://dev.to/{}",
    "podcast": "https://dev.to/{}",
    "post": "https://dev.to/{}",
    "replit": "https://replit.com/{}",
    "slideshare": "https://www.slideshare.net/slideshow/embed_code/key/{}",
    "speakerdeck": "https://speakerdeck.com/player/{}",
    "spotify": "https://open.spotify.com/{}",
    "stackblitz": "https://stackblitz.com/edit/{}",
    "stackoverflow": "https://stackoverflow.com/questions/{}",
    "tag": "https://dev.to/t/{}",
    "twitch": "https://clips.twitch.tv/{}",
    "twitter": "https://x.com/i/status/{}",
    "user": "https://dev.to/{}",
}
_KEY = re.compile(r"@?[A-Za-z0-9][\w-]{0,200}+")
_PATH = re.compile(r"@?[A-Za-z0-9][\w.-]{0,100}+/[\w./-]{1,200}+(?:\#[\w-]{1,100}+)?")
_OF_SPOTIFY = re.compile(r"spotify:(\w{1,20}):(\w{1,60})")
_BUTTON = re.compile(r"\s{0,20}+(?P<words>[^{}\[\]\n]{1,500}+)\s{0,20}+\{%-?\s*+endcta\s*+-?%\}")
_PAGE = re.compile(r"https?://[^\s<>()]{1,2000}+")
_WITH_PATH = ("github", "gitlab", "link", "podcast", "post", "replit")


def shown_by(name: str, text: str) -> Shown | None:
    """Return the link for a tag of DEV with the arguments `text`; None for other tags."""
    if name not in _ADDRESSES:
        return None
    key = text.split()[0].strip("\"'") if text.strip() else ""
    if found := _OF_SPOTIFY.fullmatch(key):
        key = f"{found[1]}/{found[2]}"
    elif not (_PATH if name in _WITH_PATH else _KEY).fullmatch(key) or key.endswith((".md", ".html")):
        return None
    link = f"<{_ADDRESSES[name].format(key)}>"
    return Shown(link, f"The content embedded with {name} is a link now.", is_alone=True)


def button_at(text: str, tag: LiquidTag) -> tuple[str, int] | None:
    """Return the link for the button that a tag begins, `{% cta address %}`, and where it ends; None for others."""
    address = tag.arguments.split()[0] if tag.name == "cta" and tag.arguments else ""
    button = _BUTTON.match(text, tag.end) if _PAGE.fullmatch(address) else None
    return (f"[{button['words'].strip()}]({address})", button.end()) if button else None
