"""The addresses that posts, and the pages of tags, categories and authors, have on every blog of WordPress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from blogsvc.transfer.formats.parsed_post import is_web
from blogsvc.transfer.formats.wordpress.xml import text_of


def tag_paths(terms: Iterable[Element], home: str, category_ids: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the paths of the pages of a post's tags and categories, each with the tag; also those with ids."""
    for term in terms:
        if slug := term.get("nicename"):
            name, is_category = unescape(term.text or ""), term.get("domain") == "category"
            yield f"{home}{'category' if is_category else 'tag'}/{unquote(slug)}/", name
            if not is_category:
                yield f"{home}?tag={slug}", name
            elif category_id := category_ids.get(slug):
                yield f"{home}?cat={category_id}", name


def author_paths(login: str, home: str, author_ids: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths of the page of an author."""
    if login:
        yield f"{home}author/{login}/"
    if author_id := author_ids.get(login):
        yield f"{home}?author={author_id}"


def home_of(guid: str) -> str:
    """Return the path of the old blog's front page, which the address that WordPress gives to new posts contains."""
    parts = urlsplit(guid) if is_web(guid) else None
    return f"/{parts.path.strip('/')}/".replace("//", "/") if parts and parts.query.startswith("p=") else "/"


def other_addresses(item: Element, link: str, home: str) -> Iterator[str]:
    """Yield the addresses of a post beside its link: with its id, and with the slugs that it had before."""
    if post_id := text_of(item, "post_id"):
        yield f"{home}?p={post_id}"
        if text_of(item, "post_type") == "page":
            yield f"{home}?page_id={post_id}"
    slug = text_of(item, "post_name")
    before, found, after = link.rpartition(f"/{slug}")
    for part in item if slug and found else ():
        if text_of(part, "meta_key") == "_wp_old_slug" and (former := text_of(part, "meta_value")):
            yield f"{before}/{former}{after}"
