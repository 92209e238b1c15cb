"""Write a component of JSX in Markdown: as an image, as a link, or as the words that its attributes have."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogsvc.lib.markdown import writer
from blogsvc.lib.markdown.image_links import quoted
from blogsvc.transfer.formats.mdx.javascript_values import Addresses
from blogsvc.transfer.formats.mdx.jsx_tags import Tag

_IMAGES = ("Image", "Img", "Picture", "Photo", "Figure")
_CAPTIONS = ("caption", "figcaption", "description")
_ADDRESSES = ("src", "href", "url", "to", "poster", "link")
# Components that embed the page with an id, which some of them also take as an address.
_EMBEDS = (
    (re.compile(r"you-?tube", re.IGNORECASE), re.compile(r"[\w-]{6,20}"), "https://www.youtube.com/watch?v={}"),
    (re.compile(r"vimeo", re.IGNORECASE), re.compile(r"\d{1,12}"), "https://vimeo.com/{}"),
    (re.compile(r"tweet|twitter", re.IGNORECASE), re.compile(r"\d{1,20}"), "https://x.com/i/status/{}"),
    (re.compile(r"gist", re.IGNORECASE), re.compile(r"[\w-]{1,40}/\w{1,40}|\w{20,40}"), "https://gist.github.com/{}"),
    (re.compile(r"instagram", re.IGNORECASE), re.compile(r"[\w-]{6,20}"), "https://www.instagram.com/p/{}/"),
    (re.compile(r"codepen", re.IGNORECASE), re.compile(r"[\w-]{1,40}/\w{4,40}"), "https://codepen.io/{}"),
    (re.compile(r"codesandbox", re.IGNORECASE), re.compile(r"[\w-]{4,80}"), "https://codesandbox.io/s/{}"),
    (re.compile(r"spotify", re.IGNORECASE), re.compile(r"\w{4,20}/\w{10,30}"), "https://open.spotify.com/{}"),
)
_ID = re.compile(r"(?:[a-z-]{0,20}_?id|tweetLink|video|path)\Z", re.IGNORECASE)
_PAGE = re.compile(r"https?://[^\s\"'<>]++", re.IGNORECASE)
_IMAGE_FILE = re.compile(r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp)\Z", re.IGNORECASE)
_FORBIDDEN = re.compile(r"""["'<>]""")
_TITLES = ("title", "heading", "label", "summary")
_TEXTS = ("description", "caption", "text")
# Components whose texts readers do not see: the head of the page, and names of icons for screen readers.
_SILENT = re.compile(r"(?:Head|Helmet|Icon|JsonLd|Layout|Meta|S[Ee][Oo]|Schema)\Z")
_LINKS = re.compile(r"(?:A|Anchor|Button|Link)\Z")


@dataclass(frozen=True)
class Component:
    """A component. `image` is Markdown, and `address` is that of a link; both may be ""."""

    name: str
    tag: Tag
    image: str
    address: str

    @classmethod
    def of(cls, name: str, tag: Tag, addresses: Addresses) -> Component:
        address, is_source = _address(name, tag, addresses)
        is_image = is_source and (name.endswith(_IMAGES) or (not tag.has_content and _is_file(address)))
        image = ""
        if is_image and address:
            image = _image(address, tag, addresses)
        return cls(name, tag, image, "" if is_image else address)

    @property
    def became(self) -> str:
        return "is an image now" if self.image else "is a link now" if self.address else "was removed"

    @property
    def has_own_words(self) -> bool:
        """Return True if the words of the link are in an attribute, although the component may have content."""
        return bool(self.tag.first(*_TITLES)) and _LINKS.search(self.name) is None

    @property
    def target(self) -> str:
        """Return the address and, as in HTML, the title of a link around words."""
        title = self.tag.first("title")
        return f"{quoted(self.address)} {writer.title(title)}" if title else quoted(self.address)

    @property
    def link(self) -> str:
        """Return the link with the words that attributes have, or else with its address."""
        address, words = quoted(self.address), self.tag.first(*_TITLES, *_TEXTS, "alt")
        if words:
            title = writer.escape(words, starts_line=False, within="link")
            return " ".join([f"[{title}]({address})", *self._texts(besides=words)])
        return f"<{address}>" if ":" in address else f"[{address}]({address})"

    def words(self, *, is_in_lines: bool) -> str:
        """Return the image or the words of attributes, which are above the content if that is in lines of its own."""
        if self.image:
            return self.image + (("\n" if is_in_lines else " ") if self.tag.has_content else "")
        if _SILENT.search(self.name) or (self.tag.has_content and not is_in_lines):
            return ""
        title = writer.escape(self.tag.first(*_TITLES), starts_line=False)
        texts = self._texts(besides=self.tag.first(*_TITLES))
        if not is_in_lines:
            return " ".join(filter(None, [title, *texts]))
        return "\n\n".join(filter(None, [f"**{title}**" if title else "", *texts])) + ("\n" if title or texts else "")

    def _texts(self, besides: str) -> list[str]:
        texts = dict.fromkeys(self.tag.first(name) for name in _TEXTS)
        return [writer.escape(text) for text in texts if text and text != besides]


def _image(address: str, tag: Tag, addresses: Addresses) -> str:
    """Return an image with its caption, which is also what it shows without another text, and with its link."""
    alt, caption = writer.alt_text(tag.first("alt", *_CAPTIONS, "title")), tag.first(*_CAPTIONS)
    image = f"![{alt}]({quoted(address)}{f' {writer.title(caption)}' if caption else ''})"
    links = ((one.text or addresses.of(one.expression)) for one in tag.attributes if one.name in ("href", "link", "to"))
    link = next((one.strip() for one in links if one and not _FORBIDDEN.search(one)), "")
    return f"[{image}]({quoted(link)})" if link else image


def _is_file(address: str) -> bool:
    return _IMAGE_FILE.search(re.split("[?#]", address, maxsplit=1)[0]) is not None


def _address(name: str, tag: Tag, addresses: Addresses) -> tuple[str, bool]:
    """Return the address that a component has, and whether it is that of what it shows."""
    if not tag.has_content and _is_file(imported := addresses.by_name.get(name, "")):
        return imported, True  # an image that is used as a component
    for one in sorted(tag.attributes, key=lambda one: one.name != "src"):
        address = (one.text or addresses.of(one.expression)) if one.name in _ADDRESSES else ""
        if address and not _FORBIDDEN.search(address):
            return address.strip(), one.name == "src"
    if name.endswith(_IMAGES):
        found = (addresses.image_of(one.expression) for one in tag.attributes if one.expression)
        return next((address for address in found if _is_file(address)), ""), True
    return _embedded(name, tag), False


def _embedded(name: str, tag: Tag) -> str:
    """Return the address of the page that a component embeds by its id; "" for other components."""
    keys = [(one.text or one.expression).strip() for one in tag.attributes if _ID.match(one.name)]
    for names, ids, address in _EMBEDS if keys and not _SILENT.search(name) else ():
        if names.search(name):
            for key in keys:
                if _PAGE.fullmatch(key) or ids.fullmatch(key):
                    return key if "://" in key else address.format(key)
    return ""
