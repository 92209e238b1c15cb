"""Find the posts of an archive that template tags and links name, by their files or their titles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import PurePosixPath

from blogsvc.lib.text.front_matter import BadFrontMatter
from blogsvc.lib.text.plain import slugify
from blogsvc.transfer.formats.archives import Archive, beside
from blogsvc.transfer.formats.blogsvc_markdown import head_and_text
from blogsvc.transfer.formats.decoding import decoded
from blogsvc.transfer.formats.obsidian.heading_links import Heading, headings_in
from blogsvc.transfer.formats.parsed_post import one_line
from blogsvc.transfer.formats.sites.post_paths import file_key, post_path
from blogsvc.transfer.formats.tags.hugo import INDEXES

_MAX_HEAD = 16 * 1024  # bytes of a file, in which its front matter is read
_MAX_TEXT = 1024 * 1024  # bytes of a file, in which its headings are read
_MAX_ALIKE = 50  # files with the same name that are compared


class ArchivePosts:
    """The posts of an archive.

    Args:
        names: the paths of their files, in the order in which they are imported.
        place_of: returns the date, the slug and the language in the path of a file.
    """

    def __init__(
        self, archive: Archive, names: Iterable[str], place_of: Callable[[str], tuple[str | None, str, str]]
    ) -> None:
        self._archive, self._names, self._place_of = archive, list(names), place_of
        self._heads: dict[str, tuple[str, str]] = {}
        self._headings: dict[str, list[Heading]] = {}

    def file_name_of(self, name: str) -> str:
        """Return the slug of a file, by which links find it, or its key if an earlier file has the same slug."""
        slug = self._slug_of(name)
        return slug if self._by_slug.get(slug, [name])[0] == name else file_key(name)

    def title_of(self, reference: str, name: str) -> str:
        """Return the title of the post that a tag in a file names; "" if there is none."""
        file = self._file(reference, name, "")
        return self._head(file)[0] if file else ""

    def path_of(self, reference: str, name: str, language: str = "") -> str:
        """Return the path here of the post that a tag in a file names by its file or its title."""
        file = self._file(reference, name, language)
        slug = (self._head(file)[1] or self._slug_of(file)) if file else ""
        return f"/{slug}{_part(reference)}" if slug else post_path(reference)

    def address_of(self, reference: str, name: str, language: str = "") -> str:
        """Return what a link in a file has as its address until all posts are imported.

        It is the path of the file that a tag names if its name is also that of another one.
        """
        file = self._file(reference, name, language)
        is_first = not file or self.file_name_of(file) != file_key(file)
        return post_path(reference) if is_first else f"/{file}{_part(reference)}"

    def headings_of(self, reference: str, name: str) -> list[Heading]:
        """Return the headings of the post that a link in a file names."""
        file = self._file(reference, name, "")
        if file and file not in self._headings:
            self._headings[file] = headings_in(decoded(self._archive.head(file, _MAX_TEXT))[0])
        return self._headings.get(file, [])

    def _file(self, reference: str, name: str, language: str) -> str:
        path = reference.partition("#")[0]
        files = self._by_slug.get(slugify(post_path(path)), ())
        if not files:
            return self._by_title.get(" ".join(reference.split()).lower(), "")
        if path[1:] in files:  # from the top of the archive
            return path[1:]
        if len(files) == 1:
            return files[0]
        wanted = _Wanted.of(path, name, language or self._place_of(path)[2] or self._place_of(name)[2])
        return max(files[:_MAX_ALIKE], key=lambda file: wanted.likeness(file, self._place_of(file)[2]))

    def _slug_of(self, name: str) -> str:
        return slugify(self._place_of(name)[1])

    @cached_property
    def _by_slug(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self._names:
            found.setdefault(self._slug_of(name), []).append(name)
        return found

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


@dataclass(frozen=True)
class PostsBeside:
    """The posts of an archive as seen from one of its files, in which references to others are relative."""

    posts: ArchivePosts
    name: str

    def title_of(self, reference: str) -> str:
        return self.posts.title_of(reference, self.name)

    def headings_of(self, reference: str) -> list[Heading]:
        return self.posts.headings_of(reference, self.name)

    def path_of(self, reference: str, language: str = "") -> str:
        return self.posts.path_of(reference, self.name, language)

    def address_of(self, reference: str, language: str = "") -> str:
        return self.posts.address_of(reference, self.name, language)


@dataclass(frozen=True)
class _Wanted:
    """What a reference says about a file, apart from its slug. `given` are the folders that it names."""

    stem: str
    folders: tuple[tuple[str, ...], ...]
    given: tuple[str, ...]
    around: tuple[str, ...]
    language: str

    @classmethod
    def of(cls, path: str, name: str, language: str) -> _Wanted:
        there = "" if path.startswith(("/", "@")) else beside(name, path)
        stem, given = _stem_and_folder(path.lstrip("/@"))
        folders = (_stem_and_folder(there)[1],) if there else ()
        named = tuple(part for part in given if part not in ("..", "."))
        return cls(stem, folders, named, PurePosixPath(name).parent.parts, language.lower())

    def likeness(self, file: str, language: str) -> tuple[bool, bool, int, int]:
        """Return how well a file fits, by its date, its folder, its language, and the folders that it shares."""
        stem, folder = _stem_and_folder(file)
        is_there = folder in self.folders or (bool(self.given) and folder[-len(self.given) :] == self.given)
        is_in_language = bool(self.language) and self.language in (language.lower(), *map(str.lower, folder))
        fits = 2 if is_in_language else 0 if language else 1
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(folder, self.around, strict=False))
        return stem == self.stem, is_there, fits, len(list(shared))


def _stem_and_folder(path: str) -> tuple[str, tuple[str, ...]]:
    """Return the name of a post with its date, and the folders around it: those of its folder if it is an index."""
    file = PurePosixPath(path)
    stem = file.name.partition(".")[0]
    if stem in (*INDEXES, "_index") and file.parent.name:
        return file.parent.name, file.parent.parent.parts
    return stem, file.parent.parts


def _part(reference: str) -> str:
    return reference[reference.find("#") :] if "#" in reference else ""
