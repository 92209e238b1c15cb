"""Tell what the program that shows a Markdown file reads in another way than our pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.sites.fields import Fields
from blogsvc.transfer.formats.sites.programs import Program
from blogsvc.transfer.formats.sites.settings import SiteSettings

_OF_HEXO = re.compile(r"(?:^|/)source/_(?:posts|drafts)/")


@dataclass(frozen=True)
class Flavor:
    """What a text may have, and what its signs mean.

    Args:
        is_vault: It is a note of Obsidian; with `is_note` alone, it may be one.
        is_hashnode: Hashnode made the file.
        has_all_callouts: Callouts can have any kind.
        has_inline_notes: `^[words]` is a footnote.
        has_breaks: Each line break of a paragraph is shown.
        has_markdown_in_html: Kramdown reads Markdown in all elements.
        has_plain_tildes: One tilde does not strike out; two do.
    """

    is_vault: bool = False
    is_note: bool = False
    is_hashnode: bool = False
    has_all_callouts: bool = False
    has_inline_notes: bool = False
    has_breaks: bool = False
    has_markdown_in_html: bool = False
    has_plain_tildes: bool = False

    @classmethod
    def of(cls, name: str, fields: Fields, program: Program, archive: Archive, site: SiteSettings) -> Flavor:
        is_vault = archive.is_vault and not name.lower().endswith(".mdx")
        is_note = is_vault or program == "unknown"
        is_eleventy = program == "jekyll" and bool(site.inputs)
        is_zenn = bool(fields.text("emoji") and fields.value("topics") and fields.text("type") in ("tech", "idea"))
        is_dev = program == "unknown" and _is_of_dev(fields.values)
        has_wrap = program == "jekyll" and _is_set_in_kramdown(site.values, "hard_wrap")
        has_breaks = (
            is_zenn or has_wrap or is_dev or (is_vault and archive.vault_settings.get("strictLineBreaks") is not True)
        )
        return cls(
            is_vault,
            is_note,
            is_hashnode=bool(fields.text("cuid")),
            has_all_callouts=is_note or program == "hugo",
            has_inline_notes=is_note or is_eleventy or is_zenn,
            has_breaks=has_breaks or (bool(_OF_HEXO.search(name)) and _has_breaks_of_hexo(site.values)),
            has_markdown_in_html=program == "jekyll" and _is_set_in_kramdown(site.values, "parse_block_html"),
            has_plain_tildes=is_vault or is_eleventy or is_zenn or is_dev,
        )


def _is_of_dev(values: Mapping[str, Any]) -> bool:
    """Return True for the front matter that the editor of DEV begins a post with."""
    return {"published", "cover_image"} <= values.keys() and isinstance(values.get("tags"), str)


def _has_breaks_of_hexo(settings: Mapping[str, Any]) -> bool:
    """Return True if Hexo shows each line break, as its renderers do by default. Octopress names another Markdown."""
    renderer, marked = settings.get("markdown") or {}, settings.get("marked") or {}
    if not isinstance(renderer, dict) or "pandoc" in settings:
        return False
    options = [marked, renderer, renderer.get("render")]
    return not any(
        isinstance(one, dict) and "false" in (str(one.get("breaks")).lower(), str(one.get("gfm")).lower())
        for one in options
    )


def _is_set_in_kramdown(settings: Mapping[str, Any], name: str) -> bool:
    """Return True if the settings of Jekyll turn on an option of its Markdown."""
    options = settings.get("kramdown")
    return isinstance(options, dict) and str(options.get(name)).lower() == "true"
