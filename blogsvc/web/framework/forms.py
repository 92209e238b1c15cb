"""The base class of forms, how faults are shown at their fields, and the fields of requests that scripts send."""

from __future__ import annotations

from typing import Any

from flask import request
from flask_wtf import FlaskForm

from blogsvc.errors import Invalid


def unix_newlines(text: str) -> str:
    """Convert the line endings that forms send to "\\n"."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Form(FlaskForm):  # type: ignore[misc]
    """The base class of forms. `route` has already checked the CSRF token."""

    class Meta:
        csrf = False

        def bind_field(self, form: Any, unbound: Any, options: Any) -> Any:
            """Strip surrounding whitespace from text fields, but not from passwords. Areas get line endings of Unix."""
            filters = unbound.kwargs.get("filters", [])
            if unbound.field_class.__name__ in ("StringField", "EmailField", "URLField"):
                filters = [*filters, _trimmed]
            elif unbound.field_class.__name__ == "TextAreaField":
                filters = [*filters, _with_unix_newlines]
            return unbound.bind(form=form, filters=filters, **options)

    def validate(self, *arguments: Any, **more: Any) -> bool:
        is_valid: bool = super().validate(*arguments, **more)
        _focus_first_fault(self)
        return is_valid


def _focus_first_fault(form: Form) -> None:
    """Let the template focus the first field with an error, in place of the one that it would focus."""
    form.meta.faulty = next((field.name for field in form if field.errors), None)


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _with_unix_newlines(value: Any) -> Any:
    return unix_newlines(value) if isinstance(value, str) else value


def take_faults(form: Form, error: Invalid) -> None:
    """Show each fault at the field that its pointer names (`#/email`), and the others above the form.

    A field that the form itself has found to be wrong keeps that error alone.
    """
    wrong = {name for name, field in form._fields.items() if field.errors}
    for fault in error.faults:
        name = fault.pointer.removeprefix("#/")
        field = form._fields.get(name)
        if field is None:
            form.form_errors.append(fault.detail)
        elif name not in wrong:
            field.errors = [*field.errors, fault.detail]
    _focus_first_fault(form)


def json_text(name: str) -> str | None:
    """Return a text in the JSON object that a script sent, or None if there is none."""
    sent = request.get_json(silent=True)
    text = sent.get(name) if isinstance(sent, dict) else None
    return text if isinstance(text, str) else None
