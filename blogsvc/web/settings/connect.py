"""Connect and reconnect accounts. The form is generated from the connector's fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from flask import Response, redirect, request, url_for
from wtforms import BooleanField, PasswordField, SelectChoice, SelectField, StringField, TextAreaField
from wtforms.validators import Length, ValidationError
from wtforms.widgets import PasswordInput

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.connections import manage
from blogsvc.connections.summary import copies_at
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector, ConnectorError, Field
from blogsvc.delivery.attention import waiting_deliveries
from blogsvc.errors import Invalid, NotFound, OtherOrigin
from blogsvc.models import Connection
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.settings.connector_features import limitations, possibilities
from blogsvc.web.settings.destinations import DESTINATIONS_PAGE
from blogsvc.web.settings.waiting import came_from

MAX_SETTING_LENGTH = 10_000
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Field names match the pointers of faults, such as `#/settings/url`.
SETTINGS_PREFIX = "settings/"
# Longer help about a secret is a list of its own below the field. In characters.
MAX_NOTE_LENGTH = 80


class ConnectForm(Form):
    """The form of a connector. `other_origin` is the server that a person is asked to confirm, if there is one.

    `confirmed` are the servers that they have confirmed in this form.
    """

    other_origin = ""

    @property
    def confirmed(self) -> list[str]:
        return list(dict.fromkeys(request.form.getlist("confirm")))


class Input(NamedTuple):
    """A connector field, its form field, its "forget" checkbox, and where to find its value, by sentence."""

    asked: Field
    field: Any
    forget: Any
    steps: list[str]


@route("GET POST", f"{DESTINATIONS_PAGE}/new/<key>", role="owner", effect=Effect.SEND_ELSEWHERE)
def connect_destination(key: str) -> Response:
    kind = _kind(key)
    form = _form(kind, None)
    page = _page(kind, form)
    if not form.is_submitted():
        return show("desk/settings/connect.html", **page)
    name = form["name"].data or ""
    created_by = current_user.user().id

    def connect() -> tuple[Connection, dict[str, str]]:
        settings = _submitted_settings(form, kind)
        return manage.connect(kind.key, name, settings, context.tools(), created_by, form.confirmed)

    row, made = _try(form, connect)
    if row is None:
        return show("desk/settings/connect.html", status=422, **page)
    return _saved_response(row, kind, made, is_new=True)


@route("GET POST", f"{DESTINATIONS_PAGE}/<name>/reconnect", role="owner", effect=Effect.SEND_ELSEWHERE)
def reconnect_destination(name: str) -> Response:
    row = manage.connection_named(name)
    kind = _kind(row.connector)
    form, before, copies = _form(kind, row), row.account, copies_at(row.id)
    page = {**_page(kind, form), "name": name, "copies": copies, "account": before}
    if not form.is_submitted():
        return show("desk/settings/reconnect.html", **page)

    def change() -> tuple[Connection, dict[str, str]]:
        settings = _submitted_settings(form, kind, is_stored=True)
        generated = manage.change(row, None, settings, context.tools(), confirmed=form.confirmed)
        return Connection.named(name), generated

    now, generated = _try(form, change)
    if now is None:
        return show("desk/settings/reconnect.html", status=422, **page)
    if copies and before and now.account != before:
        notice(
            f"The account changed from {before} to {now.account}. Existing copies of {before} can't be updated.",
            "trouble",
        )
    return _saved_response(now, kind, generated)


def _page(kind: type[Connector], form: Form) -> dict[str, Any]:
    """Return what the pages for connecting and reconnecting show."""
    return {
        "kind": kind,
        "form": form,
        "asked": _inputs(form, kind),
        "origin": came_from(),
        "possibilities": possibilities(kind),
        "limitations": limitations(kind),
    }


def _kind(key: str) -> type[Connector]:
    """Return the connector class. Raises NotFound."""
    kind = connectors().get(key)
    if kind is None or kind.is_local:
        raise NotFound(f"There is no connector {key!r}.")
    return kind


def _try(
    form: ConnectForm, ask: Callable[[], tuple[Connection, dict[str, str]]]
) -> tuple[Connection | None, dict[str, str]]:
    """Run `ask` and return its result, or (None, {}) with the faults shown at their fields, or a server to confirm."""
    if not form.validate_on_submit():
        return None, {}
    try:
        return ask()
    except OtherOrigin as error:
        form.other_origin = error.origin
    except Invalid as error:
        take_faults(form, error)
    except ConnectorError as error:
        form.form_errors.append(f"{error} Nothing was saved. Try again later.")
    return None, {}


def _saved_response(
    row: Connection, kind: type[Connector], generated: dict[str, str], *, is_new: bool = False
) -> Response:
    """Redirect to the page of the connected account, or to the list after a reconnection for which nothing waited.

    If secrets were generated, show them first, because they are shown only once.
    """
    origin = came_from()
    has_page = is_new or origin is not None or bool(waiting_deliveries(row.name, current_user.user(), 1))
    after = url_for("desk.destinations")
    if has_page:
        after = url_for("desk.waiting_posts", name=row.name, post=origin and origin.id)
    if generated:
        return show("desk/settings/connected.html", status=201, row=row, kind=kind, generated=generated, after=after)
    if not has_page:
        notice(f"Connected as {row.account}." if row.account else f"{row.name} is connected.")
    return redirect(after, 303)  # type: ignore[return-value]


def _form(kind: type[Connector], row: Connection | None) -> ConnectForm:
    """Return the form of a connector. For an existing connection it has the stored settings, except secrets."""
    fields: dict[str, Any] = {SETTINGS_PREFIX + field.name: _field(field, row is not None) for field in kind.fields}
    if row is None:
        fields["name"] = StringField("Destination name", default=_free_name(request.args.get("name") or kind.key))
        return type("Connect", (ConnectForm,), fields)()  # type: ignore[no-any-return]
    for field in kind.fields:
        if field.secret and not field.required:
            fields[f"forget/{field.name}"] = BooleanField("Delete the stored value")
    data = {SETTINGS_PREFIX + name: value for name, value in row.settings.items()}
    return type("Reconnect", (ConnectForm,), fields)(data=data)  # type: ignore[no-any-return]


def _field(field: Field, is_stored: bool) -> Any:
    label = field.label if field.required else f"{field.label} (optional)"
    checks = [
        Length(max=MAX_SETTING_LENGTH, message=f"Enter at most {MAX_SETTING_LENGTH:,} characters."),
        _require_no_control_characters,
    ]
    kept = is_stored and field.secret
    drawn: dict[str, Any] = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
    if field.required and not kept:
        drawn["required"] = True
    if field.choices:
        none = [] if field.required or field.default in field.choices else [SelectChoice("", "Default")]
        return SelectField(label, choices=[*none, *map(SelectChoice, field.choices)], default=field.default)
    if field.lines:
        return TextAreaField(label, checks, default=field.default, render_kw={**drawn, "rows": 3})
    if field.secret:
        # What was typed comes back with an error, so that a wrong address does not cost the token. Stored secrets are
        # not in the form.
        typed = PasswordInput(hide_value=False)
        return PasswordField(label, checks, widget=typed, render_kw={**drawn, "autocomplete": "new-password"})
    if field.name.endswith("url"):
        drawn["inputmode"] = "url"
    return StringField(label, checks, default=field.default, render_kw=drawn)


def _require_no_control_characters(_form: Form, field: Any) -> None:
    if field.data and CONTROL_CHARACTERS.search(field.data):
        raise ValidationError("Remove the control characters.")


def _inputs(form: Form, kind: type[Connector]) -> list[Input]:
    return [
        Input(one, form[SETTINGS_PREFIX + one.name], form._fields.get(f"forget/{one.name}"), _steps(one))
        for one in kind.fields
    ]


def _steps(field: Field) -> list[str]:
    """Return the sentences that say where to find a secret, if they are too long for a note."""
    if not (field.secret and field.required) or field.lines or len(field.help) <= MAX_NOTE_LENGTH:
        return []
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", field.help.rstrip(".") + ".")


def _submitted_settings(form: Form, kind: type[Connector], is_stored: bool = False) -> dict[str, str | None]:
    """Return the submitted settings. An empty secret is left out, so that the stored value stays."""
    values: dict[str, str | None] = {}
    for field in kind.fields:
        text = form[SETTINGS_PREFIX + field.name].data or None
        if text or not (is_stored and field.secret):
            values[field.name] = text
        elif f"forget/{field.name}" in form and form[f"forget/{field.name}"].data:
            values[field.name] = None
    return values


def _free_name(key: str) -> str:
    """Return the connector's key or the name that posts wait for, with a number if it is taken."""
    taken, number, name = manage.destinations(), 1, key
    while name in taken:
        number += 1
        name = f"{key}-{number}"
    return name
