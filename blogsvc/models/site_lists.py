"""The lists of the built-in blog that a post is in: those of its tags, authors and series, and what readers can search.

This is the place to leave a post out of them.
"""

from __future__ import annotations

from blogsvc.models.post_labels import remove_site_labels, store_site_labels
from blogsvc.models.revision import Revision
from blogsvc.models.site_search import remove_site_words, store_site_words


def enter_lists(post_id: str, revision: Revision, *, is_new: bool) -> None:
    """List a post by the revision on the blog, in place of a former one unless it `is_new` there."""
    if not is_new:
        leave_lists(post_id)
    if revision.is_listed:
        store_site_labels(post_id, revision)
    if revision.is_findable:
        store_site_words(post_id, revision)


def leave_lists(post_id: str) -> None:
    remove_site_labels(post_id)
    remove_site_words(post_id)
