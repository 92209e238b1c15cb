"""Embedded pages, videos and files: each notation of them becomes an `iframe` with the URL to link to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

from blogsvc.lib.html_to_markdown.tidying import IMAGE_URL, elements

_URLS = ("movie", "src", "url", "filename")  # parameters of an `object`
# Elements of scripts that play a video, by the pages of these; and scripts that write what is on a page.
_ELEMENTS = {
    "lite-youtube": "https://www.youtube.com/watch?v={}",
    "amp-youtube": "https://www.youtube.com/watch?v={}",
    "youtube-video": "https://www.youtube.com/watch?v={}",
    "lite-vimeo": "https://vimeo.com/{}",
    "amp-vimeo": "https://vimeo.com/{}",
}
_SCRIPTS = (
    r"(gist\.github\.com/[\w/-]{1,200}?)\.js\b",
    r"(pastebin\.com/embed_js/\w{1,50})",
    r"(asciinema\.org/a/\w{1,50}?)\.js\b",
)
PLAYERS = frozenset({"script", *_ELEMENTS})
_OTHER_SCHEME = re.compile(r"(?!https?:)[\w.+-]+:", re.IGNORECASE)
_HOST = re.compile(r"https?://(?:[^/?#@]*+@)?(?P<host>[^/?#:]++)", re.IGNORECASE)
_VIDEO_PAGES = (
    (r"(?:[\w-]+\.)?youtube(?:-nocookie|\.googleapis)?\.com/(?:embed/videoseries\?(?:[^#]*&)?list=|p/)([\w-]{6,})",
     r"https://www.youtube.com/playlist?list=\1"),
    (r"(?:[\w-]+\.)?youtube(?:-nocookie|\.googleapis)?\.com/(?:embed|v|e)/([\w-]{6,})",
     r"https://www.youtube.com/watch?v=\1"),
    (r"player\.vimeo\.com/video/(\d+)\?(?:[^#]*&)?h=(\w+)", r"https://vimeo.com/\1/\2"),
    (r"player\.vimeo\.com/video/(\d+)", r"https://vimeo.com/\1"),
    (r"(?:www\.)?vimeo\.com/moogaloop\.swf\?(?:[^#]*&)?clip_id=(\d+)", r"https://vimeo.com/\1"),
    (r"(?:www\.)?dailymotion\.com/(?:embed/video|swf/video|swf)/(\w+)", r"https://www.dailymotion.com/video/\1"),
)  # fmt: skip


def prepare(soup: BeautifulSoup) -> None:
    """Turn `object`, `embed` and other players into an `iframe`, or an image. What else an `object` has follows it."""
    for element in elements(soup, PLAYERS):
        if url := page_of(element.name, element.attrs):
            title = str(element.get("playlabel") or element.get("data-title") or "")
            element.replace_with(soup.new_tag("iframe", attrs={"src": url, "title": title}))
    for embed in elements(soup, {"embed"}):
        embed.name = "iframe"
    for element in reversed(elements(soup, {"object"})):  # those inside first
        url = _url_of(element)
        inside = element.find_all("iframe")
        url = url or (str(inside[0].get("src") or "") if inside else "")
        for player in inside:
            if page_url(str(player.get("src") or "")) == page_url(url):
                player.decompose()
        for parameter in element.find_all("param"):
            parameter.unwrap()
        has_content = bool(element.get_text(strip=True)) or element.find(True) is not None
        if url or not has_content:
            element.insert_before(_embedded(soup, element, url))
        if has_content:
            element.name = "div"
        else:
            element.decompose()


def page_of(name: str, attributes: Mapping[str, Any]) -> str:
    """Return the URL of the page that a script or an element of `PLAYERS` embeds; "" for others."""
    if name != "script":
        number = str(attributes.get("videoid") or attributes.get("data-videoid") or "")
        pattern = _ELEMENTS.get(name, "")
        return pattern.format(number) if pattern and re.fullmatch(r"[\w-]{1,50}", number) else ""
    src = re.sub(r"\A(?:https?:)?//(?:www\.)?", "", str(attributes.get("src") or "").strip())
    if src.startswith("speakerdeck.com/") and re.fullmatch(r"\w{1,64}", str(attributes.get("data-id") or "")):
        return f"https://speakerdeck.com/player/{attributes['data-id']}"
    post = str(attributes.get("data-telegram-post") or "")
    if src.startswith("telegram.org/js/") and re.fullmatch(r"\w{1,64}/\d{1,20}", post):
        return f"https://t.me/{post}"
    found = (re.match(pattern, src) for pattern in _SCRIPTS)
    return next((f"https://{one[1]}".replace("/embed_js/", "/") for one in found if one), "")


def _embedded(soup: BeautifulSoup, element: Tag, url: str) -> Tag:
    title = str(element.get("title") or element.get("aria-label") or "")
    if str(element.get("type") or "").startswith("image/") or IMAGE_URL.search(url):
        return soup.new_tag("img", attrs={"src": url, "alt": title})
    return soup.new_tag("iframe", attrs={"src": url, "title": title})


def _url_of(element: Tag) -> str:
    """Return the URL of an `object`: its data, or a parameter."""
    values = {
        str(one.get("name") or "").lower(): str(one.get("value") or "").strip() for one in element.find_all("param")
    }
    found = str(element.get("data") or "").strip()
    return found or next((values[name] for name in _URLS if values.get(name)), "")


def page_url(url: str) -> str:
    """Return the URL of the page with a video for the URL of an embedded player, or else the URL itself."""
    url = f"https:{url}" if url.startswith("//") else url
    _, scheme, rest = url.partition("://")
    for pattern, page in _VIDEO_PAGES if scheme else ():
        if found := re.match(pattern, rest):
            return found.expand(page)
    return url


def link_to(frame: Tag) -> tuple[Tag | None, str]:
    """Return a link to an embedded page, or None if it has no URL, and a warning about it."""
    src = str(frame.get("src") or frame.get("data-src") or "").strip()
    if not src or _OTHER_SCHEME.match(src):
        return None, "Embedded content without a URL was removed."
    url = page_url(src)
    link = Tag(name="a", attrs={"href": url})
    name = _name_of(url)
    link.append(NavigableString(" ".join(str(frame.get("title") or "").split()) or name))
    return link, f"The content embedded from {name} is a link now."


def _name_of(url: str) -> str:
    """Return what a link to an embedded page is called: its host, or the name of a file of the same site."""
    found = _HOST.match(url)
    return found["host"].lower() if found else re.split(r"[?#]", url)[0].rstrip("/").rpartition("/")[2] or url
