"""The registry of connectors: those in this package, and those of installed packages.

A Connector class that a module defines or a package exports is found automatically. The key of a connector is the name
of its module; a module with several connectors appends a variant (`slack`, `slack-hook`). So looking up one connector
imports one module. The platforms by hand are the exception: one module has them all, under keys of their own. Packages
by third parties name their class in the entry point group `blogsvc.connectors`.
"""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Iterator, MutableMapping
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from blogsvc.connectors.base import Connector, Misconfigured

GROUP = "blogsvc.connectors"
# The module whose connectors have keys of their own: a person posts to these platforms.
BY_HAND = "by_hand"
# Other names of platforms, and the keys of their connectors. Requests may use them; connections may not.
ALIASES = MappingProxyType({"dev": "devto", "dev.to": "devto", "forem": "devto", "bsky": "bluesky", "twitter": "x"})
log = logging.getLogger(__name__)


@cache
def connectors() -> Connectors:
    """Return all connectors by key, sorted. A connector is imported when it is looked up, once per process."""
    return Connectors()


class Connectors(MutableMapping[str, type[Connector]]):
    """Connectors by key. Listing them imports all of them. Setting one registers it for this process."""

    def __init__(self) -> None:
        self._loaded: dict[str, type[Connector]] = {}
        self._modules = frozenset(module.name for module in pkgutil.iter_modules(__path__))

    def __getitem__(self, key: str) -> type[Connector]:
        if key not in self._loaded:
            platform = key.partition("-")[0]
            built_in = _in_module(platform if platform in self._modules else BY_HAND)
            self._loaded[key] = built_in[key] if key in built_in else self._third_party[key]
        return self._loaded[key]

    def __setitem__(self, key: str, kind: type[Connector]) -> None:
        self._loaded[key] = kind

    def __delitem__(self, key: str) -> None:
        del self._loaded[key]

    def __iter__(self) -> Iterator[str]:
        built_in = (key for module in self._modules for key in _in_module(module))
        return iter(sorted({*built_in, *self._third_party, *self._loaded}))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def _third_party(self) -> dict[str, type[Connector]]:
        loaded = map(_load, entry_points(group=GROUP))
        return {found.key: found for found in loaded if found is not None}


def connector(key: str) -> type[Connector]:
    """Return the connector with this key. Raises Misconfigured if it is not installed."""
    try:
        return connectors()[key]
    except KeyError:
        raise Misconfigured(f"Connector “{key}” isn't installed. Reinstall it, or remove the connection.") from None


def _in_module(name: str) -> dict[str, type[Connector]]:
    """Return the connectors of a module of this package. No other package can replace them."""
    path = f"{__name__}.{name}"
    values = [value for value in vars(import_module(path)).values() if _is_connector(value)]
    return {value.key: value for value in values if f"{value.__module__}.".startswith(f"{path}.")}


def _load(point: EntryPoint) -> type[Connector] | None:
    """Load a package's connector. If that fails, log the error and skip it, so that the others still work."""
    try:
        value = point.load()
    except Exception:
        log.exception("Connector %s could not be loaded", point.value)
        return None
    if _is_connector(value):
        return value  # type: ignore[no-any-return]
    log.error("Entry point %s is not a connector", point.value)
    return None


def _is_connector(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Connector) and hasattr(value, "key")
