"""What every template keeps to: nothing that needs an inline script, and every form with its token."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from blogsvc.config import ROOT

TEMPLATES = sorted((ROOT / "templates" / "desk").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "desk").glob("*.js"))
BANNED = {
    "hx-on needs unsafe-eval": r"\bhx-on\b",
    "an inline handler needs unsafe-inline": r"\son[a-z]+\s*=",
    "an inline style needs unsafe-inline": r"\sstyle\s*=|<style",
    "an inline script needs unsafe-inline": r"<script(?![^>]*\bsrc=)",
    "js: needs unsafe-eval": r"\"(?:js|javascript):",
    "a trigger filter needs unsafe-eval": r"hx-trigger=\"[^\"]*\[",
    "what is not escaped": r"\|\s*safe\b",
}
# An element that htmx drives, with what it is without htmx: a link, a form, a field or button of a form. What loads or
# polls by itself shows what it has until then.
DRIVEN = re.compile(r"<(\w+)\b([^<>]*\bhx-(?:get|post|put|patch|delete)=[^<>]*)>")
ALONE = re.compile(r"hx-trigger=\"(?:load|every|revealed|intersect)")


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
@pytest.mark.parametrize("why", BANNED)
def test_a_template_needs_no_leave_from_the_policy(why: str, file: Path) -> None:
    found = re.search(BANNED[why], without_comments(file))
    assert found is None, f"{file.name}: {why}: {found[0]}"


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_a_form_that_changes_something_has_its_token(file: Path) -> None:
    for form in re.findall(r"<form\b[^>]*method=\"post\".*?</form>", without_comments(file), re.DOTALL):
        assert "csrf()" in form, f"{file.name}: {form[:80]}"


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_what_htmx_drives_is_there_without_it(file: Path) -> None:
    for name, attributes in DRIVEN.findall(without_comments(file)):
        is_plain = (name == "a" and "href=" in attributes) or name in ("form", "input", "select", "textarea", "button")
        assert is_plain or ALONE.search(attributes), f"{file.name}: <{name}{attributes[:80]}"


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_a_script_makes_no_code_or_markup_of_text(file: Path) -> None:
    assert not re.search(
        r"\beval\(|new Function|innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write", file.read_text()
    )


def without_comments(file: Path) -> str:
    return re.sub(r"\{#.*?#\}", "", file.read_text(), flags=re.DOTALL)
