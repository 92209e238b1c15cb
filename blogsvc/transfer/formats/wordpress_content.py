"""Convert the text of a WordPress post to plain HTML: resolve blocks and shortcodes, warn about unknown ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape

from blogsvc.transfer.formats.text_search import TextSearch, with_pairs_replaced

_SHORTCODE = re.compile(r"\[(/?)([a-zA-Z][\w-]{1,40})((?:\s[^\[\]\n]{0,1000}|=[^\[\]\n]{0,300})?)(/?)\]")
_ARGUMENT = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))|"([^"]*)"|([^\s"'=]+)""")
_CLOSED = re.compile(r"\[/([a-zA-Z][\w-]{1,40}+)\]")
_BLOCK, _BLOCK_END = re.compile(r"<!--\s++wp:([a-z][\w/-]{1,80}+)\s"), re.compile("-->")
_PLAIN = re.compile(r"<(pre|code)\b", re.IGNORECASE)
_PLAIN_ENDS = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("pre", "code")}
_CODE_NAMES = "code sourcecode source php css html js javascript python bash".split()
_CODE = re.compile(rf"\[({'|'.join(_CODE_NAMES)})((?:\s[^\[\]]{{0,500}}+)?)\]")
_CODE_ENDS = {name: re.compile(rf"\[/{name}\]") for name in _CODE_NAMES}
_CAPTION, _CAPTION_END = re.compile(r"\[caption\b([^\[\]]{0,1000}+)\]"), re.compile(r"\[/caption\]")
_EMBED, _EMBED_END = re.compile(r"\[embed\b[^\[\]]{0,300}+\]"), re.compile(r"\[/embed\]")
# WordPress embeds the target of a URL on a line of its own.
_BARE_URL = re.compile(r"^[^\S\n]*+(https?://[^\s<>\"']{4,2000}+)[^\S\n]*+$", re.MULTILINE)
MAX_URL = 2000  # characters
MAX_GALLERY_IMAGES = 1_000  # of a post; one shortcode shows any number of images
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


def as_html(raw: str, post_id: str, gallery: WordPressGallery) -> tuple[str, bool, list[str]]:
    """Return the HTML, True if it is from the classic editor (blank lines separate paragraphs), and the warnings."""
    warnings: list[str] = []
    is_classic = "<!-- wp:" not in raw
    text = with_pairs_replaced(raw, _CODE, lambda opened: _CODE_ENDS[opened[1]], _code_block)
    text = with_pairs_replaced(
        text, _BLOCK, lambda _: _BLOCK_END, lambda opened, data: _block(opened[1], data, warnings)
    )
    html = "".join(_parts(text, _Shortcodes(post_id, gallery, warnings)))
    html = re.sub(r"""(\ssrc\s*+=\s*+)(["'])([^"']{1,2000}+)\2""", lambda src: _with_full_size(src, gallery), html)
    return html, is_classic, list(dict.fromkeys(warnings))


def _parts(text: str, shortcodes: _Shortcodes) -> Iterator[str]:
    """Yield the text with its shortcodes converted, except in `<pre>` and `<code>`."""
    search, place, unchanged_from = TextSearch(text), 0, 0
    while opened := _PLAIN.search(text, place):
        place = opened.end()
        if closed := search.after(_PLAIN_ENDS[opened[1].lower()], place):
            yield shortcodes.html(text[unchanged_from : opened.start()])
            yield text[opened.start() : closed.end()]
            place = unchanged_from = closed.end()
    yield shortcodes.html(text[unchanged_from:])


def _with_full_size(src: re.Match[str], gallery: WordPressGallery) -> str:
    return f"{src[1]}{src[2]}{escape(gallery.full(unescape(src[3])))}{src[2]}"


def _code_block(opened: re.Match[str], code: str) -> str:
    arguments = _arguments(opened[2])
    language = (
        arguments.get("language")
        or arguments.get("lang")
        or (opened[1] if not opened[1].startswith(("code", "source")) else "")
    )
    kind = f' class="language-{escape(language)}"' if language else ""
    return f"<pre><code{kind}>{escape(unescape(code.strip(chr(10))))}</code></pre>"


def _block(name: str, data: str, warnings: list[str]) -> str | None:
    """Convert a block without text, which WordPress fills in when it shows the page; None for other blocks."""
    if not data.endswith("/"):
        return None
    name = name.removeprefix("core/")
    if name in ("embed",) or name.startswith("core-embed/"):
        url = re.search(r'"url"\s*+:\s*+"([^"]++)"', data)
        return f"<p>{_link(url[1].replace(chr(92) + '/', '/'))}</p>" if url else ""
    if name not in _SPACERS:
        warnings.append(f"The block {name!r} was removed, because WordPress generates its content.")
    return ""


def _link(url: str) -> str:
    return f'<a href="{escape(url)}">{escape(url)}</a>' if re.match(r"https?://", url) else escape(url)


def _arguments(text: str) -> dict[str, str]:
    by_name: dict[str, str] = {}
    for name, *values in _ARGUMENT.findall(unescape(text)):
        value = next((one for one in values if one), "")
        by_name[name.lower() or str(sum(key.isdigit() for key in by_name))] = value
    return by_name


@dataclass
class _Shortcodes:
    post_id: str
    gallery: WordPressGallery
    warnings: list[str]
    closed: set[str] = field(default_factory=set)  # names with a closing shortcode, in the text that is converted
    images_left: int = MAX_GALLERY_IMAGES

    def html(self, text: str) -> str:
        """Return a part of the post with its shortcodes converted."""
        text = with_pairs_replaced(text, _CAPTION, lambda _: _CAPTION_END, self._caption)
        text = with_pairs_replaced(text, _EMBED, lambda _: _EMBED_END, self._embed)
        self.closed = set(_CLOSED.findall(text))
        text = _SHORTCODE.sub(self._one, text)
        return _BARE_URL.sub(lambda url: f"\n\n{_link(url[1])}\n\n", text)

    def _caption(self, opened: re.Match[str], content: str) -> str:
        arguments = _arguments(opened[1])
        image = re.search(r"(?:<a\b[^<>]*+>\s*+)?<img\b[^<>]*+>(?:\s*+</a>)?", content)
        if image is None:
            return content
        words = (content[image.end() :].strip() or escape(arguments.get("caption", ""))).replace("\n", " ")
        return f"\n\n<figure>{image[0]}<figcaption>{words}</figcaption></figure>\n\n"

    def _embed(self, _: re.Match[str], content: str) -> str | None:
        url = content.strip()
        is_url = 0 < len(url) <= MAX_URL and len(url.split(maxsplit=1)) == 1
        return f"\n\n{_link(url)}\n\n" if is_url else None

    def _one(self, match: re.Match[str]) -> str:
        closes, name, arguments = match[1], match[2].lower(), _arguments(match[3])
        if name == "gallery" and not closes:
            return "".join(self._gallery(arguments))
        if name in ("video", "audio") and not closes:
            src = arguments.get("src") or next(
                (arguments[form] for form in ("mp4", "webm", "ogv", "mp3", "ogg", "m4a") if form in arguments), ""
            )
            return f'\n\n<{name} src="{escape(src)}"></{name}>\n\n' if src else ""
        if name in ("video", "audio", "gallery"):
            return ""
        if name in ("youtube", "vimeo") and not closes:
            key = arguments.get("0", "")
            return f"\n\n{_link(key if key.startswith('http') else f'https://{name}.com/' + key)}\n\n"
        is_plain = name in _COMMON or (not arguments and not closes and match[2] not in self.closed and "_" not in name)
        if is_plain:
            return match[0]
        self.warnings.append(f"The shortcode [{name}] was removed; its content was kept.")
        return ""

    def _gallery(self, arguments: dict[str, str]) -> Iterator[str]:
        ids = re.findall(r"\d+", arguments.get("ids") or arguments.get("include") or "") or self.gallery.of_post.get(
            self.post_id, []
        )
        images = [self.gallery.by_id[id] for id in ids if id in self.gallery.by_id]
        if len(images) < len(ids) or not ids:
            self.warnings.append(
                "The images of a gallery are not in the file. Export the media together with the posts."
            )
        shown = images[: self.images_left]
        self.images_left -= len(shown)
        if len(shown) < len(images):
            self.warnings.append(
                f"Its galleries have more than {MAX_GALLERY_IMAGES:,} images. The others were removed."
            )
        for image in shown:
            caption = f"<figcaption>{escape(image.caption)}</figcaption>" if image.caption else ""
            yield f'\n\n<figure><img src="{escape(image.url)}" alt="{escape(image.alt)}">{caption}</figure>\n\n'


def footnotes(stored: str) -> str:
    """Return the footnotes of the block editor, which are stored outside the text."""
    try:
        notes = json.loads(stored) if stored else []
        items = [
            f'<li id="{note["id"]}">{note["content"]}</li>' for note in notes if re.fullmatch(r"[\w-]+", note["id"])
        ]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return f"<ol>{''.join(items)}</ol>" if items else ""
