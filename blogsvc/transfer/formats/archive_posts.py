"""Find the posts of an archive that template tags name, by their files or their titles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from blogsvc.lib.text.front_matter import BadFrontMatter
from blogsvc.lib.text.plain import slugify
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.blogsvc_markdown import head_and_text
from blogsvc.transfer.formats.decoding import decoded
from blogsvc.transfer.formats.parsed_post import one_line
from blogsvc.transfer.formats.post_paths import post_path

_MAX_HEAD = 16 * 1024  # bytes of a file, in which its front matter is read


class ArchivePosts:
    """The posts of an archive.

    Args:
        names: the paths of their files.
        slug_of: returns the slug in the path of a file.
    """

    def __init__(self, archive: Archive, names: Iterable[str], slug_of: Callable[[str], str]) -> None:
        self._archive, self._names, self._slug_of = archive, list(names), slug_of
        self._heads: dict[str, tuple[str, str]] = {}

    def title_of(self, reference: str) -> str:
        """Return the title of the post that a tag names; "" if there is none."""
        file = self._file(reference)
        return self._head(file)[0] if file else ""

    def path_of(self, reference: str) -> str:
        """Return the path here of the post that a tag names by its file or its title."""
        file = self._file(reference)
        slug = (self._head(file)[1] or slugify(self._slug_of(file))) if file else ""
        return (
            f"/{slug}{reference[reference.find('#') :] if '#' in reference else ''}" if slug else post_path(reference)
        )

    def _file(self, reference: str) -> str:
        slug = slugify(post_path(reference.partition("#")[0]))
        return self._by_slug.get(slug, "") or self._by_title.get(" ".join(reference.split()).lower(), "")

    @cached_property
    def _by_slug(self) -> dict[str, str]:
        return {slugify(self._slug_of(name)): name for name in reversed(self._names)}

    @cached_property
    def _by_title(self) -> dict[str, str]:
        return {self._head(name)[0].lower(): name for name in reversed(self._names)}

    def _head(self, name: str) -> tuple[str, str]:
        """Return the title and the slug in the front matter of a file."""
        if name not in self._heads:
            try:
                values = head_and_text(decoded(self._archive.head(name, _MAX_HEAD))[0])[0]
            except BadFrontMatter:
                values = {}
            title, slug = values.get("title"), values.get("slug")
            self._heads[name] = (
                one_line(title) if isinstance(title, str) else "",
                slugify(slug) if isinstance(slug, str) else "",
            )
        return self._heads[name]
