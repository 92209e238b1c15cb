"""What the page of a series or a tag begins with: a title, a description and a cover image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from blogsvc.lib.text.plain import EXCERPT_LENGTH, excerpt, plain
from blogsvc.lib.workers import text_jobs


@dataclass(frozen=True)
class PageHead:
    """The beginning of a page. `blog_url` has no trailing slash."""

    title: str
    description: str
    cover_image: str | None
    path: str
    blog_url: str
    language: str

    @property
    def url(self) -> str:
        return self.blog_url + self.path

    @cached_property
    def description_html(self) -> str:
        """Return the description as sanitized HTML."""
        return text_jobs.render(self.description, self.language) if self.description else ""

    @property
    def description_text(self) -> str:
        """Return the beginning of the description as plain text."""
        return excerpt(plain(self.description_html), EXCERPT_LENGTH)
