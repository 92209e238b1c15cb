"""The addresses in a WordPress post: full ones for its images and files, and the files of attachment pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import parse_qs, urljoin

from blogsvc.lib.markdown import image_links
from blogsvc.lib.markdown.addresses import addresses_in
from blogsvc.transfer.formats.parsed_post import counted, url_parts
from blogsvc.transfer.formats.wordpress.media import WordPressMedia

MAX_NAMED = 10  # files that the report names
_UPLOADS = "/wp-content/uploads/"
# What may be an address to change; most texts have none.
_SIGNS = ("/wp-content/", "attachment_id=", "wp-att-")
_PATH = re.compile(r"\]\(<?(?:https?://[^/\s()<>]{1,300}+)?(/[^\s()<>?#]{1,500}+)")
_IS_ATTACHMENT = re.compile(r"\d{1,20}")


@dataclass
class PostLinks:
    """The text of a post, the URLs of its images, and of the linked files, which no import takes over."""

    markdown: str
    images: list[str]
    files: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, markdown: str, page: str, media: WordPressMedia) -> PostLinks:
        """Return the text with the URLs to which browsers resolved the paths in it.

        Args:
            page: the URL of the post.
        """
        found = image_links.addresses(markdown, page)
        if not url_parts(page).netloc:
            return cls(markdown, found)
        relative = [one for one in found if any(parts := url_parts(one)) and not parts.scheme]
        full = {one: urljoin(page, one) for one in relative}
        pages = (path.rstrip("/") for path in _PATH.findall(markdown)) if media.links else ()
        if not full and not any(sign in markdown for sign in _SIGNS) and not any(path in media.links for path in pages):
            return cls(markdown, found)
        files: dict[str, None] = {}

        def change(url: str) -> str:
            if (shown := full.get(url) or _attachment(url, page, media)) is not None:
                return shown
            if _UPLOADS in url and url not in found and url_parts(url).netloc in ("", url_parts(page).netloc):
                files[file := urljoin(page, url)] = None
                return file
            return url

        text = image_links.replaced(markdown, addresses_in(markdown), change)
        return cls(text, image_links.addresses(text, page), list(files))

    def losses(self) -> list[str]:
        """Return a sentence about the linked files, if there are any."""
        if not self.files:
            return []
        names = ", ".join(PurePosixPath(url_parts(file).path).name[:100] for file in self.files[:MAX_NAMED])
        more = f" and {len(self.files) - MAX_NAMED} more" if len(self.files) > MAX_NAMED else ""
        files = counted(len(self.files), "linked file was", "linked files were")
        return [f"{files} not imported: {names}{more}. The links still lead to the old blog."]


def _attachment(url: str, page: str, media: WordPressMedia) -> str | None:
    """Return the URL of the file that an attachment page shows."""
    parts = url_parts(url)
    if parts.netloc not in ("", url_parts(page).netloc):
        return None
    number = parse_qs(parts.query).get("attachment_id", [""])[0] if "attachment_id=" in parts.query else ""
    if _IS_ATTACHMENT.fullmatch(number) and number in media.by_id:
        return media.by_id[number].url
    return media.links.get(parts.path.rstrip("/")) if not parts.query else None
