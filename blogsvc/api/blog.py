"""The blog: its title and description, its icon and logos, and its links to profiles elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Literal, cast

from pydantic import Field

from blogsvc import context
from blogsvc.api import serializers
from blogsvc.api.framework import etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import FILLED, In, Line, Out, Text, Url
from blogsvc.errors import Invalid
from blogsvc.index_now import manage
from blogsvc.lib.content_usage import CONTENT_USAGE
from blogsvc.lib.text import languages
from blogsvc.lib.text.slug_letters import SCRIPTS
from blogsvc.media.site_images import prepare_site_images, store_site_images
from blogsvc.models import setting, transaction
from blogsvc.models.navigation import MAX_LABEL_LENGTH
from blogsvc.models.setting import BLOG, blog_errors, describe_blog
from blogsvc.models.site_images import SITE_IMAGES, site_images
from blogsvc.navigation.social_links import MAX_SOCIAL_LINKS, own_links, save_social_links, social_faults

SlugScript = Literal["latin", "native"]
AiPreference = Literal["unset", "no-training", "no-ai-use"]
LanguageTag = Annotated[
    Line, Field(max_length=BLOG["language"], json_schema_extra={"pattern": f"^{languages.TAG_PATTERN}$"})
]
MediaId = Annotated[Text, Field(max_length=40)]
assert set(SCRIPTS) == {"latin", "native"}
assert set(CONTENT_USAGE) == {"unset", "no-training", "no-ai-use"}


class SocialLinkIn(In):
    """A link to a profile elsewhere."""

    label: Annotated[Line, Field(max_length=MAX_LABEL_LENGTH, json_schema_extra=FILLED)]
    """What readers see: one line of 1 to 50 characters, for example `Mastodon`."""
    url: Url
    """The http or https URL of the profile, up to 2,000 characters."""
    is_me: bool = True
    """True if the profile is that of the blog or its author: the link has `rel="me"`."""


class BlogChange(In):
    """The fields to change. Absent fields keep their value."""

    title: Annotated[Line, Field(max_length=BLOG["title"], json_schema_extra=FILLED)] = Field(default_factory=str)
    """The title of the blog: one line of 1 to 100 characters."""
    description: Annotated[Line, Field(max_length=BLOG["description"])] = Field(default_factory=str)
    """One or two sentences below the title, in feeds and in link previews, up to 300 characters. May be empty."""
    author: Annotated[Line, Field(max_length=BLOG["author"])] = Field(default_factory=str)
    """The author of posts that name none, up to 100 characters. May be empty."""
    language: LanguageTag = Field(default_factory=str)
    """The language as a BCP 47 tag, for example `de-AT`, up to 35 characters."""
    slug_script: SlugScript = Field(default_factory=lambda: "latin")
    """The letters in the addresses of new posts: `latin`, or those of the language (`native`)."""
    security_contact: Annotated[Line, Field(max_length=BLOG["security_contact"])] = Field(default_factory=str)
    """An e-mail address, a mailto: or an https URL for `/.well-known/security.txt`, up to 300 characters.

    May be empty.
    """
    ai_preference: AiPreference = Field(default_factory=lambda: "unset")
    """What you ask of AI systems in the header `Content-Usage` and in robots.txt.

    `unset`: nothing. `no-training`: not to train models. `no-ai-use`: neither that, nor to answer from the texts.
    """
    index_now: bool = Field(default_factory=bool)
    """True to tell search engines about new, changed and removed posts and pages with IndexNow.

    Their addresses, the host name and a public key are sent to api.indexnow.org. Unlisted posts are not.
    """
    icon: MediaId | None = None
    """The id of an image of at least 512 by 512 pixels, up to 40 characters. Of one that is not square, the middle.

    Null: the first letter of the title.
    """
    logo: MediaId | None = None
    """The id of the image in the header in place of the title, up to 40 characters. Null: the title."""
    logo_dark: MediaId | None = None
    """The id of the logo for readers who use dark mode, up to 40 characters. Null: `logo`."""
    social_links: Annotated[list[SocialLinkIn], Field(max_length=MAX_SOCIAL_LINKS)] = Field(default_factory=list)
    """Up to 20 links in the footer. They replace the present ones.

    Connected Mastodon accounts are shown as well.
    """


class SocialLinkOut(Out):
    """A link to a profile elsewhere."""

    label: str
    """What readers see."""
    url: str
    """The URL of the profile."""
    is_me: bool
    """True if the profile is that of the blog or its author: the link has `rel="me"`."""


class BlogOut(Out):
    """The settings of the blog."""

    title: str
    """The title of the blog."""
    description: str
    """One or two sentences below the title. Empty if there is none."""
    author: str
    """The author of posts that name none. Empty if there is none."""
    language: str
    """The language as a BCP 47 tag."""
    slug_script: SlugScript
    """The letters in the addresses of new posts: `latin`, or those of the language (`native`)."""
    security_contact: str
    """The mailto: or https URL in `/.well-known/security.txt`. Empty if there is none."""
    ai_preference: AiPreference
    """What is asked of AI systems: nothing (`unset`), `no-training` or `no-ai-use`."""
    index_now: bool
    """True if search engines are told about new, changed and removed posts and pages with IndexNow."""
    url: str
    """The address of the blog. It is set by the environment variable `BLOGSVC_BASE_URL`."""
    icon: str | None
    """The id of the image that is the icon. Null: the first letter of the title."""
    logo: str | None
    """The id of the image in the header in place of the title. Null: the title."""
    logo_dark: str | None
    """The id of the logo for readers who use dark mode. Null: `logo`."""
    social_links: list[SocialLinkOut]
    """The links in the footer, without those of connected Mastodon accounts."""


def _document() -> BlogOut:
    described, images = setting.blog(), site_images()
    return BlogOut.model_construct(
        title=described["title"],
        description=described["description"],
        author=described["author"],
        language=described["language"],
        slug_script=cast(SlugScript, described["slug_script"]),
        security_contact=described["security_contact"],
        ai_preference=cast(AiPreference, described["ai_preference"]),
        index_now=manage.is_on(),
        url=serializers.public_url(),
        icon=images.get("icon"),
        logo=images.get("logo"),
        logo_dark=images.get("logo_dark"),
        social_links=[SocialLinkOut.model_construct(**link._asdict()) for link in own_links()],
    )


@operation(
    "GET",
    "/blog",
    "Get the settings of the blog",
    scope="platforms:read",
    answers={200: BlogOut, 304: None},
)
def get_blog() -> Reply:
    """Returns the title and the description of the blog, its icon, logos and social links."""
    return Reply(_document())


@operation(
    "PATCH",
    "/blog",
    "Update the settings of the blog",
    scope="platforms:write",
    body=BlogChange,
    answers={200: BlogOut},
    is_atomic=False,
    refuses=(412,),
    stored=_document,
)
def update_blog(body: BlogChange) -> Reply:
    """Changes settings of the blog. Readers see them at once. A new icon takes a few seconds to be made."""
    sent = body.sent_fields()
    described = {name: sent[name] for name in BLOG if name in sent}
    links = [link.model_dump() for link in body.social_links]
    images = {name: sent[name] for name in SITE_IMAGES if name in sent}
    with _with_camel_pointers():
        if faults := [*blog_errors(described), *social_faults(links, "#/social_links")]:
            raise Invalid(*faults)
        if images:
            prepare_site_images(images, context.tools())
    with transaction():
        etags.require_match(_document)
        if images:
            store_site_images(images)
        if described:
            describe_blog(described)
        if "index_now" in sent:
            manage.switch(on=body.index_now)
        if "social_links" in sent:
            save_social_links(links)
    return Reply(_document())


@contextmanager
def _with_camel_pointers() -> Iterator[None]:
    """Name the fields in errors as requests do."""
    try:
        yield
    except Invalid as error:
        camel = (re.sub("_([a-z])", lambda found: found[1].upper(), fault.pointer) for fault in error.faults)
        raise Invalid(*(replace(fault, pointer=at) for fault, at in zip(error.faults, camel, strict=True))) from error
