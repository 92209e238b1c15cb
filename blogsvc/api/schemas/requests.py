"""Schemas of request bodies and query strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from blogsvc.api.schemas.destinations import OverrideIn, PlatformName, Platforms
from blogsvc.api.schemas.fields import (
    Authors,
    Content,
    CoverAlt,
    CoverCaption,
    In,
    Instant,
    Language,
    MetaTitle,
    PostKind,
    PostUrl,
    Query,
    Series,
    SeriesPart,
    Slug,
    Summary,
    Tags,
    Title,
    Url,
    refuse,
)
from blogsvc.api.schemas.posts import PostOut
from blogsvc.api.schemas.times import ScheduleIn, in_past, in_time
from blogsvc.lib.text.search_terms import terms
from blogsvc.models.post_fields import EMPTY_VALUES, POST_FIELDS
from blogsvc.posts.publish_request import WallTime


class PostFields(In):
    """The writable fields of a post. Absent fields keep their value; null clears a field."""

    content: Content | None = None
    """The text in Markdown, up to 1 MiB as UTF-8. A draft may be empty; scheduling and publishing need text.

    The syntax is CommonMark with GitHub's extensions: tables, task lists, strikethrough, autolinks, footnotes and
    alerts (`> [!NOTE]`). Straight quotes become the quotation marks of the post's language, `--` and `...` become
    dashes and ellipses; addresses and code stay as they are. HTML is allowed and sanitized: scripts, styles and forms
    are removed, and embedded pages become links. The title is the page's only first-level heading, so `#` makes a
    second-level one. Fenced code blocks with a language are highlighted.
    """
    platforms: Platforms | None = None
    """The names of up to 100 destinations, each once, for example `["site", "mastodon"]`.

    `site` is this blog; `GET /platforms` lists the others. Absent in a new post, or null: the default destinations of
    the settings, at first `["site"]`.
    """
    scheduled_at: Annotated[Instant | None, AfterValidator(in_time)] = None
    """When to publish the post: an RFC 3339 time with an offset, for example `2026-11-24T09:00:00Z`.

    At most five years ahead. A time up to a minute in the past counts as now. Null returns a scheduled post to a draft.
    Send `scheduledAt` or `schedule`, not both.
    """
    published_at: Annotated[Instant | None, AfterValidator(in_past)] = None
    """The original date of a post that was published elsewhere. It keeps this date when it is first published here.

    In the past, as an RFC 3339 time with an offset. Absent or null: the time when it is first published. The blog, its
    feeds and the platforms that accept a date show it. It can't be changed any more after the first publication.
    """
    schedule: ScheduleIn | None = None
    """When to publish the post, as a local time in a time zone, instead of `scheduledAt`."""
    summary: Summary | None = None
    """A short summary in plain text, up to 2,000 characters.

    If empty, destinations that show a summary use the beginning of the text.
    """
    slug: Slug | None = None
    """The last part of the post's URL on this blog, for example `gold-prices` or `железо`, up to 80 characters.

    Lowercase letters, marks and digits of any language in the Unicode normalization form NFC, separated by single
    hyphens; not in use, and not a path of the service such as `feed`. URLs contain it percent-encoded.
    Absent in a new post, or null: made from the title, with a number if it is taken. After a change, the old URL of a
    published post redirects to the new one.
    """
    tags: Tags | None = None
    """Up to 20 tags with 1 to 50 characters each, for example `["gold", "markets"]`.

    Each only once; upper and lower case count as the same.
    """
    canonical_url: PostUrl | None = None
    """The http or https URL of the original, if the post was first published on another website.

    Up to 2,000 characters. Null: this blog has the original. Copies point search engines to the original where their
    platform allows it.
    """
    cover_image: PostUrl | None = None
    """The http or https URL of a cover image, for example the `url` of an uploaded image. Up to 2,000 characters."""
    cover_alt: CoverAlt | None = None
    """The alternative text of the cover image: one line of up to 1,500 characters.

    If empty, the alternative text of the same image in the post or in the media library is used.
    """
    cover_caption: CoverCaption | None = None
    """The caption below the cover image on this blog, for example who took it: one line of up to 1,000 characters.

    Markdown for emphasis, code and links.
    """
    language: Language | None = None
    """The language of the text as a BCP 47 tag, for example `de-AT`, up to 35 characters. Null: that of the blog."""
    kind: PostKind | None = None
    """`post` or `page`. A page, such as "About", is in no list and no feed of the blog. Null: `post`.

    A new page without `platforms` goes only to this blog.
    """
    authors: Authors | None = None
    """The slugs of up to 20 authors in the order of the byline, for example `["ada", "bo"]`.

    Absent in a new post, null or empty: the author of the blog. `GET /authors` lists them.
    """
    series: Series | None = None
    """The slug of the series that it is a part of, up to 80 characters. Null: none. `GET /series` lists them."""
    series_part: SeriesPart | None = None
    """Its place in the series, from 1 to 10,000. Null: after the parts that have one, by date."""
    is_pinned: bool | None = None
    """True shows the post on top of the home page of this blog: the newest three of them. Null: false."""
    is_unlisted: bool | None = None
    """True keeps the post out of all lists, feeds, sitemaps and searches: only who knows its URL finds it.

    Null: false.
    """
    meta_title: MetaTitle | None = None
    """The title for search engines and browser tabs: one line of up to 300 characters. If empty, they show `title`."""
    overrides: (
        Annotated[
            dict[PlatformName, OverrideIn],
            Field(max_length=100, json_schema_extra={"additionalProperties": False}),
        ]
        | None
    ) = None
    """The fields and options that differ at a destination, by its name.

    For example `{"mastodon": {"content": "A short version", "options": {"visibility": "unlisted"}}}` sends another text
    to Mastodon, unlisted. Replaces all overrides of the post.
    """

    @field_validator("schedule")
    @classmethod
    def _is_ahead(cls, schedule: ScheduleIn | None, info: ValidationInfo) -> ScheduleIn | None:
        if schedule is not None:
            in_time(schedule.instant(), info)
        return schedule

    @model_validator(mode="after")
    def _has_one_time(self) -> Self:
        if self.schedule is not None and self.scheduled_at is not None:
            raise refuse("ambiguous", "Send scheduledAt or schedule, not both.")
        return self

    @property
    def sets_time(self) -> bool:
        return bool({"scheduled_at", "schedule"} & self.model_fields_set)

    def clears(self, name: str) -> bool:
        """Return True if the field was sent as null."""
        return name in self.model_fields_set and getattr(self, name) is None

    def when(self) -> datetime | WallTime | None:
        return self.schedule.wall_time() if self.schedule else self.scheduled_at

    def text_fields(self) -> dict[str, Any]:
        """Return the text fields that were sent, with nulls replaced by empty values, and the date as `dated_at`."""
        sent = self.sent_fields()
        fields = {
            name: EMPTY_VALUES.get(name) if value is None else value
            for name, value in sent.items()
            if name in POST_FIELDS
        }
        if self.overrides:
            fields["overrides"] = {name: own.model_dump(exclude_none=True) for name, own in self.overrides.items()}
        if "published_at" in sent:
            fields["dated_at"] = self.published_at
        return fields


class PostIn(PostFields):
    """The fields of a new post."""

    title: Title
    """The title in plain text: one line of 1 to 300 characters. Spaces around it are removed."""


HOW_STATUS_CHANGES = (
    "To change it, use `POST /posts/{id}/publish` or `POST /posts/{id}/unpublish`, or send `scheduledAt`: a time"
    " schedules the post, and null makes it a draft again."
)


class PostChange(PostFields):
    """The fields to change. Absent fields keep their value; null clears a field. `publish` publishes the post."""

    # A time that has passed, and the date of a published post, can be sent back.
    compared: ClassVar[frozenset[str]] = frozenset({"scheduledAt", "publishedAt"})
    fixed: ClassVar[Mapping[str, str]] = {**In.fixed, "status": HOW_STATUS_CHANGES}
    replaced: ClassVar[frozenset[str]] = frozenset({"overrides"})

    # Not nullable: a title cannot be cleared.
    title: Title = Field(default_factory=str)
    """The title in plain text: one line of 1 to 300 characters. Spaces around it are removed. It can't be null."""
    publish: bool = False
    """True publishes the post after the change, as `POST /posts/{id}/publish` does. Can't be sent with a time."""

    @model_validator(mode="after")
    def _is_unambiguous(self) -> Self:
        if self.publish and self.when() is not None:
            raise refuse("ambiguous", "Send a time or publish, not both.")
        return self


SomePlatforms = Annotated[Platforms, Field(min_length=1)]
Ahead = Annotated[Instant, AfterValidator(in_time)]


class PublishIn(In):
    """The destinations, by default all of the post's, and the time, by default now."""

    platforms: SomePlatforms | None = None
    """The names of 1 to 100 destinations to publish to. Absent or null: all destinations of the post."""
    at: Ahead | None = None
    """When to publish: an RFC 3339 time with an offset, at most five years ahead. Absent or null: now.

    A time up to a minute in the past counts as now.
    """


class DryRunIn(In):
    """The destinations, by default all of the post's."""

    platforms: SomePlatforms | None = None
    """The names of 1 to 100 destinations. Absent or null: all destinations of the post."""


class WithdrawIn(In):
    """How to remove copies from their platforms."""

    delete: bool = False
    """True deletes the copies. False keeps them as drafts where the platform has drafts, and deletes the others."""


class ResolveIn(In):
    """The actual outcome of an uncertain delivery or of one by hand, with the URL of the copy if it was delivered."""

    outcome: Literal["delivered", "retry"]
    """`delivered` if the copy exists on the platform; `retry` if it does not, to send it again."""
    url: Url | None = None
    """The http or https URL of the copy, if it was delivered: up to 2,000 characters. Absent or null: not known."""


def fields_of(document: type[BaseModel]) -> Any:
    """Return the type of a `fields` parameter: names of the document's fields, in camelCase."""
    names = (field.alias or name for name, field in document.model_fields.items())
    return list_of(names, "Return only these fields, for example `id,title,status`. Default: all fields.")


def list_of(names: Iterable[str], description: str) -> Any:
    """Return the type of an optional list parameter, which may be repeated or separated by commas."""
    choice = Literal[tuple(names)]  # type: ignore[valid-type]
    field = Field(json_schema_extra={"is_list": True}, description=description)
    return Annotated[list[choice] | None, field]  # type: ignore[valid-type]


class DeleteQuery(Query):
    withdraw: bool = False
    """Also unpublish the post's copies on other platforms: as drafts where possible."""
    delete_copies: bool = False
    """Also delete the post's copies on other platforms."""
    permanent: bool = False
    """Delete the post permanently, even if it is in the trash."""

    @model_validator(mode="after")
    def _is_unambiguous(self) -> Self:
        if (self.withdraw or self.delete_copies) and self.permanent:
            raise refuse(
                "ambiguous", "Send withdraw or permanent, not both. Withdraw first; delete when the copies are gone."
            )
        return self


class PreviewQuery(Query):
    platform: Annotated[Platforms | None, Field(json_schema_extra={"is_list": True})] = None
    """Only these destinations, which the post must have or which must be connected. Default: all of the post's."""


def _has_terms(query: str) -> str:
    if not terms(query):
        raise refuse("no_words", "Must contain at least one word to search for.")
    if len(terms(query)) > 20:
        raise refuse("too_long", "Must have at most 20 words or phrases.")
    return query


SearchQuery = Annotated[
    str,
    Field(
        max_length=200,
        description='Up to 20 words, "quoted phrases" and -excluded words, together up to 200 characters.',
    ),
    AfterValidator(_has_terms),
]


class PostQuery(Query):
    fields: fields_of(PostOut) = None  # type: ignore[valid-type]
    trashed: bool = False
    """Also find a post in the trash."""
