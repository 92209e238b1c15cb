"""Publish posts in tests, as the API and the pages do."""

from __future__ import annotations

from blogsvc.context import Tools
from blogsvc.models import Post
from blogsvc.posts import prepare, publishing
from blogsvc.posts.publish_request import PublishRequest


def publish_request(post: Post, request: PublishRequest, tools: Tools) -> Post:
    """Prepare a post, then publish or schedule it."""
    prepared = prepare.publication(post, request, tools)
    return publishing.publish_request(post, request, tools.now(), tools, prepared)
