"""The blog's word that a publication on the AT Protocol, and its documents, are its own: https://standard.site.

The repository says that the publication is of this address; here the address says the same of the publication.
"""

from __future__ import annotations

from flask import Blueprint, Response, abort

from blogsvc.blog.posts import Blog
from blogsvc.models import Connection, Post

CONNECTOR = "atproto"

blueprint = Blueprint("standard_site", __name__)


@blueprint.get("/.well-known/site.standard.publication")
def publication() -> Response:
    """The publication's AT-URI, and nothing else."""
    uri = _publication_of(Blog.read().url) or abort(404)
    response = Response(uri, mimetype="text/plain")
    response.headers["Cache-Control"] = "no-cache"
    return response


def document_of(post: Post) -> str | None:
    """The AT-URI of the document that a post has there."""
    copies = (copy for copy in post.deliveries if copy.connection and copy.connection.connector == CONNECTOR)
    return next((copy.remote_id for copy in copies if copy.remote_id and copy.remote_id.startswith("at://")), None)


def _publication_of(url: str) -> str | None:
    """That of an account which says that the blog is this one: it may have another for another blog."""
    of_this_blog = (
        connection.facts.get("publication")
        for connection in Connection.all()
        if connection.connector == CONNECTOR and connection.settings.get("blog_url", "").strip().rstrip("/") == url
    )
    return next((str(uri) for uri in of_this_blog if uri), None)
