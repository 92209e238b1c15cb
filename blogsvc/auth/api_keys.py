"""API keys: create, change, rotate, revoke and authenticate them.

A key can create and manage only keys with no more scopes, no higher limits and no later expiry date than its
own (`by`). On the command line, where `by` is None, there are no such bounds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from blogsvc.config import Config
from blogsvc.errors import Busy, Fault, Forbidden, Invalid
from blogsvc.lib.crypto import looks_like_key, make_key
from blogsvc.models import ApiKey, nouns, transaction
from blogsvc.models.key import ALL, KEY_SCOPES, MAX_NAME_LENGTH, MAX_RATE_LIMIT, TIERS, with_single_scopes
from blogsvc.models.webhook import owned_by
from blogsvc.webhooks.manage import end_orphans

CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# How long a rotated key stays valid: the default and the maximum.
KEY_OVERLAP = timedelta(hours=24)
MAX_KEY_OVERLAP = timedelta(days=30)


def default_limits(config: Config) -> dict[str, int]:
    """Return the requests per minute by tier for a key without its own limits."""
    return {
        "read": config.reads_per_minute,
        "write": config.writes_per_minute,
        "publish": config.publishes_per_minute,
    }


@dataclass(frozen=True)
class KeyBounds:
    """The present permissions of the calling key, which bound the keys it can create or change."""

    scopes: frozenset[str]
    limits: Mapping[str, int]
    expires_at: datetime | None
    usual: Mapping[str, int]

    @classmethod
    def of(cls, key: ApiKey, config: Config) -> KeyBounds:
        usual = default_limits(config)
        return cls(with_single_scopes(key.present_scopes), key.limits_within(usual), key.expires_at, usual)

    def fill(self, key: ApiKey) -> None:
        """Give a new key the limits and expiry date of the calling key, where it has none and these are stricter."""
        lower = {tier: most for tier, most in self.limits.items() if most < self.usual[tier]}
        key.limits = {**lower, **key.limits}
        key.expires_at = key.expires_at or self.expires_at

    def require_scopes(self, key: ApiKey) -> None:
        """Raise Forbidden, naming the scope, if the key has a scope that the calling key lacks."""
        beyond = key.granted - self.scopes
        if beyond:
            scope = next(name for name in (ALL, *KEY_SCOPES) if name in beyond)
            raise Forbidden(f"The calling key lacks the scope {scope!r}, so it can't manage a key that has it.", scope)

    def faults(self, key: ApiKey) -> list[Fault]:
        """Return a fault for each limit and expiry date of the key that exceeds those of the calling key."""
        found = [
            Fault(
                f"#/limits/{tier}",
                "beyond_key",
                f"The limit must not exceed {self.limits[tier]} per minute, the calling key's limit.",
            )
            for tier, most in key.limits_within(self.usual).items()
            if most > self.limits[tier]
        ]
        if self.expires_at is not None and (key.expires_at is None or key.expires_at > self.expires_at):
            found.append(
                Fault("#/expiresAt", "beyond_key", "The calling key expires earlier. Choose an earlier expiry date.")
            )
        return found

    def require_manageable(self, key: ApiKey) -> None:
        """Raise Forbidden if the key has more permissions than the calling key, so that it may not change it at all."""
        self.require_scopes(key)
        if self.faults(key):
            raise Forbidden("The calling key can't manage a key with higher limits or a later expiry date.")

    def require_grantable(self, key: ApiKey) -> None:
        """Raise Forbidden or Invalid if the key now has more permissions than the calling key."""
        self.require_scopes(key)
        faults = self.faults(key)
        if faults:
            raise Invalid(*faults)


def create(
    name: str,
    scopes: list[str],
    expires_at: datetime | None,
    now: datetime,
    *,
    limits: Mapping[str, int] | None = None,
    by: KeyBounds | None = None,
    created_by: str | None = None,
) -> tuple[ApiKey, str]:
    """Create a key. Return it and its secret, which is shown only once. `created_by` is the id of a user or a key.

    Defaults come from the calling key `by`. Raises Invalid, and Forbidden for a scope that `by` lacks.
    """
    _require_valid_settings(name, scopes, limits or {}, expires_at, now)
    text = make_key()
    with transaction():
        key = ApiKey.add(text, name, scopes, expires_at, now, limits or {}, created_by)
        if by is not None:
            by.fill(key)
            by.require_grantable(key)
        return key, text


def change(key_id: str, changes: Mapping[str, Any], now: datetime, *, by: KeyBounds | None = None) -> ApiKey:
    """Change `name`, `scopes`, `expires_at` or `limits` (only the given tiers; None resets a limit).

    Raises NotFound, Invalid, Forbidden, and StateConflict for an expired or revoked key.
    """
    with transaction():
        key = _touchable(key_id, by)
        key.require_valid(now)
        new = {"name": key.name, "scopes": key.scopes, **changes}
        if "limits" in changes:
            own = {} if changes["limits"] is None else {**key.limits, **changes["limits"]}
            new["limits"] = {tier: most for tier, most in own.items() if most is not None}
        _require_valid_settings(new["name"], new["scopes"], new.get("limits", {}), changes.get("expires_at"), now)
        for field, value in new.items():
            setattr(key, field, value)
        if by is not None:
            by.require_grantable(key)
        end_orphans(now)
        return key


def rotate(
    key_id: str, overlap: timedelta, now: datetime, *, by: KeyBounds | None = None, created_by: str | None = None
) -> tuple[ApiKey, str]:
    """Create a copy of a key with a new secret, shown only once. The old key expires after `overlap`.

    Webhooks of the old key belong to the new one. Raises NotFound, Forbidden, and StateConflict for an expired or
    revoked key.
    """
    text = make_key()
    with transaction():
        old = _touchable(key_id, by)
        old.require_valid(now)
        new = ApiKey.add(text, old.name, old.scopes, old.expires_at, now, old.limits, created_by)
        for webhook in owned_by(old.id):
            webhook.adopted_by = new.id
        old.expires_at = min(filter(None, (old.expires_at, now + overlap)))
        return new, text


def revoke(key_id: str, now: datetime, *, by: KeyBounds | None = None) -> ApiKey:
    """Revoke a key, and disable its webhooks. It stays in the list. Does nothing if it is already revoked.

    Raises NotFound, Forbidden.
    """
    with transaction():
        key = _touchable(key_id, by)
        key.revoke(now)
        end_orphans(now)
        return key


def _touchable(key_id: str, by: KeyBounds | None) -> ApiKey:
    key = ApiKey.get(key_id)
    if by is not None:
        by.require_manageable(key)
    return key


def _require_valid_settings(
    name: str, scopes: list[str], limits: Mapping[str, int], expires_at: datetime | None, now: datetime
) -> None:
    faults = [
        Fault("#/scopes", "unknown_scope", f"There is no scope {scope!r}. Available: {ALL}, {', '.join(KEY_SCOPES)}.")
        for scope in scopes
        if scope not in (ALL, *KEY_SCOPES)
    ]
    if not scopes:
        faults.append(Fault("#/scopes", "required", "A key needs at least one scope."))
    if not 1 <= len(name) <= MAX_NAME_LENGTH or CONTROL_CHARACTERS.search(name):
        faults.append(Fault("#/name", "invalid", f"A name must be a single line of 1 to {MAX_NAME_LENGTH} characters."))
    if expires_at is not None and expires_at <= now:
        faults.append(
            Fault("#/expiresAt", "in_past", "The expiry date must be in the future. To end a key now, revoke it.")
        )
    for tier, most in limits.items():
        if tier not in TIERS or not 1 <= most <= MAX_RATE_LIMIT:
            detail = f"Limits are {', '.join(TIERS)}, each 1 to {MAX_RATE_LIMIT} requests per minute."
            faults.append(Fault(f"#/limits/{tier}", "invalid", detail))
    if faults:
        raise Invalid(*faults)


def valid_key(text: str, now: datetime) -> ApiKey | None:
    """Return the valid key with this secret; None if it is malformed, unknown, expired or revoked."""
    if not looks_like_key(text):
        return None
    key = ApiKey.read(text)
    return key if key is not None and key.is_valid(now) else None


def note_use(key: ApiKey, now: datetime) -> None:
    """Store the time of the last use, at most once per interval. Skipped if the database is busy."""
    if key.use_is_news(now):
        with suppress(Busy), transaction(nouns.use_of(key.id), waits=False):
            key.note_use(now)
