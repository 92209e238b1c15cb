"""Schemas of posts and of the events about them."""

from __future__ import annotations

from typing import Any

from blogsvc.api.schemas.deliveries import DeliveryOut
from blogsvc.api.schemas.fields import Instant, Out, PostKind, PostStatus
from blogsvc.models.post_fields import PostFields


class DestinationWarningOut(Out):
    """Something that keeps a post from a destination and is no error: the post is saved, and goes on elsewhere."""

    pointer: str
    """Where the destination is, as a JSON pointer into the post, for example `#/platforms/1`."""
    code: str
    """The code: `not_connected` if the destination has no account. New codes can be added at any time."""
    platform: str
    """The name of the destination."""
    detail: str
    """What it means, in English."""
    remediation: str
    """What to do, with the URL of the page and the request of the API."""


class PostOut(Out):
    """A post and its deliveries."""

    id: str
    """The id, for example `post_01m86a3kq7f2h9x4c5v8b1n6de`. Ids sort by creation time."""
    title: str
    """The title in plain text, 1 to 300 characters."""
    content: str
    """The text in Markdown, as last saved. It may have changes that are not published yet (`hasUnpublishedChanges`).

    Empty if the post has no text. See `content` in the request for the syntax.
    """
    summary: str
    """A short summary in plain text. If empty, destinations that show a summary use the beginning of the text."""
    slug: str
    """The last part of the post's URL on this blog, for example `gold-prices`."""
    tags: list[str]
    """The tags in the order that the author gave, up to 20."""
    platforms: list[str]
    """The names of the destinations, for example `["site", "mastodon"]`. `site` is this blog."""
    scheduled_at: Instant | None
    """When the post will be published, or would have been if it is missed. Null if the post is not scheduled."""
    status: PostStatus
    """The status of the post.

    `draft`: not scheduled and never published. `scheduled`: will be published at `scheduledAt`. `publishing`: some
    deliveries have not finished. `published`: published at every destination, except those that wait for a person
    (`open`). `partial`: published at some destinations; the other deliveries failed or are uncertain. `failed`: no
    delivery succeeded. `missed`: the scheduled time passed while the service was not running, or the system time leapt
    past it; schedule or publish the post again. `unpublished`: was published, and has been removed from this blog and
    withdrawn elsewhere.
    """
    canonical_url: str | None
    """The URL of the original, if the post was first published on another website. Null: this blog has the original."""
    cover_image: str | None
    """The URL of the cover image."""
    cover_alt: str
    """The alternative text of the cover image. If empty, destinations use the one of the image in the media library."""
    cover_caption: str
    """The caption below the cover image on this blog: one line of Markdown. Empty if there is none."""
    language: str | None
    """The language of the text as a BCP 47 tag, for example `de-AT`. Null: the language of the blog."""
    kind: PostKind
    """`post`, or `page` for a page such as "About", which is in no list and no feed of the blog."""
    authors: list[str]
    """The slugs of its authors, for example `["ada"]`, in the order of the byline. Empty: the author of the blog."""
    series: str | None
    """The slug of the series that it is a part of. Null: none."""
    series_part: int | None
    """Its place in the series. Null: after the parts that have one, by date."""
    is_pinned: bool
    """True for a post on top of the home page of this blog, which shows the newest three of them there."""
    is_unlisted: bool
    """True for a post that is in no list, feed, sitemap or search of this blog: only who knows its URL finds it."""
    meta_title: str
    """The title for search engines and browser tabs. If empty, they show `title`."""
    overrides: dict[str, Any]
    """The fields and options that differ at a destination, by its name.

    For example `{"mastodon": {"content": "A short version", "options": {"visibility": "unlisted"}}}`.
    """
    url: str | None
    """The URL where readers find the post: on this blog, else that of the original. Null if it is not published."""
    has_unpublished_changes: bool
    """True if the post was changed after it was published. Publish again to update the copies."""
    word_count: int
    """The number of words in `content`, without markup."""
    created_at: Instant
    """When the post was created."""
    updated_at: Instant
    """When the post was last changed."""
    published_at: Instant | None
    """When the post was first published, or the date that it will have then. Null if it has none yet."""
    deleted_at: Instant | None
    """When the post was moved to the trash, from which it is deleted after 30 days. Null if it is not in the trash."""
    deliveries: list[DeliveryOut]
    """The deliveries of the post, one for each destination that it was published to or is being published to."""
    open: int
    """The number of deliveries that wait for a person although nothing failed: their destinations have no account."""
    warnings: list[DestinationWarningOut]
    """What to know about the destinations in `platforms`. Empty if there is nothing to say."""


class PostsOut(Out):
    """A page of posts."""

    data: list[PostOut]
    """The posts of this page, in the order of `sort`."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""
    count: int | None
    """The number of posts on all pages, if the request has `count=true`. Otherwise null."""


class TextFieldsOut(Out):
    """The text fields of a post except the title."""

    content: str
    """The text in Markdown."""
    summary: str
    """The summary in plain text. Empty if there is none."""
    slug: str
    """The last part of the post's URL on this blog."""
    tags: list[str]
    """The tags, in order."""
    canonical_url: str | None
    """The URL of the original, if the post was first published on another website."""
    cover_image: str | None
    """The URL of the cover image."""
    cover_alt: str
    """The alternative text of the cover image. Empty if there is none."""
    cover_caption: str
    """The caption below the cover image on this blog: one line of Markdown. Empty if there is none."""
    language: str | None
    """The language of the text as a BCP 47 tag. Null: the language of the blog."""
    kind: PostKind
    """`post`, or `page` for a page such as "About"."""
    authors: list[str]
    """The slugs of its authors. Empty: the author of the blog."""
    series: str | None
    """The slug of the series that it is a part of. Null: none."""
    series_part: int | None
    """Its place in the series. Null: by date."""
    is_pinned: bool
    """True if the post is on top of the home page of this blog."""
    is_unlisted: bool
    """True if the post is in no list, feed, sitemap or search of this blog."""
    meta_title: str
    """The title for search engines and browser tabs. Empty if they show `title`."""
    overrides: dict[str, Any]
    """The fields and options that differ at a destination, by its name."""


def text_fields_of(row: PostFields) -> dict[str, Any]:
    return {name: value for name, value in row.fields().items() if name in TextFieldsOut.model_fields}


class EventOut(Out):
    """An event: something that happened to a post, a delivery, a connection, a webhook or the scheduler."""

    id: str
    """The id, for example `evt_01m86a3kq7f2h9x4c5v8b1n6de`. Use it as `after` or `Last-Event-ID` to continue."""
    type: str
    """The type, for example `post.published`. New types can be added at any time."""
    post_id: str | None
    """The id of the post. Null if the event is not about a post, or the post was deleted permanently."""
    delivery_id: str | None
    """The id of the delivery. Null if the event is not about a delivery."""
    data: dict[str, Any]
    """Details that depend on the type, for example `{"url": "https://blog.example/gold-prices"}`."""
    created_at: Instant
    """When the event happened."""


class PostSummaryOut(Out):
    """The short fields of a post, in the messages of webhooks. Get the post for the others."""

    id: str
    """The id, for example `post_01m86a3kq7f2h9x4c5v8b1n6de`."""
    title: str
    """The title."""
    slug: str
    """The last part of the post's address."""
    status: PostStatus
    """The state of the post."""
    url: str | None
    """The address of the post on the blog. Null if the blog doesn't show it."""
    scheduled_at: Instant | None
    """When the post will be published."""
    published_at: Instant | None
    """When the post was first published, or the date that it will have then."""
    updated_at: Instant
    """When the post was last changed."""
    deleted_at: Instant | None
    """When the post was moved to the trash."""


class EventsOut(Out):
    """A page of events."""

    data: list[EventOut]
    """The events of this page."""
    next_cursor: str | None = None
    """The `cursor` of the next page. Null on the last page."""
