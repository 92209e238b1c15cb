"""What differs between two states of a post."""

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


def told(old: dict, new: dict) -> dict[str, list[tuple[str, str]]]:
    return {
        change.label: [(run.kind, run.text) for hunk in change.hunks for line in hunk.lines for run in line.runs]
        for change in field_changes(old, new)
    }


def test_what_is_the_same_does_not_differ() -> None:
    assert text_changes(WORDS, WORDS) == []
    assert field_changes(WORDS, WORDS | {"content": "Else."}) == []
    assert field_changes(WORDS | {"language": None}, WORDS | {"language": ""}) == []


def test_each_field_that_differs_is_told() -> None:
    newer = WORDS | {"title": "Ink and paper", "tags": ["craft", "web"], "language": "de"}
    assert told(WORDS, newer) == {
        "Title": [("same", "Ink and "), ("removed", "water"), ("added", "paper")],
        "Tags": [("same", "craft"), ("added", "web")],
        "Language": [("added", "de")],
    }


def test_what_is_said_otherwise_in_one_place_is_told_by_its_name() -> None:
    own = {"mastodon": {"content": "Short.", "options": {"visibility": "unlisted"}}}
    assert told(WORDS, WORDS | {"overrides": own}) == {
        "mastodon: content": [("added", "Short.")],
        "mastodon: options": [("added", "visibility: unlisted")],
    }
    assert told(WORDS | {"overrides": own}, WORDS | {"overrides": {"mastodon": None}})["mastodon: content"] == [
        ("removed", "Short.")
    ]
