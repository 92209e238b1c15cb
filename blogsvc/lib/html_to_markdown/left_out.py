"""Remove the elements that a text can't have, such as scripts and forms, so that nothing is in their place."""

from __future__ import annotations

from bs4 import BeautifulSoup
from bs4.element import Tag

from blogsvc.lib.html_to_markdown.hidden import MAX_WORDS
from blogsvc.lib.html_to_markdown.tidying import elements

# An item of a task list: "x" if its box is checked, or " ".
TASK = "task"
# Elements that are removed with their content, and the start of the warning about them.
LABELS = {
    "applet": "An applet", "button": "A button", "canvas": "A canvas", "form": "A form", "input": "A form's field",
    "map": "An image map", "math": "A MathML formula", "noscript": "Content for browsers without scripts",
    "script": "A script", "select": "A form's field", "svg": "An SVG drawing", "textarea": "A form's field",
}  # fmt: skip
_TITLES = ["h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"]  # of accordions, which buttons open
_NOT_SHOWN = frozenset("base link meta style template title".split())


def remove(soup: BeautifulSoup) -> list[str]:
    """Remove what our pages can't show. Returns a warning for each element with content. Items keep their checkbox."""
    warnings: list[str] = []
    found = elements(soup, _NOT_SHOWN.union(LABELS))
    for element in reversed(found):  # each before those around it
        if element.name == "button" and element.find_parent(_TITLES) is not None:
            for icon in element.select("[aria-hidden=true]"):
                icon.decompose()
            element.unwrap()
            continue
        if element.name in LABELS and not _is_kept_as_task(element):
            words = " ".join(element.get_text(" ").split()) if element.name == "button" else ""
            warnings.append(f"{LABELS[element.name]} was removed{f': “{words[:MAX_WORDS]}”' if words else ''}.")
        element.decompose()
    if found:
        soup.smooth()
    return warnings


def _is_kept_as_task(element: Tag) -> bool:
    item = element.find_parent("li")
    if element.name != "input" or element.get("type") != "checkbox" or item is None or item.has_attr(TASK):
        return False
    item[TASK] = "x" if element.has_attr("checked") else " "
    return True
