"""The look of the blog: its color, typeface, width and layout, and custom CSS."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from flask import Response, request
from wtforms import ColorField, Field, SelectChoice, SelectField, TextAreaField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.blog.look_preview import PAGES, preview_look
from blogsvc.errors import Fault, Invalid
from blogsvc.http import lanes
from blogsvc.models import transaction
from blogsvc.models.theme import (
    CHOICES,
    MAX_CSS_LENGTH,
    Theme,
    former_theme,
    restore_former_theme,
    save_theme,
    valid_part,
)
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, in_frame, is_fragment, notice, show
from blogsvc.web.framework.routes import route

PREVIEWS = {"page": tuple(PAGES), "scheme": ("light", "dark"), "width": ("desktop", "phone")}
PREVIEW_FAULTS, SAID = "desk/settings/look_faults.html", "desk/settings/_look_said.html"
LABELS = {
    "harbour": "Source Serif, sent with the blog",
    "charter": "Charter (serif of the system)",
    "sans": "Sans serif of the system",
    "antique": "Palatino (serif of the system)",
    "typewriter": "Monospace of the system",
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


@dataclass(frozen=True)
class PreviewChoice:
    """The page in the preview, "light" or "dark", and "desktop" or "phone". None is not chosen."""

    page: str
    scheme: str | None
    width: str | None

    @classmethod
    def sent(cls) -> PreviewChoice:
        sent = {name: request.values.get(f"preview_{name}") for name in PREVIEWS}
        page, scheme, width = (value if value in PREVIEWS[name] else None for name, value in sent.items())
        return cls(page or "home", scheme, width)


@route("GET POST", "/desk/settings/look/preview", role="owner", effect=Effect.ARRANGE)
def look_preview() -> Response:
    """Return a page of the blog with what is right of the look in the form, for the frame.

    A script gets the colors of links and what is left out instead, and then asks for the page, with `?leave_out`.
    Without one the frame says what is wrong.
    """
    lanes.enter("costly")
    theme, faults = valid_part(LookForm().theme) if request.method == "POST" else (Theme.read(), ())
    said = tuple(_left_out(faults))
    if is_fragment():
        return show(SAID, colors=theme.link_colors, left_out=said)
    if said and "leave_out" not in request.args:
        return in_frame(show(PREVIEW_FAULTS, status=422, left_out=said))
    choice = PreviewChoice.sent()
    page = preview_look(theme, choice.page, choice.scheme)
    return in_frame(Response(page.html), page.style)


def _left_out(faults: Iterable[Fault]) -> Iterator[str]:
    """Yield which fields the preview leaves out, and why."""
    form = LookForm()
    for pointer, found in groupby(faults, key=attrgetter("pointer")):
        field: Field = getattr(form, pointer.removeprefix("#/"))
        name = "Your CSS" if field is form.css else field.label.text
        why = " ".join(fault.detail for fault in found)
        yield f"{name} is not shown: {why[:1].lower()}{why[1:]}"


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
        preview=PreviewChoice.sent(),
        former=former_theme(context.now()),
        max_css=MAX_CSS_LENGTH,
        default_color=Theme.color,
    )
