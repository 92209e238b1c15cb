"""Password hashing with Argon2id. It is slow on purpose, so don't call it inside a transaction."""

from __future__ import annotations

import gzip
import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from secrets import token_bytes

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

# The second recommendation of RFC 9106: 64 MiB, 3 passes. Tests hash with less.
hasher = PasswordHasher()
SHORTEST, LONGEST = 10, 200  # characters
FEWEST_DIFFERENT = 5
# The most characters around a common password that don't make it a good one.
MAX_DECORATION = 6
# A password needs this many letters and digits besides the words, of this length or more, that an attacker knows.
FEWEST_OWN, SHORTEST_WORD = 6, 3
COMMON = Path(__file__).parent / "common_passwords" / "passwords.txt.gz"


def hash_of_nobody() -> str:
    """Return a hash with the parameters of real ones that no password has, without the work of hashing.

    It is compared for unknown accounts, so that the response takes as long as for known ones.
    """
    costs = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    salt, digest = (b64encode(token_bytes(size)).decode().rstrip("=") for size in (hasher.salt_len, hasher.hash_len))
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"


def weakness(password: str, *known_texts: str) -> str | None:
    """Return why a password is not acceptable, None if it is.

    `known_texts` are texts that an attacker knows, such as the user's name. As NIST SP 800-63B asks, any characters are
    allowed and none are required.
    """
    text = _normal(password)
    if not SHORTEST <= len(text) <= LONGEST:
        return f"A password must have {SHORTEST} to {LONGEST} characters. A sentence works well."
    if len(set(text)) < FEWEST_DIFFERENT or _is_common(text.casefold()):
        return "This password is easy to guess: many people use it or one like it. A sentence works well."
    if _is_made_of(text.casefold(), known_texts):
        return "This password is easy to guess: it repeats your name, e-mail address or blog title."
    return None


def _is_common(text: str) -> bool:
    """Return True for a common password, also with a few digits and signs around it, as in "password2026!"."""
    with gzip.open(COMMON) as file:  # not kept in memory, because it is rarely needed
        listed = b"\n" + file.read()
    core = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", text)
    candidates = {text} | ({core} if core and len(text) - len(core) <= MAX_DECORATION else set())
    return any(b"\n" + one.encode() + b"\n" in listed for one in candidates)


def _is_made_of(text: str, known_texts: Iterable[str]) -> bool:
    """Return True if little is left of the password without the words of these texts."""
    texts = [each.strip().casefold() for each in (*known_texts, "blogsvc")]
    words = {*texts, *(word for each in texts for word in re.split(r"[\W_]+", each) if len(word) >= SHORTEST_WORD)} - {
        ""
    }
    for word in sorted(words, key=len, reverse=True):
        text = text.replace(word, "")
    return sum(letter.isalnum() for letter in text) < FEWEST_OWN


def hashed(password: str) -> str:
    return hasher.hash(_normal(password))


def is_right(password: str, password_hash: str | None) -> bool:
    """Return True if the password matches. For None it is False, after the same time."""
    text = _normal(password)
    if len(text) > LONGEST:
        return False
    try:
        return hasher.verify(password_hash or hash_of_nobody(), text) and password_hash is not None
    except (VerificationError, InvalidHashError):
        return False


def is_outdated(password_hash: str) -> bool:
    """Return True if the hash uses weaker parameters than the current ones."""
    return hasher.check_needs_rehash(password_hash)


def _normal(password: str) -> str:
    """Normalise the password, so that it does not depend on the keyboard."""
    return unicodedata.normalize("NFKC", password)
