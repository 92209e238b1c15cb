"""Bech32 (BIP 173), of any length: bytes as text with a checksum, such as `npub1...`."""

from __future__ import annotations

from collections.abc import Iterable

ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
CHECKSUM = 6  # characters
GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def encode(prefix: str, data: bytes) -> str:
    words = _regroup(data, 8, 5)
    rest = _polymod([*_expanded(prefix), *words, *[0] * CHECKSUM]) ^ 1
    checksum = [(rest >> 5 * (CHECKSUM - 1 - place)) & 31 for place in range(CHECKSUM)]
    return f"{prefix}1{''.join(ALPHABET[word] for word in words + checksum)}"


def decode(text: str) -> tuple[str, bytes]:
    """Return prefix and bytes. Raises ValueError if the text or its checksum is invalid."""
    prefix, _, rest = text.lower().rpartition("1")
    if text not in (text.lower(), text.upper()) or not prefix or len(rest) < CHECKSUM:
        raise ValueError("this is no Bech32")
    words = [ALPHABET.find(character) for character in rest]
    if -1 in words or _polymod([*_expanded(prefix), *words]) != 1:
        raise ValueError("this is mistyped")
    return prefix, bytes(_regroup(words[:-CHECKSUM], 5, 8))


def _expanded(prefix: str) -> list[int]:
    return [*(ord(c) >> 5 for c in prefix), 0, *(ord(c) & 31 for c in prefix)]


def _polymod(words: Iterable[int]) -> int:
    value = 1
    for word in words:
        top = value >> 25
        value = (value & 0x1FFFFFF) << 5 ^ word
        for place, factor in enumerate(GENERATOR):
            value ^= factor if top >> place & 1 else 0
    return value


def _regroup(words: Iterable[int], of: int, to: int) -> list[int]:
    """Convert between groups of 5 and 8 bits. Encoding pads the last group; decoding drops the padding."""
    value = bits = 0
    out = []
    for word in words:
        value, bits = (value << of | word) & 0xFFF, bits + of
        while bits >= to:
            bits -= to
            out.append(value >> bits & (1 << to) - 1)
    if of > to and bits:
        out.append(value << to - bits & (1 << to) - 1)
    return out
