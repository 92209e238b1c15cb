"""Sources of readers: the destinations and other websites on which they followed a link to this blog.

Only the host of a referrer is stored. A host belongs to a destination if it is that of the connected account, or a
subdomain of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from sqlalchemy import func, select

from blogsvc.models import Connection, db

# A link on a destination, a link on another website, or no referrer: nobody knows where the reader came from.
Kind = Literal["destination", "website", "unknown"]
# The names of destinations by the host of their accounts. Several accounts may be on one host.
DestinationHosts = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Referrer:
    """A website that readers came from. `destinations` are those with an account there."""

    host: str
    views: int
    destinations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """Where readers came from. `name` is that of the destinations or the host, empty if it is unknown."""

    kind: Kind
    name: str
    views: int


def destination_hosts() -> DestinationHosts:
    """Return the destinations by the host of their accounts, without `www.`."""
    names_by_host = defaultdict[str, list[str]](list)
    accounts = select(Connection.name, func.coalesce(Connection.account_url, ""))
    for name, url in db.session.execute(accounts.order_by(Connection.name)):
        if host := _host_of(url):
            names_by_host[host].append(name)
    return {host: tuple(names) for host, names in names_by_host.items()}


def _host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def referrers_of(counts: Mapping[str, int], hosts: DestinationHosts) -> list[Referrer]:
    """Return the referrers with their destinations, the most common first."""
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [Referrer(host, views, _destinations_on(host, hosts)) for host, views in common]


def _destinations_on(host: str, hosts: DestinationHosts) -> tuple[str, ...]:
    """Return the destinations on this host or on the closest domain above it that has any."""
    labels = host.lower().split(".")
    domains = (".".join(labels[start:]) for start in range(len(labels)))
    return next((hosts[domain] for domain in domains if domain in hosts), ())


def sources(referrers: Iterable[Referrer], views: int) -> list[Source]:
    """Return the sources of this many views on this blog, the most common first, and last those that are unknown."""
    counts = Counter[tuple[Kind, str]]()
    for each in referrers:
        key: tuple[Kind, str] = ("website", each.host)
        if each.destinations:
            key = ("destination", ", ".join(each.destinations))
        counts[key] += each.views
    found = [Source(*key, count) for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    unknown = views - counts.total()
    return [*found, Source("unknown", "", unknown)] if unknown > 0 else found
