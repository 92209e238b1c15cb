"""JSON Merge Patch (RFC 7396), which PATCH accepts besides plain JSON.

The two differ for objects: plain JSON replaces an object of the stored document, and a merge patch is merged into it.
"""

from __future__ import annotations

from typing import Any

MEDIA_TYPE = "application/merge-patch+json"


def with_merged_objects(patch: dict[str, Any], stored: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Return the patch, in which the objects under these names are merged with the stored ones."""
    merged = {name: _merged(stored.get(name), patch[name]) for name in names & patch.keys()}
    return patch | merged


def _merged(stored: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    kept = stored if isinstance(stored, dict) else {}
    found = kept | {name: _merged(kept.get(name), value) for name, value in patch.items()}
    return {name: value for name, value in found.items() if name not in patch or patch[name] is not None}
