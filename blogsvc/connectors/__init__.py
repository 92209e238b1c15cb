"""The registry of connectors: each module or package here, and the entry points of installed packages.

A Connector class that a module defines or a package exports is found automatically, so adding a
platform touches one place. A third party's package names its class in the entry point group `blogsvc.connectors`.
"""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from blogsvc.connectors.base import Connector, Misconfigured

GROUP = "blogsvc.connectors"
log = logging.getLogger(__name__)


@cache
def connectors() -> dict[str, type[Connector]]:
    """Every connector by its key, in the order of keys. Found once per process."""
    third_party = {found.key: found for found in _installed()}
    built_in = {found.key: found for found in _built_in()}  # wins: a package cannot replace one of ours
    return dict(sorted({**third_party, **built_in}.items()))


def connector(key: str) -> type[Connector]:
    """The connector of a key. Raises Misconfigured where there is none (any more)."""
    try:
        return connectors()[key]
    except KeyError:
        raise Misconfigured(f"There is no connector “{key}” here: install it again, or remove the account.") from None


def _built_in() -> Iterator[type[Connector]]:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for value in vars(import_module(module.name)).values():
            if _is_connector(value) and f"{value.__module__}.".startswith(f"{module.name}."):
                yield value


def _installed() -> Iterator[type[Connector]]:
    for point in entry_points(group=GROUP):
        if (found := _load(point)) is not None:
            yield found


def _load(point: EntryPoint) -> type[Connector] | None:
    """One package's connector; a broken package is logged and left out, so that the others work."""
    try:
        found = point.load()
    except Exception:
        log.exception("The connector %s could not be loaded", point.value)
        return None
    if _is_connector(found):
        return found  # type: ignore[no-any-return]
    log.error("The entry point %s is no connector", point.value)
    return None


def _is_connector(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Connector) and hasattr(value, "key")
