"""The IP addresses that outbound requests may use, and those of clients.

Based on IANA's special-purpose registries (RFC 6890 and updates). An IPv6 address that contains an IPv4
address is treated like that address, because a gateway would translate it.
"""

from __future__ import annotations

import ipaddress
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Literal

Verdict = Literal["public", "private", "refused"]


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(word) for word in text.split())


# Addresses of private networks and this machine, which a setting allows.
PRIVATE = _networks("10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 127.0.0.0/8 100.64.0.0/10 fc00::/7 ::1/128")

# Never allowed: "this host", link-local including cloud metadata (and the other metadata addresses, of Alibaba
# and Amazon), protocol assignments, documentation, benchmarks, multicast, reserved; for IPv6 also Teredo and its
# neighbours, and site-local.
REFUSED_NETWORKS = _networks(
    "0.0.0.0/8 169.254.0.0/16 100.100.100.200/32 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 "
    "198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 "
    "fd00:ec2::254/128 2001::/23 2001:db8::/32 3fff::/20 fe80::/10 fec0::/10 ff00::/8"
)
# The ends of names that have an address only in a local network (RFC 6761, RFC 6762, RFC 8375).
LOCAL_NAMES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
GLOBAL_V6 = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")


def verdict(address: str) -> Verdict:
    """Return the verdict for an IP address. Malformed addresses are refused."""
    try:
        return _verdict_of(ipaddress.ip_address(address))
    except ValueError:
        return "refused"


def literal(host: str) -> str | None:
    """Return the IP address that a host contains, in any notation that the C library accepts; None for a name.

    `connect` treats `2130706433`, `0x7f.1` and `0177.0.0.1` as 127.0.0.1.
    """
    try:
        return str(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        return _from_legacy_notation(host)


def _from_legacy_notation(host: str) -> str | None:
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def _verdict_of(address: IPv4Address | IPv6Address) -> Verdict:
    if isinstance(address, IPv6Address):
        if (embedded := _embedded_ipv4(address)) is not None:
            return _verdict_of(embedded)
        if address.scope_id is not None:
            return "refused"
    if any(address in network for network in REFUSED_NETWORKS):
        return "refused"
    if any(address in network for network in PRIVATE):
        return "private"
    return "public" if address.version == 4 or address in GLOBAL_V6 else "refused"


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address in an IPv4-mapped, 6to4 or NAT64 address."""
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def is_public_host(host: str) -> bool:
    """Return True for a name or an address at which others can reach a server, as far as one can tell without DNS."""
    if (address := literal(host)) is not None:
        return verdict(address) == "public"
    name = host.rstrip(".").lower()
    return "." in name and not name.endswith(LOCAL_NAMES)


def client_address(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address of a client, or None for anything else.

    An IPv4 address that is written as IPv6 (`::ffff:203.0.113.7`) is one of IPv4.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


def is_loopback(host: str | None) -> bool:
    """Return True for an address of this machine alone, and for `localhost`."""
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"
