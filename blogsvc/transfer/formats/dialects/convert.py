"""Turn what a program adds to Markdown, or reads in another way, into the Markdown of our pages."""

from __future__ import annotations

from blogsvc.transfer.formats.dialects import (
    admonitions,
    definition_lists,
    fence_attributes,
    fence_names,
    heading_ids,
    highlights,
    inline_attributes,
    inline_notes,
    kramdown,
    kramdown_breaks,
    kramdown_html,
    kramdown_marks,
    kramdown_symbols,
    kramdown_tables,
    notion_callouts,
    other_callouts,
    refused_links,
    table_captions,
)
from blogsvc.transfer.formats.dialects import embeds as markdown_embeds
from blogsvc.transfer.formats.dialects import images as markdown_images
from blogsvc.transfer.formats.removals import Removals
from blogsvc.transfer.formats.sites.flavors import Flavor
from blogsvc.transfer.formats.sites.programs import Program


def plain(
    text: str,
    program: Program,
    source_text: str,
    removals: Removals,
    flavor: Flavor,
    *,
    has_kramdown: bool = False,
) -> str:
    """Return a text as Markdown for our pages. Code stays as it is.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
        flavor: what the writer of the text reads in another way than our pages.
        has_kramdown: The program is Jekyll with the Markdown that it has by default.
    """
    if program != "hugo" and not has_kramdown:
        text = admonitions.plain(text, source_text, removals)
    text = markdown_images.plain(fence_names.plain(text), has_kramdown=has_kramdown)
    text = markdown_embeds.plain(text, source_text, removals, is_hashnode=flavor.is_hashnode)
    if flavor.is_hashnode:
        text = markdown_embeds.with_mentions(text)
    text = refused_links.plain(text, source_text, removals)
    text = other_callouts.plain(text, has_all_kinds=flavor.has_all_callouts)
    if flavor.has_inline_notes:
        text = inline_notes.plain(text)
    if flavor.is_note and not flavor.is_vault:
        text = notion_callouts.plain(text)
    if flavor.is_note:
        text = highlights.plain(text, is_vault=flavor.is_vault)
    if flavor.has_plain_tildes:
        text = kramdown_marks.with_plain_tildes(text)
    if program == "none":
        return heading_ids.in_text(text, source_text, removals)
    if program != "hugo":
        text = kramdown_html.plain(text, in_all=flavor.has_markdown_in_html)
    if not has_kramdown and not flavor.is_vault:
        text = fence_attributes.plain(text, source_text, removals)
        text = table_captions.plain(text, may_be_above=program != "hugo")
        text = inline_attributes.plain(text, source_text, removals)
    text = text if flavor.is_vault else definition_lists.plain(text)
    text = kramdown.plain(text, source_text, removals, has_colons=has_kramdown)
    if has_kramdown:
        text = kramdown_breaks.plain(kramdown_symbols.plain(kramdown_marks.plain(kramdown_tables.plain(text))))
    return text
