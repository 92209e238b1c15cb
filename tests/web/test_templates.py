"""Rules for all templates: no inline scripts, every form with its CSRF token, and no address written by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from blogsvc.config import ROOT

TEMPLATES = sorted((ROOT / "templates" / "desk").rglob("*.html"))
ALL_TEMPLATES = sorted(file for file in (ROOT / "templates").rglob("*.*") if file.is_file())
SCRIPTS = sorted((ROOT / "static" / "desk").glob("*.js"))
MAX_COLUMNS = 160
BANNED = {
    "hx-on needs unsafe-eval": r"\bhx-on\b",
    "an inline handler needs unsafe-inline": r"\son[a-z]+\s*=",
    "an inline style needs unsafe-inline": r"\sstyle\s*=|<style",
    "an inline script needs unsafe-inline": r"<script(?![^>]*\bsrc=)",
    "js: needs unsafe-eval": r"\"(?:js|javascript):",
    "a trigger filter needs unsafe-eval": r"hx-trigger=\"[^\"]*\[",
    "what is not escaped": r"\|\s*safe\b",
}
# An element that htmx drives, with its fallback: a link, a form, a field or button of a form. Elements that load or
# poll on their own show their current content.
DRIVEN = re.compile(r"<(\w+)\b([^<>]*\bhx-(?:get|post|put|patch|delete)=[^<>]*)>")
ALONE = re.compile(r"hx-trigger=\"(?:load|every|revealed|intersect)")


@pytest.mark.parametrize("why", BANNED)
def test_no_template_needs_an_exception_from_the_content_security_policy(why: str) -> None:
    found = {file.name: match[0] for file in TEMPLATES if (match := re.search(BANNED[why], without_comments(file)))}
    assert found == {}


def test_no_template_writes_an_address_by_hand() -> None:
    literal = r"""["'(}]/(?:desk|api|static|login|archive|feed|favicon)\b|(?:href|src|action|data-[a-z]+)=\"/"""
    found = [(file.name, match[0]) for file in ALL_TEMPLATES if (match := re.search(literal, without_comments(file)))]
    assert found == [], "Use url_for."


def test_no_line_of_a_template_is_too_long() -> None:
    lines = [(file.name, line) for file in ALL_TEMPLATES for line in file.read_text().splitlines()]
    assert [(name, line[:80]) for name, line in lines if len(line) > MAX_COLUMNS] == []


def test_every_form_that_changes_something_has_a_csrf_token() -> None:
    forms = [
        (file.name, form)
        for file in TEMPLATES
        for form in re.findall(r"<form\b[^>]*method=\"post\".*?</form>", without_comments(file), re.DOTALL)
    ]
    assert len(forms) > 50
    assert [(name, form[:80]) for name, form in forms if "csrf()" not in form] == []


def test_every_element_that_htmx_drives_works_without_it() -> None:
    driven = [(file.name, *found) for file in TEMPLATES for found in DRIVEN.findall(without_comments(file))]
    assert len(driven) > 20
    assert [one for one in driven if not works_alone(*one[1:])] == []


def works_alone(name: str, attributes: str) -> bool:
    is_link = name == "a" and "href=" in attributes
    return is_link or name in ("form", "input", "select", "textarea", "button") or bool(ALONE.search(attributes))


def test_no_script_turns_text_into_code_or_markup() -> None:
    unsafe = r"\beval\(|new Function|innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write"
    assert SCRIPTS
    assert [file.name for file in SCRIPTS if re.search(unsafe, file.read_text())] == []


def test_every_button_that_deletes_something_is_red() -> None:
    deletes = re.compile(r"(?:Delete|Discard|Disconnect|Empty trash|Revoke)\b|.*\b(?:delete|unpublish) copies")
    button = re.compile(r"<(?:button|summary)\b([^>]*)>(.*?)</(?:button|summary)>", re.DOTALL)
    buttons = [found for file in TEMPLATES for found in button.findall(without_comments(file))]
    named = [(look, re.sub(r"<[^>]*>|\{\{ icon.*?\}\}", "", label).strip()) for look, label in buttons]
    red = [(look, label) for look, label in named if deletes.match(label)]
    assert len(red) > 12
    assert [label for look, label in red if "btn-danger" not in look] == []


def without_comments(file: Path) -> str:
    return re.sub(r"\{#.*?#\}", "", file.read_text(), flags=re.DOTALL)
