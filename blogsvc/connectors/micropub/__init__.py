"""Sites that accept posts by Micropub."""

from blogsvc.connectors.micropub.connector import Micropub

__all__ = ["Micropub"]
