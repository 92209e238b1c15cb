"""Webhook pages: list, create, change, enable, rotate the secret and delete."""

from __future__ import annotations

from datetime import timedelta
from itertools import starmap
from typing import Any
from urllib.parse import urlsplit

from flask import Response, request
from wtforms import RadioField, SelectChoice, SelectField, SelectMultipleField, StringField
from wtforms.validators import Length, Regexp, ValidationError

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.lib.standard_webhooks import key_of
from blogsvc.models import Webhook
from blogsvc.models.event_types import EVENT_TYPES
from blogsvc.models.webhook import PATTERNS
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.webhooks import manage
from blogsvc.webhooks.log import latest, subscribers

WEBHOOKS_PAGE = "/desk/settings/webhooks"
ALL, CHOSEN = "all", "these"
NOUNS = {
    "post": "Posts",
    "delivery": "Deliveries",
    "connection": "Destinations",
    "webhook": "Webhooks",
    "scheduler": "Scheduler",
}
SECRET_OVERLAPS = {"0": "not at all", "1": "for an hour", "24": "for a day", "168": "for a week"}
ONE_LINE = Regexp(r"^[^\x00-\x1f\x7f-\x9f]*$", message="Enter one line without control characters.")


def _require_valid_secret(_form: Form, field: Any) -> None:
    try:
        if field.data:
            key_of(field.data)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def _secret() -> StringField:
    """Return a field for a secret. It is visible while typing, because it is long, but never sent back to the page."""
    return UnseenSecret("Your own secret (optional)", [_require_valid_secret], render_kw={"autocomplete": "off"})


class UnseenSecret(StringField):  # type: ignore[misc]
    def _value(self) -> str:
        return ""


class WebhookForm(Form):
    url = StringField(
        "URL",
        [Length(1, 2000, "Enter a URL of up to 2000 characters."), ONE_LINE],
        render_kw={"required": True, "inputmode": "url", "autocomplete": "off", "spellcheck": "false"},
    )
    description = StringField("Description (optional)", [Length(max=300), ONE_LINE])
    which = RadioField("Events", choices=[SelectChoice(ALL), SelectChoice(CHOSEN)], default=ALL)
    events = SelectMultipleField("Selected events", choices=list(map(SelectChoice, PATTERNS)))

    def chosen(self) -> list[str]:
        """Return the event patterns. `validate_events` has checked that there are any."""
        return ["*"] if self.which.data == ALL else list(self.events.data or [])

    def validate_events(self, field: Any) -> None:
        if self.which.data == CHOSEN and not field.data:
            raise ValidationError("Select at least one event.")


class NewWebhook(WebhookForm):
    secret = _secret()


class SecretRotationForm(Form):
    overlap = SelectField(
        "Also sign with the current secret",
        choices=list(starmap(SelectChoice, SECRET_OVERLAPS.items())),
        default="24",
    )
    secret = _secret()


@route("GET", WEBHOOKS_PAGE, role="owner")
def event_webhooks() -> Response:
    rows = [(row, latest(row.id)) for row in subscribers()]
    return show("desk/settings/webhooks.html", rows=rows, event_names=in_words, host=host_of, most=manage.MAX_WEBHOOKS)


@route("GET POST", f"{WEBHOOKS_PAGE}/new", role="owner", effect=Effect.SEND_ELSEWHERE)
def new_webhook() -> Response:
    form = NewWebhook()
    if form.validate_on_submit():
        secret = form.secret.data or None
        try:
            tools, created_by = context.tools(), current_user.user().id
            description = form.description.data or ""
            row, text = manage.subscribe(form.url.data, form.chosen(), description, secret, tools, created_by)
            return _shown_once(row, text)
        except Invalid as error:
            take_faults(form, error)
    return _form_page(form, None)


@route("GET POST", f"{WEBHOOKS_PAGE}/<webhook_id>/change", role="owner", effect=Effect.SEND_ELSEWHERE)
def change_webhook(webhook_id: str) -> Response:
    row, tools = Webhook.get(webhook_id), context.tools()
    which = ALL if "*" in row.events else CHOSEN
    form = WebhookForm(url=row.url, description=row.description, which=which, events=row.events)
    if form.validate_on_submit():
        changes = {"url": form.url.data, "description": form.description.data or "", "events": form.chosen()}
        try:
            if form.url.data != row.url:
                manage.check_address(form.url.data, tools)
            changed = {name: value for name, value in changes.items() if value != getattr(row, name)}
            manage.change(row, changed, None, tools.now(), current_user.user().id)
        except Invalid as error:
            take_faults(form, error)
        else:
            notice("Webhook saved.")
            return go("desk.webhook", webhook_id=webhook_id)
    return _form_page(form, row)


@route("POST", f"{WEBHOOKS_PAGE}/<webhook_id>/enable", role="owner", effect=Effect.SEND_ELSEWHERE)
def enable_webhook(webhook_id: str) -> Response:
    manage.change(Webhook.get(webhook_id), {}, True, context.now(), current_user.user().id)
    notice("Webhook enabled. Events that happened while it was disabled aren't sent.")
    return go("desk.webhook", webhook_id=webhook_id)


@route("POST", f"{WEBHOOKS_PAGE}/<webhook_id>/disable", role="owner", effect=Effect.END_ACCESS)
def disable_webhook(webhook_id: str) -> Response:
    manage.change(Webhook.get(webhook_id), {}, False, context.now())
    notice("Webhook disabled.")
    return go("desk.webhook", webhook_id=webhook_id)


@route("POST", f"{WEBHOOKS_PAGE}/<webhook_id>/adopt", role="owner", effect=Effect.SEND_ELSEWHERE)
def adopt_webhook(webhook_id: str) -> Response:
    row = manage.adopt(Webhook.get(webhook_id), current_user.user().id, context.now())
    notice(f"The webhook to {host_of(row)} belongs to you now.")
    return go("desk.webhook", webhook_id=webhook_id)


@route("GET POST", f"{WEBHOOKS_PAGE}/<webhook_id>/secret", role="owner", effect=Effect.REVEAL)
def rotate_webhook_secret(webhook_id: str) -> Response:
    row, form = Webhook.get(webhook_id), SecretRotationForm()
    if form.validate_on_submit():
        overlap = timedelta(hours=int(form.overlap.data))
        return _shown_once(
            *manage.rotate(row, form.secret.data or None, overlap, context.tools(), current_user.user().id)
        )
    status = 422 if form.is_submitted() else 200
    return show("desk/settings/webhook_secret.html", row=row, form=form, host=host_of(row), status=status)


@route("GET POST", f"{WEBHOOKS_PAGE}/<webhook_id>/delete", role="owner", effect=Effect.END_ACCESS)
def delete_webhook(webhook_id: str) -> Response:
    row = Webhook.get(webhook_id)
    if request.method == "POST":
        manage.unsubscribe(row)
        notice(f"Webhook to {host_of(row)} deleted.")
        return go("desk.event_webhooks")
    return show("desk/settings/delete_webhook.html", row=row, host=host_of(row))


def _shown_once(row: Webhook, secret: str) -> Response:
    """Show the secret in the response of the POST itself, without a redirect, so that it is not stored anywhere."""
    return show("desk/settings/webhook_created.html", status=201, row=row, secret=secret, host=host_of(row))


def _form_page(form: WebhookForm, row: Webhook | None) -> Response:
    status = 422 if form.is_submitted() else 200
    values: dict[str, Any] = {"groups": _groups(), "chosen": CHOSEN, "all": ALL, "title": host_of(row) if row else ""}
    return show("desk/settings/webhook_form.html", status=status, form=form, row=row, **values)


def _groups() -> dict[str, dict[str, str]]:
    """Return the event types and patterns with their descriptions, grouped by noun."""
    groups: dict[str, dict[str, str]] = {}
    for kind, means in EVENT_TYPES.items():
        noun = kind.partition(".")[0]
        group = groups.setdefault(
            NOUNS.get(noun, noun), {f"{noun}.*": "All of these events, including those that are added later"}
        )
        group[kind] = means
    return groups


def host_of(row: Webhook) -> str:
    return urlsplit(row.url).hostname or row.url


def in_words(row: Webhook) -> str:
    if "*" in row.events:
        return "all events"
    whole = [f"all about {NOUNS.get(one[:-2], one[:-2]).lower()}" for one in row.events if one.endswith(".*")]
    single = [one for one in row.events if not one.endswith(".*")]
    return ", ".join([*whole, *single])
