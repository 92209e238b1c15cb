"""The list of mutants matches the code, so that no mutant becomes stale unnoticed."""

from __future__ import annotations

from blogsvc.config import ROOT
from tests.mutants.mutants import MUTANTS

EVERY = [mutant for mutants in MUTANTS.values() for mutant in mutants]


def test_the_text_that_a_mutant_replaces_occurs_exactly_once() -> None:
    stale = [one.name for one in EVERY if (ROOT / one.path).read_text().count(one.before) != 1]
    assert stale == [], "change `before` of these mutants to the current code"


def test_every_mutant_has_its_own_name_and_tests_that_exist() -> None:
    assert len({one.name for one in EVERY}) == len(EVERY)
    assert [one.name for one in EVERY if one.before == one.after or not one.tests] == []
    assert [path for one in EVERY for path in one.tests if not (ROOT / path).exists()] == []
