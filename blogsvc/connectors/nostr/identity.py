"""Nostr events (NIP-01) and identifiers (NIP-19): keys, signatures, addresses."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from coincurve import PrivateKey, PublicKeyXOnly

from blogsvc.connectors.nostr import bech32

Event = dict[str, Any]
Tags = list[list[str]]
HEX32 = re.compile("[0-9a-f]{64}")
HINT_MOST = 255  # bytes per part of an naddr
EVENT_FIELDS = frozenset({"id", "pubkey", "created_at", "kind", "tags", "content", "sig"})


@dataclass(frozen=True)
class Identity:
    """A key pair. Signatures are deterministic (BIP 340 without auxiliary randomness)."""

    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, text: str) -> Identity:
        """Parse a secret key, `nsec1...` or 64 hex digits. Raises ValueError without the key in its message."""
        text = text.strip()
        if text.lower().startswith("npub1"):
            raise ValueError("This is the public key (npub); the secret key begins with nsec.")
        try:
            prefix, secret = ("nsec", bytes.fromhex(text)) if _is_hex(text.lower()) else bech32.decode(text)
            PrivateKey(secret)
        except ValueError:
            prefix, secret = "", b""
        if prefix != "nsec" or len(secret) != 32:
            raise ValueError("This is not a secret key: nsec1 and 58 more characters, or 64 hexadecimal digits.")
        return cls(secret)

    @cached_property
    def public_key(self) -> str:
        return PublicKeyXOnly.from_secret(self.secret).format().hex()

    @property
    def npub(self) -> str:
        return bech32.encode("npub", bytes.fromhex(self.public_key))

    @property
    def spellings(self) -> tuple[str, str]:
        """Return the secret key in all formats, to remove it from messages."""
        return bech32.encode("nsec", self.secret), self.secret.hex()

    def sign(self, kind: int, created_at: int, tags: Tags, content: str) -> Event:
        """Return a signed event. The same content and time always give the same event."""
        event: Event = {
            "pubkey": self.public_key,
            "created_at": created_at,
            "kind": kind,
            "tags": tags,
            "content": content,
        }
        digest = _digest(event)
        signature = PrivateKey(self.secret).sign_schnorr(digest, aux_randomness=bytes(32))
        return {"id": digest.hex(), **event, "sig": signature.hex()}


def is_genuine(event: object) -> bool:
    """Return True if the event is complete, and its id and signature are valid."""
    if not isinstance(event, dict) or not event.keys() >= EVENT_FIELDS or not _is_well_formed(event):
        return False
    try:
        digest = _digest(event)
        key = PublicKeyXOnly(bytes.fromhex(event["pubkey"]))
        return event["id"] == digest.hex() and key.verify(bytes.fromhex(event["sig"]), digest)
    except ValueError:
        return False


def values(event: Event, name: str) -> list[str]:
    """Return the values of the tags with this name, in order."""
    return [tag[1] for tag in event["tags"] if len(tag) > 1 and tag[0] == name]


def naddr(kind: int, public_key: str, name: str, relays: Iterable[str] = ()) -> str:
    """Return the NIP-19 name of an addressable event, with relays that are likely to have it."""
    hints = [relay.encode() for relay in relays]
    parts = [(0, name.encode()), *((1, hint) for hint in hints if len(hint) <= HINT_MOST)]
    parts += [(2, bytes.fromhex(public_key)), (3, kind.to_bytes(4, "big"))]
    return bech32.encode("naddr", b"".join(bytes([label, len(value)]) + value for label, value in parts))


def _digest(event: Event) -> bytes:
    words = [0, event["pubkey"], event["created_at"], event["kind"], event["tags"], event["content"]]
    text = json.dumps(words, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).digest()


def _is_well_formed(event: Event) -> bool:
    numbers = all(type(event[name]) is int and event[name] >= 0 for name in ("created_at", "kind"))
    texts = all(isinstance(event[name], str) for name in ("id", "pubkey", "content", "sig"))
    tags = isinstance(event["tags"], list) and all(_is_tag(tag) for tag in event["tags"])
    return numbers and texts and tags and _is_hex(event["pubkey"])


def _is_tag(tag: object) -> bool:
    return isinstance(tag, list) and all(isinstance(word, str) for word in tag)


def _is_hex(text: str) -> bool:
    return HEX32.fullmatch(text) is not None
