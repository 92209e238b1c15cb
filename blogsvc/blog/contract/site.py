"""What the templates of all pages get: the blog, its menus and the page."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Image:
    """An image with the attributes of its `img` element."""

    src: str
    """Path or URL of the file."""
    alt: str
    """Alternative text. Empty if the image only decorates."""
    width: int | None
    """Width in pixels. None for images that were not uploaded to the blog."""
    height: int | None
    """Height in pixels. None for images that were not uploaded to the blog."""
    srcset: str
    """Files in other widths, for `srcset`. Empty if there is only one file."""
    sizes: str
    """Width of the image in the default theme, for `sizes`. A theme with another layout writes its own."""


@dataclass(frozen=True, slots=True)
class ProfileUrl:
    """A link to a profile of the blog or of an author elsewhere."""

    label: str
    """Text of the link."""
    url: str
    """URL of the profile."""
    is_me: bool
    """True if the profile is that of the blog or the author, for `rel="me"`."""


@dataclass(frozen=True, slots=True)
class Site:
    """The blog itself, on every page as `blog`."""

    title: str
    """Title of the blog."""
    description: str
    """Description of the blog in plain text. May be empty."""
    author: str
    """Name of the author of the blog. May be empty."""
    url: str
    """URL of the blog without a slash at the end."""
    language: str
    """Language of the blog as a BCP 47 tag."""
    direction: str
    """Writing direction of the language: `ltr` or `rtl`."""
    logo: Image | None
    """Logo for light backgrounds, or for all if there is no other."""
    logo_dark: Image | None
    """Logo for dark backgrounds. None if `logo` is for all."""
    home_path: str
    """Path of the home page."""
    archive_path: str
    """Path of the archive."""
    tags_path: str
    """Path of the list of tags."""
    feed_path: str
    """Path of the Atom feed."""
    subscribe_path: str
    """Path of the page that explains the feeds."""
    search_path: str
    """Path of the search. Its form sends the field `q`."""


@dataclass(frozen=True, slots=True)
class Look:
    """The options of the owner, on every page as `theme`. Colors and widths are variables of the style sheet."""

    layout: str
    """How lists show posts: `list` for rows with small images, `cards` for large ones."""
    scheme: str
    """`auto` for light or dark pages as each reader's system is set, `light` or `dark` for all readers."""
    has_font_files: bool
    """True if the typeface is loaded from the blog, so that its files can be preloaded."""


@dataclass(frozen=True, slots=True)
class NavItem:
    """An item of a menu."""

    label: str
    """Text of the link."""
    address: str
    """Path on this blog, or a URL."""
    type: str | None
    """Media type, for feeds."""
    current: str | None
    """Value of `aria-current`: `page` on the page itself, `true` on a page that belongs to it."""


@dataclass(frozen=True, slots=True)
class Nav:
    """The menus, on every page as `nav`."""

    header: tuple[NavItem, ...]
    """Items for the top of the page."""
    footer: tuple[NavItem, ...]
    """Items for the bottom of the page."""
    social: tuple[ProfileUrl, ...]
    """Profiles of the blog elsewhere."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed that a page names in its metadata."""

    title: str
    """Title of the feed."""
    path: str
    """Path of the feed."""
    type: str
    """Media type of the feed."""


@dataclass(frozen=True, slots=True)
class FeedAddress:
    """A feed of all posts on the page that explains feeds."""

    name: str
    """Name of the format, such as `Atom`."""
    path: str
    """Path of the feed."""
    type: str
    """Media type of the feed."""
    note: str
    """For whom the format is, in one sentence."""


@dataclass(frozen=True, slots=True)
class Page:
    """The page that is shown, on every page as `page`."""

    kind: str
    """One of `home`, `post`, `page`, `tag`, `tags`, `author`, `series`, `archive`, `search`, `subscribe`,
    `not_found`, `gone`, `shared_draft` and `draft_message`."""
    path: str
    """Path of the page. Empty if the page has no address of its own, such as the page for missing addresses."""
    is_first: bool
    """False for the second page of a list and those after it."""
    title: str
    """Title for browser tabs and search engines."""
    description: str
    """Description for search engines in plain text. May be empty."""
    canonical: str | None
    """URL under which search engines list the page. None if they choose."""
    robots: str
    """Instructions for search engines, such as `noindex`. Empty if there are none."""
    feeds: tuple[Feed, ...]
    """Feeds of the blog, then that of the page."""
    feed: Feed | None
    """Feed of the posts on the page, such as those of a tag. None if the page has no feed of its own."""
    json_ld: Markup
    """Structured data as JSON-LD. Empty if there is none."""
    head: Markup
    """All metadata, for the `head` element. Every page has to contain it once."""
    foot: Markup
    """HTML for the end of the `body` element. Every page has to contain it once."""
