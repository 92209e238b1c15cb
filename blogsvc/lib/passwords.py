"""Passwords, kept by Argon2id: slow on purpose, so never called under the database's lock."""

from __future__ import annotations

import unicodedata
from secrets import token_urlsafe

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# By RFC 9106's second recommendation: 64 MiB, 3 passes.
_hasher = PasswordHasher()
SHORTEST, LONGEST = 10, 200  # characters
FEWEST_DIFFERENT = 5
# What is compared where there is nobody of that name, so that it takes as long.
_NOBODY = _hasher.hash(token_urlsafe())


def weakness(password: str, *others: str) -> str | None:
    """Why a password will not do, in a sentence; `others` are texts that anybody knows, such as the name."""
    text = _normal(password)
    if not SHORTEST <= len(text) <= LONGEST:
        return f"A password has {SHORTEST} to {LONGEST} characters; a sentence is best."
    if len(set(text)) < FEWEST_DIFFERENT or text.lower() in {other.strip().lower() for other in others}:
        return "This password is among the first that somebody would try; a sentence is best."
    return None


def hashed(password: str) -> str:
    return _hasher.hash(_normal(password))


def is_right(password: str, password_hash: str | None) -> bool:
    """Whether it is the one that was hashed. Of nobody (None) it never is, and that takes as long to find out."""
    text = _normal(password)
    if len(text) > LONGEST:
        return False
    try:
        return _hasher.verify(password_hash or _NOBODY, text) and password_hash is not None
    except (VerificationError, InvalidHashError):
        return False


def is_outdated(password_hash: str) -> bool:
    """Whether it was hashed by weaker parameters than today's."""
    return _hasher.check_needs_rehash(password_hash)


def _normal(password: str) -> str:
    """One form for what looks the same, whichever keyboard it was typed on."""
    return unicodedata.normalize("NFKC", password)
