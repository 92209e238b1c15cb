"""E-mail each post to the subscribers of a destination once; again only if the author asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from blogsvc.connectors.base import MAIL_AGAIN, Connector, Mailing, Payload
from blogsvc.lib.time import stamp
from blogsvc.models import Delivery
from blogsvc.models.due_checks import set_quietly

Options = Mapping[str, str]


@dataclass(frozen=True)
class RepeatedMail:
    """The question whether subscribers are e-mailed again. `audience` is their number, None if it is not known."""

    mailed_at: datetime
    audience: int | None

    @property
    def answer(self) -> str:
        """The value of the option `mail_again` that says yes, to this question and to no later one."""
        return stamp(self.mailed_at)


def repeated_mail(delivery: Delivery | None, connector: Connector, options: Options) -> RepeatedMail | None:
    """Return the question for a new copy that asks for an e-mail, as an earlier copy did; None if there is none."""
    if delivery is None or not delivery.is_mail_spent or delivery.mailed_at is None:
        return None
    if delivery.remote_id is not None or not _mails(connector, options):
        return None
    return RepeatedMail(delivery.mailed_at, connector.audience(options))


def mailed_once(delivery: Delivery | None, connector: Connector, options: Options) -> dict[str, str]:
    """Return the options without the one that e-mails subscribers, if a copy that is lost now was e-mailed.

    That option stays if the author asks to e-mail subscribers again.
    """
    if delivery is None or not delivery.is_mail_spent or _is_mailed_again(delivery, connector, options):
        return dict(options)
    return {**options, **{one.name: one.default for one in connector.options if one.name == connector.mail_option}}


def note_mail(delivery: Delivery, connector: Connector, options: Options, now: datetime) -> None:
    """Record, before it is sent, that this attempt to create a copy may e-mail subscribers."""
    if delivery.operation != "create" or not _mails(connector, options):
        return
    if delivery.mailed_at is None or _is_mailed_again(delivery, connector, options):
        delivery.record_possible_mail(now)


def mail_of(delivery: Delivery, connector: Connector) -> str | None:
    """Return the platform's id of the e-mail, None if the post was not e-mailed or the platform can't tell."""
    if delivery.mailed_at is None or not type(connector).can("mailing"):
        return None
    return None if delivery.is_mail_spent or delivery.is_link_only else delivery.remote_id


def note_mailing(delivery: Delivery, mailing: Mailing, now: datetime) -> None:
    """Store how an e-mail is doing. Growing figures alone give the post no new version."""
    known = delivery.mailing
    if known is not None and known.status == mailing.status:
        set_quietly(delivery.id, mail=asdict(mailing))
    else:
        delivery.record_mailing(mailing, now)


def with_notice(payload: Payload, delivery: Delivery | None, connector: Connector, options: Options) -> Payload:
    """Add a warning to a preview if the author's options ask for an e-mail that is not sent again."""
    if delivery is None or not delivery.is_mail_spent or not _mails(connector, options):
        return payload
    if _is_mailed_again(delivery, connector, options):
        return payload
    when = f" on {delivery.mailed_at:%Y-%m-%d}" if delivery.mailed_at else ""
    notice = f"This post was e-mailed{when}. It is not e-mailed again, unless you ask for that before you publish."
    return replace(payload, warnings=(*payload.warnings, notice))


def _is_mailed_again(delivery: Delivery, connector: Connector, options: Options) -> bool:
    question = repeated_mail(delivery, connector, options)
    return question is not None and options.get(MAIL_AGAIN.name) == question.answer


def _mails(connector: Connector, options: Options) -> bool:
    return any(
        options.get(one.name, one.default) not in ("", one.default)
        for one in connector.options
        if one.name == connector.mail_option
    )
