"""Send due notices to users by e-mail.

A notice is claimed in one transaction, sent outside of any, and settled in another. If the process stops while it
sends one, the notice is sent again after a while, with the same Message-ID.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from blogsvc.context import Tools
from blogsvc.lib.back_off import BackOff
from blogsvc.lib.net.smtp import MailError
from blogsvc.models import Notice, User, db, retry_write, transaction
from blogsvc.models.notice import all_due_notices, due_notices, first_events, position_of_notices
from blogsvc.models.setting import Setting, note_mail_failure, note_mail_success
from blogsvc.notices.gather import wants_mail
from blogsvc.notices.kinds import BY_EVENT_TYPE, KINDS
from blogsvc.notices.letter import Letter, trial_message
from blogsvc.notices.report import Report, Span, report_of

log = logging.getLogger(__name__)

MAIL_BACK_OFF = BackOff(tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60)))


@dataclass(frozen=True)
class Claim:
    """An e-mail to send, and the ids of its notices, which include the events up to `upto`."""

    letter: Letter
    notices: tuple[int, ...]
    upto: int
    failure_count: int


def send_next(user_id: str, tools: Tools) -> bool:
    """Send the due notices of one user in one e-mail. Returns False if there are none."""
    claim = _claim(user_id, tools)
    if claim is None:
        return False
    try:
        tools.mailer.send(claim.letter.message(tools.mailer.sender, tools.now()))
    except MailError as error:
        failure = error
        retry_write(lambda: _postpone(claim, failure, tools), tools.config.lease_seconds)
    else:
        retry_write(lambda: _settle(claim, tools), tools.config.lease_seconds)
    return True


def send_test(to: str, tools: Tools) -> None:
    """Send a test e-mail now. Raises MailError."""
    tools.mailer.require_set_up()
    tools.mailer.send(trial_message(to, tools))
    with transaction():
        note_mail_success()


def _claim(user_id: str, tools: Tools) -> Claim | None:
    """Return what to send to a user. None if nothing needs them any more, or they don't want to know."""
    reports: dict[Notice, Report] = {}
    with transaction():
        now, upto, user = tools.now(), position_of_notices(), db.session.get(User, user_id)
        for notice in due_notices(user_id, now):
            report = _report(notice, upto, user, tools)
            if report is None:
                notice.settle(upto, now, is_sent=False)
            else:
                notice.claim(now)
                reports[notice] = report
        if not reports or user is None:
            return None
        sorted_reports = sorted(reports.values(), key=lambda report: list(KINDS).index(report.kind.name))
        first = min(reports, key=lambda notice: notice.position)
        letter = Letter(
            user.email,
            f"notice-{first.position}-{first.kind}-{user.id}",
            Setting.read("blog_title"),
            tools.config.public_url,
            tuple(sorted_reports),
        )
        failures = max(notice.failure_count for notice in reports)
        return Claim(letter, tuple(notice.id for notice in reports), upto, failures)


def _report(notice: Notice, upto: int, user: User | None, tools: Tools) -> Report | None:
    if user is None or not wants_mail(user, tools):
        return None
    return report_of(KINDS[notice.kind], Span(notice.position, upto), user)


def _settle(claim: Claim, tools: Tools) -> None:
    with transaction():
        now, newest = tools.now(), position_of_notices()
        note_mail_success()
        newer = first_events(claim.upto, newest, list(BY_EVENT_TYPE))
        for notice in _claimed(claim):
            notice.settle(claim.upto, now, has_more=KINDS[notice.kind].event_type in newer)


def _postpone(claim: Claim, error: MailError, tools: Tools) -> None:
    """Retry after a while: this e-mail, or all of them if the mail server does not work. Logs each cause once."""
    with transaction():
        now = tools.now()
        is_news = note_mail_failure(str(error), now)
        rows = {notice.id: notice for notice in _claimed(claim)}
        if not error.is_about_recipient:
            rows |= {notice.id: notice for notice in all_due_notices(now)}
        for notice in rows.values():
            notice.postpone(MAIL_BACK_OFF.after(notice.failure_count), now)
    if is_news and (claim.failure_count == 0 or not error.is_about_recipient):
        log.warning("a notice could not be sent; it is retried: %s", error)


def _claimed(claim: Claim) -> list[Notice]:
    found = (db.session.get(Notice, notice_id) for notice_id in claim.notices)
    return [notice for notice in found if notice is not None]
