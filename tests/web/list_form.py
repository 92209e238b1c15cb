"""The form of a list on the page of the menus, filled in and sent as a browser without JavaScript does it."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from tests.blog.reading import parse_page
from tests.web.page_walk import Pages

PAGE = "/desk/settings/menus"


class ListForm:
    """A form as it is on the page now. `name` is header, footer or social."""

    def __init__(self, pages: Pages, name: str, page: str = "") -> None:
        tree = parse_page(page or pages.get(PAGE).text)
        (section,) = (section for section in tree.iter("section") if section.get("id") == f"list-{name}")
        (form,) = section.iter("form")
        self.pages, self.form, self.path = pages, form, form.get("action") or ""
        self.fields: list[tuple[str, str]] = [pair for field in form.iter() if (pair := _pair(field))]

    def values(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field == name]

    def type(self, name: str, value: str, row: int = 0) -> ListForm:
        """Enter a value into the field with this name in a row; return the form."""
        at = [number for number, (field, _) in enumerate(self.fields) if field == name][row]
        self.fields[at] = (name, value)
        return self

    def press(self, button: str, headers: dict[str, str] | None = None, **more: Any) -> TestResponse:
        """Send the form with a button such as "up 2"; `more` are further fields."""
        assert button in self.buttons(), button
        sent = MultiDict([*self.fields, *more.items(), ("do", button)])
        return self.pages.client.post(self.path, data=sent, headers=headers)

    def enter(self) -> TestResponse:
        """Press Enter in a field: browsers press the first button of the form."""
        return self.press(self.buttons()[0])

    def buttons(self) -> list[str]:
        return [button.get("value") or "" for button in self.form.iter("button") if "disabled" not in button.attrib]


def _pair(field: Element) -> tuple[str, str] | None:
    name = field.get("name")
    if not name or (field.get("type") == "checkbox" and "checked" not in field.attrib):
        return None
    if field.tag == "select":
        chosen = [option.get("value") or "" for option in field.iter("option") if "selected" in option.attrib]
        return name, (chosen or [""])[0]
    return (name, field.get("value") or "") if field.tag == "input" else None
