"""Recognize the program that a Markdown file was written for, which decides what its template tags mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

# "jekyll" stands for all programs with Liquid and similar tags, "none" for those without template tags in Markdown.
Program = Literal["jekyll", "hugo", "none", "unknown"]

_SETTINGS: tuple[tuple[re.Pattern[str], Program], ...] = (
    (re.compile(r"(?:astro|next|gatsby|docusaurus|nuxt|svelte)[.-]config\.\w{2,4}"), "none"),
    (re.compile(r"hugo\.(?:toml|ya?ml|json)|config\.toml"), "hugo"),
    (re.compile(r"_config\.ya?ml|\.?eleventy(?:\.config)?\.\w{2,4}"), "jekyll"),
)
_FOLDERS: tuple[tuple[re.Pattern[str], Program], ...] = (
    (re.compile(r"(?:^|/)_(?:posts|drafts)/"), "jekyll"),
    (re.compile(r"(?:^|/)src/(?:content|pages)/"), "none"),
)
# Fields that the templates of Astro have.
_OF_ASTRO = ("pubdate", "pubdatetime", "heroimage")


def program_of_archive(names: Iterable[str]) -> Program:
    """Return the program whose settings are at the top of an archive, or in its only folder."""
    for path in map(PurePosixPath, names):
        if len(path.parts) <= 2:
            for pattern, program in _SETTINGS:
                if pattern.fullmatch(path.name):
                    return program
    return "unknown"


def program_of_file(name: str, head: str, fields: Mapping[str, Any], archive_has: Program = "unknown") -> Program:
    """Return the program of one file.

    Args:
        head: the beginning of the file.
        fields: its front matter.
        archive_has: the program of its archive.
    """
    if name.lower().endswith(".mdx"):
        return "none"
    if archive_has != "unknown":
        return archive_has
    for pattern, program in _FOLDERS:
        if pattern.search(name):
            return program
    layout = str(fields.get("layout") or "")
    if layout.endswith(".astro") or any(key in fields for key in _OF_ASTRO):
        return "none"
    if layout:
        return "jekyll"
    return "hugo" if head.startswith(("+++", "{")) else "unknown"
