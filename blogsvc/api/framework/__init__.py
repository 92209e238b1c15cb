"""The parts of the JSON API that are not about blogs: operations, OpenAPI, requests, problems, idempotency, cursors."""
