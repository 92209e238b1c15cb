"""Lemmy."""

from blogsvc.connectors.lemmy.connector import Lemmy

__all__ = ["Lemmy"]
