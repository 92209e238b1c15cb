"""Differences between two revisions of a post."""

from __future__ import annotations

from blogsvc.posts.compare import field_changes, text_changes

WORDS = {
    "title": "Ink and water",
    "content": "One.\n\nTwo.",
    "summary": "",
    "slug": "ink",
    "tags": ["craft"],
    "overrides": {},
}


def changed_fields(old: dict, new: dict) -> dict[str, list[tuple[str, str]]]:
    return {
        change.label: [(run.kind, run.text) for hunk in change.hunks for line in hunk.lines for run in line.runs]
        for change in field_changes(old, new)
    }


def test_identical_versions_have_no_changes() -> None:
    assert text_changes(WORDS, WORDS) == []
    assert field_changes(WORDS, WORDS | {"content": "Else."}) == []
    assert field_changes(WORDS | {"language": None}, WORDS | {"language": ""}) == []


def test_each_changed_field_is_listed() -> None:
    newer = WORDS | {"title": "Ink and paper", "tags": ["craft", "web"], "language": "de"}
    assert changed_fields(WORDS, newer) == {
        "Title": [("same", "Ink and "), ("removed", "water"), ("added", "paper")],
        "Tags": [("same", "craft"), ("added", "web")],
        "Language": [("added", "de")],
    }


def test_changed_overrides_are_listed_by_destination() -> None:
    own = {"mastodon": {"content": "Short.", "options": {"visibility": "unlisted"}}}
    assert changed_fields(WORDS, WORDS | {"overrides": own}) == {
        "mastodon: content": [("added", "Short.")],
        "mastodon: options": [("added", "visibility: unlisted")],
    }
    assert changed_fields(WORDS | {"overrides": own}, WORDS | {"overrides": {"mastodon": None}})[
        "mastodon: content"
    ] == [("removed", "Short.")]
