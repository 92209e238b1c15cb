"""Which directories of this server a connection may use: those below BLOGSVC_FOLDERS, and none of our own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import make_url

from blogsvc.config import Config
from blogsvc.connectors.base import Connector, Misconfigured

# What lies in the instance folder and is nobody else's.
RESERVED_NAMES = ("blogsvc.db", "secret.key", "media", "backups")


def resolve_paths(settings: Mapping[str, str], kind: type[Connector], config: Config) -> dict[str, str]:
    """The settings, each directory in them as it really is, with no link left to be turned elsewhere.

    Raises Misconfigured, naming the field, for a directory that may not be used. Asked at every use,
    not only when it is entered: links change, and so does the setting.
    """
    paths = [field.name for field in kind.fields if field.path and settings.get(field.name)]
    return {**settings, **{name: _real(name, settings[name].strip(), config) for name in paths}}


def _real(field: str, text: str, config: Config) -> str:
    try:
        path = Path(text).resolve()
    except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL
        path = None
    if path is None or not Path(text).is_absolute():
        raise Misconfigured("Give the full path of a directory on this server.", field=field)
    roots = [root.resolve() for root in config.folder_roots]
    if not any(path.is_relative_to(root) for root in roots):
        places = ", ".join(map(str, roots))
        raise Misconfigured(f"Only directories below {places} may be used; BLOGSVC_FOLDERS allows others.", field=field)
    if any(path.is_relative_to(ours) or ours.is_relative_to(path) for ours in _ours(config)):
        raise Misconfigured(
            "This directory holds the instance's own data; use another one that BLOGSVC_FOLDERS allows.", field=field
        )
    return str(path)


def _ours(config: Config) -> list[Path]:
    rows = make_url(config.rows_url)
    is_file = rows.drivername.startswith("sqlite") and rows.database
    paths = [
        *(config.instance / name for name in RESERVED_NAMES),
        *([Path(rows.database)] if is_file and rows.database else []),
    ]
    return [path.resolve() for path in paths]
