"""Encryption of secrets, API keys with a checksum, and signed cursors."""

from __future__ import annotations

import base64
import hmac
import os
import re
import secrets
import string
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Self
from zlib import crc32

from itsdangerous import BadSignature, Signer
from itsdangerous.encoding import base64_decode, base64_encode

from blogsvc.lib.files import atomic_files, private_files

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

__all__ = [
    "BadSignature",
    "Vault",
    "WrongKey",
    "hash_key",
    "looks_like_key",
    "make_key",
    "new_vault_key",
    "sign",
    "unsign",
    "write_keys",
]

KEY_BYTES = 32  # of a Fernet key: 16 to sign and 16 to encrypt
_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_KEY = re.compile(r"bsk_([0-9A-Za-z]{34})([0-9A-Za-z]{6})")


class WrongKey(Exception):
    """No key decrypts this secret, or a key is malformed. The message says what to do."""


class Vault:
    """Encrypts text with Fernet (AES-128-CBC and HMAC-SHA-256).

    The first key encrypts; any key decrypts. If the keys are in a file, a change of the file takes effect at once, so
    that another process can replace the key of a running server. Keys that the file has lost decrypt until this
    process ends: it may have read a secret just before that was encrypted again.

    The library is imported with the first secret, because it is large and a blog without connections has no secrets.
    """

    def __init__(self, keys: Iterable[str], named: str = "the key file", file: Path | None = None) -> None:
        self._named, self._file = named, file
        self._file_signature: object = None
        self.keys = _checked(keys, named)
        self._first = self.keys[0].encode()  # for `derive`, so that it does not change while this process runs
        self._cached: tuple[tuple[str, ...], MultiFernet] | None = None

    @classmethod
    def open(cls, path: Path, extra_keys: tuple[str, ...] = ()) -> Self:
        """Return the vault with the key file at `path`, creating it if necessary. `extra_keys` are former keys."""
        if not path.exists():
            _create_key(path)
        signature = _signature(path)  # before its content, which may change in between
        vault = cls([*path.read_text().split(), *extra_keys], str(path), path)
        vault._file_signature = signature
        return vault

    @property
    def _fernet(self) -> MultiFernet:
        from cryptography.fernet import Fernet, MultiFernet

        if self._file is not None and (signature := _signature(self._file)) != self._file_signature:
            self._read_again(self._file, signature)
        keys, cached = self.keys, self._cached
        if cached is None or cached[0] != keys:
            self._cached = cached = keys, MultiFernet([Fernet(key) for key in keys])
        return cached[1]

    def _read_again(self, file: Path, signature: object) -> None:
        with suppress(OSError, WrongKey):  # a file that is missing or damaged changes nothing; `blogsvc doctor` sees it
            keys = _checked(file.read_text().split(), self._named)
            self.keys = tuple(dict.fromkeys((*keys, *self.keys)))
            self._file_signature = signature

    def seal(self, plaintext: str) -> bytes:
        return self._fernet.encrypt(plaintext.encode())

    def unseal(self, token: bytes) -> str:
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(token).decode()
        except InvalidToken:
            raise self._wrong_key() from None

    def rotate(self, token: bytes) -> bytes:
        """Encrypt a secret again with the first key."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.rotate(token)
        except InvalidToken:
            raise self._wrong_key() from None

    def is_current(self, token: bytes) -> bool:
        """Return True if a secret was encrypted with the first key."""
        from cryptography.fernet import Fernet, InvalidToken

        try:
            Fernet(self.keys[0]).decrypt(token)
        except InvalidToken:
            return False
        return True

    def derive(self, purpose: str) -> bytes:
        """Derive a key of 32 bytes for another purpose, such as signing, from the first key that this process had."""
        return _derived(self._first, purpose)

    def fingerprint(self) -> str:
        """Return 12 characters that are the same in all processes with this first key, and say nothing about it."""
        return _fingerprint(self._first)

    def has_key(self, fingerprint: str) -> bool:
        """Return True if one of the keys has this fingerprint."""
        return fingerprint in {_fingerprint(key.encode()) for key in self.keys}

    def _wrong_key(self) -> WrongKey:
        return WrongKey(
            f"A stored secret was sealed with a key that {self._named} does not hold: put that key back"
            " on a line of its own, or connect the account again."
        )


def _derived(key: bytes, purpose: str) -> bytes:
    return hmac.digest(key, f"blogsvc {purpose}".encode(), "sha256")


def _fingerprint(key: bytes) -> str:
    return _derived(key, "fingerprint").hex()[:12]


def _checked(keys: Iterable[str], named: str) -> tuple[str, ...]:
    found = tuple(keys)
    if not found or not all(map(_is_key, found)):
        raise WrongKey(
            f"{named} holds something that is not a key: put back the one it had; a key is 44"
            " characters of base64, one to a line, the newest first."
        )
    return found


def _signature(file: Path) -> object:
    """Return what differs after a file is replaced, None if there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _is_key(text: str) -> bool:
    try:
        return len(base64.urlsafe_b64decode(text)) == KEY_BYTES
    except ValueError:
        return False


def new_vault_key() -> str:
    """Return a new key for a vault: 44 characters of base64."""
    return base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def write_keys(path: Path, keys: Iterable[str]) -> None:
    """Replace the keys in a file, newest first: completely or not at all. Raises OSError."""
    atomic_files.write(path, "".join(f"{key}\n" for key in keys).encode(), mode=0o600)


def _create_key(path: Path) -> None:
    """Write a new key to `path` with mode 0600. If another process was faster, its key stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with private_files.create(draft) as file:
            file.write(new_vault_key().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
        atomic_files.sync_directory(path.parent)
    except FileExistsError:
        pass  # use the key of the other process
    finally:
        draft.unlink(missing_ok=True)


def make_key() -> str:
    """Return a new API key: `bsk_`, 34 random base62 characters (202 bits) and a checksum of 6, like GitHub's."""
    body = "".join(secrets.choice(_BASE62) for _ in range(34))
    return f"bsk_{body}{_checksum(body)}"


def looks_like_key(text: str) -> bool:
    """Return True if the text has the form and checksum of an API key, which may not exist."""
    match = _KEY.fullmatch(text)
    return match is not None and _checksum(match[1]) == match[2]


def hash_key(text: str) -> bytes:
    """Return the SHA-256 digest that is stored for a key. A slow hash is unnecessary for 202 random bits."""
    return sha256(text.encode()).digest()


def _checksum(body: str) -> str:
    number, digits = crc32(body.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = _BASE62[digit] + digits
    return digits


def sign(data: bytes, key: bytes) -> str:
    """Return the data as URL-safe text with an HMAC-SHA-256: readable, but protected against changes."""
    return _signer(key).sign(base64_encode(data)).decode()


def unsign(text: str, key: bytes) -> bytes:
    """Return the signed data. Raises BadSignature if the signature is invalid."""
    return base64_decode(_signer(key).unsign(text.encode(errors="replace")))


def _signer(key: bytes) -> Signer:
    return Signer(key, salt=b"blogsvc.lib.crypto", digest_method=sha256, key_derivation="hmac")
