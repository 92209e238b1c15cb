"""The registry of connectors: those in this package, and those of installed packages.

A Connector class that a module defines or a package exports is found automatically. Packages by third parties
name their class in the entry point group `blogsvc.connectors`.
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
    """Return all connectors by key, sorted. Loaded once per process."""
    third_party = {found.key: found for found in map(_load, entry_points(group=GROUP)) if found is not None}
    built_in = {found.key: found for found in _built_in()}  # no package can replace these
    return dict(sorted({**third_party, **built_in}.items()))


def connector(key: str) -> type[Connector]:
    """Return the connector with this key. Raises Misconfigured if it is not installed."""
    try:
        return connectors()[key]
    except KeyError:
        raise Misconfigured(f"Connector “{key}” isn't installed. Reinstall it, or remove the connection.") from None


def _built_in() -> Iterator[type[Connector]]:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for value in vars(import_module(module.name)).values():
            if _is_connector(value) and f"{value.__module__}.".startswith(f"{module.name}."):
                yield value


def _load(point: EntryPoint) -> type[Connector] | None:
    """Load a package's connector. If that fails, log the error and skip it, so that the others still work."""
    try:
        found = point.load()
    except Exception:
        log.exception("Connector %s could not be loaded", point.value)
        return None
    if _is_connector(found):
        return found  # type: ignore[no-any-return]
    log.error("Entry point %s is not a connector", point.value)
    return None


def _is_connector(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Connector) and hasattr(value, "key")
