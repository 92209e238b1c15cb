"""The title of a post without one is its first heading, in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transfer.test_formats import markdown


@pytest.mark.parametrize("name", ["_posts/2020-01-04-c.md", "content/c.md", "c.md", "src/content/c.md"])
@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# The *real* title `c` [l](/x) {#id}", "The real title c l"),
        ("# **Bold** <b>raw</b> &amp; \\*more\\* #", "Bold raw & *more*"),
        ("# Words ~~no~~", "Words no"),
        ("# C# #", "C#"),
        ("# Notes[^1] snake_case", "Notes snake_case"),
        ("The *real* title\n================", "The real title"),
    ],
)
def test_a_title_from_a_heading_shows_no_marks(tmp_path: Path, name: str, heading: str, title: str) -> None:
    post = markdown(tmp_path, f"---\ndate: 2020-01-02\n---\n{heading}\n\nWords.\n\n[^1]: Note.", name)
    assert post.title == title
    assert post.markdown == "Words.\n\n[^1]: Note."


@pytest.mark.parametrize("text", ["## Second level\n\nWords.", "#hashtag\n\nWords.", "Words\n\n# Later"])
def test_other_lines_are_no_title(tmp_path: Path, text: str) -> None:
    post = markdown(tmp_path, f"---\ndate: 2020-01-02\n---\n{text}", "my-note.md")
    assert (post.title, post.markdown) == ("my note", text)


def test_links_of_obsidian_in_a_title_are_words(tmp_path: Path) -> None:
    post = markdown(tmp_path, "---\ndate: 2020-01-02\n---\n# On [[Some note|boats]] and [[Ropes]]\n\nWords.", "c.md")
    assert post.title == "On boats and Ropes"


def test_images_of_the_heading_are_kept_and_its_links_are_named(tmp_path: Path) -> None:
    heading = "# ![logo](https://a.example/a.png) Words [a *b*](/b)"
    post = markdown(tmp_path, f"---\ndate: 2020-01-02\n---\n{heading}\n\nWords.", "c.md")
    assert (post.title, post.markdown) == ("Words a b", "![logo](https://a.example/a.png)\n\nWords.")
    assert post.warnings == ("The links of the title were removed: [a *b*](/b).",)
