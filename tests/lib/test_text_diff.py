"""The difference of two texts, for a person to read."""

from __future__ import annotations

from time import process_time

import pytest

from blogsvc.lib.text.diff import DiffLine, difference, hunks, is_different


def told(lines: list[DiffLine]) -> list[str]:
    """Return each line as its kind and words, [-removed-] and {+added+} as in `git diff --word-diff`."""
    marks = {"same": "%s", "added": "{+%s+}", "removed": "[-%s-]"}
    return [f"{line.kind}: " + "".join(marks[run.kind] % run.text for run in line.runs) for line in lines]


def old_of(lines: list[DiffLine]) -> list[str]:
    return ["".join(run.text for run in x.runs if run.kind != "added") for x in lines if x.kind != "added"]


def new_of(lines: list[DiffLine]) -> list[str]:
    return ["".join(run.text for run in x.runs if run.kind != "removed") for x in lines if x.kind != "removed"]


def test_a_changed_paragraph_shows_the_changed_words() -> None:
    lines = difference("One.\n\nThe quick brown fox.", "One.\n\nThe slow brown fox.")
    assert told(lines) == ["same: One.", "same: ", "changed: The [-quick -]{+slow +}brown fox."]


def test_added_and_removed_lines_are_shown_whole() -> None:
    assert told(difference("a\nb\nc", "a\nc\nd")) == ["same: a", "removed: [-b-]", "same: c", "added: {+d+}"]


def test_a_dissimilar_replacement_is_a_removal_and_an_addition() -> None:
    assert told(difference("Good morning, everyone.", "## Zebras")) == [
        "removed: [-Good morning, everyone.-]",
        "added: {+## Zebras+}",
    ]


def test_lines_replaced_together_are_matched_by_similarity() -> None:
    lines = difference("the cat sat\nthe dog ran", "a word before\nthe cat sat down\nthe dog ran off")
    assert [line.kind for line in lines] == ["added", "changed", "changed"]


def test_each_line_has_its_number_in_both_texts() -> None:
    lines = difference("a\nb", "x\na\nb")
    assert [(line.old_number, line.new_number) for line in lines] == [(None, 1), (1, 2), (2, 3)]


def test_words_without_spaces_are_compared_by_character() -> None:
    assert told(difference("吾輩は猫である", "吾輩は犬である")) == ["changed: 吾輩は[-猫-]{+犬+}である"]


def test_punctuation_is_separate_from_the_word_before_it() -> None:
    assert told(difference("So it was", "So it was.")) == ["changed: So it was{+.+}"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("", "a\nb"),
        ("a\n\nb", ""),
        ("a  b\tc", "a b c"),
        ("x\n" * 50, "x\ny\n" * 40),
        ("*a* **b**", "**a** *b*"),
    ],
)
def test_both_texts_can_be_restored_from_the_diff(old: str, new: str) -> None:
    lines = difference(old, new)
    assert (old_of(lines), new_of(lines)) == (old.splitlines(), new.splitlines())
    assert is_different(lines) is (old != new)


def test_long_unchanged_parts_are_folded() -> None:
    old = [str(number) for number in range(40)]
    new = [*old[:20], "new", *old[20:]]
    (first, last) = hunks(difference("\n".join(old), "\n".join(new)), context=2)
    assert (first.skipped, [line.runs[0].text for line in first.lines]) == (18, ["18", "19", "new", "20", "21"])
    assert (last.skipped, last.lines) == (18, ())


def test_a_single_line_is_not_folded() -> None:
    old, new = "a\nb\nc\nd\ne", "A\nb\nc\nd\nE"
    (only,) = hunks(difference(old, new), context=1)
    assert (only.skipped, len(only.lines)) == (0, 7)


def test_equal_texts_have_no_hunks() -> None:
    assert hunks(difference("a\nb", "a\nb")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\n" * 40_000, "a\nb\n" * 20_000),
        ("word " * 100_000, "other word " * 50_000),
        ("\n".join(map(str, range(3_900))), "\n".join(map(str, reversed(range(3_900))))),
        ("\n".join(f"{n} " * 300 for n in range(40)), "\n".join(f"{n} " * 301 for n in range(40))),
        ("a\nb\n" * 1_900, "b\na\na\n" * 1_200),
        ("a b " * 370, "b a a " * 300),
    ],
)
def test_hostile_texts_are_compared_in_bounded_time(old: str, new: str) -> None:
    began = process_time()
    lines = difference(old, new)
    assert process_time() - began < 5
    assert (old_of(lines), new_of(lines)) == (old.splitlines(), new.splitlines())
