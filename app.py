"""For a WSGI server that wants `app:app`; `blogsvc serve` needs no such file. Run `blogsvc migrate` first."""

from blogsvc import create_app, require_schema

app = create_app()
require_schema(app, creates=False)
