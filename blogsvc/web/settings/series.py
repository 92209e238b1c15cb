"""The page of series: edit and remove them. The details of a post add them."""

from __future__ import annotations

from flask import Response
from wtforms import BooleanField, StringField, TextAreaField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.models import Series
from blogsvc.models.post_labels import SITE_SERIES, shown_counts
from blogsvc.posts import series
from blogsvc.posts.public_paths import series_with_page
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route

SERIES_PAGE = "/desk/settings/series"


class SeriesForm(Form):
    title = StringField("Title")
    slug = StringField("Address")
    description = TextAreaField("Description")
    cover_image = StringField("Cover image")
    is_complete = BooleanField("Complete: no more parts will come")


@route("GET", SERIES_PAGE, role="editor")
def all_series() -> Response:
    rows = Series.all()
    shown = series_with_page([row.slug for row in rows])
    return show("desk/settings/series.html", rows=rows, counts=shown_counts(SITE_SERIES), shown=shown)


@route("GET POST", f"{SERIES_PAGE}/new", role="editor", effect=Effect.WRITE)
def new_series() -> Response:
    form = SeriesForm()
    if form.validate_on_submit():
        try:
            row = series.create(_sent(form), context.now())
        except Invalid as error:
            take_faults(form, error)
        else:
            notice(f"The series “{row.title}” is added.")
            return go("desk.all_series")
    return _form_page(form, None)


@route("GET POST", f"{SERIES_PAGE}/<series_id>", role="editor", effect=Effect.WRITE)
def change_series(series_id: str) -> Response:
    row = Series.named(series_id)
    form = SeriesForm(obj=row)
    if form.validate_on_submit():
        try:
            series.change(row, _sent(form))
        except Invalid as error:
            take_faults(form, error)
        else:
            notice(f"The series “{row.title}” is saved.")
            return go("desk.all_series")
    return _form_page(form, row)


@route("POST", f"{SERIES_PAGE}/<series_id>/remove", role="editor", effect=Effect.WRITE)
def remove_series(series_id: str) -> Response:
    row = Series.named(series_id)
    series.remove(row)
    notice(f"The series “{row.title}” is removed. Its posts stay.")
    return go("desk.all_series", _anchor="list")


def _sent(form: SeriesForm) -> dict[str, object]:
    texts = {name: (form[name].data or "").strip() for name in ("title", "slug", "description", "cover_image")}
    return {**texts, "is_complete": form.is_complete.data}


def _form_page(form: SeriesForm, row: Series | None) -> Response:
    status = 422 if form.is_submitted() else 200
    public_url = context.tools().config.public_url
    return show("desk/settings/series_form.html", status=status, form=form, row=row, public_url=public_url)
