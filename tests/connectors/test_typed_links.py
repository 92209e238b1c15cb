"""Links in texts typed for one destination are those that Markdown has."""

from __future__ import annotations

import pytest

from blogsvc.connectors._kit.typed_links import as_plain_text, links_in

T, IMG = "https://a.example/t", "https://a.example/i.png"


@pytest.mark.parametrize(
    ("typed", "plain", "linked"),
    [
        (f"See [here]({T}).", f"See here ({T}).", "See here."),
        (f"[![img]({IMG})]({T})", f"img ({T})", "img"),
        (f"a [![img]({IMG}) and *words*]({T}) b", f"a img and *words* ({T}) b", "a img and *words* b"),
        (f"![]({IMG})", IMG, IMG),
        (f"[![]({IMG})]({T})", T, T),
        (f"![An *oak*]({IMG})", f"An oak ({IMG})", "An oak"),
        (f"[a [b] c]({T})", f"a [b] c ({T})", "a [b] c"),
        (f"[a](<{T}> 'title') b", f"a ({T}) b", "a b"),
        (f"[a](<{T}/b c>) d", f"a ({T}/b%20c) d", "a d"),
        (f"A [ref][r] and [r].\n\n[r]: {T}", f"A ref ({T}) and r ({T}).", "A ref and r."),
        (f"A [ref][r].\n\n[r]: {T}\n\nB", f"A ref ({T}).\n\nB", "A ref.\n\nB"),
        (f"[![img][i]][r]\n\n[i]: {IMG}\n[r]: {T} 'x'", f"img ({T})", "img"),
        (f"- one\n- [two]({T})\n\n> [three\n> lines]({T})", f"- one\n- two ({T})\n\n> three\nlines ({T})", None),
        (f"| a |\n|---|\n| [b]({T}) |", f"| a |\n|---|\n| b ({T}) |", None),
        (f"[a\\*b]({T})", f"a*b ({T})", "a*b"),
        (f"[{T}]({T})", T, T),
        ("[mail](mailto:a@b.example)", "mail (a@b.example)", "mail"),
        (f"`[a]({T})`", f"`[a]({T})`", f"`[a]({T})`"),
        (f"\\[a]({T})", f"\\[a]({T})", f"\\[a]({T})"),
        (f"<{T}> {T}", f"<{T}> {T}", f"<{T}> {T}"),
        ("[a](#b) [c](/d) [e][f] [g]", "[a](#b) [c](/d) [e][f] [g]", "[a](#b) [c](/d) [e][f] [g]"),
        (f"Unused.\n\n[r]: {T}", f"Unused.\n\n[r]: {T}", f"Unused.\n\n[r]: {T}"),
    ],
)
def test_links_are_those_of_markdown_and_other_text_stays(typed: str, plain: str, linked: str | None) -> None:
    assert as_plain_text(typed, has_links=False) == (plain, ())
    if linked is not None:
        text, links = as_plain_text(typed, has_links=True)
        assert text == linked
        assert [one.target for one in links] == [one.target for one in links_in(typed)]
        assert all(0 <= one.start < one.end <= len(text) for one in links)


def test_the_place_of_a_link_is_that_of_its_words() -> None:
    text, (first, second) = as_plain_text(f"A [b]({T}) c [![img]({IMG})]({T}) d", has_links=True)
    assert (text[first.start : first.end], text[second.start : second.end]) == ("b", "img")
    assert {first.target, second.target} == {T}
