"""What a post names must exist: authors, a series, destinations and their options."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from blogsvc.connections.verify import connectable_keys
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.connectors.base import Option
from blogsvc.errors import Fault
from blogsvc.lib.text.fuzzy import suggestion
from blogsvc.models import SITE, Author, Series

MAX_LISTED = 20  # of what there is, in the message about something that there is not


def author_faults(slugs: Collection[str], had: Collection[str]) -> Iterator[Fault]:
    """Yield a fault for each slug that is of no author. Those that the post `had` are not checked again."""
    new = set(slugs) - set(had)
    unknown = new - Author.slugs_among(new)
    names = [author.slug for author in Author.all()] if unknown else []
    for i, slug in enumerate(slugs):
        if slug in unknown:
            yield Fault(f"#/authors/{i}", "unknown_author", f"There is no author {slug!r}.{_known(slug, names)}")


def series_faults(slug: str | None, had: str | None) -> Iterator[Fault]:
    """Yield a fault if the slug is of no series. The one that the post `had` is not checked again."""
    if slug and slug != had and Series.find(slug) is None:
        hint = _known(slug, [series.slug for series in Series.all()])
        yield Fault("#/series", "unknown_series", f"There is no series {slug!r}.{hint}")


def _known(name: str, names: list[str]) -> str:
    """Return the name that was probably meant, and the names that there are."""
    known = f"Available: {', '.join(names[:MAX_LISTED])}{', …' if len(names) > MAX_LISTED else ''}." if names else ""
    return f"{suggestion(name, names)} {known}".rstrip()


def option_faults(overrides: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield the faults of the options of destinations: they must exist, and their connectors must offer the values."""
    destinations = KnownDestinations()
    for name, own in overrides.items():
        if not destinations.is_known(name):
            yield unknown_destination(name, f"#/overrides/{name}", destinations)
            continue
        kind = destinations.connector_of(name) if name != SITE else None
        offered = {option.name: option for option in kind.all_options()} if kind else {}
        for option, value in (own.get("options") or {}).items():
            if wrong := _wrong_option(name, option, value, offered):
                yield replace(wrong, pointer=f"#/overrides/{name}/options")


def _wrong_option(name: str, option: str, value: str, offered: Mapping[str, Option]) -> Fault | None:
    if option not in offered:
        there = f"Available: {', '.join(offered)}." if offered else "It has no options."
        return Fault("#", "unknown_field", f"{name!r} has no option {option!r}. {there}", platform=name)
    if (choices := offered[option].choices) and value not in choices:
        return Fault("#", "invalid", f"{option!r} must be one of: {', '.join(choices)}.", platform=name)
    return None


def unknown_destination(name: str, pointer: str, destinations: KnownDestinations) -> Fault:
    names = [SITE, *destinations.connections]
    hint = suggestion(name, [*names, *connectable_keys()])
    return Fault(
        pointer,
        "unknown_platform",
        f"There is no destination named {name!r}, and no connector exists for it.{hint} Available: {', '.join(names)}.",
        platform=name,
        rule="exists",
        remediation=f"Use one of: {', '.join(names)}, or the key of another platform in `GET /platforms`.",
    )
