"""Find redirects that lead in a circle, or through too many others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from urllib.parse import unquote, urlsplit

from blogsvc.posts.old_addresses import normalized, prefixes_of, with_rest

MAX_CHAIN = 3
MAX_FOUND = 20
# Stands for what a "*" stands for.
_SAMPLE = "any-page"


def chains(targets: Mapping[str, str | None], through: Collection[str]) -> list[list[str]]:
    """Return the redirects of each chain that is too long, by their paths, at most MAX_FOUND chains.

    Args:
        targets: the targets of all redirects by their paths; None for those that lead to no address: to a post, an
            image, a tag, or nowhere.
        through: the paths of which a chain has one at least.
    """
    found: list[list[str]] = []
    for start in _starts(targets):
        trail = _trail(start, targets)
        if len(trail) > MAX_CHAIN and not set(trail).isdisjoint(through):
            found.append(trail)
            if len(found) == MAX_FOUND:
                break
    return found


def in_words(trail: list[str]) -> str:
    """Return what is wrong with a chain."""
    steps = ", ".join(trail[:MAX_CHAIN])
    if len(set(trail)) < len(trail):
        return f"Redirects would lead in a circle: {steps}."
    return f"More than {MAX_CHAIN} redirects would follow each other: {steps}, {trail[MAX_CHAIN]}."


def _trail(address: str, targets: Mapping[str, str | None]) -> list[str]:
    """Return the redirects that an address leads through, one more than allowed at most."""
    trail: list[str] = []
    while len(trail) <= MAX_CHAIN:
        path, rest = _match(address, targets)
        target = targets.get(path)
        if target is None:
            break
        trail.append(path)
        address = _address_here(with_rest(target, rest))
    return trail


def _match(address: str, targets: Mapping[str, str | None]) -> tuple[str, str]:
    """Return the path of the redirect that is used for an address, and what its "*" stands for; "" if none is."""
    if address in targets or not address:
        return address, ""
    return next(((path, rest) for path, rest in prefixes_of(address.partition("?")[0]) if path in targets), ("", ""))


def _address_here(target: str) -> str:
    """Return a target as paths are stored; "" for the front page and for URLs."""
    parts = urlsplit(target)
    return "" if parts.netloc else normalized(unquote(parts.path) + (f"?{parts.query}" if parts.query else ""))


def _starts(targets: Mapping[str, str | None]) -> Iterator[str]:
    """Yield addresses that, together, lead through all possible chains."""
    # The redirects of all addresses below another one, by where they lead.
    patterns: dict[str, list[str]] = defaultdict(list)
    for path, target in targets.items():
        yield path.replace("*", _SAMPLE)
        if target is not None and target.endswith("/*"):
            patterns[_address_here(target)].append(path)
    for path in targets:
        address = path.replace("*", _SAMPLE)
        trail = _trail(address, targets)
        for pattern, rest in prefixes_of(address.partition("?")[0]):
            leading = patterns.get(pattern, ())
            # One more redirect before this trail is fine, unless the trail leads back.
            if len(trail) >= MAX_CHAIN or not set(trail).isdisjoint(leading):
                yield from (with_rest(one, rest) for one in leading)
