"""The menus of WordPress, whose items are entries of the export (`nav_menu_item`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from blogsvc.transfer.formats.parsed_post import ParsedLinks

MAX_MENU_ITEMS = 500


@dataclass
class Menus:
    """The items of menus, and what they may lead to, by the ids of WordPress."""

    # By the id of each post and page: its source and its title.
    posts: dict[str, tuple[str, str]] = field(default_factory=dict)
    # By the id of each tag and category: its name.
    tags: dict[str, str] = field(default_factory=dict)
    # By the name of each menu: place, label and metadata of its items.
    items: dict[str, list[tuple[int, str, Mapping[str, str]]]] = field(default_factory=dict)

    def add(self, menu: str, order: int, label: str, meta: Mapping[str, str]) -> None:
        """Note an item. Those below another one are left out: menus here have one level."""
        is_on_top = meta.get("_menu_item_menu_item_parent", "0").strip() in ("", "0")
        if is_on_top and sum(map(len, self.items.values())) < MAX_MENU_ITEMS:
            self.items.setdefault(menu, []).append((order, label, meta))

    def parsed(self) -> Iterator[ParsedLinks]:
        """Yield the first menu of the file. The export does not say where menus were shown."""
        first = next(iter(self.items.values()), [])
        found = (self._link(label, meta) for _, label, meta in sorted(first, key=lambda item: item[0]))
        if links := [(label, to, False) for label, to in filter(None, found)]:
            yield ParsedLinks.of("header", links)

    def _link(self, label: str, meta: Mapping[str, str]) -> tuple[str, str] | None:
        """Return label and target of an item. One without a label has that of what it leads to."""
        of_object = meta.get("_menu_item_object_id", "").strip()
        match meta.get("_menu_item_type"):
            case "post_type" if of_object in self.posts:
                source, title = self.posts[of_object]
                return label or title, f"source:{source}"
            case "taxonomy" if of_object in self.tags:
                return label or self.tags[of_object], f"tag:{self.tags[of_object]}"
            case "custom":
                return label, meta.get("_menu_item_url", "").strip()
        return None
