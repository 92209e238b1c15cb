"""Every text is rendered, converted or compared in bounded time and memory, or refused with a reason."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from blogsvc.errors import TextRefused
from blogsvc.lib.html_to_markdown import convert, convert_pasted
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.diff import difference
from tests.siege.texts import WORST, WORST_HTML, WORST_PAIRS
from tests.tiers import LONG, matrix

SECONDS = 20.0  # of CPU time, on a slow machine; each takes at most 4, and took up to 95

# One text for each limit.
QUICK = ("open b", "open b that seem closed", "few open b", "images in paragraphs", "rules in lists")
QUICK_HTML = ("lists in lists", "deep quotes of many lines")
QUICK_PAIRS = ("cycles of words",)


def seconds_for(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def rendered_length(text: str) -> int:
    try:
        return len(render(text))
    except TextRefused:
        return 0


@matrix("name", WORST, default=lambda name: name in QUICK, marks=LONG)
def test_a_text_is_rendered_in_bounded_time_to_bounded_html(name: str) -> None:
    text = WORST[name]()
    lengths = []
    assert seconds_for(lambda: lengths.append(rendered_length(text))) < SECONDS
    assert lengths[0] <= 20 * len(text) + 100_000


@matrix("name", WORST_HTML, default=lambda name: name in QUICK_HTML, marks=LONG)
def test_html_is_converted_in_bounded_time(name: str) -> None:
    def work() -> None:
        for convert_html in (convert_pasted, convert):
            with suppress(TextRefused):
                convert_html(WORST_HTML[name]())

    assert seconds_for(work) < SECONDS


@matrix("name", WORST_PAIRS, default=lambda name: name in QUICK_PAIRS, marks=LONG)
def test_texts_are_compared_in_bounded_time(name: str) -> None:
    old, new = WORST_PAIRS[name]()
    assert seconds_for(lambda: difference(old, new)) < SECONDS


def test_the_refusal_names_the_line_and_the_element() -> None:
    text = "Words.\n\n<p><b id=1>" + "".join(f"<b title={n}>" for n in range(2_000)) + "<p>x" * 3_000
    with pytest.raises(TextRefused, match=r"Line 3 opens <b id=1> and does not close it\..* Close each element"):
        render(text)


@pytest.mark.parametrize(
    "paragraph",
    [
        '<i lang="la" title="{n}">ad hoc</i> and <b id="b{n}">*bold* `code` [link](/x)</b>.',
        '<p><b id="b{n}">a<br><i title="{n}">b</i> <img src="/x.png" alt="y"></b></p>',
        '<a href="/{n}"><span>a</span></a> <a href="/x{n}">b</a>',
    ],
)
def test_closed_elements_are_never_too_many(paragraph: str) -> None:
    html = render("\n\n".join(paragraph.format(n=n) for n in range(1_400)))
    assert html.count("1399") >= 1


def test_a_few_unclosed_elements_are_rendered() -> None:
    html = render("<b>\n\n<font color=red>\n\n" + "Some words.\n\n" * 1_000)
    assert html.count("Some words.") == 1_000
