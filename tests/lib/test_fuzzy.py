"""Fuzzy search: what was typed finds a label, and better fits come first."""

from __future__ import annotations

import pytest

from blogsvc.lib.text.fuzzy import Fit, fit


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("new", Fit.PREFIX),
        ("NEW  po", Fit.PREFIX),
        ("post", Fit.WORD_START),
        ("po ne", Fit.WORD_START),
        ("ost", Fit.INSIDE),
        ("nwp", Fit.SUBSEQUENCE),
        ("np", Fit.SUBSEQUENCE),
        ("pt", Fit.SUBSEQUENCE),
        ("ewp", None),
        ("postal", None),
        ("n.*", None),
    ],
)
def test_a_label_fits_what_was_typed(query: str, found: Fit | None) -> None:
    assert fit("New post", query) is found


def test_accents_and_other_scripts_are_found() -> None:
    assert fit("Über Häfen", "hä") is Fit.WORD_START
    assert fit("Straße", "STRASSE") is Fit.PREFIX


def test_a_long_query_that_fits_nothing_is_found_out_at_once() -> None:
    assert fit("a" * 300, "a" * 299 + "b") is None
