"""A passkey authenticator in Python that can be told to lie."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_bytes
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_encode

PRESENT, VERIFIED, HAS_CREDENTIAL = 0x01, 0x04, 0x40


@dataclass
class Authenticator:
    """`create(options)` and `get(options)` return what a browser does, in the form of `credential.toJSON()`."""

    origin: str = "https://blog.example"
    host: str = "blog.example"
    flags: int = PRESENT | VERIFIED
    count: int = 0
    handle: str = ""
    id: bytes = field(default_factory=lambda: token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        self.handle = options["user"]["id"]
        public = cbor.encode(ES256.from_cryptography_key(self.key.public_key()))
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + public
        data = self._data(self.flags | HAS_CREDENTIAL) + attested
        made = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        return self._answer(clientDataJSON=self._client_data("webauthn.create", options), attestationObject=made)

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        self.count += 1
        data, client = self._data(self.flags), self._client_data("webauthn.get", options)
        signature = self.key.sign(data + sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        answer = self._answer(clientDataJSON=client, authenticatorData=data, signature=signature)
        answer["response"]["userHandle"] = self.handle
        return answer

    def _data(self, flags: int) -> bytes:
        return sha256(self.host.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client_data(self, kind: str, options: dict[str, Any]) -> bytes:
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _answer(self, **response: bytes) -> dict[str, Any]:
        told = {name: websafe_encode(value) for name, value in response.items()}
        ident = websafe_encode(self.id)
        return {
            "id": ident,
            "rawId": ident,
            "type": "public-key",
            "response": told,
            "clientExtensionResults": {},
            "authenticatorAttachment": "platform",
        }
