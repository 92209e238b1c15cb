"""The menus of the blog: links in the header and in the footer of every page."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from blogsvc.models.setting import Setting

Place = Literal["header", "footer"]
PLACES: tuple[Place, ...] = get_args(Place)
MAX_ITEMS: dict[Place, int] = {"header": 8, "footer": 24}
MAX_LABEL_LENGTH = 50

# What an item may lead to, besides a path of this blog or a URL: a page of the blog, or something with an id.
FIXED = {
    "home": "/",
    "archive": "/archive",
    "tags": "/tags",
    "search": "/search",
    "subscribe": "/subscribe",
    "feed": "/feed.xml",
}
KINDS = ("page", "tag", "author", "series")


class Item(NamedTuple):
    """An item of a menu.

    `to` is `page:<post id>`, `tag:<tag>`, `author:<slug>`, `series:<slug>`, a key of FIXED, a path or a URL.
    """

    label: str
    to: str

    @property
    def kind_and_key(self) -> tuple[str, str]:
        """Return "page" and the id of a post, for example; ("", "") if the item leads to something without an id."""
        kind, colon, key = self.to.partition(":")
        return (kind, key) if colon and kind in KINDS else ("", "")


Menus = dict[Place, list[Item]]

DEFAULT: Menus = {
    "header": [Item("Archive", "archive"), Item("Search", "search"), Item("Subscribe", "subscribe")],
    "footer": [Item("Tags", "tags"), Item("Atom", "feed"), Item("JSON Feed", "/feed.json")],
}


def read_menus() -> Menus:
    """Return the menus of the blog: those of its owner, or the default."""
    stored = Setting.read("blog_navigation")
    if not stored:
        return {place: list(DEFAULT[place]) for place in PLACES}
    return {place: [Item(item["label"], item["to"]) for item in stored.get(place, [])] for place in PLACES}


def has_own_menus() -> bool:
    """Return True if an owner or an import has made the menus."""
    return bool(Setting.read("blog_navigation"))


def write_menus(menus: Menus) -> None:
    Setting.write("blog_navigation", {place: [item._asdict() for item in menus[place]] for place in PLACES})


def replace_target(old: str, new: str) -> None:
    """Let all items that lead to one thing lead to another, such as an author with another slug."""
    menus = read_menus()
    if any(item.to == old for items in menus.values() for item in items):
        write_menus(
            {place: [item._replace(to=new) if item.to == old else item for item in menus[place]] for place in PLACES}
        )
