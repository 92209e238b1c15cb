"""Limits of the views that count on one UTC day, so that one client can't fill the database or inflate the figures.

A client chooses its user agent, its referrer and whether it opts out of tracking, but not its network. The limits are
far above what the readers behind one address need, such as those of a company or a mobile carrier.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from datetime import date
from threading import Lock

from blogsvc.lib.net.ip_rules import client_address

# The views of a UTC day that count: of one visitor and page, of one network and page, and of one network. All pages
# that are not posts are one page.
VISITOR_PAGE_VIEWS = 1_000
NETWORK_PAGE_VIEWS = 10_000
NETWORK_VIEWS = 20_000
COUNTERS = 2**18  # half a megabyte


def _new_counters() -> array[int]:
    return array("H", bytes(2 * COUNTERS))


@dataclass
class ViewLimits:
    """Counts the views of one day in a table of fixed size, which holds numbers only: no address and no visitor.

    The hash of a key, which is another one in each process, selects its counter. Two keys may share a counter: each
    then reaches its limit earlier, by the views of the other.
    """

    day: date | None = None
    counters: array[int] = field(default_factory=_new_counters)
    counting: Lock = field(default_factory=Lock)

    def allow(self, post_id: str | None, address: str, visitor: bytes | None, day: date) -> bool:
        """Count a view. Returns False if its visitor or network has reached a limit. `visitor` is None if unknown."""
        network = _network(address)
        limits = [(_counter(network), NETWORK_VIEWS), (_counter(network, post_id), NETWORK_PAGE_VIEWS)]
        if visitor is not None:
            limits.append((_counter(visitor, post_id), VISITOR_PAGE_VIEWS))
        with self.counting:
            if day != self.day:
                self.day, self.counters = day, _new_counters()
            if any(self.counters[counter] >= limit for counter, limit in limits):
                return False
            for counter, _ in limits:
                self.counters[counter] += 1
            return True


def _network(address: str) -> bytes:
    """Return the /24 network of an IPv4 address, the /48 network of an IPv6 address, or nothing for anything else."""
    known = client_address(address)
    if known is None:
        return b""
    return known.packed[: 3 if known.version == 4 else 6]


def _counter(*key: object) -> int:
    """Return the number of a counter. Python's hash of text and bytes can't be predicted by clients."""
    return hash(key) % COUNTERS
