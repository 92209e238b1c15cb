"""Write the e-mails: in plain text, and the same in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markupsafe import Markup

from blogsvc.context import Tools
from blogsvc.lib.ids import new_id
from blogsvc.lib.net.smtp import MailError
from blogsvc.lib.text.plain import in_one_visible_line
from blogsvc.models.setting import Setting
from blogsvc.notices.report import Report

if TYPE_CHECKING:
    from email.message import EmailMessage

SETTINGS_PATH = "/desk/settings/profile#e-mail"


@dataclass(frozen=True)
class Letter:
    """An e-mail to one user, about everything that needs them. `id` stays the same if it is sent again."""

    to: str
    id: str
    blog_title: str
    public_url: str
    reports: tuple[Report, ...]

    @property
    def subject(self) -> str:
        return f"{', '.join(report.summary for report in self.reports) or 'Test e-mail'} - {self.blog_title}"

    def message(self, sender: str, now: datetime) -> EmailMessage:
        """Return the message. Raises MailError if the address can't be written to."""
        text = "\n\n".join(_in_text(report, self.public_url) for report in self.reports)
        html = Markup("\n").join(_in_html(report, self.public_url) for report in self.reports)
        return _message(self, sender, now, text, html)


def trial_message(to: str, tools: Tools) -> EmailMessage:
    """Return an e-mail that shows that e-mail works."""
    now = tools.now()
    title = Setting.read("blog_title")
    letter = Letter(to, new_id("test", now), title, tools.config.public_url, ())
    text = f"E-mail from {in_one_visible_line(title)} works. Users get one when a post or an account needs them."
    return _message(letter, tools.mailer.sender, now, text, Markup("<p>{}</p>").format(text))


def _message(letter: Letter, sender: str, now: datetime, text: str, html: Markup) -> EmailMessage:
    from email.errors import MessageError  # only then: most processes send no e-mail
    from email.headerregistry import Address
    from email.message import EmailMessage
    from email.utils import format_datetime

    settings = f"{letter.public_url}{SETTINGS_PATH}"
    message = EmailMessage()
    try:
        message["To"] = Address(addr_spec=letter.to)
    except (MessageError, ValueError, IndexError) as error:
        raise MailError(
            f"{letter.to} is not an address that e-mail can be sent to. Change the address.", is_about_recipient=True
        ) from error
    message["From"] = Address(display_name=in_one_visible_line(letter.blog_title), addr_spec=sender)
    message["Subject"] = in_one_visible_line(letter.subject)
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{letter.id}@{urlsplit(letter.public_url).hostname}>"
    message["Auto-Submitted"] = "auto-generated"  # so that no mailbox answers that its owner is away
    message.set_content(f"{text}\n\n-- \nChoose whether you get these e-mails: {settings}\n", cte="quoted-printable")
    footer = Markup('<p><small><a href="{}">Choose whether you get these e-mails</a></small></p>').format(settings)
    page = Markup('<!doctype html>\n<html lang="en"><body>\n{}\n{}\n</body></html>\n').format(html, footer)
    message.add_alternative(str(page), subtype="html", cte="quoted-printable")
    return message


def _in_text(report: Report, public_url: str) -> str:
    names = "\n".join(f"- {name}" for name in _names(report))
    return f"{report.summary}. {report.kind.advice}\n\n{names}\n\n{public_url}{report.path}"


def _in_html(report: Report, public_url: str) -> Markup:
    names = Markup("").join(Markup("<li>{}</li>").format(name) for name in _names(report))
    link = Markup('<p><a href="{}{}">Show what to do</a></p>').format(public_url, report.path)
    start = Markup("<h2>{}</h2>\n<p>{}</p>\n").format(report.summary, report.kind.advice)
    return start + Markup("<ul>{}</ul>\n{}").format(names, link)


def _names(report: Report) -> Sequence[str]:
    names, more = [in_one_visible_line(name) for name in report.names], report.count - len(report.names)
    return [*names, f"and {more} more"] if more else names
