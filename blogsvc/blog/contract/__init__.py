"""The contract with the templates of the public blog: all objects that they get.

The objects are frozen and hold plain values, so that a template can neither change anything nor ask the database. Most
of them are made in `views.py`. `docs/themes.md` is generated from these modules: fields by the sentences below them.
"""

from __future__ import annotations

from blogsvc.blog.contract.drafts import CommentForm, DraftComment, DraftMessage, SharedDraft
from blogsvc.blog.contract.entries import (
    Author,
    AuthorLink,
    Copy,
    Entry,
    EntryCard,
    EntrySummary,
    EntryTitle,
    Place,
    TagLink,
)
from blogsvc.blog.contract.lists import (
    Archive,
    FullYear,
    Match,
    Month,
    Pager,
    Search,
    Series,
    Tag,
    TagCount,
    TagGroup,
    Year,
)
from blogsvc.blog.contract.site import Feed, FeedAddress, Image, Look, Nav, NavItem, Page, ProfileUrl, Site

__all__ = [
    "CONTRACT",
    "EVERY_PAGE",
    "PARTS",
    "TEMPLATES",
    "Archive",
    "Author",
    "AuthorLink",
    "CommentForm",
    "Copy",
    "DraftComment",
    "DraftMessage",
    "Entry",
    "EntryCard",
    "EntrySummary",
    "EntryTitle",
    "Feed",
    "FeedAddress",
    "FullYear",
    "Image",
    "Look",
    "Match",
    "Month",
    "Nav",
    "NavItem",
    "Page",
    "Pager",
    "Place",
    "ProfileUrl",
    "Search",
    "Series",
    "SharedDraft",
    "Site",
    "Tag",
    "TagCount",
    "TagGroup",
    "TagLink",
    "Variables",
    "Year",
]

# Rises when a field is removed or changes its type. A new field needs no new number.
CONTRACT = 1

Variables = dict[str, object]

_LIST: Variables = {"entries": tuple[EntrySummary, ...], "pager": Pager}
# What the templates get besides `EVERY_PAGE`.
TEMPLATES: dict[str, Variables] = {
    "home": {"pinned": tuple[EntrySummary, ...], **_LIST},
    "post": {"entry": Entry},
    "tag": {"tag": Tag, **_LIST},
    "tags": {"groups": tuple[TagGroup, ...]},
    "author": {"author": Author, **_LIST},
    "series": {"series": Series},
    "archive": {"archive": Archive},
    "search": {"search": Search, "pager": Pager},
    "subscribe": {"feeds": tuple[FeedAddress, ...]},
    "404": {"entry": Entry | None},
    "gone": {},
    "preview": {"entry": Entry},
    "shared_draft": {"entry": Entry, "draft": SharedDraft},
    "draft_message": {"message": DraftMessage},
}
EVERY_PAGE: Variables = {"blog": Site, "nav": Nav, "theme": Look, "page": Page}
# What templates get that are rendered apart from their pages, for the preview of the editor and for the 404 page.
PARTS: dict[str, Variables] = {
    "_article": {"blog": Site, "entry": Entry},
    "_closest_posts": {"entries": tuple[EntryTitle, ...]},
}
