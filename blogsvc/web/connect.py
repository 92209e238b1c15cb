"""Connect and reconnect accounts. The form is generated from the connector's fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from flask import Response, redirect, request, url_for
from wtforms import BooleanField, PasswordField, SelectChoice, SelectField, StringField, TextAreaField
from wtforms.validators import Length, ValidationError
from wtforms.widgets import PasswordInput

from blogsvc import context
from blogsvc.connections import manage
from blogsvc.connections.summary import copies_at
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector, ConnectorError, Field, Limit
from blogsvc.delivery.attention import waiting_deliveries
from blogsvc.errors import Invalid, NotFound
from blogsvc.models import Connection
from blogsvc.web import current_user
from blogsvc.web.destinations import DESTINATIONS_PAGE
from blogsvc.web.forms import Form, take_faults
from blogsvc.web.rendering import notice, show
from blogsvc.web.routes import route
from blogsvc.web.waiting import came_from
from blogsvc.web.wording import length_unit

MAX_SETTING_LENGTH = 10_000
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Field names match the pointers of faults, such as `#/settings/url`.
SETTINGS_PREFIX = "settings/"
PART_NAMES = {
    "title": "a title",
    "summary": "a summary",
    "tags": "tags",
    "images": "images in the text",
    "cover": "a cover image",
    "language": "the language",
    "canonical_url": "a canonical URL",
}
LIMITED = {"tag": "Each tag", "tags": "A post", "text": "The text", "title": "A title", "summary": "A summary"}
CANNOT = {
    "update": "Published copies can't be updated from here.",
    "delete": "Published copies can't be unpublished from here.",
    "stats": "No statistics: likes, comments and views aren't available.",
}


@route("GET POST", f"{DESTINATIONS_PAGE}/new/<key>", role="owner")
def connect_destination(key: str) -> Response:
    kind = _kind(key)
    form = _form(kind, None)
    page: dict[str, Any] = {"kind": kind, "facts": facts(kind), "form": form, "asked": _inputs(form, kind)}
    page["origin"] = came_from()
    if not form.is_submitted():
        return show("desk/settings/connect.html", **page)
    name = form["name"].data or ""
    maker = current_user.user().id
    row, made = _try(
        form, lambda: manage.connect(kind.key, name, _submitted_settings(form, kind), context.tools(), maker)
    )
    if row is None:
        return show("desk/settings/connect.html", status=422, **page)
    return _saved_response(row, made, f"Connected as {row.account}." if row.account else f"{kind.label} is connected.")


@route("GET POST", f"{DESTINATIONS_PAGE}/<name>/reconnect", role="owner", proof=True)
def reconnect_destination(name: str) -> Response:
    row = manage.connection_named(name)
    kind = _kind(row.connector)
    form, before, copies = _form(kind, row), row.account, copies_at(row.id)
    page: dict[str, Any] = {"kind": kind, "form": form, "asked": _inputs(form, kind), "name": name, "copies": copies}
    page["origin"] = came_from()
    if not form.is_submitted():
        return show("desk/settings/reconnect.html", account=before, **page)

    def change() -> tuple[Connection, dict[str, str]]:
        made = manage.change(row, None, _submitted_settings(form, kind, is_stored=True), context.tools())
        return Connection.named(name), made

    now, made = _try(form, change)
    if now is None:
        return show("desk/settings/reconnect.html", status=422, account=before, **page)
    if copies and before and now.account != before:
        notice(
            f"The account changed from {before} to {now.account}. Existing copies of {before} can't be updated.",
            "trouble",
        )
    return _saved_response(now, made, f"Connected as {now.account}." if now.account else f"{name} is connected.")


def _kind(key: str) -> type[Connector]:
    """Return the connector class. Raises NotFound."""
    kind = connectors().get(key)
    if kind is None or kind.is_local:
        raise NotFound(f"There is no connector {key!r}.")
    return kind


def _try(form: Form, ask: Callable[[], tuple[Connection, dict[str, str]]]) -> tuple[Connection | None, dict[str, str]]:
    """Run `ask` and return its result, or (None, {}) with the faults shown at their fields."""
    if not form.validate_on_submit():
        return None, {}
    try:
        return ask()
    except Invalid as error:
        take_faults(form, error)
    except ConnectorError as error:
        form.form_errors.append(f"{error} Nothing was saved. Try again later.")
    return None, {}


def _saved_response(row: Connection, made: dict[str, str], said: str) -> Response:
    """Redirect to the posts that waited, with the way back to the post that the user came from, else to the list.

    If secrets were generated, show them first, because they are shown only once.
    """
    origin, is_waited_for = came_from(), bool(waiting_deliveries(row.name, current_user.user(), 1))
    if is_waited_for or origin:
        after = url_for("desk.waiting_posts", name=row.name, post=origin and origin.id)
    else:
        after = url_for("desk.destinations")
    if made:
        return show("desk/settings/connected.html", status=201, row=row, made=made, said=said, after=after)
    if not is_waited_for and not origin:
        notice(said)
    return redirect(after, 303)  # type: ignore[return-value]


def _form(kind: type[Connector], row: Connection | None) -> Form:
    """Return the form of a connector. For an existing connection it has the stored settings, except secrets."""
    fields: dict[str, Any] = {SETTINGS_PREFIX + asked.name: _field(asked, row is not None) for asked in kind.fields}
    if row is None:
        fields["name"] = StringField("Destination name", default=_free_name(request.args.get("name") or kind.key))
        return type("Connect", (Form,), fields)()  # type: ignore[no-any-return]
    for asked in kind.fields:
        if asked.secret and not asked.required:
            fields[f"forget/{asked.name}"] = BooleanField("Delete the stored value")
    data = {SETTINGS_PREFIX + name: value for name, value in row.settings.items()}
    return type("Reconnect", (Form,), fields)(data=data)  # type: ignore[no-any-return]


def _field(asked: Field, is_stored: bool) -> Any:
    label = asked.label if asked.required else f"{asked.label} (optional)"
    checks = [
        Length(max=MAX_SETTING_LENGTH, message=f"Enter at most {MAX_SETTING_LENGTH:,} characters."),
        _require_no_control_characters,
    ]
    kept = is_stored and asked.secret
    drawn: dict[str, Any] = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
    if asked.required and not kept:
        drawn["required"] = True
    if asked.choices:
        none = [] if asked.required or asked.default in asked.choices else [SelectChoice("", "Default")]
        return SelectField(label, choices=[*none, *map(SelectChoice, asked.choices)], default=asked.default)
    if asked.lines:
        return TextAreaField(
            label, checks, default=asked.default, render_kw={**drawn, "rows": 3}, filters=[_unix_newlines]
        )
    if asked.secret:
        # What was typed comes back with an error, so that a wrong address does not cost the token. Stored secrets are
        # not in the form.
        typed = PasswordInput(hide_value=False)
        return PasswordField(label, checks, widget=typed, render_kw={**drawn, "autocomplete": "new-password"})
    if asked.name.endswith("url"):
        drawn["inputmode"] = "url"
    return StringField(label, checks, default=asked.default, render_kw=drawn)


def _require_no_control_characters(_form: Form, field: Any) -> None:
    if field.data and CONTROL_CHARACTERS.search(field.data):
        raise ValidationError("Remove the control characters.")


def _unix_newlines(text: str | None) -> str | None:
    """Convert the line endings of forms to "\\n"."""
    return text.replace("\r\n", "\n") if text else text


def _inputs(form: Form, kind: type[Connector]) -> list[tuple[Field, Any, Any]]:
    """Return each connector field with its form field and its "forget" checkbox, if it has one."""
    return [(one, form[SETTINGS_PREFIX + one.name], form._fields.get(f"forget/{one.name}")) for one in kind.fields]


def _submitted_settings(form: Form, kind: type[Connector], is_stored: bool = False) -> dict[str, str | None]:
    """Return the submitted settings. An empty secret is left out, so that the stored value stays."""
    values: dict[str, str | None] = {}
    for asked in kind.fields:
        text = form[SETTINGS_PREFIX + asked.name].data or None
        if text or not (is_stored and asked.secret):
            values[asked.name] = text
        elif f"forget/{asked.name}" in form and form[f"forget/{asked.name}"].data:
            values[asked.name] = None
    return values


def _free_name(key: str) -> str:
    """Return the connector's key or the name that posts wait for, with a number if it is taken."""
    taken, number, name = manage.destinations(), 1, key
    while name in taken:
        number += 1
        name = f"{key}-{number}"
    return name


def facts(kind: type[Connector]) -> list[str]:
    """Return the limitations of a connector as sentences."""
    missing = [words for part, words in PART_NAMES.items() if part not in kind.carries]
    return [
        *(sentence for ability, sentence in CANNOT.items() if not (kind.can(ability) or kind.can("hand_over"))),
        *([f"Not supported: {_joined_with_and(missing)}."] if missing else []),
        *(_limit_sentence(limit) for limit in kind.limits),
        *kind.caveats,
    ]


def _joined_with_and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _limit_sentence(limit: Limit) -> str:
    unit = length_unit(limit.unit)
    return f"{LIMITED.get(limit.part, limit.part.capitalize())} can have at most {limit.most:,} {unit}."
