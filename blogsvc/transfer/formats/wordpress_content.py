"""Convert the text of a WordPress post to plain HTML: resolve blocks and shortcodes, warn about unknown ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape

_SHORTCODE = re.compile(r"\[(/?)([a-zA-Z][\w-]{1,40})((?:\s[^\[\]\n]{0,1000}|=[^\[\]\n]{0,300})?)(/?)\]")
_ARGUMENT = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))|"([^"]*)"|([^\s"'=]+)""")
_BLOCK = re.compile(r"<!--\s+wp:([a-z][\w/-]{1,80})\s((?:(?!-->).){0,5000}?)/-->", re.DOTALL)
_PLAIN = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>)", re.DOTALL | re.IGNORECASE)
_CODE = re.compile(
    r"\[(code|sourcecode|source|php|css|html|js|javascript|python|bash)((?:\s[^\[\]]{0,500})?)\](.*?)\[/\1\]", re.DOTALL
)
# Words in square brackets that are usually plain text, not shortcodes.
_COMMON = frozenset("sic note edit edited update optional citation todo x".split())
# Blocks without text that can be dropped without a warning.
_SPACERS = ("more", "nextpage", "spacer", "footnotes", "separator", "post-title", "post-date")


@dataclass(frozen=True)
class Attachment:
    url: str
    alt: str = ""
    caption: str = ""


@dataclass
class WordPressGallery:
    """The attachments of a blog, by id and by the post they were uploaded to."""

    by_id: dict[str, Attachment] = field(default_factory=dict)
    of_post: dict[str, list[str]] = field(default_factory=dict)
    urls: set[str] = field(default_factory=set)

    def add(self, id: str, parent: str, attachment: Attachment) -> None:
        if attachment.url:
            self.by_id[id] = attachment
            self.of_post.setdefault(parent, []).append(id)
            self.urls.add(attachment.url)

    def full(self, url: str) -> str:
        """Return the URL of the image in full size, if the export contains it."""
        full = re.sub(r"-\d{1,5}x\d{1,5}(?=\.\w{3,4}$)", "", url)
        return full if full in self.urls else url


def as_html(raw: str, post_id: str, album: WordPressGallery) -> tuple[str, bool, list[str]]:
    """Return the HTML, True if it is from the classic editor (blank lines separate paragraphs), and the warnings."""
    warnings: list[str] = []
    is_classic = "<!-- wp:" not in raw
    text = _CODE.sub(_code_block, raw)
    text = _BLOCK.sub(lambda found: _block(found, warnings), text)
    parts = _PLAIN.split(text)
    parts[::2] = [_Shortcodes(part, post_id, album, warnings).html() for part in parts[::2]]
    html = re.sub(r"""(\ssrc\s*=\s*)(["'])([^"']{1,2000})\2""", lambda src: _with_full_size(src, album), "".join(parts))
    return html, is_classic, list(dict.fromkeys(warnings))


def _with_full_size(src: re.Match[str], album: WordPressGallery) -> str:
    return f"{src[1]}{src[2]}{escape(album.full(unescape(src[3])))}{src[2]}"


def _code_block(found: re.Match[str]) -> str:
    arguments = _arguments(found[2])
    language = (
        arguments.get("language")
        or arguments.get("lang")
        or (found[1] if not found[1].startswith(("code", "source")) else "")
    )
    kind = f' class="language-{escape(language)}"' if language else ""
    return f"<pre><code{kind}>{escape(unescape(found[3].strip(chr(10))))}</code></pre>"


def _block(found: re.Match[str], warnings: list[str]) -> str:
    """Convert a block without text, which WordPress fills in when it shows the page."""
    name = found[1].removeprefix("core/")
    if name in ("embed",) or name.startswith("core-embed/"):
        url = re.search(r'"url"\s*:\s*"([^"]+)"', found[2])
        return f"<p>{_link(url[1].replace(chr(92) + '/', '/'))}</p>" if url else ""
    if name not in _SPACERS:
        warnings.append(f"The block {name!r} was removed, because WordPress generates its content.")
    return ""


def _link(url: str) -> str:
    return f'<a href="{escape(url)}">{escape(url)}</a>' if re.match(r"https?://", url) else escape(url)


def _arguments(text: str) -> dict[str, str]:
    said: dict[str, str] = {}
    for name, *values in _ARGUMENT.findall(unescape(text)):
        value = next((one for one in values if one), "")
        said[name.lower() or str(sum(key.isdigit() for key in said))] = value
    return said


@dataclass
class _Shortcodes:
    text: str
    post_id: str
    album: WordPressGallery
    warnings: list[str]

    def html(self) -> str:
        text = re.sub(
            r"\[caption\b([^\[\]]{0,1000})\](.{0,20000}?)\[/caption\]", self._caption, self.text, flags=re.DOTALL
        )
        text = re.sub(r"\[embed\b[^\[\]]{0,300}\]\s*(\S{1,2000}?)\s*\[/embed\]", self._embed, text)
        text = _SHORTCODE.sub(self._one, text)
        # WordPress embeds the target of a URL on a line of its own.
        return re.sub(
            r"^\s*(https?://[^\s<>\"']{4,2000})\s*$", lambda url: f"\n\n{_link(url[1])}\n\n", text, flags=re.M
        )

    def _caption(self, found: re.Match[str]) -> str:
        arguments = _arguments(found[1])
        image = re.search(r"(?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*</a>)?", found[2])
        if image is None:
            return found[2]
        words = (found[2][image.end() :].strip() or escape(arguments.get("caption", ""))).replace("\n", " ")
        return f"\n\n<figure>{image[0]}<figcaption>{words}</figcaption></figure>\n\n"

    def _embed(self, found: re.Match[str]) -> str:
        return f"\n\n{_link(found[1])}\n\n"

    def _one(self, found: re.Match[str]) -> str:
        closes, name, said = found[1], found[2].lower(), _arguments(found[3])
        if name == "gallery" and not closes:
            return "".join(self._gallery(said))
        if name in ("video", "audio") and not closes:
            src = said.get("src") or next(
                (said[form] for form in ("mp4", "webm", "ogv", "mp3", "ogg", "m4a") if form in said), ""
            )
            return f'\n\n<{name} src="{escape(src)}"></{name}>\n\n' if src else ""
        if name in ("video", "audio", "gallery"):
            return ""
        if name in ("youtube", "vimeo") and not closes:
            key = said.get("0", "")
            return f"\n\n{_link(key if key.startswith('http') else f'https://{name}.com/' + key)}\n\n"
        is_plain = name in _COMMON or (
            not said and not closes and f"[/{found[2]}]" not in self.text and "_" not in name
        )
        if is_plain:
            return found[0]
        self.warnings.append(f"The shortcode [{name}] was removed; its content was kept.")
        return ""

    def _gallery(self, said: dict[str, str]) -> Iterator[str]:
        ids = re.findall(r"\d+", said.get("ids") or said.get("include") or "") or self.album.of_post.get(
            self.post_id, []
        )
        there = [self.album.by_id[id] for id in ids if id in self.album.by_id]
        if len(there) < len(ids) or not ids:
            self.warnings.append(
                "The images of a gallery are not in the file. Export the media together with the posts."
            )
        for one in there:
            caption = f"<figcaption>{escape(one.caption)}</figcaption>" if one.caption else ""
            yield f'\n\n<figure><img src="{escape(one.url)}" alt="{escape(one.alt)}">{caption}</figure>\n\n'
