"""Links to profiles elsewhere, in the footer. With `rel="me"`, other sites can verify who has the profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text.elements import target_of
from blogsvc.models import Connection, Setting, db, transaction
from blogsvc.models.setting import site_changed
from blogsvc.posts.profile_links import ProfileLink, link_faults
from blogsvc.posts.rules import wrong_value

MAX_SOCIAL_LINKS = 20


def own_links() -> list[ProfileLink]:
    """Return the links that an owner or an import has entered."""
    return [ProfileLink(**link) for link in Setting.read("blog_social")]


def account_links(own: Iterable[ProfileLink]) -> list[ProfileLink]:
    """Return the profiles of connected Mastodon accounts, except those that are among the own links."""
    query = select(Connection.account_url).where(Connection.connector == "mastodon").order_by(Connection.name)
    known = {target_of(link.url) for link in own}
    found = {target_of(url): url for url in db.session.scalars(query) if url and not wrong_value("canonical_url", url)}
    return [ProfileLink("Mastodon", url, True) for key, url in found.items() if key not in known]


def all_links() -> list[ProfileLink]:
    """Return the links as readers see them."""
    own = own_links()
    return own + account_links(own)


def save_social_links(links: Sequence[Mapping[str, Any]]) -> list[ProfileLink]:
    """Replace the own links. Raises Invalid with the link and field of each fault."""
    if faults := social_faults(links):
        raise Invalid(*faults)
    checked = list(map(ProfileLink.cleaned, links))
    with transaction():
        Setting.write("blog_social", [link._asdict() for link in checked])
        site_changed()
    return checked


def social_faults(links: Sequence[Mapping[str, Any]], at: str = "#") -> list[Fault]:
    """Return what is wrong with social links; `at` is the pointer of their list."""
    too_many = f"A blog can have at most {MAX_SOCIAL_LINKS} social links. Remove one first."
    faults = [Fault(at, "too_many", too_many)] if len(links) > MAX_SOCIAL_LINKS else []
    return [*faults, *link_faults(map(ProfileLink.cleaned, links), at)]
