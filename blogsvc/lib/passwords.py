"""Password hashing with Argon2id. It is slow on purpose, so don't call it inside a transaction."""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from secrets import token_bytes

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

# The second recommendation of RFC 9106: 64 MiB, 3 passes.
_hasher = PasswordHasher()
SHORTEST, LONGEST = 10, 200  # characters
FEWEST_DIFFERENT = 5


def _hash_of_nothing() -> str:
    """Return a hash with the parameters of real ones that no password has, without the work of hashing."""
    costs = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    salt, digest = (b64encode(token_bytes(size)).decode().rstrip("=") for size in (_hasher.salt_len, _hasher.hash_len))
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"


# Compared for unknown accounts, so that the response takes as long as for known ones.
_NOBODY = _hash_of_nothing()


def weakness(password: str, *others: str) -> str | None:
    """Return why a password is not acceptable, None if it is. `others` are known texts, such as the name."""
    text = _normal(password)
    if not SHORTEST <= len(text) <= LONGEST:
        return f"A password must have {SHORTEST} to {LONGEST} characters. A sentence works well."
    if len(set(text)) < FEWEST_DIFFERENT or text.lower() in {other.strip().lower() for other in others}:
        return "This password is easy to guess. A sentence works well."
    return None


def hashed(password: str) -> str:
    return _hasher.hash(_normal(password))


def is_right(password: str, password_hash: str | None) -> bool:
    """Return True if the password matches. For None it is False, after the same time."""
    text = _normal(password)
    if len(text) > LONGEST:
        return False
    try:
        return _hasher.verify(password_hash or _NOBODY, text) and password_hash is not None
    except (VerificationError, InvalidHashError):
        return False


def is_outdated(password_hash: str) -> bool:
    """Return True if the hash uses weaker parameters than the current ones."""
    return _hasher.check_needs_rehash(password_hash)


def _normal(password: str) -> str:
    """Normalise the password, so that it does not depend on the keyboard."""
    return unicodedata.normalize("NFKC", password)
