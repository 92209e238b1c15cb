"""Dialects of Markdown, such as Kramdown, as the Markdown of our pages."""
