"""API keys: make, change, rotate and revoke them, and tell whose call it is.

Who asks by a key gives and touches no more than that key has: its scopes, its limits and its end
(`by`). Without one it is the owner at the terminal, who may do everything.
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
from blogsvc.models import ApiKey, transaction
from blogsvc.models.key import ALL, KEY_SCOPES, LONGEST_NAME, MOST_A_MINUTE, TIERS

CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# How long a key that was rotated goes on working unless told otherwise, and at most.
KEY_OVERLAP = timedelta(hours=24)
MAX_KEY_OVERLAP = timedelta(days=30)


def default_limits(config: Config) -> dict[str, int]:
    """Calls a minute by tier, for a key without limits of its own."""
    return {
        "read": config.reads_per_minute,
        "write": config.writes_per_minute,
        "publish": config.publishes_per_minute,
    }


@dataclass(frozen=True)
class KeyBounds:
    """What the key that asks has, and so the most that it may give or touch."""

    scopes: frozenset[str]
    limits: Mapping[str, int]
    expires_at: datetime | None
    usual: Mapping[str, int]

    @classmethod
    def of(cls, key: ApiKey, config: Config) -> KeyBounds:
        usual = default_limits(config)
        return cls(key.granted, key.limits_within(usual), key.expires_at, usual)

    def fill(self, key: ApiKey) -> None:
        """Where a new key says nothing, it has what its maker has, if that is less than usual."""
        lower = {tier: most for tier, most in self.limits.items() if most < self.usual[tier]}
        key.limits = {**lower, **key.limits}
        key.expires_at = key.expires_at or self.expires_at

    def demand_scopes(self, key: ApiKey) -> None:
        """Raises Forbidden, naming a scope, where this key may do something that the asking one may not."""
        beyond = key.granted - self.scopes
        if beyond:
            scope = next(name for name in (ALL, *KEY_SCOPES) if name in beyond)
            raise Forbidden(f"This reaches further than the key that asks: it lacks the scope {scope!r}.", scope)

    def faults(self, key: ApiKey) -> list[Fault]:
        """Where a key's limits and end are beyond those of the asking one."""
        found = [
            Fault(
                f"#/limits/{tier}", "beyond_key", f"The key that asks has {self.limits[tier]} a minute; give no more."
            )
            for tier, most in key.limits_within(self.usual).items()
            if most > self.limits[tier]
        ]
        if self.expires_at is not None and (key.expires_at is None or key.expires_at > self.expires_at):
            found.append(
                Fault("#/expiresAt", "beyond_key", "The key that asks ends before that; choose a time before.")
            )
        return found

    def demand_touchable(self, key: ApiKey) -> None:
        """Raises Forbidden for a key that has more than the asking one, whatever is wanted of it."""
        self.demand_scopes(key)
        if self.faults(key):
            raise Forbidden("This key has higher limits or a later end than the key that asks, which may not touch it.")

    def demand_given(self, key: ApiKey) -> None:
        """Raises Forbidden or Invalid where a key was given more than the asking one has."""
        self.demand_scopes(key)
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
) -> tuple[ApiKey, str]:
    """A new key, and its text, which is shown this once.

    What is left out is as it is for `by`. Raises Invalid for what will not do, Forbidden for a scope beyond `by`.
    """
    _demand(name, scopes, limits or {}, expires_at, now)
    text = make_key()
    with transaction():
        key = ApiKey.add(text, name, scopes, expires_at, now, limits or {})
        if by is not None:
            by.fill(key)
            by.demand_given(key)
        return key, text


def change(key_id: str, changes: Mapping[str, Any], now: datetime, *, by: KeyBounds | None = None) -> ApiKey:
    """Change `name`, `scopes`, `expires_at` or `limits`; of the limits those tiers that are named, None clears one.

    Raises NotFound, Invalid, Forbidden, and StateConflict for a key that has ended.
    """
    with transaction():
        key = _touchable(key_id, by)
        key.demand_valid(now)
        new = {"name": key.name, "scopes": key.scopes, **changes}
        if "limits" in changes:
            own = {} if changes["limits"] is None else {**key.limits, **changes["limits"]}
            new["limits"] = {tier: most for tier, most in own.items() if most is not None}
        _demand(new["name"], new["scopes"], new.get("limits", {}), changes.get("expires_at"), now)
        for field, value in new.items():
            setattr(key, field, value)
        if by is not None:
            by.demand_given(key)
        return key


def rotate(key_id: str, overlap: timedelta, now: datetime, *, by: KeyBounds | None = None) -> tuple[ApiKey, str]:
    """A new key that is as the old one, and its text, shown this once; the old one ends after `overlap`.

    Raises NotFound, Forbidden, and StateConflict for a key that has ended.
    """
    text = make_key()
    with transaction():
        old = _touchable(key_id, by)
        old.demand_valid(now)
        new = ApiKey.add(text, old.name, old.scopes, old.expires_at, now, old.limits)
        old.expires_at = min(filter(None, (old.expires_at, now + overlap)))
        return new, text


def revoke(key_id: str, now: datetime, *, by: KeyBounds | None = None) -> ApiKey:
    """End a key at once; it stays listed. One that is revoked already stays as it is. Raises NotFound, Forbidden."""
    with transaction():
        key = _touchable(key_id, by)
        key.revoke(now)
        return key


def _touchable(key_id: str, by: KeyBounds | None) -> ApiKey:
    key = ApiKey.get(key_id)
    if by is not None:
        by.demand_touchable(key)
    return key


def _demand(
    name: str, scopes: list[str], limits: Mapping[str, int], expires_at: datetime | None, now: datetime
) -> None:
    faults = [
        Fault("#/scopes", "unknown_scope", f"No such scope: {scope!r}. Known are: {ALL}, {', '.join(KEY_SCOPES)}.")
        for scope in scopes
        if scope not in (ALL, *KEY_SCOPES)
    ]
    if not scopes:
        faults.append(Fault("#/scopes", "required", "A key without a scope may do nothing; name at least one."))
    if not 1 <= len(name) <= LONGEST_NAME or CONTROL_CHARACTERS.search(name):
        faults.append(Fault("#/name", "invalid", f"A name is one line of 1 to {LONGEST_NAME} characters."))
    if expires_at is not None and expires_at <= now:
        faults.append(Fault("#/expiresAt", "in_past", "A key cannot expire before it is made; to end it, revoke it."))
    for tier, most in limits.items():
        if tier not in TIERS or not 1 <= most <= MOST_A_MINUTE:
            detail = f"A limit is one of {', '.join(TIERS)}, and 1 to {MOST_A_MINUTE} calls a minute."
            faults.append(Fault(f"#/limits/{tier}", "invalid", detail))
    if faults:
        raise Invalid(*faults)


def valid_key(text: str, now: datetime) -> ApiKey | None:
    """The valid key with this text; None for a typo, an unknown, an expired and a revoked one alike."""
    if not looks_like_key(text):
        return None
    key = ApiKey.of(text)
    return key if key is not None and key.is_valid(now) else None


def note_use(key: ApiKey, now: datetime) -> None:
    """Remember that a key was used; cheap, because seldom written. A busy database does not stop a reader."""
    if key.use_is_news(now):
        with suppress(Busy), transaction():
            key.last_used_at = now
