"""API key pages: list, create, change, rotate and revoke. A key's text is shown only once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from itertools import starmap
from typing import Any

from flask import Response, request
from wtforms import DateField, IntegerField, RadioField, SelectChoice, SelectField, SelectMultipleField, StringField
from wtforms.validators import Optional
from wtforms.widgets import NumberInput

from blogsvc import context
from blogsvc.auth import api_keys as keys
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Fault, Invalid
from blogsvc.models import ApiKey
from blogsvc.models.creator import Creator
from blogsvc.models.key import ALL, KEY_SCOPES, SCOPE_MEANINGS, TIERS
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import day, go, notice, show, time_of_day
from blogsvc.web.framework.routes import route

KEYS_PAGE = "/desk/settings/keys"
READING = tuple(scope for scope in KEY_SCOPES if scope.endswith(":read"))
WRITING = (*READING, "posts:write", "media:write")
# Scopes, label and description of the common kinds of keys.
PRESETS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "read": (READING, "Read", "Read everything, change nothing."),
    "write": (WRITING, "Write", "Read, write drafts and upload images."),
    "publish": ((*WRITING, "posts:publish"), "Write and publish", "Read, write, publish and unpublish."),
    "all": ((ALL,), "Full access", "All permissions, including those that are added later."),
}
CHOSEN = "these"
SAME = "same"
ENDS = {"30": "in 30 days", "90": "in 90 days", "365": "in a year", "never": "never", "day": "on a date"}
KEY_OVERLAPS = {"0": "now", "1": "in an hour", "24": "in a day", "168": "in a week", "720": "in 30 days"}


class KeyForm(Form):
    """The form of a key. Field names match the pointers of faults."""

    name = StringField("Name", render_kw={"required": True, "maxlength": 100, "autocomplete": "off"})
    access = RadioField("Permissions", choices=[*map(SelectChoice, PRESETS), SelectChoice(CHOSEN)])
    scopes = SelectMultipleField("Selected permissions", choices=list(starmap(SelectChoice, SCOPE_MEANINGS.items())))
    ends = SelectField("Expires", choices=list(starmap(SelectChoice, ENDS.items())))
    day = DateField("Expiry date", [Optional()])

    def chosen_scopes(self) -> list[str]:
        return list(self.scopes.data or []) if self.access.data == CHOSEN else list(PRESETS[self.access.data][0])

    def ends_at(self) -> datetime | None:
        """Return the expiry date, None for never. Raises Invalid if the date is missing."""
        if self.ends.data == "never":
            return None
        if self.ends.data != "day":
            return context.now() + timedelta(days=int(self.ends.data))
        if self.day.data is None:
            raise Invalid(Fault("#/expiresAt", "required", "Enter the expiry date."))
        return datetime.combine(self.day.data, time.max, current_user.zone()).replace(microsecond=0).astimezone(UTC)

    def limits(self) -> dict[str, int | None]:
        return {tier: self[f"limits/{tier}"].data for tier in TIERS}


for _tier, _label in zip(TIERS, ("Read requests", "Write requests", "Publish requests"), strict=True):
    setattr(KeyForm, f"limits/{_tier}", IntegerField(_label, [Optional()], widget=NumberInput(min=1, max=1_000_000)))


class KeyRotationForm(Form):
    overlap = SelectField(
        "The current key expires", choices=list(starmap(SelectChoice, KEY_OVERLAPS.items())), default="24"
    )


@route("GET", KEYS_PAGE, role="owner")
def api_keys() -> Response:
    now, rows = context.now(), list(reversed(ApiKey.all()))
    valid, ended = ([row for row in rows if row.is_valid(now) is wanted] for wanted in (True, False))
    return show(
        "desk/settings/keys.html",
        valid=valid,
        ended=ended,
        now=now,
        in_words=in_words,
        usual=_default_limits(),
        creator=lambda key: Creator.of(key.created_by),
    )


@route("GET POST", f"{KEYS_PAGE}/new", role="owner", effect=Effect.LET_IN)
def new_api_key() -> Response:
    form = KeyForm(access="publish", ends="365")
    if form.validate_on_submit():
        try:
            limits = {tier: most for tier, most in form.limits().items() if most is not None}
            created_by, scopes = current_user.user().id, form.chosen_scopes()
            made = keys.create(
                form.name.data, scopes, form.ends_at(), context.now(), limits=limits, created_by=created_by
            )
            return _shown_once(*made)
        except Invalid as error:
            _show_faults(form, error)
    return _form_page(form, None)


@route("GET POST", f"{KEYS_PAGE}/<key_id>", role="owner", effect=Effect.LET_IN)
def change_api_key(key_id: str) -> Response:
    key = ApiKey.get(key_id)
    key.require_valid(context.now())
    form = KeyForm(data=_current_values(key))
    form.ends.choices = [SelectChoice(SAME, _end_label(key)), *starmap(SelectChoice, ENDS.items())]
    if form.validate_on_submit():
        try:
            changes = {"name": form.name.data, "scopes": form.chosen_scopes(), "limits": form.limits()}
            end = {} if form.ends.data == SAME else {"expires_at": form.ends_at()}
            keys.change(key_id, {**changes, **end}, context.now())
            notice(f"{form.name.data} is saved.")
            return go("desk.api_keys")
        except Invalid as error:
            _show_faults(form, error)
    return _form_page(form, key)


@route("GET POST", f"{KEYS_PAGE}/<key_id>/rotate", role="owner", effect=Effect.LET_IN)
def rotate_api_key(key_id: str) -> Response:
    key, form = ApiKey.get(key_id), KeyRotationForm()
    key.require_valid(context.now())
    if form.validate_on_submit():
        overlap = timedelta(hours=int(form.overlap.data))
        made = keys.rotate(key_id, overlap, context.now(), created_by=current_user.user().id)
        return _shown_once(*made, former=ApiKey.get(key_id))
    return show("desk/settings/rotate_key.html", key=key, form=form, status=422 if form.is_submitted() else 200)


@route("GET POST", f"{KEYS_PAGE}/<key_id>/revoke", role="owner", effect=Effect.END_ACCESS)
def revoke_api_key(key_id: str) -> Response:
    key = ApiKey.get(key_id)
    if request.method == "POST":
        keys.revoke(key_id, context.now())
        notice(f"{key.name} is revoked. Requests with this key are rejected.")
        return go("desk.api_keys")
    return show("desk/settings/revoke_key.html", key=key)


def _shown_once(key: ApiKey, text: str, former: ApiKey | None = None) -> Response:
    """Show the key's text in the response of the POST itself, without a redirect, so that it is not stored anywhere."""
    base = context.tools().config.public_url
    return show("desk/settings/key.html", status=201, key=key, text=text, former=former, base=base)


def _form_page(form: KeyForm, key: ApiKey | None) -> Response:
    status = 422 if form.is_submitted() else 200
    words: dict[str, Any] = {"presets": PRESETS, "chosen": CHOSEN, "usual": _default_limits(), "tiers": TIERS}
    return show("desk/settings/key_form.html", status=status, form=form, key=key, **words)


def _show_faults(form: KeyForm, error: Invalid) -> None:
    """Show the faults at their fields."""
    take_faults(form, Invalid(*(replace(one, pointer=_RENAMED.get(one.pointer, one.pointer)) for one in error.faults)))


_RENAMED = {"#/expiresAt": "#/day"}


def _current_values(key: ApiKey) -> dict[str, Any]:
    preset = next((name for name, (scopes, *_) in PRESETS.items() if set(scopes) == set(key.scopes)), CHOSEN)
    limits = {f"limits/{tier}": most for tier, most in key.limits.items()}
    return {"name": key.name, "access": preset, "scopes": key.scopes, "ends": SAME, **limits}


def _end_label(key: ApiKey) -> str:
    return f"unchanged: {day(key.expires_at)}, {time_of_day(key.expires_at)}" if key.expires_at else "unchanged: never"


def _default_limits() -> dict[str, int]:
    return keys.default_limits(context.tools().config)


def in_words(key: ApiKey) -> str:
    """Return what a key may do: the label of its preset, or its permissions."""
    for scopes, label, _ in PRESETS.values():
        if set(scopes) == set(key.scopes):
            return label
    return "; ".join(SCOPE_MEANINGS[scope] for scope in KEY_SCOPES if scope in key.scopes) or "No permissions"
