"""The page of redirects and missing addresses: add, edit, remove, and exchange redirects as a CSV file."""

from __future__ import annotations

from datetime import date
from io import BytesIO
from typing import BinaryIO, cast

from flask import Response, request
from wtforms import SelectChoice, SelectField, StringField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.http.downloads import attachment
from blogsvc.models import Redirect
from blogsvc.models.redirect import MAX_TARGET_LENGTH
from blogsvc.redirects import csv_files, listing, manage, missing
from blogsvc.redirects.counting import flush_at_once
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route

REDIRECTS_PAGE = "/desk/settings/redirects"
STATUSES = {
    301: "301: moved for good",
    302: "302: moved for now",
    410: "410: gone, without a target",
}


class RedirectForm(Form):
    path = StringField("Old address")
    target = StringField("Redirect to")
    status = SelectField(
        "Kind", choices=[SelectChoice(str(status), label) for status, label in STATUSES.items()], default="301"
    )


@route("GET", REDIRECTS_PAGE, role="owner")
def redirects() -> Response:
    return _page()


def _page(file_faults: tuple[str, ...] = ()) -> Response:
    flush_at_once()
    text = request.args.get("q", "").strip()[:MAX_TARGET_LENGTH].replace("\0", "")
    rows, last = listing.page(text, request.args.get("before", "").replace("\0", ""))
    return show(
        "desk/settings/redirects.html",
        status=422 if file_faults else 200,
        rows=rows,
        last=last,
        text=text,
        is_first="before" not in request.args,
        missing=missing.with_suggestions(missing.missing_addresses()[: missing.MAX_SUGGESTIONS]),
        file_faults=file_faults,
        most=csv_files.MAX_ROWS,
        in_words=_date,
        unused=listing.UNUSED,
    )


@route("GET POST", f"{REDIRECTS_PAGE}/new", role="owner", effect=Effect.ARRANGE)
def new_redirect() -> Response:
    form = RedirectForm()
    if form.validate_on_submit():
        try:
            row = manage.create(form.path.data or "", form.target.data, int(form.status.data), _public_url())
        except Invalid as error:
            take_faults(form, error)
        else:
            _note_saved(row)
            return go("desk.redirects")
    return _form_page(form, None)


@route("GET POST", f"{REDIRECTS_PAGE}/<redirect_id>", role="owner", effect=Effect.ARRANGE)
def change_redirect(redirect_id: str) -> Response:
    row = Redirect.get(redirect_id)
    (shown,) = listing.shown([row])
    form = RedirectForm(path=row.path, target=shown.address, status=str(row.status))
    if form.validate_on_submit():
        changes = {"path": form.path.data or "", "target": form.target.data, "status": int(form.status.data)}
        try:
            manage.change(row, changes, _public_url())
        except Invalid as error:
            take_faults(form, error)
        else:
            _note_saved(row)
            return go("desk.redirects")
    return _form_page(form, shown)


@route("POST", f"{REDIRECTS_PAGE}/<redirect_id>/remove", role="owner", effect=Effect.ARRANGE)
def remove_redirect(redirect_id: str) -> Response:
    row = Redirect.get(redirect_id)
    manage.remove(row)
    notice(f"The redirect of {row.path} is removed.")
    return go("desk.redirects", _anchor="list")


@route("POST", f"{REDIRECTS_PAGE}/missing/ignore", role="owner", effect=Effect.ARRANGE)
def ignore_missing_address() -> Response:
    path = request.form.get("path", "")
    missing.ignore(path)
    notice(f"{path} is removed from the list. It comes back if readers ask for it again.")
    return go("desk.redirects", _anchor="missing")


@route("POST", f"{REDIRECTS_PAGE}/csv", role="owner", effect=Effect.ARRANGE)
def upload_redirects() -> Response:
    sent = request.files.get("file")
    if sent is None or not sent.filename:
        return _page(("Select a file first.",))
    try:
        done = csv_files.read(cast(BinaryIO, sent.stream), _public_url())
    except Invalid as error:
        return _page(tuple(fault.detail for fault in error.faults))
    notice(f"{done.created} added, {done.changed} changed, {done.unchanged} unchanged.")
    return go("desk.redirects")


@route("GET", f"{REDIRECTS_PAGE}.csv", role="owner")
def redirects_file() -> Response:
    file = BytesIO()
    csv_files.write(file)
    file.seek(0)
    return attachment(file, "text/csv", f"redirects-{context.now():%Y-%m-%d}.csv")


def _form_page(form: RedirectForm, shown: listing.Shown | None) -> Response:
    status = 422 if form.is_submitted() else 200
    return show("desk/settings/redirect_form.html", status=status, form=form, shown=shown, unused=listing.UNUSED)


def _note_saved(row: Redirect) -> None:
    (shown,) = listing.shown([row])
    if remark := listing.remark(shown):
        notice(f"Saved. {remark}", "trouble")
    else:
        notice(f"The redirect of {row.path} is saved.")


def _public_url() -> str:
    return context.tools().config.public_url


def _date(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
