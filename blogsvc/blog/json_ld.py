"""Structured data for search engines (schema.org, as JSON-LD)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from blogsvc.blog.authors import PostAuthor
from blogsvc.blog.contract import Place
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.blog.series import BlogSeries
from blogsvc.lib.time import stamp

_CONTEXT = "https://schema.org"


def of_blog(blog: Blog) -> dict[str, Any]:
    return _without_gaps(
        {
            "@context": _CONTEXT,
            "@type": "Blog",
            "@id": f"{blog.url}/",
            "url": f"{blog.url}/",
            "name": blog.title,
            "description": blog.description,
            "inLanguage": blog.language,
            "author": _person(blog),
            "publisher": _publisher(blog),
        }
    )


def of_entry(entry: BlogPost, place: Place | None) -> dict[str, Any]:
    return _of_page(entry) if entry.is_page else _of_post(entry) | (_in_series(place, entry.blog) if place else {})


def _of_page(entry: BlogPost) -> dict[str, Any]:
    return _without_gaps(
        {
            "@context": _CONTEXT,
            "@type": "WebPage",
            "@id": entry.url,
            "url": entry.url,
            "name": entry.title,
            "description": entry.summary,
            "inLanguage": entry.revision.language or entry.blog.language,
            "image": entry.image_url,
            "isPartOf": _blog(entry.blog),
        }
    )


def _of_post(entry: BlogPost) -> dict[str, Any]:
    return _without_gaps(
        {
            "@context": _CONTEXT,
            "@type": "BlogPosting",
            "@id": entry.url,
            "url": entry.url,
            "mainEntityOfPage": entry.canonical_url,
            "headline": entry.title,
            "description": entry.summary,
            "datePublished": stamp(entry.published_at),
            "dateModified": stamp(entry.updated_at),
            "inLanguage": entry.revision.language or entry.blog.language,
            "keywords": entry.tags,
            "wordCount": entry.word_count,
            "image": entry.image_url,
            "author": [_author(author) for author in entry.authors],
            "publisher": _publisher(entry.blog),
            "isPartOf": _blog(entry.blog),
        }
    )


def _blog(blog: Blog) -> dict[str, str]:
    return {"@type": "Blog", "@id": f"{blog.url}/", "name": blog.title}


def _in_series(place: Place, blog: Blog) -> dict[str, Any]:
    return {"isPartOf": [_blog(blog), _series(place.title, blog.url + place.path)], "position": place.number}


def of_series(series: BlogSeries) -> dict[str, Any]:
    facts = {"description": series.description_text, "image": series.cover_image}
    parts = [{"@type": "BlogPosting", "url": series.blog_url + part.path} for part in series.parts]
    return _without_gaps({"@context": _CONTEXT, **_series(series.title, series.url), **facts, "hasPart": parts})


def _series(title: str, url: str) -> dict[str, str]:
    return {"@type": "CreativeWorkSeries", "@id": url, "url": url, "name": title}


def of_author(author: PostAuthor) -> dict[str, Any]:
    return {"@context": _CONTEXT, "@type": "ProfilePage", "url": author.url, "mainEntity": _author(author)}


def _author(author: PostAuthor) -> dict[str, Any]:
    image = urljoin(author.url, author.picture.src) if author.picture else None
    same = [link["url"] for link in author.links if link["is_me"]]
    person = {"@type": "Person", "name": author.name, "url": author.url, "image": image, "sameAs": same}
    return _without_gaps(person)


def _person(blog: Blog) -> dict[str, str] | None:
    return {"@type": "Person", "name": blog.author, "url": f"{blog.url}/"} if blog.author else None


def _publisher(blog: Blog) -> dict[str, Any] | None:
    """Return the blog with its logo, if it has one."""
    logo = blog.frame.logo
    if logo is None:
        return None
    image = {"@type": "ImageObject", "url": blog.url + logo.src, "width": logo.width, "height": logo.height}
    return {"@type": "Organization", "name": blog.title, "url": f"{blog.url}/", "logo": image}


def _without_gaps(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value not in (None, "", [])}
