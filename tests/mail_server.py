"""A real mail server on loopback (aiosmtpd) that keeps the e-mails it accepts.

with MailServer() as server:
    server.mailer().send(message)
    assert server.accepted[0]["Subject"] == "..."
"""

from __future__ import annotations

import logging
import ssl
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from blogsvc.lib.net.smtp import Mailer
from tests.receiver import free_port

logging.getLogger("mail.log").setLevel(logging.CRITICAL)  # it would write into the log that is tested
USER, PASSWORD = "blog", "a mast in the rain"
SENDER = "blog@blog.example"


class MailServer:
    """`accepted` are the messages that were accepted, and `recipients` those of each, without duplicates.

    `certificate` is a file with a certificate for `localhost` and its key. With it, the server offers STARTTLS or,
    with `is_tls`, speaks TLS from the start, and it wants USER and PASSWORD.
    """

    def __init__(self, certificate: Path | None = None, *, is_tls: bool = False, port: int = 0) -> None:
        self.accepted: list[EmailMessage] = []
        self.recipients: list[str] = []
        self.refused: set[str] = set()
        self.reply = "250 OK"
        self.certificate = certificate
        self.is_tls = is_tls
        self.port = port or free_port()
        self._controller: Controller | None = None

    def start(self) -> None:
        self._controller = Controller(self, "127.0.0.1", self.port, **self._options())
        self._controller.start()

    def stop(self) -> None:
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _options(self) -> dict[str, Any]:
        if self.certificate is None:
            return {}
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        if self.is_tls:  # aiosmtpd counts only STARTTLS as TLS
            return {"ssl_context": context, "authenticator": self._authenticate, "auth_require_tls": False}
        return {"tls_context": context, "require_starttls": True, "authenticator": self._authenticate}

    @staticmethod
    def _authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, given: Any) -> AuthResult:
        right = isinstance(given, LoginPassword) and (given.login, given.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=right, handled=False)

    async def handle_MAIL(
        self, _server: Any, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.certificate is not None and not session.authenticated:
            return "530 Authentication required"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if address in self.refused:
            return "550 No such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:
        if self.reply.startswith("250"):
            assert isinstance(envelope.content, bytes)
            self.accepted.append(message_from_bytes(envelope.content, policy=policy.default))
            self.recipients.extend(envelope.rcpt_tos)
        return self.reply

    def mailer(self, **settings: Any) -> Mailer:
        """Return the settings that fit this server."""
        if self.certificate is None:
            return Mailer(**{"host": "127.0.0.1", "port": self.port, "security": "none", "sender": SENDER} | settings)
        given = {"security": "tls" if self.is_tls else "starttls", "user": USER, "password": PASSWORD, "sender": SENDER}
        return Mailer(**{"host": "localhost", "port": self.port} | given | settings)

    def environment(self, **changes: str) -> dict[str, str]:
        """Return the settings that fit this server, as environment variables."""
        mailer = self.mailer()
        found = {
            "BLOGSVC_SMTP_HOST": mailer.host,
            "BLOGSVC_SMTP_PORT": str(mailer.port),
            "BLOGSVC_SMTP_SECURITY": mailer.security,
            "BLOGSVC_SMTP_USER": mailer.user,
            "BLOGSVC_SMTP_PASSWORD": mailer.password,
            "BLOGSVC_MAIL_FROM": mailer.sender,
            "SSL_CERT_FILE": str(self.certificate or ""),
        }
        return found | changes


def make_certificate(file: Path, host: str = "localhost") -> Path:
    """Write a certificate for a host, signed by itself, with its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    own = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(own + builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return file
