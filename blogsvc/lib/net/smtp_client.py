"""The conversation with a mail server, and what its errors mean for the settings."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from typing import Any

from blogsvc.lib.net.allowance import MAX_HEAD, Allowance
from blogsvc.lib.net.deadline import Deadline
from blogsvc.lib.net.smtp import Mailer, MailError
from blogsvc.lib.net.ssrf_guard import ResponseEndless
from blogsvc.lib.text.plain import in_one_visible_line

# SMTPException is an OSError, too.
ERRORS = (OSError, smtplib.SMTPException, ResponseEndless)
# Of an answer of a mail server, in characters.
MAX_ANSWER_LENGTH = 300


def send(mailer: Mailer, message: EmailMessage) -> None:
    """Send a message. Raises MailError."""
    with Deadline.within(mailer.seconds), Allowance.of(MAX_HEAD), _explained(mailer):
        client = _connected(mailer)
        try:
            if mailer.security == "starttls":
                client.starttls(context=ssl.create_default_context())
            if mailer.user:
                client.login(mailer.user, mailer.password)
            client.send_message(message, from_addr=mailer.sender)
            with suppress(*ERRORS):  # the message was accepted already
                client.quit()
        finally:
            client.close()


def _connected(mailer: Mailer) -> _Client:
    # The name of this machine, which smtplib would look up, is nobody's business.
    name, timeout = mailer.sender.rpartition("@")[2], Deadline.cap(None, TimeoutError)
    if mailer.security == "tls":
        return _TlsClient(mailer.host, mailer.port, name, timeout=timeout, context=ssl.create_default_context())
    return _Client(mailer.host, mailer.port, name, timeout=timeout)


class _Replies:
    """Reads the answers of a mail server. smtplib would allow each byte the whole time."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.buffer = b""

    def readline(self, limit: int) -> bytes:
        while b"\n" not in self.buffer and len(self.buffer) < limit:
            self.connection.settimeout(Deadline.cap(None, TimeoutError))
            received = self.connection.recv(4096)
            if not received:
                break
            Allowance.spend(len(received))
            self.buffer += received
        end = min(self.buffer.find(b"\n") + 1 or len(self.buffer), limit)
        line, self.buffer = self.buffer[:end], self.buffer[end:]
        return line

    def close(self) -> None:
        self.buffer = b""


class _Client(smtplib.SMTP):
    """Applies the deadline of the thread to everything that is sent and received."""

    file: Any

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = _Replies(self.sock)
        try:
            return super().getreply()
        except ResponseEndless:  # smtplib closes after its own errors
            self.close()
            raise

    def send(self, s: Any) -> None:
        if self.sock is not None:
            self.sock.settimeout(Deadline.cap(None, TimeoutError))
        super().send(s)


class _TlsClient(_Client, smtplib.SMTP_SSL):
    pass


@contextmanager
def _explained(mailer: Mailer) -> Iterator[None]:
    """Raise MailError for every error of the conversation."""
    try:
        yield
    except (*ERRORS, ValueError) as error:
        is_about_recipient = isinstance(error, smtplib.SMTPRecipientsRefused | ValueError)
        sentence = _sentence(error, mailer)
        if mailer.password:  # in case the server repeats it
            sentence = sentence.replace(mailer.password, "•••")
        raise MailError(sentence, is_about_recipient=is_about_recipient) from error


def _sentence(error: Exception, mailer: Mailer) -> str:
    """Return what went wrong and the setting to change, from the most to the least specific error."""
    host, address = mailer.host, mailer.address
    if isinstance(error, smtplib.SMTPServerDisconnected) and isinstance(error.__context__, TimeoutError):
        error = error.__context__
    match error:
        case smtplib.SMTPAuthenticationError():
            reply = _answer(error.smtp_code, error.smtp_error)
            return f"{host} rejected the user or password ({reply}). Check BLOGSVC_SMTP_USER and BLOGSVC_SMTP_PASSWORD."
        case smtplib.SMTPSenderRefused():
            reply = _answer(error.smtp_code, error.smtp_error)
            return f"{host} rejected the sender {mailer.sender} ({reply}). Check BLOGSVC_MAIL_FROM."
        case smtplib.SMTPRecipientsRefused():
            ((recipient, (code, text)), *_) = error.recipients.items()
            return f"{host} rejected the recipient {recipient} ({_answer(code, text)}). Check the e-mail address."
        case smtplib.SMTPNotSupportedError() if "STARTTLS" in str(error):
            return f"{address} does not offer STARTTLS. Set BLOGSVC_SMTP_SECURITY=tls and BLOGSVC_SMTP_PORT=465."
        case smtplib.SMTPNotSupportedError() if "AUTH" in str(error):
            return f"{address} does not accept passwords. Check BLOGSVC_SMTP_PORT, or unset BLOGSVC_SMTP_USER."
        case smtplib.SMTPNotSupportedError():
            return f"{host} does not accept addresses with these characters. Use an address in ASCII."
        case smtplib.SMTPServerDisconnected():
            return f"{address} closed the connection. Check BLOGSVC_SMTP_PORT and BLOGSVC_SMTP_SECURITY."
        case smtplib.SMTPResponseException():
            reply = _answer(error.smtp_code, error.smtp_error)
            return f"{host} rejected the e-mail ({reply}). Check BLOGSVC_SMTP_USER and BLOGSVC_MAIL_FROM."
        case ssl.SSLCertVerificationError():
            return f"The certificate of {host} is not valid: {error.verify_message}. Check BLOGSVC_SMTP_HOST."
        case ssl.SSLError():
            return f"{address} does not speak TLS. Check BLOGSVC_SMTP_PORT and BLOGSVC_SMTP_SECURITY."
        case socket.gaierror():
            return f"The mail server {host} was not found. Check BLOGSVC_SMTP_HOST."
        case ResponseEndless():
            return f"{address} sent far more than a mail server answers. Check BLOGSVC_SMTP_HOST and BLOGSVC_SMTP_PORT."
        case TimeoutError():
            seconds = f"{mailer.seconds:g} seconds"
            return f"{address} did not answer within {seconds}. Check BLOGSVC_SMTP_PORT and BLOGSVC_SMTP_SECURITY."
        case smtplib.SMTPException():
            return f"{host} can't be used: {error}. Check BLOGSVC_SMTP_SECURITY."
        case OSError():
            reason = error.strerror or str(error)
            return f"{address} can't be reached: {reason}. Check BLOGSVC_SMTP_HOST and BLOGSVC_SMTP_PORT."
    return f"The e-mail can't be sent: {error}. Check the e-mail address."


def _answer(code: int, text: bytes | str) -> str:
    """Return what a mail server answered, on one line."""
    reply = text.decode(errors="replace") if isinstance(text, bytes) else text
    return f"{code} {in_one_visible_line(reply)}"[:MAX_ANSWER_LENGTH].rstrip(". ")
