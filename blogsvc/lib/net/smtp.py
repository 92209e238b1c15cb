"""Send e-mails through one mail server (SMTP), over a verified TLS connection and within a deadline.

`Mailer` holds the settings. It imports `smtp_client` with the first e-mail, because most processes send none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogsvc.errors import BlogError

if TYPE_CHECKING:
    from email.message import EmailMessage

# Seconds for one e-mail, from the look-up of the name to the answer of the mail server.
MAIL_SECONDS = 20.0


class MailError(BlogError):
    """An e-mail was not sent. The message says why, and names the setting to change.

    `is_about_recipient` is True if the mail server works, and refuses only this recipient.
    """

    def __init__(self, sentence: str, *, is_about_recipient: bool = False) -> None:
        super().__init__(sentence)
        self.is_about_recipient = is_about_recipient


@dataclass(frozen=True)
class Mailer:
    """The mail server of this instance. Without a host, it sends nothing."""

    host: str = ""
    port: int = 587
    security: str = "starttls"  # or tls, or none
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = ""
    seconds: float = MAIL_SECONDS

    @property
    def is_set_up(self) -> bool:
        return bool(self.host)

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def require_set_up(self) -> None:
        """Raise MailError if there is no mail server."""
        if not self.is_set_up:
            raise MailError("E-mail is not set up. Set BLOGSVC_SMTP_HOST and BLOGSVC_MAIL_FROM.")

    def send(self, message: EmailMessage) -> None:
        """Send a message to the recipient in its `To`. Raises MailError."""
        self.require_set_up()
        from blogsvc.lib.net import smtp_client

        smtp_client.send(self, message)
