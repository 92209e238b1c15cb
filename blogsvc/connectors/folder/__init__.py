"""A folder of Markdown files for a static site generator."""

from blogsvc.connectors.folder.connector import Folder

__all__ = ["Folder"]
