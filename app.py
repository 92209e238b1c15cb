"""For a WSGI server that wants `app:app`; `blogsvc serve` needs no such file."""

from blogsvc import create_app

app = create_app()
