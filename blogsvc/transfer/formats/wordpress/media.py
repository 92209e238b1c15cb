"""The media library of a WordPress blog, as its export file lists it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from mimetypes import guess_type

from blogsvc.transfer.formats.parsed_post import url_parts

# The formats that the shortcodes `audio` and `video` have arguments for.
AUDIO = ("mp3", "m4a", "ogg", "wav", "wma", "flac")
VIDEO = ("mp4", "m4v", "webm", "ogv", "flv", "wmv")


@dataclass(frozen=True)
class Attachment:
    url: str
    alt: str = ""
    caption: str = ""

    @property
    def kind(self) -> str:
        """Return "image", "audio", "video" or another kind of file; "image" if it is unknown."""
        return (guess_type(self.url.partition("?")[0])[0] or "image").partition("/")[0]


@dataclass
class WordPressMedia:
    """The attachments of a blog, by id and by the post they were uploaded to."""

    by_id: dict[str, Attachment] = field(default_factory=dict)
    of_post: dict[str, list[str]] = field(default_factory=dict)
    urls: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)  # the files of attachment pages, by the paths of these

    def add(self, id: str, parent: str, attachment: Attachment, page: str) -> None:
        if attachment.url:
            if path := url_parts(page).path.rstrip("/"):
                self.links[path] = attachment.url
            self.by_id[id] = attachment
            self.of_post.setdefault(parent, []).append(id)
            self.urls.add(attachment.url)

    def ids_of(self, post_id: str, kind: str) -> list[str]:
        """Return the ids of the attachments of a post that are of a kind."""
        return [id for id in self.of_post.get(post_id, []) if self.by_id[id].kind == kind]

    def first_of(self, post_id: str, kind: str) -> str:
        """Return the URL of the first attachment of a kind, which a shortcode without address shows."""
        return next((self.by_id[id].url for id in self.ids_of(post_id, kind)), "")

    def full(self, url: str) -> str:
        """Return the URL of the image in full size, if the export contains it."""
        full = re.sub(r"-\d{1,5}x\d{1,5}(?=\.\w{3,4}$)", "", url)
        return full if full in self.urls else url


def icon_of(url: str) -> str:
    """Return the URL of the whole icon, by that of its size for feeds; "" for images that WordPress has not sized."""
    sized = re.fullmatch(r"(.{1,2000})-32x32(\.\w{1,5})", url)
    return sized[1] + sized[2] if sized else ""
