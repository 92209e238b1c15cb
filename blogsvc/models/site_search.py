"""What readers can search: the words of the revisions on the built-in blog, and never of a working copy.

A post has a row for as long as it is on the blog. See full_text.py for the indexes.
"""

from __future__ import annotations

from sqlalchemy import Text, bindparam, delete, insert
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.text.facts import searchable
from blogsvc.models.full_text import FullText, TextsOfPosts
from blogsvc.models.revision import Revision
from blogsvc.models.transactions import execute_write


class SiteWords(TextsOfPosts):
    title: Mapped[str] = mapped_column(Text)
    # The title again, the summary, the tags and the body.
    text: Mapped[str] = mapped_column(Text)


SITE_TITLE = FullText(SiteWords, "title", "site_words_in_title")
SITE_TEXT = FullText(SiteWords, "text", "site_words_in_text")

_INSERT = insert(SiteWords)
_DELETE = delete(SiteWords).where(SiteWords.post_id == bindparam("of_post"))


def store_site_words(post_id: str, revision: Revision) -> None:
    """Let readers find a post, which has no words yet, by this revision."""
    title, text = searchable(revision.title, revision.summary, revision.tags, revision.render())
    execute_write(_INSERT, {"post_id": post_id, "title": title, "text": text})


def remove_site_words(post_id: str) -> None:
    execute_write(_DELETE, {"of_post": post_id})
