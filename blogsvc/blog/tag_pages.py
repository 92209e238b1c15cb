"""The page of a tag as readers see it."""

from __future__ import annotations

from blogsvc.blog.page_heads import PageHead
from blogsvc.blog.posts import Blog
from blogsvc.lib import blog_paths
from blogsvc.models import TagPage


def head_of(blog: Blog, tag: str) -> PageHead:
    """Return what the page of a tag begins with: at least the tag as its title."""
    row = TagPage.find(tag) or TagPage(tag=tag, title="", description="", cover_image=None)
    path = blog_paths.of_tag(tag)
    return PageHead(row.title or tag, row.description, row.cover_image, path, blog.url, blog.language)
