"""Links to profiles elsewhere, in the footer. With `rel="me"`, other sites can verify who has the profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text.elements import target_of
from blogsvc.lib.text.plain import in_one_line
from blogsvc.models import Connection, Setting, db, transaction
from blogsvc.models.setting import site_changed
from blogsvc.navigation.menus import wrong_label
from blogsvc.posts.rules import wrong_value

MAX_SOCIAL_LINKS = 20


class SocialLink(NamedTuple):
    """A link to a profile. `is_me` says that the profile is that of the blog or its author."""

    label: str
    url: str
    is_me: bool


def own_links() -> list[SocialLink]:
    """Return the links that an owner or an import has entered."""
    return [SocialLink(link["label"], link["url"], link["is_me"]) for link in Setting.read("blog_social")]


def account_links(own: Iterable[SocialLink]) -> list[SocialLink]:
    """Return the profiles of connected Mastodon accounts, except those that are among the own links."""
    query = select(Connection.account_url).where(Connection.connector == "mastodon").order_by(Connection.name)
    known = {target_of(link.url) for link in own}
    found = {target_of(url): url for url in db.session.scalars(query) if url and not wrong_value("canonical_url", url)}
    return [SocialLink("Mastodon", url, True) for key, url in found.items() if key not in known]


def all_links() -> list[SocialLink]:
    """Return the links as readers see them."""
    own = own_links()
    return own + account_links(own)


def save_social_links(links: Sequence[Mapping[str, Any]]) -> list[SocialLink]:
    """Replace the own links. Raises Invalid with the link and field of each fault."""
    if faults := social_faults(links):
        raise Invalid(*faults)
    checked = list(map(_cleaned, links))
    with transaction():
        Setting.write("blog_social", [link._asdict() for link in checked])
        site_changed()
    return checked


def social_faults(links: Sequence[Mapping[str, Any]], at: str = "#") -> list[Fault]:
    """Return what is wrong with social links; `at` is the pointer of their list."""
    return list(_faults(list(map(_cleaned, links)), at))


def _cleaned(link: Mapping[str, Any]) -> SocialLink:
    return SocialLink(in_one_line(link["label"]), link["url"].strip(), bool(link["is_me"]))


def _faults(links: Sequence[SocialLink], at: str) -> Iterable[Fault]:
    if len(links) > MAX_SOCIAL_LINKS:
        yield Fault(at, "too_many", f"A blog can have at most {MAX_SOCIAL_LINKS} social links. Remove one first.")
    for number, link in enumerate(links):
        if wrong := wrong_label(link.label):
            yield Fault(f"{at}/{number}/label", *wrong)
        if fault := wrong_value("canonical_url", link.url):
            yield Fault(f"{at}/{number}/url", fault.code, fault.detail)
