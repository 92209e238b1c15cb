"""Give a blog without menus or social links of its own those of the imported blog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blogsvc.models import ImportedPost
from blogsvc.models.import_job import known_sources
from blogsvc.models.navigation import MAX_ITEMS, MAX_LABEL_LENGTH, PLACES, Item, Place, read_menus
from blogsvc.navigation.menus import as_stored, can_be_shown, save_menus
from blogsvc.navigation.social_links import MAX_SOCIAL_LINKS, save_social_links, social_faults
from blogsvc.transfer.formats.ghost.url import PLACEHOLDER
from blogsvc.transfer.formats.parsed_post import is_web, url_parts
from blogsvc.transfer.post_links import plain_address

Links = Sequence[Sequence[Any]]
SOURCE, BLOGSVC = "source:", "blogsvc:"


def add_menus(links: Mapping[str, Links], entries: Sequence[ImportedPost], public_url: str) -> int:
    """Replace the default menus, inside the caller's transaction. Returns how many items were usable.

    Items that lead to nothing are left out. A menu of which nothing is left stays the default.

    Args:
        links: label, target and `is_me` of each link, by place; see ParsedLinks.
    """
    targets = _Targets(entries, links, public_url)
    found = {place: targets.items(place, links[place]) for place in PLACES if place in links}
    if number := sum(map(len, found.values())):
        usable = {place: items for place, items in found.items() if items or not links[place]}
        menus = read_menus() | usable
        save_menus({place: [item._asdict() for item in menus[place]] for place in PLACES}, public_url)
    return number


def add_social_links(links: Links) -> int:
    """Add the social links that break no rule, inside the caller's transaction. Returns how many these are."""
    rows = [{"label": label[:MAX_LABEL_LENGTH], "url": url, "is_me": is_me} for label, url, is_me in links]
    return len(save_social_links([row for row in rows if not social_faults([row])][:MAX_SOCIAL_LINKS]))


class _Targets:
    """Where the items of the old menus lead now."""

    def __init__(self, entries: Sequence[ImportedPost], links: Mapping[str, Links], public_url: str) -> None:
        self._public_url = public_url
        sources = [to.removeprefix(SOURCE) for place in PLACES for _, to, _ in links.get(place, ())]
        self._of_sources = known_sources(sources)
        self._of_addresses = {entry.address: entry.post_id for entry in entries if entry.address and entry.post_id}

    def items(self, place: Place, links: Links) -> list[Item]:
        found = [as_stored(label[:MAX_LABEL_LENGTH], self._to(to), self._public_url) for label, to, _ in links]
        return list(filter(can_be_shown, found))[: MAX_ITEMS[place]]

    def _to(self, to: str) -> str:
        if to.startswith(SOURCE):
            source = to.removeprefix(SOURCE)
            return f"page:{self._of_sources.get(source) or source.removeprefix(BLOGSVC)}"  # it may still be here
        if post_id := self._of_addresses.get(plain_address(to)):
            return f"page:{post_id}"
        if to.startswith(f"{PLACEHOLDER}/"):
            return to.removeprefix(PLACEHOLDER)
        return "home" if self._is_home(to) else to

    def _is_home(self, url: str) -> bool:
        """Return True for the address of the old blog itself: posts are directly below it."""
        parts = url_parts(url)
        hosts = {address.partition("/")[0] for address in self._of_addresses}
        return is_web(url) and not parts.path.strip("/") and not parts.query and plain_address(url) in hosts
