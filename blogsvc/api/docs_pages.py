"""The HTML documentation of the API."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import groupby
from typing import Any

from flask import Flask, Response, render_template, request
from markupsafe import Markup, escape

from blogsvc.api.framework.openapi import examples
from blogsvc.api.framework.openapi.description import DESCRIPTION
from blogsvc.api.framework.openapi.operation import path_of, tag_of
from blogsvc.api.framework.operations import OPERATIONS, blueprint
from blogsvc.api.framework.problems import Problem
from blogsvc.config import DOCS, STATIC
from blogsvc.lib.time import ONE_YEAR_SECONDS

API_VIEWER = "vendor/swagger-ui-dist@5.35.0"
DOCS_FILES = ("docs-base.css", "docs.css", "docs-viewer.css", "docs-viewer.js")
# Swagger UI loads only its own files; it fetches the OpenAPI document and, for "Try it out", the API. `data:` allows
# the arrow images in its style sheet. It sets styles from its script, which CSP allows, and has no inline styles.
VIEWER_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


@dataclass(frozen=True)
class DocsPage:
    """A file of docs/, converted to HTML."""

    title: str
    html: str


@blueprint.get("/docs", strict_slashes=False)
def docs() -> Response:
    """Show the API reference and the list of guides."""
    tags = [(tag, list(found)) for tag, found in groupby(sorted(OPERATIONS, key=tag_of), key=tag_of)]
    response = page("index", viewer=API_VIEWER, path=path_of, operations=tags, guides=guides(), basics=_basics())
    response.headers["Content-Security-Policy"] = VIEWER_POLICY
    return response


@blueprint.get("/docs/operations/<name>")
def operation_page(name: str) -> Response:
    """Show one operation with its recorded examples."""
    declared = next((found for found in OPERATIONS if found.name == name), None)
    if declared is None:
        raise Problem("not-found", f"There is no operation named {name!r}.")
    exchanges = examples.of_operation(name)
    description = _rendered(declared.description)
    return page(
        "operation", declared=declared, path=path_of(declared.path), exchanges=exchanges, description=description
    )


@blueprint.get("/docs/guides/<name>")
def guide(name: str) -> Response:
    """Show one guide."""
    if name not in guides():
        raise Problem("not-found", f"There is no guide named {name!r}.")
    return page("guide", guide=_read(f"guides/{name}.md"))


@blueprint.get("/docs/versions")
def versions() -> Response:
    """Show the versioning policy."""
    return page("guide", guide=_read("versions.md"))


@cache
def guides() -> dict[str, str]:
    """Return the titles of the guides by name, in the order of docs/guides/README.md."""
    listed = re.findall(r"^- \[(.+?)\]\(([\w-]+)\.md\)", (DOCS / "guides" / "README.md").read_text(), re.MULTILINE)
    return {name: title for title, name in listed}


def _rendered(text: str) -> str:
    from blogsvc.lib.markdown.render import render

    return render(text)


@cache
def _basics() -> str:
    return _rendered(DESCRIPTION)


@cache
def _read(file: str) -> DocsPage:
    title, _, text = (DOCS / file).read_text().partition("\n")
    return DocsPage(title.removeprefix("# "), _rendered(_with_page_links(text)))


def _with_page_links(text: str) -> str:
    """Replace links between the Markdown files with links between the pages."""
    text = re.sub(r"\]\((?:guides/)?([\w-]+)\.md(#[\w-]+)?\)", r"](/api/v1/docs/guides/\1\2)", text)
    return text.replace("](../versions.md", "](/api/v1/docs/versions")


def page(template: str, **values: Any) -> Response:
    html = render_template(f"docs/{template}.html", version=_version(), request_path=request.path, **values)
    answer = Response(html, mimetype="text/html")
    answer.headers["Cache-Control"] = "public, no-cache"
    answer.set_etag(sha256(answer.data).hexdigest()[:24])
    answer.make_conditional(request)
    return answer


@cache
def _version() -> str:
    """Return the fingerprint of our own static files, which lets browsers cache them forever."""
    return sha256(b"".join((STATIC / name).read_bytes() for name in DOCS_FILES)).hexdigest()[:12]


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _code(sentence: str) -> Markup:
    """Convert `backticks` in a sentence to code elements."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(sentence))))  # noqa: S704 (escaped before)


def init(app: Flask) -> None:
    app.template_filter("pretty")(_pretty)
    app.template_filter("code")(_code)

    @app.after_request
    def keep_what_has_a_version(response: Response) -> Response:
        name = (request.view_args or {}).get("filename", "") if request.endpoint == "static" else ""
        if name.startswith(f"{API_VIEWER}/") or (name in DOCS_FILES and request.args.get("v") == _version()):
            response.headers["Cache-Control"] = f"public, max-age={ONE_YEAR_SECONDS}, immutable"
        return response
