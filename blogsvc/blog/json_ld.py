"""Structured data for search engines (schema.org, as JSON-LD)."""

from __future__ import annotations

from typing import Any

from blogsvc.blog.posts import Blog, BlogPost
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
        }
    )


def of_entry(entry: BlogPost) -> dict[str, Any]:
    return _of_page(entry) if entry.is_page else _of_post(entry)


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
            "isPartOf": {"@type": "Blog", "@id": f"{entry.blog.url}/", "name": entry.blog.title},
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
            "author": _person(entry.blog),
            "isPartOf": {"@type": "Blog", "@id": f"{entry.blog.url}/", "name": entry.blog.title},
        }
    )


def _person(blog: Blog) -> dict[str, str] | None:
    return {"@type": "Person", "name": blog.author, "url": f"{blog.url}/"} if blog.author else None


def _without_gaps(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value not in (None, "", [])}
