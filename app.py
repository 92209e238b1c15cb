"""For a WSGI server in this checkout, as `app:app`. In an installed package it is `blogsvc.wsgi:app`."""

from blogsvc.wsgi import app

__all__ = ["app"]
