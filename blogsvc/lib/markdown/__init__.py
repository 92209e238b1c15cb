"""Markdown: render it safely, parse it with its positions, and write it."""
