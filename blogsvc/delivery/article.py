"""A post as a destination shall see it: the words chosen for it, its address at home, its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from blogsvc.connectors.base import Article, ArticleImage, Connector
from blogsvc.lib import markdown
from blogsvc.lib.text import strip_front_matter
from blogsvc.models import SITE, Delivery, Post, Revision, db
from blogsvc.models.media import ids_in, known, with_full_addresses


def article_of(delivery: Delivery, public_url: str) -> Article | None:
    """What the delivery's operation in hand is about; None where it takes a copy down."""
    if delivery.armed_revision_id is None:
        return None
    revision = db.session.get(Revision, delivery.armed_revision_id)
    assert revision is not None
    return article(delivery.post, revision, delivery.platform, public_url)


def options_of(delivery: Delivery, connector: Connector) -> dict[str, str]:
    """What the author chose for the delivery's operation in hand, of what the connector asks per post."""
    if delivery.armed_revision_id is None:
        return {}
    revision = db.session.get(Revision, delivery.armed_revision_id)
    assert revision is not None
    return chosen(revision, delivery.platform, connector)


def chosen(revision: Revision, platform: str, connector: Connector) -> dict[str, str]:
    """A value for each option of a connector: the author's for this destination, else the default."""
    given: dict[str, str] = (revision.overrides.get(platform) or {}).get("options") or {}
    return {option.name: given.get(option.name, option.default) for option in connector.options}


def article(post: Post, revision: Revision, platform: str, public_url: str) -> Article:
    """A revision for one destination, with the author's overrides for it."""
    own = _own(revision, platform)
    words = {**revision.words(), **own}
    text = strip_front_matter(words["content"])
    html = revision.render() if words["content"] == revision.content else markdown.render(text)
    return Article(
        id=post.id,
        title=words["title"],
        slug=revision.slug,
        markdown=with_full_addresses(text, public_url),
        html=with_full_addresses(html, public_url),
        summary=words["summary"],
        canonical_url=home_of(post, revision, public_url),
        tags=tuple(words["tags"]),
        cover_url=revision.cover_image,
        pictures=tuple(_pictures(html, public_url)),
        language=revision.language,
        published_at=post.published_at,
        updated_at=revision.created_at,
        is_own="content" in own,
    )


def _pictures(html: str, public_url: str) -> Iterator[ArticleImage]:
    """The pictures it shows; one of ours that the text says nothing of, in the words that are stored with it."""
    ours = known(ids_in(html))
    for url, alt in markdown.pictures(html):
        media = next((ours[id] for id in ids_in(url) if id in ours), None)
        yield ArticleImage(urljoin(public_url, url), alt or (media.alt if media else ""))


def _own(revision: Revision, platform: str) -> dict[str, Any]:
    own = revision.overrides.get(platform) or {}
    return {name: value for name, value in own.items() if value is not None and name != "options"}


def home_of(post: Post, revision: Revision, public_url: str) -> str | None:
    """Where the original lives: where the author says, else on our blog, else its first long copy."""
    if revision.canonical_url:
        return revision.canonical_url
    if SITE in post.platforms:
        return f"{public_url}/{revision.slug}"
    copies = sorted((d for d in post.deliveries if d.url and d.delivered_at), key=lambda d: str(d.delivered_at))
    return copies[0].url if copies else None


def address_of(post: Post, public_url: str) -> str | None:
    """Where a reader finds it now: on our blog, else where its original lives; None while it is nowhere."""
    here = post.delivery_to(SITE)
    if here is not None and here.url:
        return absolute(here.url, public_url)
    live = post.live_revision() if post.published_at else None
    there = any(copy.url for copy in post.deliveries)
    return home_of(post, live, public_url) if live is not None and there and SITE not in post.platforms else None


def absolute(url: str | None, public_url: str) -> str | None:
    """Our own pages are stored as paths, so that they follow when the blog moves."""
    return public_url + url if url and url.startswith("/") else url
