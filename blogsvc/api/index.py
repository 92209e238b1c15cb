"""The index of the API: the resources, and where its documentation is."""

from __future__ import annotations

from flask import Response, jsonify

from blogsvc.api.framework.operations import OPERATIONS, blueprint


@blueprint.get("")
def index() -> Response:
    """List the resources. Needs no key, as the documentation."""
    root = blueprint.url_prefix
    paths = sorted({operation.path for operation in OPERATIONS if operation.path.count("/") == 1})
    links = {"openapi": f"{root}/openapi.json", "docs": f"{root}/docs", "problems": f"{root}/problems/"}
    return jsonify(resources={path[1:]: f"{root}{path}" for path in paths}, **links)
