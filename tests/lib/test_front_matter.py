"""Front matter, checked with a YAML parser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml

from blogsvc.lib.text.front_matter import front_matter, split


def read(fields):
    head = front_matter(fields)
    assert head.startswith("---\n")
    assert head.endswith("\n---\n")
    return yaml.safe_load(head[4:-4])


@pytest.mark.parametrize("character", [chr(code) for code in (0, 7, 0x1F, 0x7F, 0x85, 0x9F, 0x2028, 0xFEFF, 0x1F333)])
def test_every_character_is_preserved(character):
    assert read({"title": f"a{character}b"}) == {"title": f"a{character}b"}


def test_a_lone_surrogate_becomes_a_replacement_character():
    assert read({"title": "a\ud83cb"}) == {"title": "a\ufffdb"}


def test_a_datetime_is_written_in_utc():
    berlin = timezone(timedelta(hours=1))
    moment = datetime(2026, 11, 20, 11, 0, 0, 999, berlin)
    assert read({"date": moment}) == {"date": datetime(2026, 11, 20, 10, 0, tzinfo=UTC)}


def test_missing_values_are_left_out_and_empty_or_false_ones_are_not():
    assert read({"a": None, "b": [], "c": (), "d": "", "e": False}) == {"d": "", "e": False}


def test_list_items_are_written_as_text():
    assert read({"tags": ("a, b", "[c]", "yes", "7")}) == {"tags": ["a, b", "[c]", "yes", "7"]}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("---\ntitle: A\ntags: [b]\n---\nBody\n", {"title": "A", "tags": ["b"]}),
        ("\ufeff---\ntitle: A\n...\nBody\n", {"title": "A"}),
        ("\n \n---\nTitle: A\n---\nBody\n", {"title": "A"}),
        ('---\n{"title": "A"}\n---\nBody\n', {"title": "A"}),
        ("---\n---\nBody\n", {}),
        ('+++\ntitle = "A"\n[extra]\nx = 1\n+++\nBody\n', {"title": "A", "extra": {"x": 1}}),
        ('{\n  "title": "A",\n  "draft": true\n}\nBody\n', {"title": "A", "draft": True}),
        ('\n{"title": "{}\\"}"}\nBody\n', {"title": '{}"}'}),
    ],
)
def test_every_head_that_hugo_reads_is_front_matter(text, fields):
    assert split(text) == (fields, "Body\n")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nProse between breaks.\n\n---\n\nMore.",
        "---\nNote: this begins with a rule\n---\nMore.",
        "---\nNote: [not YAML\n---\nMore.",
        "---\nHe said:\n- one\n---\nMore.",
        '---\n{"note": 1}\n---\nMore.',
        "---\ntitle: never closed\n\nBody",
        "+++\nnote = 1\n+++\nMore.",
        '{"note": 1}\nMore.',
        '{"title": 1} More.',
        "{title} More.",
        "{{< a >}}",
        "Body\n\n---\ntitle: A\n---\n",
        "----\ntitle: A\n----\n",
        "",
    ],
)
def test_text_that_only_resembles_front_matter_is_text(text):
    assert split(text) == ({}, text)
