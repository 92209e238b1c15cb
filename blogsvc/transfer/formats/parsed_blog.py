"""What the old blog is called and looks like, as its file says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from blogsvc.lib.text.plain import is_one_line
from blogsvc.transfer.formats.parsed_post import ParsedPost, clean, is_web, one_line, url_parts

MAX_LENGTH = 1000  # characters of a field; longer ones are cut to what a blog can have later
MAX_URL_LENGTH = 2000  # characters
# The fields, and the images, by their names in an export of blogsvc.
DETAILS = {
    "title": "title",
    "description": "description",
    "author": "author",
    "language": "language",
    "slugScript": "slug_script",
    "aiPreference": "ai_preference",
    "securityContact": "security_contact",
}
# The options of the look and its custom CSS, which are texts with these names everywhere.
LOOK = ("color", "scheme", "face", "width", "layout", "css")
MAX_LOOK_LENGTH = 200_000  # characters of one of them; a longer one is no look that this blog can have
IMAGES = {"icon": "icon", "logo": "logo", "logoDark": "logo_dark"}


@dataclass(frozen=True)
class ParsedImage:
    """An image: its URL, and its name in the archive, "" for an image on the web."""

    url: str
    file: str = ""

    @property
    def has_readable_url(self) -> bool:
        """Return True for a URL on the web, or a path, of a usual length."""
        parts = url_parts(self.url)
        is_text = len(self.url) <= MAX_URL_LENGTH and clean(self.url) == self.url
        return is_text and any(parts) and (not parts.scheme or is_web(self.url))

    def as_post(self) -> ParsedPost:
        """Return the image as the only one of a post, which has nothing else."""
        return ParsedPost("", "", "", images=((self.url, self.file),))


@dataclass(frozen=True)
class ParsedBlog:
    """The fields, the images and the look of the file, by their names here: those of `DETAILS`, `IMAGES` and `LOOK`."""

    details: Mapping[str, str]
    images: Mapping[str, ParsedImage] = field(default_factory=dict)
    look: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, details: Mapping[str, Any], images: Mapping[str, ParsedImage]) -> ParsedBlog:
        """Return the blog with texts in one line, without what is empty or no text, and without unreadable URLs."""
        readable = {name: image for name, image in images.items() if image.has_readable_url}
        texts = {name: text for name, text in details.items() if isinstance(text, str)}
        lines = {name: text if is_one_line(text) else one_line(text) for name, text in texts.items()}
        return cls({name: line[:MAX_LENGTH] for name, line in lines.items() if line.strip()}, readable)

    @classmethod
    def in_export(cls, blog: Mapping[str, Any]) -> ParsedBlog:
        """Return the blog of an export of blogsvc."""
        details = {name: blog.get(theirs) for theirs, name in DETAILS.items()}
        urls = {name: str(blog.get(theirs) or "") for theirs, name in IMAGES.items()}
        images = {name: ParsedImage(url, "" if is_web(url) else url) for name, url in urls.items()}
        return replace(cls.of(details, images), look=_look(blog.get("look")))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> ParsedBlog:
        """Return the blog that `to_json` returned. Raises ValueError or TypeError if these are no such values."""
        details, images = values["details"], values["images"]
        for texts, names in ((details, DETAILS.values()), *((image, _IMAGE_FIELDS) for image in images.values())):
            if not all(name in names and isinstance(text, str) for name, text in texts.items()):
                raise ValueError("a parsed blog has the wrong type")
        if not set(images) <= set(IMAGES.values()):
            raise ValueError("a parsed blog has unknown images")
        parsed = cls.of(details, {name: ParsedImage(**image) for name, image in images.items()})
        return replace(parsed, look=_look(values.get("look")))


def _look(values: Any) -> dict[str, str]:
    """Return the parts of a look that are texts of a usual length."""
    texts = {name: values.get(name) for name in LOOK} if isinstance(values, dict) else {}
    return {name: text for name, text in texts.items() if isinstance(text, str) and len(text) <= MAX_LOOK_LENGTH}


_IMAGE_FIELDS = ("url", "file")
