"""Navigation: the menus in the header and in the footer of every page of the blog."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from blogsvc.api import serializers
from blogsvc.api.framework import etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import FILLED, In, Line, Out
from blogsvc.models import transaction
from blogsvc.models.navigation import MAX_ITEMS, MAX_LABEL_LENGTH, PLACES, read_menus
from blogsvc.navigation.menus import save_menus
from blogsvc.navigation.targets import targets_of
from blogsvc.posts.rules import MAX_URL_LENGTH


class MenuItemIn(In):
    """An item of a menu."""

    label: Annotated[Line, Field(max_length=MAX_LABEL_LENGTH, json_schema_extra=FILLED)]
    """What readers see: one line of 1 to 50 characters."""
    to: Annotated[Line, Field(max_length=MAX_URL_LENGTH, json_schema_extra=FILLED)]
    """Where the item leads, up to 2,000 characters.

    `page:` and the id of a page or post, `tag:` and a tag, `author:` and the slug of an author, `series:` and the
    slug of a series; `home`, `archive`, `tags`, `search`, `subscribe` or `feed`; a path of this blog such as
    `/about`; or an http or https URL.
    """


class NavigationIn(In):
    """Both menus. They replace the present ones."""

    computed: ClassVar[frozenset[str]] = frozenset({"hidden"})

    header: Annotated[list[MenuItemIn], Field(max_length=MAX_ITEMS["header"])]
    """The menu in the header: up to 8 items. An empty list for none."""
    footer: Annotated[list[MenuItemIn], Field(max_length=MAX_ITEMS["footer"])]
    """The menu in the footer: up to 24 items. An empty list for none."""


class MenuItemOut(Out):
    """An item of a menu."""

    label: str
    """What readers see."""
    to: str
    """Where the item leads, for example `page:post_01m86a3kq7f2h9x4c5v8b1n6de` or `archive`."""


class NavigationOut(Out):
    """The menus of the blog: those of its owner, or the default ones."""

    header: list[MenuItemOut]
    """The menu in the header."""
    footer: list[MenuItemOut]
    """The menu in the footer."""
    hidden: list[str]
    """The `to` of items that readers don't see: the page is not published, no post has the tag, or it was removed."""


def _document() -> NavigationOut:
    menus = read_menus()
    items = [item for place in PLACES for item in menus[place]]
    targets = targets_of(items)
    header, footer = ([MenuItemOut.model_construct(**item._asdict()) for item in menus[place]] for place in PLACES)
    hidden = list(dict.fromkeys(item.to for item in items if targets[item.to].address is None))
    return NavigationOut.model_construct(header=header, footer=footer, hidden=hidden)


@operation(
    "GET",
    "/navigation",
    "Get the menus",
    scope="platforms:read",
    answers={200: NavigationOut, 304: None},
)
def get_navigation() -> Reply:
    """Returns the menus in the header and in the footer of every page of the blog."""
    return Reply(_document())


@operation(
    "PUT",
    "/navigation",
    "Replace the menus",
    scope="platforms:write",
    body=NavigationIn,
    answers={200: NavigationOut},
    refuses=(412,),
)
def replace_navigation(body: NavigationIn) -> Reply:
    """Replaces both menus. Items whose page is not published are kept, and shown when it is.

    A URL of this blog is stored as its path.
    """
    with transaction():
        etags.require_match(_document)
        sent = body.model_dump()
        save_menus({place: sent[place] for place in PLACES}, serializers.public_url())
    return Reply(_document())
