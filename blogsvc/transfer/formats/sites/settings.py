"""What the settings of a static site say about its files: fields that posts have by default, and what is no post.

Sources: https://jekyllrb.com/docs/configuration/front-matter-defaults/, https://gohugo.io/configuration/cascade/,
https://www.11ty.dev/docs/data-template-dir/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from blogsvc.lib.text.front_matter import BadFrontMatter, parse_toml, parse_yaml, split
from blogsvc.lib.time import UnknownZone, zone
from blogsvc.transfer.formats.archives import Archive, json_in
from blogsvc.transfer.formats.decoding import decoded
from blogsvc.transfer.formats.parsed_post import clean

_MAX_BYTES = 256 * 1024
_JEKYLL = re.compile(r"_config\.ya?ml")
_HUGO = re.compile(r"(?:hugo|config)\.(?:toml|ya?ml)")
_ELEVENTY = re.compile(r"\.?eleventy(?:\.config)?\.[cm]?[jt]s")
_INPUT = re.compile(r"""\binput\s{0,9}:\s{0,9}["']([\w./-]{1,100})["']""")
_NO_TEMPLATES = re.compile(r"""\bmarkdownTemplateEngine["']?\s{0,9}:\s{0,9}false\b""")
_INDEX = re.compile(r"_index(?:\.[\w-]{2,10})?\.(?:md|markdown|html)")
# Folders of a site, at its top, that have no posts.
_OF_SITE = {
    "jekyll": ("_data", "_includes", "_layouts", "_sass", "vendor"),
    "hugo": ("archetypes", "assets", "data", "layouts", "static", "themes"),
}
_NO_PAGE = {"_build": {"render": "never"}}


@dataclass(frozen=True)
class _Defaults:
    """Fields of the files in a folder, or of those that match a pattern, and of one kind of files ("" for all)."""

    path: str
    values: Mapping[str, Any]
    kind: str = ""

    def are_of(self, name: str, kind: str) -> bool:
        """Return True for the path of a file, without its site's folder, and its kind."""
        is_below = not self.path or f"{name}/".startswith(f"{self.path}/") or fnmatchcase(name, self.path)
        return is_below and self.kind in ("", kind)


@dataclass(frozen=True)
class SiteSettings:
    """The settings of a site: those of Jekyll, Hugo or Eleventy; empty ones for others."""

    root: str = ""  # the folder of the site in the archive, with a slash at its end
    values: Mapping[str, Any] = field(default_factory=dict)
    defaults: tuple[_Defaults, ...] = ()
    no_posts: tuple[str, ...] = ()  # folders and patterns
    only: tuple[str, ...] = ()  # the folders of all posts, with slashes at their ends
    inputs: tuple[str, ...] = ()  # the folders in which Eleventy may look for posts
    has_templates: bool = True  # in Markdown: those of Eleventy may be turned off
    collections: Mapping[str, bool] = field(default_factory=dict)  # of Jekyll, and whether they have pages

    @classmethod
    def of(cls, archive: Archive) -> SiteSettings:
        """Return the settings in an archive, or in its only folder. Those that can't be read are empty."""
        for name in archive.names:
            path = PurePosixPath(name)
            root = name.removesuffix(path.name)
            if len(path.parts) > 2:
                continue
            if _JEKYLL.fullmatch(path.name):
                return _jekyll(root, settings_in(archive, name))
            if _HUGO.fullmatch(path.name) and any(one.startswith(f"{root}content/") for one in archive.names):
                return _hugo(root, settings_in(archive, name), archive)
            if _ELEVENTY.fullmatch(path.name):
                return _eleventy(root, archive, name)
        return cls()

    def zone(self, default: tzinfo) -> tzinfo:
        """Return the time zone of dates without one."""
        try:
            return zone(str(self.values["timezone"]))
        except (KeyError, UnknownZone):
            return default

    def is_of_site(self, name: str) -> bool:
        """Return True for a file that the program never makes a page of."""
        inside = name.removeprefix(self.root)
        parts = PurePosixPath(inside).parts
        if self.only and not inside.startswith(self.only):
            return True
        return any(
            f"{inside}/".startswith(f"{one.strip('/')}/") or fnmatchcase(inside, one) for one in self.no_posts
        ) or (bool(self.inputs) and any(part in ("_includes", "_data", "_layouts") for part in parts[:-1]))

    def values_of(self, name: str) -> dict[str, Any]:
        """Return the fields that a file has if its front matter does not say otherwise."""
        inside = name.removeprefix(self.root)
        parts = PurePosixPath(inside).parts
        collection = next((part[1:] for part in parts[:-1] if part.startswith("_")), "")
        kind = collection or "pages"
        values = dict(_NO_PAGE) if self.collections and not self.collections.get(collection, not collection) else {}
        for one in self.defaults:
            if one.are_of(inside, kind):
                values |= one.values
        return values

    def addresses(self, name: str) -> tuple[str, ...]:
        """Return the addresses that Eleventy gives to a file by default; none for other programs."""
        path = PurePosixPath(name.removeprefix(self.root))
        stem = re.sub(r"\A\d{4}-\d{2}-\d{2}-", "", path.stem)
        folder = "/".join(path.parent.parts)
        found = []
        for one in self.inputs:
            if not one or f"{folder}/".startswith(f"{one}/"):
                inner = folder[len(one) :].strip("/")
                ends = [inner] if stem in ("index", path.parent.name) else [inner, stem]
                found.append(f"/{'/'.join(filter(None, ends))}/")
        return tuple(dict.fromkeys(found))


def settings_in(archive: Archive, name: str) -> Mapping[str, Any]:
    """Return the settings in a file of YAML or TOML; none if they can't be read."""
    text = archive.head(name, _MAX_BYTES).decode("utf-8", "replace")
    try:
        return parse_toml(text) if name.endswith(".toml") else parse_yaml(text)
    except BadFrontMatter:
        return {}


def _jekyll(root: str, values: Mapping[str, Any]) -> SiteSettings:
    defaults = []
    for one in _rows(values.get("defaults")):
        scope, fields = one.get("scope"), one.get("values")
        if isinstance(fields, dict):
            scope = scope if isinstance(scope, dict) else {}
            path, kind = str(scope.get("path") or ""), str(scope.get("type") or "")
            defaults.append(_Defaults(path.strip("/"), _lowered(fields), kind))
    defaults.sort(key=lambda one: one.path.count("/") + bool(one.path))  # the longer path wins
    excluded = values.get("exclude")
    named = [one for one in excluded if isinstance(one, str) and one] if isinstance(excluded, list) else []
    return SiteSettings(
        root,
        values,
        tuple(defaults),
        (*_OF_SITE["jekyll"], *named),
        collections={"posts": True, "drafts": True, **_collections(values.get("collections"))},
    )


def _collections(value: Any) -> dict[str, bool]:
    if isinstance(value, list):
        return {str(one): False for one in value}
    rows = value.items() if isinstance(value, dict) else ()
    return {str(name): isinstance(one, dict) and str(one.get("output")).lower() == "true" for name, one in rows}


def _hugo(root: str, values: Mapping[str, Any], archive: Archive) -> SiteSettings:
    languages = values.get("languages")
    of_languages = [one for one in languages.values() if isinstance(one, dict)] if isinstance(languages, dict) else []
    folders = [values.get("contentdir") or "content", *(_lowered(one).get("contentdir") for one in of_languages)]
    contents = tuple(dict.fromkeys(f"{str(one).strip('./')}/" for one in folders if one))
    defaults = list(_cascades("", values.get("cascade")))
    indexes = [
        one
        for one in archive.names
        if one.removeprefix(root).startswith(contents) and _INDEX.fullmatch(PurePosixPath(one).name)
    ]
    for name in sorted(indexes, key=lambda one: one.count("/")):
        try:
            fields, _ = split(clean(decoded(archive.head(name, _MAX_BYTES))[0]))
        except BadFrontMatter:
            continue
        folder = name.removeprefix(root).rpartition("/")[0]
        defaults += _cascades(folder, fields.get("cascade"))
    return SiteSettings(root, values, tuple(defaults), _OF_SITE["hugo"], only=contents)


def _cascades(folder: str, value: Any) -> Iterator[_Defaults]:
    """Yield the fields that a page gives to those below it."""
    for one in [value] if isinstance(value, dict) else _rows(value):
        fields = _lowered(one)
        target = fields.pop("target", None) or fields.pop("_target", None)
        path = str(target.get("path") or "") if isinstance(target, dict) else ""
        params = fields.pop("params", None)
        fields = {**(_lowered(params) if isinstance(params, dict) else {}), **fields}
        if not path:
            yield _Defaults(folder, fields)
        else:  # of pages, without the folder of all and the suffix
            yield _Defaults(f"*content{path.replace('**', '*')}*", fields)


def _eleventy(root: str, archive: Archive, settings: str) -> SiteSettings:
    text = archive.head(settings, _MAX_BYTES).decode("utf-8", "replace")
    found = _INPUT.search(text)
    given = found[1].strip("./") if found else ""
    defaults = []
    for name in sorted(archive.names, key=lambda one: one.count("/")):
        path = PurePosixPath(name)
        if path.name in (f"{path.parent.name}.json", f"{path.parent.name}.11tydata.json"):
            fields = json_in(archive, name)
            if isinstance(fields, dict):
                defaults.append(_Defaults(name.removeprefix(root).rpartition("/")[0], _lowered(fields)))
    inputs = (given,) if given else ("", "src", "content")
    return SiteSettings(root, {}, tuple(defaults), inputs=inputs, has_templates=not _NO_TEMPLATES.search(text))


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _lowered(values: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name).lower(): value for name, value in values.items()}
