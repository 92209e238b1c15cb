"""docs/asvs.md: every requirement of levels 1 and 2 has a row, and what a row names exists."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from blogsvc.config import ROOT

PAGE = (ROOT / "docs" / "asvs.md").read_text()
# The numbers of all requirements of levels 1 and 2 of ASVS 5.0.0.
REQUIRED = (Path(__file__).parent / "asvs-5.0.0.txt").read_text().split()
NUMBER = re.compile(r"\d+\.\d+\.\d+")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def rows() -> list[list[str]]:
    lines = (line for line in PAGE.splitlines() if re.match(r"\| \d+\.\d+\.\d+", line))
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in lines]


def numbers(row: list[str]) -> list[str]:
    return NUMBER.findall(row[0])


def test_every_requirement_has_one_row() -> None:
    found = [number for row in rows() for number in numbers(row)]
    assert found == REQUIRED
    assert len(REQUIRED) == 253


def test_the_number_of_requirements_in_each_state_is_right() -> None:
    count = Counter[str]()
    for row in rows():
        count[row[1]] += len(numbers(row))
    met, none, unmet = count["met"], count["does not apply"], count["**not met**"]
    sentence = f"Of {met + none + unmet} requirements, {met} are met, {none} do not apply, and {unmet} are not met"
    assert sentence in " ".join(PAGE.split())
    assert sum(count.values()) == len(REQUIRED)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0].split()[0].strip(","))
def test_a_row_has_a_reason_and_names_what_exists(row: list[str]) -> None:
    assert len(row) == 5, row
    _, state, holds, code, tests = row
    assert len(holds) > 4
    if state == "met":
        assert code, "name the code"
    if state == "**not met**":
        assert len(holds) > 60 or holds.startswith(("As ", "Unsaved")), "give the reason"
    for cell in (code, tests):
        for link in LINK.findall(cell):
            assert (ROOT / "docs" / link).exists(), link
    assert all("../tests/" in link for link in LINK.findall(tests)), "the last column names tests"


def test_the_image_of_the_threat_model_says_in_words_what_it_shows() -> None:
    image = ElementTree.parse(ROOT / "docs" / "threat-model.svg").getroot()
    parts = {child.tag.rpartition("}")[2]: (child.text or "") for child in image}
    assert len(parts["title"]) > 10
    assert len(parts["desc"]) > 200
    assert "prefers-color-scheme: dark" in parts["style"]
    assert "](threat-model.svg)" in (ROOT / "docs" / "security.md").read_text()
