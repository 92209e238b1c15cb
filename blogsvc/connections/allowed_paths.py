"""Check the directories that connections write to: they must be inside BLOGSVC_FOLDERS."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import make_url

from blogsvc.config import Config
from blogsvc.connectors.base import Connector, Misconfigured

# Files and directories in the data directory that connections must not touch.
RESERVED_NAMES = ("blogsvc.db", "secret.key", "media", "backups")


def resolve_paths(settings: Mapping[str, str], kind: type[Connector], config: Config) -> dict[str, str]:
    """Return the settings with symbolic links in directories resolved.

    Raises Misconfigured, naming the field, for a directory that is not allowed. Called at every use,
    because symbolic links and BLOGSVC_FOLDERS can change.
    """
    paths = [field.name for field in kind.fields if field.path and settings.get(field.name)]
    return {**settings, **{name: _resolved_path(name, settings[name].strip(), config) for name in paths}}


def require_allowed(connector: Connector, config: Config) -> None:
    """Raise Misconfigured if the account uses a directory that isn't allowed, such as a remote repository."""
    for path in connector.directories():
        try:
            _resolved_path("path", path, config)
        except Misconfigured as error:
            raise Misconfigured(f"This repository is pushed to {path}. {error}", field=error.field) from None


def _resolved_path(field: str, text: str, config: Config) -> str:
    try:
        path = Path(text).resolve()
    except (OSError, RuntimeError, ValueError):  # a symlink loop, a NUL character
        path = None
    if path is None or not Path(text).is_absolute():
        raise Misconfigured("Enter the absolute path of a directory on this server.", field=field)
    roots = [root.resolve() for root in config.folder_roots]
    if not any(path.is_relative_to(root) for root in roots):
        places = ", ".join(map(str, roots))
        raise Misconfigured(f"The directory must be inside {places}. Set BLOGSVC_FOLDERS to allow others.", field=field)
    if any(path.is_relative_to(ours) or ours.is_relative_to(path) for ours in _reserved_paths(config)):
        raise Misconfigured(
            "This directory contains blogsvc's own data. Use another directory inside BLOGSVC_FOLDERS.", field=field
        )
    return str(path)


def _reserved_paths(config: Config) -> list[Path]:
    rows = make_url(config.rows_url)
    is_file = rows.drivername.startswith("sqlite") and rows.database
    paths = [
        *(config.instance / name for name in RESERVED_NAMES),
        *([Path(rows.database)] if is_file and rows.database else []),
    ]
    return [path.resolve() for path in paths]
