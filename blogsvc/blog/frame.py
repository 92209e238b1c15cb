"""What is around the content of every page of the blog: its menus."""

from __future__ import annotations

from dataclasses import dataclass

from blogsvc.models.navigation import FIXED, Item, read_menus
from blogsvc.navigation.targets import targets_of

_TYPES = {FIXED["feed"]: "application/atom+xml", "/feed.json": "application/feed+json"}


@dataclass(frozen=True)
class MenuLink:
    """An item of a menu, as readers see it. `address` is a path of this blog or a URL."""

    label: str
    address: str

    @property
    def type(self) -> str | None:
        """Return the media type of a feed."""
        return _TYPES.get(self.address)

    def current_at(self, path: str, is_later: bool) -> str | None:
        """Return the value of `aria-current` on the page at a path; `is_later` if that is not the first of a list."""
        if path == self.address:
            return "true" if is_later else "page"
        return "true" if self.address == FIXED["archive"] and path.startswith(f"{self.address}/") else None


@dataclass(frozen=True)
class Frame:
    """The menus, without items that lead to nothing that readers can see."""

    header: tuple[MenuLink, ...]
    footer: tuple[MenuLink, ...]

    @classmethod
    def read(cls) -> Frame:
        menus = read_menus()
        targets = targets_of([*menus["header"], *menus["footer"]])

        def links(items: list[Item]) -> tuple[MenuLink, ...]:
            found = ((item.label, targets[item.to].address) for item in items)
            return tuple(MenuLink(label, address) for label, address in found if address is not None)

        return cls(links(menus["header"]), links(menus["footer"]))
