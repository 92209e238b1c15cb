"""Which servers the secrets of an account may be sent to: those that a person entered or confirmed.

An origin is the scheme, host and port of a URL, as `origin_of` writes it. What a server says, such as the URL of its
API, may lead to another origin only after a person has confirmed that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from blogsvc.lib.net.http import origin_of

HTTPS, HTTP = "https://", "http://"
ANY_SUBDOMAIN = "https://*."


@dataclass(frozen=True)
class Origins(Collection[str]):
    """The origins that were entered or confirmed. `in` is true for each that their secrets may be sent to.

    Those are also the same host with https:// instead of http://, and all subdomains of `https://*.example.org`, which
    only a connector can name.
    """

    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, addresses: Iterable[str]) -> Origins:
        """Return the origins of these addresses. A person can't enter all subdomains."""
        return cls(frozenset(origin_of(address) for address in addresses if address and "*" not in address))

    def __contains__(self, origin: object) -> bool:
        return isinstance(origin, str) and (
            origin in self.origins or _without_tls(origin) in self.origins or self._is_subdomain(origin)
        )

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.origins))

    def __len__(self) -> int:
        return len(self.origins)

    def __or__(self, others: Iterable[str]) -> Origins:
        return Origins(self.origins.union(others))

    def confirmed(self, addresses: Iterable[str]) -> Origins:
        """Return these origins with those that a person confirmed, if they can be."""
        return self | filter(self.can_be_confirmed, Origins.of(addresses))

    def can_be_confirmed(self, origin: str) -> bool:
        """Return True if a person may add this origin, or has entered it: to https:// no http:// is added."""
        return origin in self or not origin.startswith(HTTP) or not any(one.startswith(HTTPS) for one in self.origins)

    def _is_subdomain(self, origin: str) -> bool:
        domains = (one.removeprefix(ANY_SUBDOMAIN) for one in self.origins if one.startswith(ANY_SUBDOMAIN))
        return origin.startswith(HTTPS) and any(origin.endswith(f".{domain}") for domain in domains)


def _without_tls(origin: str) -> str | None:
    """Return the origin with http://, if both have the default port, else None."""
    is_default = origin.startswith(HTTPS) and urlsplit(origin).port is None
    return HTTP + origin.removeprefix(HTTPS) if is_default else None
