"""The look of the blog: its color, typeface, width and layout, and custom CSS."""

from __future__ import annotations

from flask import Response
from wtforms import ColorField, SelectChoice, SelectField, TextAreaField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.models import transaction
from blogsvc.models.theme import CHOICES, MAX_CSS_LENGTH, Theme, former_theme, restore_former_theme, save_theme
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route

LABELS = {
    "harbour": "Source Serif, sent with the blog",
    "charter": "Charter, or another serif of the reader's system",
    "sans": "Sans serif of the reader's system",
    "antique": "Palatino, or another serif of the reader's system",
    "typewriter": "Monospace of the reader's system",
    "narrow": "Narrow (about 60 characters per line)",
    "normal": "Normal (about 68)",
    "wide": "Wide (about 78)",
    "list": "Rows with small images",
    "cards": "Cards with large images",
    "auto": "As each reader's system is set",
    "light": "Always light",
    "dark": "Always dark",
}


def _choice(label: str, name: str) -> SelectField:
    return SelectField(label, choices=[SelectChoice(value, LABELS[value]) for value in CHOICES[name]])


class LookForm(Form):
    color = ColorField("Color")
    scheme = _choice("Light or dark", "scheme")
    face = _choice("Typeface", "face")
    width = _choice("Text width", "width")
    layout = _choice("Lists of posts", "layout")
    css = TextAreaField("Custom CSS")

    @classmethod
    def of(cls, theme: Theme) -> LookForm:
        return cls(data={**theme.to_json()["options"], "css": theme.css})

    @property
    def theme(self) -> Theme:
        """Return the look in the form. Check it before use."""
        return Theme(**{name: self[name].data or "" for name in (*CHOICES, "color", "css")})


@route("GET POST", "/desk/settings/look", role="owner", effect=Effect.ARRANGE)
def look() -> Response:
    form = LookForm.of(Theme.read())
    if not form.is_submitted():
        return _shown(form)
    try:
        with transaction():
            save_theme(form.theme, context.now())
    except Invalid as error:
        take_faults(form, error)
        return _shown(form, 422)
    notice("Look saved.")
    return go("desk.look")


@route("POST", "/desk/settings/look/undo", role="owner", effect=Effect.ARRANGE)
def undo_look() -> Response:
    """Bring back the look that the present one replaced."""
    with transaction():
        restore_former_theme(context.now())
    notice("The former look is back.")
    return go("desk.look")


def _shown(form: LookForm, status: int = 200) -> Response:
    return show(
        "desk/settings/look.html",
        status=status,
        form=form,
        colors=Theme.read().link_colors,
        former=former_theme(context.now()),
        max_css=MAX_CSS_LENGTH,
    )
