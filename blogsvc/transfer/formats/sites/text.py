"""Turn the text of a file into the Markdown of our pages: without templates, in our dialect, with what a site has."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from blogsvc.lib.workers import text_jobs
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.dialects import convert as dialects
from blogsvc.transfer.formats.dialects import line_breaks
from blogsvc.transfer.formats.hidden_elements import without_hidden
from blogsvc.transfer.formats.linked_parts import LinkedParts
from blogsvc.transfer.formats.mdx import convert as mdx
from blogsvc.transfer.formats.obsidian import blocks, comments, heading_links, images
from blogsvc.transfer.formats.obsidian.other_files import OtherFiles
from blogsvc.transfer.formats.removals import Removals
from blogsvc.transfer.formats.sites import docusaurus, file_links
from blogsvc.transfer.formats.sites.archive_posts import ArchivePosts, PostsBeside
from blogsvc.transfer.formats.sites.fields import Fields
from blogsvc.transfer.formats.sites.flavors import Flavor
from blogsvc.transfer.formats.sites.jekyll import JekyllSite
from blogsvc.transfer.formats.sites.partials import Partials
from blogsvc.transfer.formats.sites.programs import Program, program_of_file
from blogsvc.transfer.formats.sites.settings import SiteSettings
from blogsvc.transfer.formats.tags import convert as template_tags

MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mkdown", ".mdwn", ".mdx")


def is_text(name: str) -> bool:
    """Return True for Markdown files, by their name."""
    return PurePosixPath(name).suffix.lower() in MARKDOWN_SUFFIXES


@dataclass(frozen=True)
class SiteTexts:
    """What the files of a site say about its texts. `has_mdx` is True if all of its Markdown is MDX."""

    archive: Archive
    program: Program
    settings: SiteSettings
    jekyll: JekyllSite
    posts: ArchivePosts
    linked: LinkedParts
    has_mdx: bool


@dataclass
class SiteText:
    """A text of a site. `may_hide` is True if the site may have hidden a part of it, `is_note` if it may be a note."""

    markdown: str
    is_note: bool = False
    may_hide: bool = False
    warnings: list[str] = field(default_factory=list)


def converted(name: str, written: str, head: str, fields: Fields, site: SiteTexts) -> SiteText:
    """Return the text of a file as Markdown of our pages, with a warning for each part that was changed or removed.

    Args:
        name: the path of the file.
        written: its text.
        head: what is before the text in the file.
    """
    removals = Removals(written, first_line=head.count("\n") + 1)
    program = program_of_file(name, head[:10], fields.values, site.program)
    flavor = Flavor.of(name, fields, program, site.archive, site.settings)
    text = SiteText(written)
    if is_text(name) and docusaurus.is_mdx(name, fields.values, site_has_mdx=site.has_mdx):
        body = docusaurus.with_paths(mdx.plain(written, removals, Partials(site.archive, name).included))
        text.markdown = dialects.plain(body, "none", written, removals, flavor)
    else:
        _convert(text, name, program, flavor, fields, site, removals)
    text.markdown = _with_files(text, name, written, site, removals)
    if flavor.has_breaks and is_text(name):
        text.markdown = line_breaks.kept(text.markdown)
    text.warnings += removals.warnings()
    text.may_hide = removals.may_hide
    return text


def _convert(
    text: SiteText, name: str, program: Program, flavor: Flavor, fields: Fields, site: SiteTexts, removals: Removals
) -> None:
    """Convert a text that is not MDX."""
    written, posts, is_markdown = text.markdown, PostsBeside(site.posts, name), is_text(name)
    templates = program if _has_templates(fields, site.settings) else "none"
    is_jekyll = program == "jekyll" and site.jekyll.has(name)
    body = template_tags.plain(
        written,
        templates,
        fields.values,
        posts,
        removals,
        is_html=not is_markdown,
        has_hash_comments=not is_jekyll,
    )
    text.is_note = program == "unknown" or site.archive.is_vault
    if text.is_note:
        body = comments.without(body, written, removals)
    if is_markdown:
        has_kramdown = program == "jekyll" and site.jekyll.has_kramdown(name)
        body = dialects.plain(body, program, written, removals, flavor, has_kramdown=has_kramdown)
    else:
        made = text_jobs.convert(body, linked=site.linked.inside(body))
        body = made.markdown
        text.warnings += made.warnings
    text.markdown = body


def _has_templates(fields: Fields, settings: SiteSettings) -> bool:
    """Return False if Eleventy shows the template tags of a text as they are.

    Source: https://www.11ty.dev/docs/languages/#templateengineoverride-front-matter
    """
    own = fields.text("templateengineoverride").lower()
    return any(one.strip() not in ("md", "html", "false") for one in own.split(",")) if own else settings.has_templates


def _with_files(text: SiteText, name: str, written: str, site: SiteTexts, removals: Removals) -> str:
    """Return a text without hidden elements, whose links and images name the files of the site."""
    archive = site.archive
    body = without_hidden(text.markdown, written, removals)
    if is_text(name):
        body = blocks.with_anchors(body, is_vault=archive.is_vault, may_be_note=text.is_note)
    if text.is_note:
        body = images.with_links_to_pages(body, written, removals)
        body = images.without_sizes(body, is_vault=archive.is_vault)
        body = _with_numbered_headings(body, PostsBeside(site.posts, name))
    body = file_links.resolved(body, PostsBeside(site.posts, name))
    body = OtherFiles(name, archive, is_note=text.is_note).noted(body, written, removals)
    return images.in_markdown(body, archive)


def _with_numbered_headings(body: str, posts: PostsBeside) -> str:
    """Return a note whose links to headings below others lead to these."""
    if "[[" not in body or not (links := list(heading_links.paths_in(body))):
        return body
    own, kept, place = heading_links.headings_in(body), list[str](), 0
    for link in links:
        title = link["title"].strip()
        kept += [body[place : link.start()], heading_links.numbered(link, posts.headings_of(title) if title else own)]
        place = link.end()
    return "".join([*kept, body[place:]])
