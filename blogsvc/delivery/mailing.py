"""E-mail each post to the subscribers of a destination at most once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from blogsvc.connectors.base import Connector, Payload
from blogsvc.models import Delivery

Options = Mapping[str, str]


def mailed_once(delivery: Delivery | None, connector: Connector, options: Options) -> dict[str, str]:
    """Return the options without the one that e-mails subscribers, if a copy that is lost now was e-mailed."""
    if delivery is None or not delivery.is_mail_spent:
        return dict(options)
    return {**options, **{one.name: one.default for one in connector.options if one.name == connector.mail_option}}


def note_mail(delivery: Delivery, connector: Connector, options: Options, now: datetime) -> None:
    """Record, before it is sent, that this attempt to create a copy may e-mail subscribers."""
    if delivery.operation == "create" and delivery.mailed_at is None and _mails(connector, options):
        delivery.mailed_at = now


def with_notice(payload: Payload, delivery: Delivery | None, connector: Connector, options: Options) -> Payload:
    """Add a warning to a preview if the author's options ask for an e-mail that is not sent again."""
    if delivery is None or not delivery.is_mail_spent or not _mails(connector, options):
        return payload
    when = f" on {delivery.mailed_at:%Y-%m-%d}" if delivery.mailed_at else ""
    notice = f"This post was e-mailed{when}. It is not e-mailed again. To do that, use {connector.label}."
    return replace(payload, warnings=(*payload.warnings, notice))


def _mails(connector: Connector, options: Options) -> bool:
    return any(
        options.get(one.name, one.default) not in ("", one.default)
        for one in connector.options
        if one.name == connector.mail_option
    )
