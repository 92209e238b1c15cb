"""What the settings of Docusaurus say: whether files are MDX, and which dates and addresses its posts have.

Sources: https://docusaurus.io/docs/markdown-features#mdx-vs-commonmark, https://docusaurus.io/docs/blog, and
`parseBlogFileName` in its plug-in for blogs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.archives import Archive

_SETTINGS = re.compile(r"docusaurus\.config\.\w{2,4}")
_FORMAT = re.compile(r"""^[ \t]*+["']?format["']?[ \t]*+:[ \t]*+["'](md|mdx|detect)["']""", re.MULTILINE)
_PATH = re.compile(
    r"""(?:(?<=\]\()|(?<=\]\(<)|(?<=="))(?P<scheme>@site/static|pathname://)(?P<path>/[^\s()<>"]{0,2000}+)"""
)
_IMAGE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)\Z", re.IGNORECASE)
_MAX_SETTINGS = 1024 * 1024  # bytes


_BASE = re.compile(r"""\bbaseUrl["']?\s{0,9}+:\s{0,9}+["']([^"'\s]{1,200}+)["']""")
_BLOG = re.compile(r"""(?:\bblog["']?\s{0,9}+:|plugin-content-blog["']\s{0,9}+,)\s{0,99}+\{""")
_OPTION = re.compile(r"""\b(path|routeBasePath)["']?\s{0,9}+:\s{0,9}+["']([^"'\s]{0,200}+)["']""")
_MAX_BLOGS, _MAX_OPTIONS = 10, 20_000  # characters
_DAY = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}")
_END = re.compile(r"(?:/index)?\.mdx?\Z")


@dataclass(frozen=True)
class DocusaurusSite:
    """The settings of a site: the folders of its blogs, with the paths of their pages.

    `base` is the path before all pages. `has_mdx` is True if its Markdown files are MDX, whatever their names are.
    """

    blogs: tuple[tuple[str, str], ...] = ()
    base: str = "/"
    has_mdx: bool = False

    @classmethod
    def of(cls, archive: Archive) -> DocusaurusSite:
        """Return the site in an archive, or in its only folder; an empty one if it has none."""
        for name in archive.names:
            path = PurePosixPath(name)
            if len(path.parts) <= 2 and _SETTINGS.fullmatch(path.name):
                settings = archive.head(name, _MAX_SETTINGS).decode(errors="replace")
                told, base, root = _FORMAT.search(settings), _BASE.search(settings), name.removesuffix(path.name)
                blogs = tuple((f"{root}{folder}/", route) for folder, route in _blogs(settings))
                return cls(blogs, base[1] if base else "/", told is None or told[1] == "mdx")
        return cls()

    def place_of(self, name: str) -> tuple[str, str] | None:
        """Return the date and the slug in the path of a post; None for another file, and one without a date."""
        for folder, _ in self.blogs:
            if name.startswith(folder) and (found := _dated(name[len(folder) :])):
                _, day, text = found
                return day, text.strip("/").rpartition("/")[2] or day
        return None

    def addresses(self, name: str, slug: str) -> tuple[str, ...]:
        """Return the addresses of a post with a slug in its front matter, or without (""); none for other files."""
        for folder, route in self.blogs:
            if name.startswith(folder):
                path = _joined(route, slug or _default_slug(name[len(folder) :]))
                return tuple(dict.fromkeys((_joined(self.base, path), path)))
        return ()


def _blogs(settings: str) -> Iterator[tuple[str, str]]:
    """Yield the folders and the paths of blogs."""
    has_any = False
    for number, found in enumerate(_BLOG.finditer(settings)):
        if number == _MAX_BLOGS:
            break
        options = dict(_OPTION.findall(_in_braces(settings[found.end() : found.end() + _MAX_OPTIONS])))
        yield options.get("path", "blog").strip("./"), options.get("routeBasePath", "blog")
        has_any = True
    if not has_any:
        yield "blog", "blog"


def _in_braces(text: str) -> str:
    """Return the text up to the brace that closes what is open before it."""
    depth = 1
    for found in re.finditer(r"[{}]", text):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return text[: found.start()]
    return text


def _default_slug(path: str) -> str:
    """Return the slug of a file in the folder of a blog, such as "2024/01/05/words"."""
    found = _dated(path)
    if found is None:
        return _END.sub("", path)
    folder, day, text = found
    return f"{day.replace('-', '/')}/{folder}{text}"


def _dated(path: str) -> tuple[str, str, str] | None:
    """Return what is before the last date in a path, the date, and what is after it; None without a date."""
    end = _END.search(path, max(0, len(path) - 20))
    days = list(_DAY.finditer(path)) if end else []
    if end is None or not days:
        return None
    text = path[days[-1].end() : max(days[-1].end(), end.start())]
    return path[: days[-1].start()], days[-1][0].replace("/", "-"), text[1:] if text[:1] in ("-", "/") else text


def _joined(*parts: str) -> str:
    return "/".join(["", *filter(None, (part.strip("/") for part in parts))]) or "/"


def with_paths(text: str) -> str:
    """Return a text whose links to files of the site have plain paths, without `@site/static` and `pathname://`."""
    if "@site/static/" not in text and "pathname://" not in text:
        return text
    code = code_places(text)

    def read(found: re.Match[str]) -> str:
        is_kept = code.end_at(found.start()) is not None or (found["scheme"][0] == "@" and _IMAGE.search(found["path"]))
        return found[0] if is_kept else found["path"]

    return _PATH.sub(read, text)


def is_mdx(name: str, values: Mapping[str, Any], *, site_has_mdx: bool) -> bool:
    """Return True for a file that is MDX, by its front matter or its name.

    Args:
        site_has_mdx: The program reads MDX in all its Markdown files.
    """
    own = values.get("mdx")
    told = own.get("format") if isinstance(own, Mapping) else None
    if told in ("md", "mdx"):
        return bool(told == "mdx")
    return name.lower().endswith(".mdx") or site_has_mdx
