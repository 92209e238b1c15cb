"""One paragraph of an older version is put back; every other line stays as it is."""

from __future__ import annotations

import pytest

from blogsvc.lib.text.diff import changes
from blogsvc.posts.paragraphs import lost_paragraphs, with_paragraph

OLD = "Intro.\n\nThe first paragraph.\n\nThe second\nin two lines.\n\nThe third.\n"


def starts(old: str, new: str) -> list[int]:
    return [lines.start for lines in lost_paragraphs(changes(old, new))]


def restored(old: str, new: str, line: int) -> str | None:
    return with_paragraph(old, new, changes(old, new), line)


def test_each_removed_paragraph_can_be_restored_alone() -> None:
    new = "Intro.\n"
    assert starts(OLD, new) == [3, 5, 8]
    assert restored(OLD, new, 3) == "Intro.\n\nThe first paragraph.\n"
    assert restored(OLD, new, 5) == "Intro.\n\nThe second\nin two lines.\n"
    assert restored(OLD, new, 8) == "Intro.\n\nThe third.\n"


def test_all_paragraphs_restored_one_after_the_other_make_the_old_text() -> None:
    for first in (min, max):
        new = ""
        while places := starts(OLD, new):
            new = restored(OLD, new, first(places)) or ""
        assert new.rstrip("\n") == OLD.rstrip("\n")


def test_a_paragraph_between_others_is_put_back_at_its_place() -> None:
    new = "Intro.\n\nThe third.\n"
    assert restored(OLD, new, 5) == "Intro.\n\nThe second\nin two lines.\n\nThe third.\n"


def test_a_changed_paragraph_is_replaced() -> None:
    new = OLD.replace("The first paragraph.", "The first good paragraph.") + "\nNew.\n"
    assert restored(OLD, new, 3) == OLD + "\nNew.\n"


def test_a_line_of_a_list_is_put_back_without_empty_lines() -> None:
    assert restored("- one\n- two\n- three", "- one\n- three", 2) == "- one\n- two\n- three"


def test_a_new_text_in_its_place_stays() -> None:
    assert restored("Alpha beta.", "Something else\n", 1) == "Alpha beta.\n\nSomething else\n"


def test_other_lines_keep_their_separators() -> None:
    new = "a\x0cb\u2028c\r\n\r\nEnd"
    assert restored("Gone.\n\n" + new, new, 1) == "Gone.\n\n" + new


@pytest.mark.parametrize("line", [0, 1, 2, 4, 6, 99])
def test_a_line_that_starts_no_lost_paragraph_is_refused(line: int) -> None:
    assert restored(OLD, "Intro.\n", line) is None
