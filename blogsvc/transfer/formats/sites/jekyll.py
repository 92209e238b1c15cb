"""The addresses that Jekyll gives to posts, and to files of collections: https://jekyllrb.com/docs/permalinks/."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from blogsvc.lib.text.plain import slugify
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.sites.settings import settings_in

_DEFAULT = "/:categories/:year/:month/:day/:title.html"
_STYLES = {
    "date": _DEFAULT,
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title.html",
    "weekdate": "/:categories/:year/W:week/:short_day/:title.html",
    "none": "/:categories/:title.html",
}
_SETTINGS = ("_config.yml", "_config.yaml")
_OF_ELEVENTY = re.compile(r"\.eleventy\.c?js|eleventy\.config\.\w{2,4}")
_SETTINGS_OF_HEXO = frozenset(("source_dir", "new_post_name", "skip_render"))
_OF_OTHERS = re.compile(r"(?:^|/)(?:source/_(?:posts|drafts)|content)/")  # of Hexo and Hugo
_PART = re.compile(r":(\w++)")


@dataclass(frozen=True)
class JekyllSite:
    """What the settings of a site say about addresses: the pattern of posts, and the path before all of them.

    `root` is the folder of the settings in the archive, and `markdown` the name of the Markdown of its posts.
    `collections` are the patterns of collections by the paths of their folders there.
    """

    pattern: str = _DEFAULT
    base: str = ""
    root: str = ""
    markdown: str = "kramdown"
    has_settings: bool = False
    collections: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, archive: Archive) -> JekyllSite:
        """Return the site of an archive; that of a new site if it has no settings that can be read."""
        name = next((one for one in archive.names if PurePosixPath(one).name in _SETTINGS and one.count("/") < 2), "")
        values = settings_in(archive, name) if name else {}
        root = name.rpartition("/")[0]
        markdown = "" if _is_other_program(archive, values) else str(values.get("markdown") or "kramdown").lower()
        base = _text(values.get("baseurl")).rstrip("/")
        pattern = _pattern(values.get("permalink"))
        return cls(pattern, base, root, markdown, bool(name), dict(_collections(values, pattern)))

    def has(self, name: str) -> bool:
        """Return True for a file of a site with settings, or in a folder for posts, and not of another program."""
        is_of_jekyll = self.has_settings or "_posts/" in name or "_drafts/" in name
        return is_of_jekyll and bool(self.markdown) and not _OF_OTHERS.search(name)

    def has_kramdown(self, name: str) -> bool:
        """Return True if a file of the site is written in Kramdown, and not for another program."""
        return self.markdown == "kramdown" and not _OF_OTHERS.search(name)


def addresses(
    site: JekyllSite, name: str, values: Mapping[str, Any], title: str, date: datetime | None
) -> tuple[str, ...]:
    """Return the addresses of a post or a file of a collection; none for other files.

    There is one with the path before all addresses, and one without.

    Args:
        name: the path of the file in the archive.
        values: its front matter, of which `permalink` may be a pattern.
        title: its slug, or the name of its file without the date.
        date: in the time zone of the site.
    """
    inside = name.removeprefix(f"{site.root}/")
    folder, posts, _ = f"/{inside}".rpartition("/_posts/")
    place = "" if posts else next((one for one in site.collections if inside.startswith(f"{one}/")), "")
    if not place and (not posts or date is None):
        return ()
    own = values.get("permalink")
    pattern = _pattern(own) if own else site.collections.get(place, site.pattern)
    parts = {"title": title, "slug": title, "output_ext": ".html", **(_parts_of(date) if date else {})}
    if place:
        path = PurePosixPath(inside[len(place) + 1 :]).with_suffix("")
        collection = PurePosixPath(place).name.removeprefix("_")
        parts |= {"collection": collection, "path": str(path), "name": slugify(path.name)}
    else:
        parts["categories"] = "/".join(_categories(folder, values))
    if not set(_PART.findall(pattern)) <= parts.keys():
        return ()
    path_of_page = re.sub("//+", "/", _PART.sub(lambda part: parts[part[1]], pattern))
    return (path_of_page, f"{site.base}{path_of_page}") if site.base else (path_of_page,)


def _parts_of(date: datetime) -> dict[str, str]:
    return {
        "year": f"{date:%Y}",
        "short_year": f"{date:%y}",
        "month": f"{date:%m}",
        "i_month": str(date.month),
        "day": f"{date:%d}",
        "i_day": str(date.day),
        "y_day": f"{date:%j}",
        "week": f"{date:%V}",
        "short_day": f"{date:%a}",
        "hour": f"{date:%H}",
        "minute": f"{date:%M}",
        "second": f"{date:%S}",
    }


def _collections(values: Mapping[str, Any], pattern: str) -> Iterator[tuple[str, str]]:
    """Yield the folders of collections with pages, and their patterns, whose end is that of the posts by default."""
    found, above = values.get("collections"), _text(values.get("collections_dir")).strip("./")
    ending = ":output_ext" if pattern.endswith((":output_ext", ".html")) else "/" if pattern.endswith("/") else ""
    for name, one in found.items() if isinstance(found, dict) else ():
        if name not in ("posts", "drafts") and isinstance(one, dict) and str(one.get("output")).lower() == "true":
            own = _text(one.get("permalink"))
            yield f"{above}/_{name}".lstrip("/"), _pattern(own) if own else f"/:collection/:path{ending}"


def _is_other_program(archive: Archive, values: Mapping[str, Any]) -> bool:
    """Return True for Eleventy, and for Hexo, whose settings are in a file of the same name."""
    is_eleventy = any(_OF_ELEVENTY.fullmatch(PurePosixPath(name).name) for name in archive.names)
    return is_eleventy or not _SETTINGS_OF_HEXO.isdisjoint(values)


def _pattern(written: Any) -> str:
    pattern = _text(written) or "date"
    pattern = _STYLES.get(pattern.lower(), pattern)
    return f"/{pattern.lstrip('/')}"


def _categories(folder: str, values: Mapping[str, Any]) -> Iterable[str]:
    """Return the categories of a post: the folders around that of the posts, and those in its front matter."""
    found = [part for part in folder.split("/") if part]
    for key in ("category", "categories"):
        value = values.get(key)
        if isinstance(value, str):
            found += [value] if key == "category" else value.split()
        elif isinstance(value, list):
            found += [one for one in value if isinstance(one, str)]
    return dict.fromkeys(one.strip().lower() for one in found if one.strip())


def _text(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    return urlsplit(text).path if text.startswith(("https://", "http://")) else text
