"""Parse WordPress' export file (WXR 1.0 to 1.2), an extension of RSS, as a stream in two passes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from html import unescape
from itertools import chain
from xml.etree.ElementTree import Element

from blogsvc.lib.html_to_markdown import Converted
from blogsvc.lib.workers.text_jobs import convert
from blogsvc.transfer.formats.dates import moment
from blogsvc.transfer.formats.linked_parts import LinkedParts
from blogsvc.transfer.formats.parsed_blog import ParsedBlog, ParsedImage
from blogsvc.transfer.formats.parsed_page import ParsedItem, ParsedPage
from blogsvc.transfer.formats.parsed_post import (
    ParsedAuthor,
    ParsedPost,
    SkippedItem,
    Status,
    clean,
    counted,
    cut,
    in_plain_words,
    one_line,
)
from blogsvc.transfer.formats.removals import Removals
from blogsvc.transfer.formats.wordpress import languages
from blogsvc.transfer.formats.wordpress import seo as wordpress_seo
from blogsvc.transfer.formats.wordpress.access import PAYWALL, why_hidden
from blogsvc.transfer.formats.wordpress.addresses import author_paths, home_of, other_addresses, tag_paths
from blogsvc.transfer.formats.wordpress.content import as_html
from blogsvc.transfer.formats.wordpress.html import footnotes
from blogsvc.transfer.formats.wordpress.links import PostLinks
from blogsvc.transfer.formats.wordpress.media import Attachment, WordPressMedia, icon_of
from blogsvc.transfer.formats.wordpress.menus import Menus
from blogsvc.transfer.formats.wordpress.repair import REPLACED
from blogsvc.transfer.formats.wordpress.xml import Opener, elements, local, text_of

# Item types that are not content, and are skipped without a message.
_QUIET = frozenset(
    "attachment nav_menu_item revision custom_css customize_changeset oembed_cache user_request wp_block wp_template"
    " wp_template_part wp_global_styles wp_navigation wp_font_family wp_font_face".split()
)
# The item types that are imported.
_TAKEN = ("post", "page")
_STATUSES: dict[str, tuple[Status, str]] = {
    "publish": ("published", ""),
    "future": ("draft", ""),
    "draft": ("draft", ""),
    "auto-draft": ("draft", ""),
    "pending": ("draft", "It was waiting for review. It is imported as a draft."),
    "private": ("draft", "It was private. It is imported as a draft."),
}


@dataclass
class _Facts:
    """The result of the first pass: attachments, authors, and counts of what is not imported."""

    media: WordPressMedia = field(default_factory=WordPressMedia)
    # The texts that posts share (synced patterns), by id.
    patterns: dict[str, str] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    # The names and e-mail addresses of authors by login, their ids, and the ids of categories by slug.
    authors: dict[str, tuple[str, str]] = field(default_factory=dict)
    author_ids: dict[str, str] = field(default_factory=dict)
    category_ids: dict[str, str] = field(default_factory=dict)
    # The descriptions of categories and tags by their names.
    descriptions: dict[str, str] = field(default_factory=dict)
    comments: int = 0
    linked: LinkedParts = field(default_factory=LinkedParts)
    # What was replaced in other entries than posts and pages.
    replaced: dict[str, str] = field(default_factory=dict)
    menus: Menus = field(default_factory=Menus)
    # What the channel begins with: title, description and language, and the URL of the icon.
    blog: dict[str, str] = field(default_factory=dict)

    @property
    def language(self) -> str:
        return self.blog.get("language", "").partition("-")[0].lower()


def read(files: Sequence[Opener], zone: tzinfo) -> Iterator[ParsedItem]:
    """Yield the blog, the pages of tags, the posts and the menu of an export, then what is skipped.

    Each file is opened twice. Raises UnreadableFile.
    """
    facts = _Facts()
    damages: dict[str, None] = {}
    for element in chain.from_iterable(elements(file, damages) for file in files):
        _learn(element, facts)
    yield ParsedBlog.of(
        {name: facts.blog.get(name) for name in ("title", "description", "language")},
        {"icon": ParsedImage(facts.blog.get("icon", ""))},
    )
    for tag, description in facts.descriptions.items():
        yield ParsedPage("tag", tag, "", description)
    for item in chain.from_iterable(map(elements, files)):
        if local(item) == "item" and _kind_of(item) in _TAKEN and text_of(item, "status") != "trash":
            for number, (language, version) in enumerate(languages.versions(item, facts.language)):
                yield languages.as_version(_post(version, facts, zone), language, is_first=not number)
    yield from facts.menus.parsed()
    yield from (SkippedItem("The end of the file", damage) for damage in damages)
    yield from _left_out(facts)


def _left_out(facts: _Facts) -> Iterator[SkippedItem]:
    for kind, count in sorted(facts.kinds.items()):
        if kind not in _QUIET and kind not in (*_TAKEN, "trash"):
            of_kind = f"of type {kind!r}"
            names = f"entry {of_kind}", f"entries {of_kind}"
            yield SkippedItem(counted(count, *names), "Only posts and pages are imported.")
    if facts.kinds["trash"]:
        yield SkippedItem(
            f"{counted(facts.kinds['trash'], 'post or page', 'posts and pages')} in the trash",
            "What is in the trash is not imported.",
        )
    for name, what in facts.replaced.items():
        yield SkippedItem(name, what)
    if facts.comments:
        yield SkippedItem(counted(facts.comments, "comment", "comments"), "blogsvc has no comments.")


def _meta(item: Element) -> dict[str, str]:
    meta = {}
    for part in item:
        if local(part) == "postmeta":
            meta[text_of(part, "meta_key")] = text_of(part, "meta_value")
    return meta


def _learn(item: Element, facts: _Facts) -> None:
    if REPLACED in item.attrib and not (local(item) == "item" and _kind_of(item) in _TAKEN):
        facts.replaced[f"{local(item)} {text_of(item, 'title')}".strip()[:200]] = item.attrib[REPLACED]
    if local(item) in ("title", "description", "language"):
        facts.blog.setdefault(local(item), in_plain_words(languages.in_language(item.text or "", facts.language)))
        return
    _, item = next(languages.versions(item, facts.language))
    if local(item) == "image":
        facts.blog.setdefault("icon", icon_of(text_of(item, "url").strip()))
        return
    if local(item) == "author":
        login = text_of(item, "author_login")
        facts.author_ids[login] = text_of(item, "author_id").strip()
        facts.authors[login] = one_line(text_of(item, "author_display_name")) or login, text_of(item, "author_email")
        return
    if local(item) in ("category", "tag"):
        _learn_description(item, facts)
        name = text_of(item, "cat_name") or text_of(item, "tag_name")
        facts.menus.tags[text_of(item, "term_id").strip()] = unescape(name)
    if local(item) == "tag":
        return
    if local(item) == "category":
        facts.category_ids[text_of(item, "category_nicename")] = text_of(item, "term_id").strip()
        return
    kind = _kind_of(item)
    facts.kinds["trash" if kind in _TAKEN and text_of(item, "status") == "trash" else kind] += 1
    if kind == "nav_menu_item":
        _learn_menu_item(item, facts)
    if kind in _TAKEN:
        facts.linked.learn(text_of(item, "encoded", "content"))
        facts.menus.posts[text_of(item, "post_id")] = _source_of(item), in_plain_words(text_of(item, "title"))
        facts.comments += sum(1 for part in item if local(part) == "comment")
    if kind == "wp_block" and text_of(item, "status") == "publish" and not text_of(item, "post_password"):
        facts.patterns[text_of(item, "post_id").strip()] = clean(text_of(item, "encoded", "content"))
    if kind == "attachment":
        alt = _meta(item).get("_wp_attachment_image_alt", "")
        image = Attachment(
            text_of(item, "attachment_url").strip(), one_line(alt), one_line(text_of(item, "encoded", "excerpt"))
        )
        facts.media.add(text_of(item, "post_id"), text_of(item, "post_parent"), image, text_of(item, "link").strip())


def _learn_description(item: Element, facts: _Facts) -> None:
    """Note the description of a category or a tag, which may be HTML."""
    prefix, name = ("category", "cat_name") if local(item) == "category" else ("tag", "tag_name")
    if description := in_plain_words(text_of(item, f"{prefix}_description")):
        facts.descriptions.setdefault(in_plain_words(text_of(item, name)), description)


def _learn_menu_item(item: Element, facts: _Facts) -> None:
    menu = next((part.get("nicename") for part in item if part.get("domain") == "nav_menu"), None)
    order = text_of(item, "menu_order").strip()
    if menu and text_of(item, "status") == "publish":
        label = in_plain_words(text_of(item, "title"))
        facts.menus.add(menu, int(order) if order.isdecimal() else 0, label, _meta(item))


def _source_of(item: Element) -> str:
    names = (text_of(item, "guid").strip(), text_of(item, "link").strip(), text_of(item, "post_id"))
    return f"wordpress:{hashlib.sha256(next(filter(None, names), '').encode()).hexdigest()}"


def _post(item: Element, facts: _Facts, zone: tzinfo) -> ParsedPost:
    meta, post_id = _meta(item), text_of(item, "post_id")
    raw = clean(text_of(item, "encoded", "content"))
    removals = Removals(raw)
    converted = _converted(raw, post_id, meta, facts, removals)
    status, warning = _STATUSES.get(text_of(item, "status"), ("draft", "Its status is unknown; imported as a draft."))
    warnings = list(filter(None, (warning, item.get(REPLACED), *converted.warnings)))
    if text_of(item, "post_password"):
        status = "draft"
        warnings.append("It was protected by a password. It is imported as a draft.")
    if reason := why_hidden(meta):
        status = "draft"
        warnings.append(reason)
    if removals.may_hide:
        status = "draft"
    date = _date(item, zone)
    link, guid = text_of(item, "link").strip(), text_of(item, "guid").strip()
    home = home_of(guid)
    cover = facts.media.by_id.get(meta.get("_thumbnail_id", ""))
    links = PostLinks.of(converted.markdown, link or guid, facts.media)
    images = dict.fromkeys([*links.images, *([cover.url] if cover else [])])
    warnings += links.losses()
    title, summary = in_plain_words(text_of(item, "title")), in_plain_words(text_of(item, "encoded", "excerpt"))
    warnings += wordpress_seo.losses(meta, (title, summary))
    return ParsedPost(
        source=_source_of(item),
        title=title,
        markdown=links.markdown,
        slug=text_of(item, "post_name"),
        status=status,
        summary=summary,
        tags=tuple(_tags(item)),
        created_at=date,
        published_at=date if status == "published" else None,
        updated_at=_gmt(text_of(item, "post_modified_gmt")),
        scheduled_at=date if text_of(item, "status") == "future" else None,
        cover=cover.url if cover else None,
        cover_alt=cover.alt if cover else "",
        cover_caption=one_line(convert(cover.caption).markdown) if cover and cover.caption else "",
        kind="page" if _kind_of(item) == "page" else "post",
        is_pinned=text_of(item, "is_sticky").strip() == "1",
        meta_title=wordpress_seo.title_of(meta),
        images=tuple((address, "") for address in images),
        addresses=tuple(dict.fromkeys(filter(None, (link, *other_addresses(item, link, home))))),
        feed_id=guid or None,
        was_public=text_of(item, "status") == "publish",
        tag_paths=tuple(tag_paths(_terms(item), home, facts.category_ids)),
        authors=tuple(_authors(text_of(item, "creator"), home, facts)),
        warnings=tuple(warnings),
    )


def _authors(login: str, home: str, facts: _Facts) -> Iterator[ParsedAuthor]:
    if login:
        name, email = facts.authors.get(login, (login, ""))
        slug = "-".join(re.findall(r"[^\W_]+", login.lower()))
        yield ParsedAuthor(slug, name, email.strip(), paths=tuple(author_paths(login, home, facts.author_ids)))


def _kind_of(item: Element) -> str:
    return text_of(item, "post_type") or "post"


def _converted(raw: str, post_id: str, meta: dict[str, str], facts: _Facts, removals: Removals) -> Converted:
    cuts: list[str] = []
    if (place := raw.find(PAYWALL)) >= 0:
        removals.note_uncertain("and after the paywall", place)
    html, is_classic = as_html(cut(raw, cuts), post_id, facts.media, facts.patterns, removals)
    html += footnotes(meta.get("footnotes", ""))
    made = convert(html, breaks=is_classic, linked=facts.linked.inside(html))
    return replace(made, warnings=(*cuts, *removals.warnings(), *made.warnings))


def _date(item: Element, zone: tzinfo) -> datetime | None:
    """Return the date of a post. Drafts, and posts from other programs, have zeros instead of one or all dates."""
    gmt = _gmt(text_of(item, "post_date_gmt"))
    local = moment(text_of(item, "post_date").strip(), zone) or moment(text_of(item, "pubDate").strip(), UTC)
    is_zero = gmt is not None and local is not None and gmt.year <= 1970 and abs(local - gmt) > timedelta(days=2)
    return local if is_zero else gmt or local


def _gmt(text: str) -> datetime | None:
    """Parse a WordPress time in UTC. Drafts have zeros, which return None."""
    return None if text.strip().startswith("0000") else moment(text.strip(), UTC)


def _tags(item: Element) -> Iterator[str]:
    """Yield the tags, then the categories except "uncategorized"."""
    yield from (unescape(part.text or "") for part in _terms(item))


def _terms(item: Element) -> Iterator[Element]:
    for domain in ("post_tag", "tag", "category"):
        for part in item:
            if local(part) == "category" and part.get("domain") == domain and part.get("nicename") != "uncategorized":
                yield part
