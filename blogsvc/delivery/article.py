"""Build the article for one destination: its text with overrides, its original URL and its images."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from blogsvc.connectors.base import Article, ArticleImage, Connector
from blogsvc.delivery.mailing import mailed_once
from blogsvc.lib import blog_paths
from blogsvc.lib.markdown import full_addresses
from blogsvc.lib.media_names import keys_in
from blogsvc.lib.text.plain import images_in
from blogsvc.models import SITE, Delivery, Post, Revision, db
from blogsvc.models.media import known
from blogsvc.models.revision import rendered


def article_and_options(
    delivery: Delivery, connector: Connector, public_url: str
) -> tuple[Article | None, dict[str, str]]:
    """Return the article and the option values of a delivery's current operation: none if that removes the copy."""
    if delivery.armed_revision_id is None:
        return None, {}
    revision = db.session.get_one(Revision, delivery.armed_revision_id)
    written = article(delivery.post, revision, delivery.destination, public_url)
    return (
        replace(written, canonical_url=delivery.keep_original(written.canonical_url)),
        mailed_once(delivery, connector, chosen(revision, delivery.destination, connector)),
    )


def chosen(revision: Revision, platform: str, connector: Connector) -> dict[str, str]:
    """Return the value of each option of a connector: the author's choice for this destination, or the default."""
    given: dict[str, str] = (revision.overrides.get(platform) or {}).get("options") or {}
    return {option.name: given.get(option.name, option.default) for option in connector.all_options()}


def article(
    post: Post, revision: Revision, platform: str, public_url: str, platforms: Collection[str] | None = None
) -> Article:
    """Return a revision as an article for one destination, with the author's overrides.

    Args:
        platforms: the destinations that the post will have; None for those it has.
    """
    stored = revision.overrides.get(platform) or {}
    own_text = (stored.get("content") or "").strip()
    own = {name: value for name, value in stored.items() if value is not None and name not in ("options", "content")}
    fields = {**revision.fields(), **own, **({"content": stored["content"]} if own_text else {})}
    page = public_url + blog_paths.of_post(revision.slug)
    written = (
        revision.render() if fields["content"] == revision.content else rendered(fields["content"], revision.language)
    )
    html = full_addresses.in_html(written, page)
    markdown = full_addresses.in_markdown(fields["content"], written, page)
    images = tuple(_images(html))
    return Article(
        id=post.id,
        title=fields["title"],
        slug=revision.slug,
        markdown=markdown,
        html=html,
        summary=fields["summary"],
        canonical_url=home_of(post, revision, public_url, platform, platforms),
        tags=tuple(fields["tags"]),
        cover_url=revision.cover_image,
        cover_alt=_cover_alt(revision, images),
        images=images,
        language=revision.language,
        published_at=post.first_published_at,
        updated_at=revision.created_at,
        own_text=markdown.strip() if own_text else None,
    )


def _images(html: str) -> Iterator[ArticleImage]:
    """Yield the images of the text. An uploaded image without alt text gets the alt text of the media library."""
    ours = known(keys_in(html))
    for url, alt in images_in(html):
        media = next((ours[key] for key in keys_in(url) if key in ours), None)
        size = (media.width, media.height) if media else None
        yield ArticleImage(url, alt or (media.alt if media else ""), size)


def _cover_alt(revision: Revision, images: tuple[ArticleImage, ...]) -> str:
    """Return the alt text of the cover: the author's, else that of the same image in the text or media library."""
    cover = revision.cover_image
    if revision.cover_alt or not cover:
        return revision.cover_alt if cover else ""
    in_text = next((image.alt for image in images if image.url == cover), "")
    return in_text or next((media.alt for media in known(keys_in(cover)).values()), "")


def home_of(
    post: Post, revision: Revision, public_url: str, platform: str = "", platforms: Collection[str] | None = None
) -> str | None:
    """Return the URL of the original: the canonical URL, else the page on this blog, else the first copy.

    The first copy is no original for itself, and stays the first one when it is updated.

    Args:
        platforms: the destinations that the post will have; None for those it has.
    """
    if revision.canonical_url:
        return revision.canonical_url
    if SITE in (post.platforms if platforms is None else platforms):
        return public_url + blog_paths.of_post(revision.slug)
    copies = [d for d in post.deliveries if d.url and d.first_delivered_at and d.drift != "gone"]
    first = min(copies, key=lambda d: (str(d.first_delivered_at), d.id), default=None)
    return absolute(first.url, public_url) if first is not None and first.destination != platform else None


def address_of(post: Post, public_url: str) -> str | None:
    """Return the URL where readers find the post now: on this blog, else its original; None if it is not published."""
    here = post.delivery_to(SITE)
    if here is not None and here.url:
        return absolute(here.url, public_url)
    live = post.live_revision() if post.published_at else None
    there = any(copy.url for copy in post.deliveries)
    return home_of(post, live, public_url) if live is not None and there and SITE not in post.platforms else None


def absolute(url: str | None, public_url: str) -> str | None:
    """Make the path of a page on this blog absolute. Paths are stored so that the blog can move to another domain."""
    return public_url + url if url and url.startswith("/") else url
