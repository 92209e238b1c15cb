"""Change the menus of the blog, and the rules about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from blogsvc.errors import Fault, Invalid
from blogsvc.lib import blog_paths
from blogsvc.lib.text.plain import in_one_line, is_one_line
from blogsvc.models import Author, Post, Revision, Series, db, transaction
from blogsvc.models.navigation import (
    FIXED,
    MAX_ITEMS,
    MAX_LABEL_LENGTH,
    PLACES,
    Item,
    Menus,
    Place,
    read_menus,
    write_menus,
)
from blogsvc.models.setting import site_changed
from blogsvc.posts.profile_links import wrong_label
from blogsvc.posts.rules import MAX_TAG_LENGTH, MAX_URL_LENGTH, NOT_A_TARGET, wrong_value


def save_menus(menus: Mapping[Place, Sequence[Mapping[str, Any]]], public_url: str) -> Menus:
    """Replace both menus, and return them as they are stored. Raises Invalid with the item and field of each fault.

    A URL of this blog is stored as its path, so that the menu still works at another address. What an item of the
    present menus leads to is not checked again: it may have been deleted since.
    """
    known = {item.to for items in read_menus().values() for item in items}
    checked: Menus = {
        place: [as_stored(item["label"], item["to"], public_url) for item in menus[place]] for place in PLACES
    }
    if faults := [fault for place in PLACES for fault in _faults(place, checked[place], known)]:
        raise Invalid(*faults)
    with transaction():
        write_menus(checked)
        site_changed()
    return checked


def as_stored(label: str, to: str, public_url: str) -> Item:
    """Return the item with its label in one line, and a URL of this blog as its path."""
    target = to.strip()
    is_here = target == public_url or target.startswith(f"{public_url}/")
    return Item(in_one_line(label), (target.removeprefix(public_url) or "/") if is_here else target)


def _faults(place: Place, items: Sequence[Item], known: Collection[str]) -> Iterable[Fault]:
    most = MAX_ITEMS[place]
    if len(items) > most:
        yield Fault(
            f"#/{place}", "too_many", f"The menu in the {place} can have at most {most} items. Remove one first."
        )
    for number, item in enumerate(items):
        if wrong := wrong_label(item.label):
            yield replace(wrong, pointer=f"#/{place}/{number}/label")
        if item.to not in known and (wrong_to := _wrong_target(item)):
            yield replace(wrong_to, pointer=f"#/{place}/{number}/to")


def can_be_shown(item: Item) -> bool:
    """Return True if an item breaks no rule. Check it as it is stored."""
    return wrong_label(item.label) is None and _wrong_target(item) is None


def _wrong_target(item: Item) -> Fault | None:
    kind, key = item.kind_and_key
    if not is_one_line(item.to):
        return Fault("#", "control_character", "This contains a control character. Remove it.")
    if kind == "page" and not _is_post(key):
        return Fault("#", "invalid", f"There is no page or post {key!r}.")
    if kind == "tag" and not 1 <= len(key) <= MAX_TAG_LENGTH:
        return Fault("#", "invalid", f"A tag has 1 to {MAX_TAG_LENGTH} characters.")
    if kind == "author" and not Author.slugs_among([key]):
        return Fault("#", "unknown_author", f"There is no author {key!r}.")
    if kind == "series" and not Series.slugs_among([key]):
        return Fault("#", "invalid", f"There is no series {key!r}.")
    if kind or item.to in FIXED:
        return None
    if not item.to:
        return Fault("#", "required", "Choose what the item leads to, or enter an address.")
    if item.to.startswith("/"):
        return None if _is_path(item.to) else Fault("#", "invalid", "Enter a path of this blog, such as /about.")
    wrong = wrong_value("canonical_url", item.to)
    return replace(wrong, detail=NOT_A_TARGET) if wrong and wrong.code != "too_long" else wrong


def _is_post(post_id: str) -> bool:
    post = db.session.get(Post, post_id)
    return post is not None and post.deleted_at is None


def _is_path(path: str) -> bool:
    if len(path) > MAX_URL_LENGTH or " " in path or "\\" in path:
        return False
    try:
        parts = urlsplit(path)
    except ValueError:
        return False
    return not parts.netloc and "//" not in parts.path and blog_paths.is_canonical(unquote(parts.path))


def _title_of_page(post_id: str) -> str:
    """Return the title that readers see, or that of the draft if they see none yet."""
    post = db.session.get(Post, post_id)
    if post is None:
        return ""
    shown = db.session.get(Revision, post.site_revision_id) if post.site_revision_id else None
    return in_one_line((shown or post).title)[:MAX_LABEL_LENGTH].strip()


def default_label(to: str) -> str:
    """Return the label of a new item for which none was entered: a title, a tag, a name, a path or a host."""
    kind, key = Item("", to).kind_and_key
    if kind == "page":
        return _title_of_page(key)
    if kind == "author":
        return Author.named(key).name[:MAX_LABEL_LENGTH] if Author.slugs_among([key]) else ""
    if kind == "series":
        series = Series.find(key)
        return series.title[:MAX_LABEL_LENGTH].strip() if series else ""
    if key or to in FIXED:
        return key or to.capitalize()
    return _label_of_address(to)


def _label_of_address(to: str) -> str:
    try:
        parts = urlsplit(to)
    except ValueError:
        return ""
    return (parts.hostname or parts.path.strip("/"))[:MAX_LABEL_LENGTH].strip()
