"""Import posts, with a review before they are created, and export everything."""

from __future__ import annotations

from typing import BinaryIO, cast

from flask import Response, request
from sqlalchemy import func, select
from werkzeug.exceptions import NotFound
from wtforms import BooleanField, RadioField, SelectChoice, URLField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.http import body_limits
from blogsvc.http.downloads import attachment
from blogsvc.lib.sizes import MIB
from blogsvc.models import ImportedPost, ImportJob, db
from blogsvc.transfer import blog_parts, importing
from blogsvc.transfer import export as exporting
from blogsvc.transfer.formats import FORMAT_LABELS
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import blueprint, route

MAX_FORM_OVERHEAD = 256 * 1024  # bytes of a form in addition to its file
IMPORTS_PER_PAGE = 100
FORMS: dict[str, exporting.Form] = {"markdown": "markdown", "json": "json"}


class BeginForm(Form):
    drafts = BooleanField("Import drafts")
    images = BooleanField("Import images")
    schedule = BooleanField("Keep the times of scheduled posts")
    taken = RadioField(
        "If the address of a post is already in use",
        choices=[SelectChoice("skip", "Skip the post"), SelectChoice("rename", "Import the post with a new address")],
    )
    site = URLField("Address of the old blog")
    blog = BooleanField("Take over title, look, menus, icon and logo")


@blueprint.before_request
def _make_room_for_a_file() -> None:
    """Raise the upload limit for an import, which only owners may do."""
    if request.endpoint != "desk.imports" or request.method != "POST":
        return
    session = current_user.session()
    if session is not None and session.user.is_at_least("owner"):
        body_limits.allow(context.tools().config.import_mib * MIB + MAX_FORM_OVERHEAD)


@route("GET", "/desk/settings/export", role="owner", effect=Effect.SEND_ELSEWHERE)
def export() -> Response:
    return show("desk/settings/export.html")


@route("GET", "/desk/settings/export/<form>", role="owner", effect=Effect.SEND_ELSEWHERE)
def export_file(form: str) -> Response:
    if form not in FORMS:
        raise NotFound()
    tools = context.tools()
    file = exporting.to_stream(FORMS[form], tools)
    kind = "application/zip" if form == "markdown" else "application/json"
    name = exporting.file_name(FORMS[form], tools.now())
    return attachment(file, kind, name)


@route("GET POST", "/desk/settings/import", role="owner", effect=Effect.WRITE)
def imports() -> Response:
    if request.method == "GET":
        return _asked()
    sent = request.files.get("file")
    if sent is None or not sent.filename:
        return _asked("Select a file first.")
    try:
        one = importing.receive(cast(BinaryIO, sent.stream), sent.filename, current_user.user().id, context.tools())
    except Invalid as error:
        return _asked(str(error))
    return go("desk.an_import", import_id=one.id)


def _asked(fault: str = "") -> Response:
    most = context.tools().config.import_mib
    earlier = [(one, one.counts()) for one in ImportJob.latest()]
    return show(
        "desk/settings/imports.html",
        status=422 if fault else 200,
        fault=fault,
        most=most,
        earlier=earlier,
        labels=FORMAT_LABELS,
    )


@route("GET", "/desk/settings/import/<import_id>", role="owner")
def an_import(import_id: str) -> Response:
    suggested = {"drafts": True, "images": True, "taken": "skip", "blog": importing.takes_over_by_default()}
    return _page(ImportJob.get(import_id), BeginForm(data=suggested))


def _page(job: ImportJob, form: BeginForm, status: int = 200) -> Response:
    """Show the review of a file, or the progress and result of an import."""
    number = request.args.get("page", default=1, type=int)
    query = select(ImportedPost).where(ImportedPost.import_id == job.id).order_by(ImportedPost.number)
    total = db.session.scalar(select(func.count()).where(ImportedPost.import_id == job.id)) or 0
    number = max(1, min(number, -(-total // IMPORTS_PER_PAGE) or 1))
    return show(
        "desk/settings/import.html",
        "desk/settings/_import.html",
        status=status,
        job=job,
        form=form,
        label=FORMAT_LABELS.get(job.format, ""),  # type: ignore[call-overload]
        counts=job.counts(),
        scheduled=_scheduled(job),
        obstacles=_obstacle_counts(job),
        parts=blog_parts.parts(job),
        entries=db.session.scalars(query.offset((number - 1) * IMPORTS_PER_PAGE).limit(IMPORTS_PER_PAGE)).all(),
        total=total,
        number=number,
        last=-(-total // IMPORTS_PER_PAGE) or 1,
    )


def _scheduled(one: ImportJob) -> int:
    """Return the number of posts that can keep their scheduled time."""
    is_scheduled = ImportedPost.import_id == one.id, ImportedPost.status == "scheduled"
    return db.session.scalar(select(func.count()).where(*is_scheduled)) or 0


def _obstacle_counts(one: ImportJob) -> dict[str | None, int]:
    """Return the number of posts that can't be imported as they are, by reason."""
    query = select(ImportedPost.obstacle, func.count()).where(ImportedPost.import_id == one.id)
    return {obstacle: number for obstacle, number in db.session.execute(query.group_by(ImportedPost.obstacle))}  # noqa: C416


@route("POST", "/desk/settings/import/<import_id>/begin", role="owner", effect=Effect.WRITE)
def begin_import(import_id: str) -> Response:
    form = BeginForm()
    if not form.validate():
        return _page(ImportJob.get(import_id), form, 422)
    try:
        importing.begin(
            import_id,
            context.tools(),
            drafts=form.drafts.data,
            images=form.images.data,
            schedule=form.schedule.data,
            taken=form.taken.data,
            site=form.site.data or "",
            blog=form.blog.data,
        )
    except Invalid as error:
        take_faults(form, error)
        return _page(ImportJob.get(import_id), form, 422)
    return go("desk.an_import", import_id=import_id)


@route("POST", "/desk/settings/import/<import_id>/cancel", role="owner", effect=Effect.WRITE)
def cancel_import(import_id: str) -> Response:
    importing.cancel(import_id, context.tools())
    notice("Import stopped. Imported posts are kept.")
    return go("desk.an_import", import_id=import_id)


@route("POST", "/desk/settings/import/<import_id>/discard", role="owner", effect=Effect.WRITE)
def discard_import(import_id: str) -> Response:
    importing.discard(import_id, context.tools())
    notice("The file is deleted. Nothing was imported.")
    return go("desk.imports")
