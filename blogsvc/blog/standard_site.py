"""Verification of the blog's AT Protocol publication (https://standard.site).

The publication's record names this blog's URL; this well-known path names the publication in return.
"""

from __future__ import annotations

from flask import Blueprint, Response, abort

from blogsvc.blog.posts import Blog
from blogsvc.models import Connection, Post

CONNECTOR = "atproto"

blueprint = Blueprint("standard_site", __name__)


@blueprint.get("/.well-known/site.standard.publication")
def publication() -> Response:
    """Return the AT-URI of the publication as plain text."""
    uri = _publication_uri(Blog.read().url) or abort(404)
    response = Response(uri, mimetype="text/plain")
    response.headers["Cache-Control"] = "no-cache"
    return response


def document_of(post: Post) -> str | None:
    """Return the AT-URI of the document that is a copy of the post."""
    copies = (copy for copy in post.deliveries if copy.connection and copy.connection.connector == CONNECTOR)
    return next((copy.remote_id for copy in copies if copy.remote_id and copy.remote_id.startswith("at://")), None)


def _publication_uri(url: str) -> str | None:
    """Return the publication of the connection whose blog URL is this one; others belong to other blogs."""
    of_this_blog = (
        connection.facts.get("publication")
        for connection in Connection.all()
        if connection.connector == CONNECTOR and connection.settings.get("blog_url", "").strip().rstrip("/") == url
    )
    return next((str(uri) for uri in of_this_blog if uri), None)
