"""Render the posts on the blog whose HTML is missing, because the language of the blog has changed."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sqlalchemy import select

from blogsvc.errors import TextRefused
from blogsvc.models import Post, Revision, db, transaction
from blogsvc.models.revision import rendered

log = logging.getLogger(__name__)

_BATCH = 20  # posts in a transaction


def render_missing(is_closing: Callable[[], bool]) -> None:
    """Render and store them, until the server closes. Until then, each is rendered when its page is shown."""
    on_site = select(Revision.id).join(Post, Post.site_revision_id == Revision.id)
    missing = db.session.scalars(on_site.where(Revision.html.is_(None)).order_by(Revision.id)).all()
    for start in range(0, len(missing), _BATCH):
        if is_closing():
            return
        chosen = select(Revision).where(Revision.id.in_(missing[start : start + _BATCH]))
        # Slow, so do it before the transaction.
        readable = [revision.id for revision in db.session.scalars(chosen) if _is_readable(revision)]
        with transaction():
            for revision in db.session.scalars(chosen.where(Revision.id.in_(readable))):
                revision.render()


def _is_readable(revision: Revision) -> bool:
    try:
        rendered(revision.content, revision.language)
    except TextRefused as error:
        log.warning("the post %s cannot be rendered: %s", revision.post_id, error)
        return False
    return True
